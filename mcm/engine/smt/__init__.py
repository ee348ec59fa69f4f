"""The SMT engine: one propositional formula a skeleton, decided by Z3.

`decide` answers queries, `unsat_core` names rules that forbid a proposition. Reading order: `encode` makes the formula
from

* `circuit`: literals and gates, and the clauses that they need;
* `link` over `values` and `domain`: reads return what their writes write;
* `execution`: what is executed, reads-from, modification orders;
* `terms` over `base`, `relation`, `closure`, `recursion`: the relations of the model, bounded before they are encoded;
* `check`, `linearise`, `acyclic`, `wellfounded`: what the model demands of them;
* `dependency`: thin air; `symmetry`, `automorphism`, `ordering`: threads with the same code, and when one
  order of them is enough; `final`: final states.

`solver` is the interface to the solver. `states` and `witnesses` ask for solutions and `decode` makes executions of
them; `findings` collects the answer, and `budget` ends it.
"""
