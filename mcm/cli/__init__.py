"""Level 10: the command line; the only place that sees click."""
