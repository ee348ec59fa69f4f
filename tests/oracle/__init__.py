"""A brute-force checker written straight from the rule table, and random programs to compare mcm with it.

Nothing in this package but the comparison (`test_random_programs.py`, `comparison.py`) imports mcm: two readings of one
table are worth comparing only while they share no code.
"""
