"""Level 6: the operational executor. It runs programs and knows no axioms."""
