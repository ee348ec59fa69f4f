"""Compiled regular expressions that can be written down.

To compile the expressions of a lexer takes longer than to read a small file with them, and `re` keeps of a compiled
expression only its text. What its compiler made can be kept too, with functions that are private to CPython: where they
are not as we know them, the text alone is kept and compiled again.
"""

from __future__ import annotations

import re
from array import array
from importlib import import_module
from sys import intern
from typing import Any

# The expression and the other arguments of `_sre.compile`; the expression alone where these could not be had.
Written = tuple[Any, ...]


def write_down(expression: str) -> Written:
    """What `read_back` makes the compiled expression from."""
    compiled = re.compile(expression)
    try:
        parsed = import_module("re._parser").parse(expression)
        code = array("I", import_module("re._compiler")._code(parsed, 0))  # noqa: SLF001
        names = {intern(name): number for name, number in compiled.groupindex.items()}
        by_number = {number: name for name, number in names.items()}
        order = tuple(by_number.get(number) for number in range(compiled.groups + 1))
        written = (expression, compiled.flags, code, compiled.groups, names, order)
        # Patterns are equal when their codes are.
        return written if read_back(written) == compiled else (expression,)
    except Exception:  # noqa: BLE001 - whatever another interpreter lacks, it has `re.compile`
        return (expression,)


def read_back(written: Written) -> re.Pattern[str]:
    """The compiled expression."""
    expression, *others = written
    pattern: re.Pattern[str]
    if others:
        flags, code, groups, names, order = others
        pattern = import_module("_sre").compile(expression, flags, code.tolist(), groups, names, order)
    else:
        pattern = re.compile(expression)
    return pattern
