"""Reductions and scans of a group: which operation each combines its operands with, and what that begins with."""

from __future__ import annotations

from math import inf
from typing import TYPE_CHECKING, Final

from mcm.program.operators import CollectiveOperator
from mcm.program.types import Scalar

if TYPE_CHECKING:
    from mcm.program.types import Type

_SYMBOLS: Final = {"add": "+", "min": "min", "max": "max"}


def _of(kind: str) -> dict[CollectiveOperator, str]:
    return {CollectiveOperator(f"{kind}_{word}"): symbol for word, symbol in _SYMBOLS.items()}


# The symbol of the operation, by the group function.
REDUCTIONS: Final = _of("reduce")
INCLUSIVE_SCANS: Final = _of("scan_inclusive")
EXCLUSIVE_SCANS: Final = _of("scan_exclusive")


def identity(symbol: str, type_: Type) -> int | float:
    """What an exclusive scan gives to the first work-item.

    >>> identity("+", Scalar.INT), identity("min", Scalar.UCHAR), identity("max", Scalar.CHAR)
    (0, 255, -128)
    """
    if symbol == "+":
        return 0.0 if type_ is Scalar.FLOAT else 0
    if not isinstance(type_, Scalar) or type_ is Scalar.FLOAT:
        return inf if symbol == "min" else -inf
    half = 1 << (type_.bits - 1)
    if symbol == "min":
        return half - 1 if type_.signed else 2 * half - 1
    return -half if type_.signed else 0
