"""The SMT engine: one propositional formula a skeleton, decided by Z3."""
