"""Level 9: the command line; the only place that sees click."""
