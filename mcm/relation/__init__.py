"""Level 1: relational terms and their readings."""
