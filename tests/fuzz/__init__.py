"""Mutated inputs for every stage of mcm, and what must hold of each: `python -m tests.fuzz --help`."""
