"""Functions of numbers, of SYCL and of <cmath>: which one of the C family each is, and the type of what it gives."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from mcm.program.resolve.spelling import FLOAT_FUNCTIONS, INTEGER_FUNCTIONS, RELATIONAL
from mcm.program.types import Scalar
from mcm.sycl.words import plain

if TYPE_CHECKING:
    from collections.abc import Sequence

_NAMESPACES: Final = (("native::", "native_"), ("half_precision::", "half_"))
# Those of <cmath> with all arguments of one type.
_OF_CMATH: Final = frozenset(
    {
        *("acos", "acosh", "asin", "asinh", "atan", "atan2", "atanh", "cbrt", "ceil", "copysign", "cos", "cosh", "erf"),
        *("erfc", "exp", "exp2", "expm1", "fabs", "fdim", "floor", "fma", "fmax", "fmin", "fmod", "hypot", "lgamma"),
        *("log", "log10", "log1p", "log2", "pow", "remainder", "rint", "round", "sin", "sinh", "sqrt", "tan", "tanh"),
        *("tgamma", "trunc"),
    }
)
_FRACTIONS: Final = frozenset({Scalar.HALF, Scalar.FLOAT, Scalar.DOUBLE})
# Functions of SYCL that choose by components, and ask about those of vectors.
CHOOSING: Final = "select"
ASKING: Final = frozenset({"any", "all"})
# What types they take that give a number of the same type.
_EXACT: Final = frozenset({Scalar.INT, Scalar.UINT, Scalar.LONG, Scalar.ULONG})


def function_named(name: str) -> str | None:
    """The function of the C family that a function of numbers is; None for any other.

    >>> function_named("sycl::native::exp"), function_named("sqrtf"), function_named("std::max"), function_named("f")
    ('native_exp', 'sqrt', 'max', None)
    """
    name = plain(name)
    for namespace, prefix in _NAMESPACES:
        if name.startswith(namespace):
            name = prefix + name.removeprefix(namespace)
    if is_of_floats(name):
        return name.removesuffix("f")
    if name == CHOOSING or name in ASKING:
        return name
    return name if name in INTEGER_FUNCTIONS or name in FLOAT_FUNCTIONS else None


def is_of_floats(name: str) -> bool:
    """Whether a function is one of <cmath> for `float`, to which all arguments are converted: `sqrtf`."""
    return name.endswith("f") and plain(name).removesuffix("f") in _OF_CMATH


def converted_to(name: str, arguments: Sequence[Scalar | None]) -> Scalar | None:
    """The type that the arguments of a call are converted to; None where they are as they are.

    Integers are `double` for functions of the standard library (cmath.syn); of those of SYCL, the one for the type of
    the other arguments is called.
    """
    if is_of_floats(name):
        return Scalar.FLOAT
    if plain(name) not in _OF_CMATH or None in arguments or (len(set(arguments)) == 1 and arguments[0] in _FRACTIONS):
        return None
    fractions = {one for one in arguments if one in _FRACTIONS}
    is_of_sycl = not name.removeprefix("::").startswith("std::")
    return fractions.pop() if len(fractions) == 1 and is_of_sycl else Scalar.DOUBLE


def result_of(name: str, arguments: Sequence[Scalar | None]) -> Scalar | None:
    """The type of what a call gives; None where that is not evident."""
    function = function_named(name)
    if function is None or not arguments or None in arguments:
        return None
    if (converted := converted_to(name, arguments)) is not None:
        return converted
    known = {one for one in arguments if one in _FRACTIONS or (function in INTEGER_FUNCTIONS and one in _EXACT)}
    is_one = len(known) == 1 and set(arguments) == known and function not in RELATIONAL
    return known.pop() if is_one else None
