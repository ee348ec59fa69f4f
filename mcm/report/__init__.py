"""Level 8: results as text, herd blocks and JSON."""
