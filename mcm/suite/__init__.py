"""Suites of tests: every expectation that is stated about them, judged."""
