"""Models of other tools, as published: which are accepted, and whether they say here what they say there."""
