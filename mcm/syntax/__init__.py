"""Level 1: litmus text to syntax tree and back."""
