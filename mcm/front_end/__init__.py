"""Level 3: from a text to a test, through the front end of its dialect."""
