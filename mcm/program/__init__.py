"""Level 2: syntax tree to resolved program."""
