"""Level 5: what is asked and what is answered, as data."""
