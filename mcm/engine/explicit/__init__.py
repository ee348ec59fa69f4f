"""The explicit engine: a search over relational bounds with constraint propagation, in the manner of Kodkod.

Every set and relation of the model has a lower and an upper bound in each partial execution. The search decides
reads-from and free choices, and orders at the leaves; after each decision the bounds are propagated through the terms
of the model. `docs/search.md` explains it on an example. Reading order:

* `decide` answers a query; `search` is the depth-first search, `budget` its limits, `findings` what it has found;
* `plan` and `compile`: the model as operators over slots; `operators`, `unknowns`, `fixpoint`: their rules;
* `bounds`, `base_bounds`, `propagation`: the bounds, those of the base relations, and how formulas narrow them;
* `packed_skeleton`, `bit_matrices`: the skeleton as bit masks; `valuation`: control flow and values;
* `decisions`, `pruning`, `symmetry`: what to branch on, and what not to search;
* `settled`: what is taken out of large skeletons before the search;
* `leaf_results`, `orders`, `final_states`, `flags`, `witness`: what a leaf adds to the findings.
"""
