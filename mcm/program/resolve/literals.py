"""Number literals, and the constants that have names."""

from __future__ import annotations

import math
import re
from functools import lru_cache
from typing import TYPE_CHECKING, Final

from mcm.program.float_arithmetic import MANTISSA, rounded
from mcm.program.types import Scalar
from mcm.syntax import ast

if TYPE_CHECKING:
    from mcm.program.resolve.complaints import Complaints

# Strings, compiled only for literals that are more than digits.
_INTEGER: Final = r"(0[xX][0-9a-fA-F]+|0[bB][01]+|[0-9]+)([uUlL]*)"
_SUFFIXES: Final = frozenset({"", "u", "l", "ul", "lu", "ll", "ull", "llu"})
_ESCAPES: Final = {
    **{one: one for one in "'\"?\\"},
    **dict(zip("abfnrtv", "\a\b\f\n\r\t\v", strict=True)),
}
_LARGEST_CHARACTER: Final = 255
_FLOATING: Final = r"([0-9]+\.[0-9]*|\.[0-9]+|[0-9]+(?=[eE]))([eE][+-]?[0-9]+)?([fFhH]?)"
_HEXADECIMAL: Final = r"(0[xX][0-9a-fA-F]+\.?[0-9a-fA-F]*[pP][+-]?[0-9]{1,5})[fFhH]?"

