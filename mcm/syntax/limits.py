"""Limits of what is read."""

from __future__ import annotations

from typing import Final

# Brackets inside brackets.
MAX_NESTING: Final = 200

# Levels of the tree, so that everything that walks over trees may be recursive.
MAX_DEPTH: Final = 200

# A file that is not a litmus test at all should not be answered with ten thousand complaints.
MAX_PROBLEMS: Final = 50
