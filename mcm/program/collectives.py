"""Reductions and scans of a group: which operation each combines its operands with, and what that begins with."""

from __future__ import annotations

from math import inf
from typing import TYPE_CHECKING, Final

from mcm.program.operators import CollectiveOperator
from mcm.program.types import Scalar

if TYPE_CHECKING:
    from mcm.program.types import Type

_SYMBOLS: Final = {
    "add": "+",
    "min": "min",
    "max": "max",
    "mul": "*",
    "and": "&",
    "or": "|",
    "xor": "^",
    "logical_and": "&&",
    "logical_or": "||",
    "logical_xor": "!=",
}
# Those of OpenCL C itself, for groups of every level; the others are of cl_khr_work_group_uniform_arithmetic and SYCL.
_OF_OPENCL_C: Final = frozenset({"add", "min", "max"})


def _of(kind: str) -> dict[CollectiveOperator, str]:
    return {CollectiveOperator(f"{kind}_{word}"): symbol for word, symbol in _SYMBOLS.items()}


# The symbol of the operation, by the group function. The operands of logical ones are 0 or 1.
REDUCTIONS: Final = _of("reduce")
INCLUSIVE_SCANS: Final = _of("scan_inclusive")
EXCLUSIVE_SCANS: Final = _of("scan_exclusive")
_COMBINING: Final = {**REDUCTIONS, **INCLUSIVE_SCANS, **EXCLUSIVE_SCANS}

LOGICAL: Final = frozenset(one for one, symbol in _COMBINING.items() if symbol in {"&&", "||", "!="})
BITWISE: Final = frozenset(one for one, symbol in _COMBINING.items() if symbol in {"&", "|", "^"})
# Those that only work-groups have in OpenCL C: of sub-groups there are others, of the work-items that come.
UNIFORM_ARITHMETIC: Final = frozenset(
    one for one in _COMBINING if not any(one.value.endswith(f"e_{word}") for word in _OF_OPENCL_C)
)

_FROM_NOTHING: Final = {"+": 0, "*": 1, "&": -1, "|": 0, "^": 0, "&&": 1, "||": 0, "!=": 0}


def identity(symbol: str, type_: Type) -> int | float:
    """What an exclusive scan gives to the first work-item.

    >>> identity("+", Scalar.INT), identity("min", Scalar.UCHAR), identity("max", Scalar.CHAR)
    (0, 255, -128)
    >>> identity("*", Scalar.INT), identity("&", Scalar.INT), identity("&", Scalar.UCHAR)
    (1, -1, 255)
    """
    if symbol in _FROM_NOTHING:
        found = _FROM_NOTHING[symbol]
        if type_.is_floating:
            return float(found)
        return found if not isinstance(type_, Scalar) or type_.signed else found % (1 << type_.bits)
    if not isinstance(type_, Scalar) or type_.is_floating:
        return inf if symbol == "min" else -inf
    half = 1 << (type_.bits - 1)
    if symbol == "min":
        return half - 1 if type_.signed else 2 * half - 1
    return -half if type_.signed else 0
