"""Which functions and expressions do no more than read and compute."""

from __future__ import annotations

import re
from typing import Final

from mcm.program.resolve.command_words import INSIDE
from mcm.program.resolve.spelling import ALIGNED, ON_NUMBERS
from mcm.program.resolve.work_item_functions import DIMENSIONED, PLAIN
from mcm.syntax import ast
from mcm.syntax.walk import walk

# Conversions name the size of the vector; what is loaded is a vector, of halves perhaps.
CONVERSION: Final = re.compile(r"((?:as|convert)_[a-z]+)(2|3|4|8|16)((?:_sat)?(?:_rt[ezpn])?)")
LOAD: Final = re.compile(r"vload(?P<aligned>a(?=_half))?(?P<half>_half)?(?P<size>2|3|4|8|16)")
# Functions of vectors that give a number, and those that give a vector; how many they take.
GEOMETRIC: Final = {"dot": 2, "length": 1, "distance": 2, "fast_length": 1, "fast_distance": 2}
OF_WHOLE_VECTORS: Final = {"cross": 2, "normalize": 1, "fast_normalize": 1}
SHUFFLES: Final = {"shuffle": 1, "shuffle2": 2}  # beside the mask
COMPUTING: Final = frozenset({ALIGNED, *ON_NUMBERS, *DIMENSIONED, *PLAIN, *GEOMETRIC, *OF_WHOLE_VECTORS, *SHUFFLES})
STEPS: Final = frozenset({"++", "--"})


def acts(node: ast.Expression) -> bool:
    """Whether an expression does more than read."""
    return any(
        (isinstance(part, ast.Call) and not only_computes(part.function.text))
        or isinstance(part, ast.Assignment | ast.Postfix)
        or (isinstance(part, ast.Prefix) and part.operator in STEPS)
        for part in walk([node])
    )


def only_computes(function: str) -> bool:
    """Whether a function of OpenCL C does no more than read and compute, or check an index."""
    if function in COMPUTING or function.startswith(INSIDE):
        return True
    return any(one.fullmatch(function) is not None for one in (CONVERSION, LOAD))
