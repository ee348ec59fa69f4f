"""What became of a suite's expectations, in the formats that people and other tools read."""
