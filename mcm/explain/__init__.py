"""Level 7: why an answer is what it is, in words."""
