"""Level 2: cat text to memory model."""