# Macros of the C headers with numbers for values.
NAMED_CONSTANTS: Final[dict[str, tuple[int | float, Scalar]]] = {
    "true": (1, Scalar.INT),
    "false": (0, Scalar.INT),
    "NULL": (0, Scalar.INT),
    "CLK_NULL_RESERVE_ID": (0, Scalar.RESERVATION),
    "ATOMIC_FLAG_INIT": (0, Scalar.INT),
    "CL_SUCCESS": (0, Scalar.INT),
    # What enqueue_kernel returns, as the headers of compilers have it; mcm's calls succeed, or wait for a failed event.
    "CLK_SUCCESS": (0, Scalar.INT),
    "CLK_ENQUEUE_FAILURE": (-101, Scalar.INT),
    "CLK_INVALID_QUEUE": (-102, Scalar.INT),
    "CLK_INVALID_NDRANGE": (-160, Scalar.INT),
    "CLK_INVALID_EVENT_WAIT_LIST": (-57, Scalar.INT),
    "CLK_DEVICE_QUEUE_FULL": (-161, Scalar.INT),
    "CLK_INVALID_ARG_SIZE": (-51, Scalar.INT),
    "CLK_EVENT_ALLOCATION_FAILURE": (-100, Scalar.INT),
    "CLK_OUT_OF_RESOURCES": (-5, Scalar.INT),
    "CL_COMPLETE": (0, Scalar.INT),
    "CL_RUNNING": (1, Scalar.INT),
    "CL_SUBMITTED": (2, Scalar.INT),
    "CL_QUEUED": (3, Scalar.INT),
    "CHAR_BIT": (8, Scalar.INT),
    "CHAR_MAX": (2**7 - 1, Scalar.INT),
    "CHAR_MIN": (-(2**7), Scalar.INT),
    "SCHAR_MAX": (2**7 - 1, Scalar.INT),
    "SCHAR_MIN": (-(2**7), Scalar.INT),
    "UCHAR_MAX": (2**8 - 1, Scalar.INT),
    "SHRT_MAX": (2**15 - 1, Scalar.INT),
    "SHRT_MIN": (-(2**15), Scalar.INT),
    "USHRT_MAX": (2**16 - 1, Scalar.INT),
    "INT_MAX": (2**31 - 1, Scalar.INT),
    "INT_MIN": (-(2**31), Scalar.INT),
    "UINT_MAX": (2**32 - 1, Scalar.UINT),
    "LONG_MAX": (2**63 - 1, Scalar.LONG),
    "LONG_MIN": (-(2**63), Scalar.LONG),
    "ULONG_MAX": (2**64 - 1, Scalar.ULONG),
    "FLT_MAX": (float.fromhex("0x1.fffffep127"), Scalar.FLOAT),
    "FLT_MIN": (2.0**-126, Scalar.FLOAT),
    "FLT_EPSILON": (2.0**-23, Scalar.FLOAT),
    "FLT_DIG": (6, Scalar.INT),
    "FLT_MANT_DIG": (24, Scalar.INT),
    "FLT_MAX_10_EXP": (38, Scalar.INT),
    "FLT_MAX_EXP": (128, Scalar.INT),
    "FLT_MIN_10_EXP": (-37, Scalar.INT),
    "FLT_MIN_EXP": (-125, Scalar.INT),
    "FLT_RADIX": (2, Scalar.INT),
    "MAXFLOAT": (float.fromhex("0x1.fffffep127"), Scalar.FLOAT),
    "INFINITY": (float("inf"), Scalar.FLOAT),
    "NAN": (math.nan, Scalar.FLOAT),
    "HUGE_VALF": (float("inf"), Scalar.FLOAT),
    "HUGE_VAL": (float("inf"), Scalar.DOUBLE),
    "DBL_MAX": (float.fromhex("0x1.fffffffffffffp1023"), Scalar.DOUBLE),
    "DBL_MIN": (2.0**-1022, Scalar.DOUBLE),
    "DBL_EPSILON": (2.0**-52, Scalar.DOUBLE),
    "DBL_DIG": (15, Scalar.INT),
    "DBL_MANT_DIG": (53, Scalar.INT),
    "DBL_MAX_EXP": (1024, Scalar.INT),
    "DBL_MIN_EXP": (-1021, Scalar.INT),
    "M_PI": (math.pi, Scalar.DOUBLE),
    "M_PI_2": (math.pi / 2, Scalar.DOUBLE),
    "M_PI_4": (math.pi / 4, Scalar.DOUBLE),
    "M_E": (math.e, Scalar.DOUBLE),
    "M_SQRT2": (math.sqrt(2.0), Scalar.DOUBLE),
    "M_SQRT1_2": (math.sqrt(0.5), Scalar.DOUBLE),
    "M_LN2": (math.log(2.0), Scalar.DOUBLE),
    "M_LOG2E": (math.log2(math.e), Scalar.DOUBLE),
    "M_LOG10E": (math.log10(math.e), Scalar.DOUBLE),
    "M_LN10": (math.log(10.0), Scalar.DOUBLE),
    "M_1_PI": (1 / math.pi, Scalar.DOUBLE),
    "M_2_PI": (2 / math.pi, Scalar.DOUBLE),
    "M_2_SQRTPI": (2 / math.sqrt(math.pi), Scalar.DOUBLE),
    "M_PI_F": (float.fromhex("0x1.921fb6p1"), Scalar.FLOAT),
    "M_PI_2_F": (float.fromhex("0x1.921fb6p0"), Scalar.FLOAT),
    "M_PI_4_F": (float.fromhex("0x1.921fb6p-1"), Scalar.FLOAT),
    "M_E_F": (float.fromhex("0x1.5bf0a8p1"), Scalar.FLOAT),
    "M_SQRT2_F": (float.fromhex("0x1.6a09e6p0"), Scalar.FLOAT),
    "M_SQRT1_2_F": (float.fromhex("0x1.6a09e6p-1"), Scalar.FLOAT),
    "M_LN2_F": (float.fromhex("0x1.62e430p-1"), Scalar.FLOAT),
    "M_LOG2E_F": (float.fromhex("0x1.715476p0"), Scalar.FLOAT),
    "M_LOG10E_F": (float.fromhex("0x1.bcb7b2p-2"), Scalar.FLOAT),
    "M_LN10_F": (float.fromhex("0x1.26bb1cp1"), Scalar.FLOAT),
    "M_1_PI_F": (float.fromhex("0x1.45f306p-2"), Scalar.FLOAT),
    "M_2_PI_F": (float.fromhex("0x1.45f306p-1"), Scalar.FLOAT),
    "M_2_SQRTPI_F": (float.fromhex("0x1.20dd76p0"), Scalar.FLOAT),
    "CLK_LOCAL_MEM_FENCE": (1, Scalar.UINT),
    "CLK_GLOBAL_MEM_FENCE": (2, Scalar.UINT),
    "CLK_IMAGE_MEM_FENCE": (4, Scalar.UINT),
    # The parts of a sampler.
    "CLK_ADDRESS_NONE": (0, Scalar.UINT),
    "CLK_ADDRESS_CLAMP_TO_EDGE": (2, Scalar.UINT),
    "CLK_ADDRESS_CLAMP": (4, Scalar.UINT),
    "CLK_ADDRESS_REPEAT": (6, Scalar.UINT),
    "CLK_ADDRESS_MIRRORED_REPEAT": (8, Scalar.UINT),
    "CLK_NORMALIZED_COORDS_FALSE": (0, Scalar.UINT),
    "CLK_NORMALIZED_COORDS_TRUE": (1, Scalar.UINT),
    "CLK_FILTER_NEAREST": (16, Scalar.UINT),
    "CLK_FILTER_LINEAR": (32, Scalar.UINT),
}


