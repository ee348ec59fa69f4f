"""Level 4: the built-in models, as cat files, and their registry."""
