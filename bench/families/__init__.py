"""The families, one small file a group."""
