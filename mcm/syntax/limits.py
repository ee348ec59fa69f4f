"""The limits of the parser."""

from __future__ import annotations

from typing import Final

# How deep brackets may be nested.
MAX_NESTING: Final = 200

# How many levels a tree may have: what walks over trees is recursive.
MAX_DEPTH: Final = 200

# Longer chains of binary operators are walked over without recursion, and count as one level.
LONG_CHAIN: Final = 100

# How many operators may follow each other in kernel files and programs, which are walked over before chains are known.
MAX_CHAIN: Final = 300

# How many problems of one file are reported: a file that is not a litmus test has one on every line.
MAX_PROBLEMS: Final = 50
