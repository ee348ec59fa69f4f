"""Level 3: program to events, and candidate executions."""
