"""The tables of the litmus language."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING

from mcm.lalr.tables import read_tables
from mcm.syntax.build import TreeBuilder

if TYPE_CHECKING:
    from mcm.lalr.tables import Tables


@cache
def tables() -> Tables:
    """The tables of the parser, which build what `TreeBuilder` builds."""
    return read_tables("litmus", TreeBuilder)
