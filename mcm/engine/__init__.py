"""Level 6: engines answer queries."""
