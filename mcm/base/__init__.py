"""Level 0: sources, spans, diagnostics; known to every other level."""
