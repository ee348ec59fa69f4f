"""The tables of the litmus language, bound to the functions that build its nodes."""

from __future__ import annotations

from functools import cache
from types import SimpleNamespace
from typing import TYPE_CHECKING, Final

from mcm.lalr.tables import read_tables
from mcm.syntax import build_conditions, build_expressions, build_parts, build_statements
from mcm.syntax.again import makes_again

if TYPE_CHECKING:
    from mcm.lalr.tables import Tables

# Every function that builds a node, under the name of its rule or word.
BUILD: Final = SimpleNamespace(
    **(vars(build_parts) | vars(build_statements) | vars(build_expressions) | vars(build_conditions))
)


@cache
def tables() -> Tables:
    """The tables for a whole file."""
    return read_tables("litmus", BUILD, makes_again)


@cache
def part_tables() -> Tables:
    """The tables for a part of a file alone.

    They differ, because there nothing may follow the part: a diagnostic then lists only what the part itself expects.
    """
    return read_tables("litmus_parts", BUILD, makes_again)