def number(
    literal: ast.NumberLiteral, complaints: Complaints, unsuffixed: Scalar = Scalar.DOUBLE
) -> tuple[int | float, Scalar]:
    """The value of a literal and the type that C gives it; `unsuffixed` is that of floating ones without a suffix."""
    found = _number(literal.text, unsuffixed)
    return complaints.fail("E144", literal.span, f"'{literal.text}' {found}") if isinstance(found, str) else found


def integer_of(text: str) -> int | None:
    """The value of an integer literal; None for others."""
    found = _number(text)
    return found[0] if not isinstance(found, str) and isinstance(found[0], int) else None


def written_integer(node: ast.Node | None) -> int | None:
    """The value of a node that is an integer literal; None for others."""
    return integer_of(node.text) if isinstance(node, ast.NumberLiteral) else None


@lru_cache(maxsize=1024)
def _number(text: str, unsuffixed: Scalar = Scalar.DOUBLE) -> tuple[int | float, Scalar] | str:
    """The value and the type of a literal, or the rest of an error message."""
    if text.isascii() and text.isdecimal():
        return _integer(text, "")
    if text[0] == "'":
        return _character(text[1:-1])
    integer = re.fullmatch(_INTEGER, text)
    if integer is not None and integer[2].lower() in _SUFFIXES:
        return _integer(integer[1], integer[2].lower())
    if re.fullmatch(_FLOATING, text):
        type_ = {"f": Scalar.FLOAT, "h": Scalar.HALF}.get(text[-1].lower(), unsuffixed)
        return rounded(float(text.rstrip("fFhH")), type_.bits), type_
    hexadecimal = re.fullmatch(_HEXADECIMAL, text)
    if hexadecimal is not None:
        return _hexadecimal(hexadecimal[1], {"f": Scalar.FLOAT, "h": Scalar.HALF}.get(text[-1].lower(), unsuffixed))
    return "is not a number of C"


def _hexadecimal(written: str, type_: Scalar) -> tuple[float, Scalar] | str:
    """The value of `0x1.8p-3`, and its type."""
    try:
        return rounded(float.fromhex(written), type_.bits), type_
    except OverflowError:
        return "is too large for its type"


def _character(written: str) -> tuple[int, Scalar] | str:
    """The value of a character constant, which is an int; a character has 8 bits, of which the highest is a sign."""
    if not written.isascii():
        return "is a character that no char holds"
    if written[0] != "\\":
        return ord(written), Scalar.INT
    escaped = written[1:]
    if escaped in _ESCAPES:
        return ord(_ESCAPES[escaped]), Scalar.INT
    is_hexadecimal = escaped[0] == "x"
    if not is_hexadecimal and not escaped.isdecimal():
        return "is not a character of C"
    value = int(escaped[1:], 16) if is_hexadecimal else int(escaped, 8)
    if value > _LARGEST_CHARACTER:
        return "is a character that no char holds"
    return value - (value > Scalar.CHAR.high) * (_LARGEST_CHARACTER + 1), Scalar.INT


def _integer(digits: str, suffix: str) -> tuple[int, Scalar] | str:
    octal = digits.isdecimal() and digits.startswith("0")
    try:
        value = int(digits, 8) if octal else int(digits, 0)
    except ValueError:
        return "is not an octal number"
    # C has no type for a decimal number that fits no signed one (C11 6.4.4.1). Compilers take the unsigned one, and so
    # can be written what states show of an object.
    candidates = [Scalar.UINT, Scalar.ULONG] if "u" in suffix else [Scalar.INT, Scalar.LONG, Scalar.ULONG]
    if "u" not in suffix and (octal or not digits.isdecimal()):
        candidates = [Scalar.INT, Scalar.UINT, Scalar.LONG, Scalar.ULONG]
    for scalar in candidates:
        if ("l" not in suffix or scalar.bits == Scalar.LONG.bits) and fits(value, scalar):
            return value, scalar
    return "fits no integer type"


def fits(value: int | float, scalar: Scalar) -> bool:  # noqa: PYI041 - the two are told apart
    """Whether a type holds a value unchanged.

    >>> fits(255, Scalar.UCHAR), fits(-1, Scalar.UINT), fits(0.5, Scalar.INT)
    (True, False, False)
    """
    if scalar.is_floating:
        # Larger integers, and most fractions, would be rounded.
        if isinstance(value, float):
            return value != value or rounded(value, scalar.bits) == value  # noqa: PLR0124 - it may be no number
        return abs(value) <= 1 << MANTISSA[scalar.bits]
    if isinstance(value, float):
        return False
    low = -(1 << (scalar.bits - 1)) if scalar.signed else 0
    return low <= value < low + (1 << scalar.bits)
