"""Values that depend on themselves: an equation system over the true bit-vectors of the types, decided by Z3.

Both engines ask here, and nowhere else, once everything but these values is decided of an execution
(`docs/adr/0022-values-that-depend-on-themselves.md`). `terms` are expressions as bit-vectors, `system` the equations of
one execution, `family` what all of its solutions have in common.
"""
