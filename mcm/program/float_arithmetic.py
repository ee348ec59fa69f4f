"""The functions of `half`, `float` and `double` that programs may call, on numbers.

OpenCL C allows most of them an error of a few units in the last place, and `native_` and `half_` functions more. Here a
result is the nearest number that the library of Python finds, rounded to the type by whoever asks: one that is allowed.
"""

from __future__ import annotations

import math
import struct
from math import copysign, inf, isfinite, isnan, nan
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Callable

# The two halves of `fma`: a product that is not rounded, and a sum that is rounded once.
EXACT_PRODUCT: Final = "exact *"
ROUNDED_SUM: Final = "exact +"


class _MinusZero(float):
    """-0.0, as tables know it: it is equal to 0.0, but has other bits, so what is computed from it may differ."""

    __slots__ = ()

    def __hash__(self) -> int:
        """Another one than that of 0.0, so that tables tell the two apart."""
        return _HASH_OF_MINUS_ZERO


# Any number but that of 0.0, and no small one, whose tables it would crowd.
_HASH_OF_MINUS_ZERO: Final = 0x2D302E30
MINUS_ZERO: Final = _MinusZero(-0.0)

# Rounding to a floating type toward zero, up and down: functions of one number, by the mode and the bits of the type.
DIRECTED: Final = {(mode, bits): f"{mode} {bits}" for mode in ("rtz", "rtp", "rtn") for bits in (16, 32)}

_SMALL: Final = 0.5
# Farther from zero than any exponent.
_FAR: Final = 5000.0


def of_one(name: str, value: float) -> float:
    """The value of a function of one number, not rounded yet."""
    if isnan(value):
        return 1.0 if name == "isnan" else nan
    try:
        return ONE[name](value)
    except (ValueError, ZeroDivisionError):
        return nan
    except OverflowError:
        # Of those that grow without bound, the odd ones are negative below zero.
        return copysign(inf, value) if name in _ODD else inf


def of_two(name: str, left: float, right: float) -> float:
    """The value of a function of two numbers, not rounded yet."""
    try:
        return TWO[name](left, right)
    except ValueError:
        return nan
    except OverflowError:
        return inf


# How many bits of a number a floating type of so many bits keeps.
MANTISSA: Final = {16: 11, 32: 24, 64: 53}
# As many decimal digits tell all numbers of the floating types apart that are smaller than that of Python.
_MOST_DIGITS: Final = 9
# The formats of `struct` for the floating types, and for unsigned integers of their sizes.
_FORMATS: Final = {16: ("<e", "<H"), 32: ("<f", "<I"), 64: ("<d", "<Q")}


def rounded(value: float, bits: int) -> float:
    """The nearest number of the floating type of so many bits; of two that are as near, the even one.

    >>> rounded(0.1, 16), rounded(65520.0, 16), rounded(-1e39, 32), rounded(0.1, 64)
    (0.0999755859375, inf, -inf, 0.1)
    """
    form, _ = _FORMATS[bits]
    if isinstance(value, int):
        value = _of_digits(value, MANTISSA[bits])
    try:
        found: float = struct.unpack(form, struct.pack(form, value))[0]
    except OverflowError:
        return copysign(inf, value)
    return in_tables(found)


def _of_digits(number: int, digits: int) -> float:
    """The nearest number with so many binary digits: what is rounded once more on the way may be another one.

    >>> _of_digits(16777217, 24), _of_digits(16777219, 24), _of_digits(-(2**60 + 2**36 + 1), 24) == -(2**60 + 2**37)
    (16777216.0, 16777220.0, True)
    """
    step = 1 << max(0, number.bit_length() - digits)
    half, lower = step // 2, number // step * step
    rest = number - lower
    is_nearer = rest > half or (rest == half > 0 and lower // step % 2 == 1)
    return float(lower + step if is_nearer else lower)


def in_tables(value: float) -> float:
    """The number as tables know it: one object for NaN, as none is equal to another one, and one for -0.0."""
    if isnan(value):
        return nan
    return value if value or copysign(1.0, value) > 0 else MINUS_ZERO


def shortest(value: float, bits: int) -> float:
    """The number with the fewest decimal digits that the floating type of so many bits rounds to a value of it.

    >>> shortest(rounded(0.1, 32), 32), shortest(rounded(1 / 3, 16), 16), shortest(-inf, 32)
    (0.1, 0.3333, -inf)
    """
    for digits in range(1, _MOST_DIGITS + 1):
        found = float(f"{value:.{digits}g}")
        if rounded(found, bits) == value:
            return in_tables(found)
    return value


def bits_of(value: float, bits: int = 32) -> int:
    """The bits of a number of the floating type of so many, without a sign."""
    form, integer = _FORMATS[bits]
    found: int = struct.unpack(integer, struct.pack(form, value))[0]
    return found


def float_of(pattern: int, bits: int = 32) -> float:
    """The number of the floating type of so many bits that has these."""
    form, integer = _FORMATS[bits]
    return in_tables(struct.unpack(form, struct.pack(integer, pattern % (1 << bits)))[0])


def _whole(rounded: Callable[[float], int]) -> Callable[[float], float]:
    """A function to whole numbers, which keeps infinities and the sign of zero."""
    return lambda value: copysign(float(rounded(value)), value) if isfinite(value) else value


def _half_away(value: float) -> int:
    """The nearest whole number; of two, that farther from zero."""
    whole = math.trunc(value)
    return whole + (value > 0) - (value < 0) if abs(value - whole) >= _SMALL else whole


def _logarithm(of: Callable[[float], float]) -> Callable[[float], float]:
    return lambda value: of(value) if value else -inf


def _rsqrt(value: float) -> float:
    return 1.0 / math.sqrt(value) if value else copysign(inf, value)


def _recip(value: float) -> float:
    return 1.0 / value if value else copysign(inf, value)


def _sign(value: float) -> float:
    return copysign(1.0, value) if value else value


def _fmin(left: float, right: float) -> float:
    """The smaller one, of a number and NaN the number."""
    return right if isnan(left) else left if isnan(right) else min(left, right)


def _fmax(left: float, right: float) -> float:
    return right if isnan(left) else left if isnan(right) else max(left, right)


def _fdim(left: float, right: float) -> float:
    return nan if isnan(left) or isnan(right) else left - right if left > right else 0.0


def _pow(base: float, exponent: float) -> float:
    if base == 0 and exponent < 0:
        is_odd = exponent.is_integer() and exponent % 2 == 1
        return copysign(inf, base) if is_odd else inf
    try:
        return math.pow(base, exponent)
    except OverflowError:
        return -inf if base < 0 and exponent % 2 == 1 else inf


def _exact_product(left: float, right: float) -> float:
    """The product of two numbers of 24 bits, which a number of 53 bits holds as it is."""
    return left * right


def _rounded_sum(left: float, right: float) -> float:
    """A sum that will be rounded to `float`: moved off the middle of two floats if it is not exactly there."""
    found = left + right
    if not isfinite(found):
        return found
    # What `found` lacks, exactly (Knuth's TwoSum).
    other = found - left
    lacking = (left - (found - other)) + (right - other)
    return found if lacking == 0 else math.nextafter(found, copysign(inf, lacking))


def _magnitude(*, is_least: bool) -> Callable[[float, float], float]:
    """The number that is farther from zero, or nearer; of two that are as far, the larger one or the smaller one."""

    def of(left: float, right: float) -> float:
        one, other = abs(left), abs(right)
        if one == other or isnan(one) or isnan(other):
            return _fmin(left, right) if is_least else _fmax(left, right)
        return left if (one < other) is is_least else right

    return of


def _ldexp(value: float, exponent: float) -> float:
    try:
        return math.ldexp(value, int(min(max(exponent, -_FAR), _FAR)))
    except OverflowError:
        return copysign(inf, value)


def _logb(value: float) -> float:
    return math.frexp(value)[1] - 1.0 if value and isfinite(value) else -inf if not value else inf


def _rootn(value: float, degree: float) -> float:
    if degree == 0 or (value < 0 and degree % 2 == 0):
        return nan
    found = _pow(abs(value), 1.0 / degree)
    return copysign(found, value) if degree % 2 == 1 else found


def _of_turns(of: Callable[[float], float]) -> Callable[[float], float]:
    """A function of an angle in half turns; exact at quarters of a turn."""

    def of_angle(value: float) -> float:
        turned = math.fmod(value, 2.0)
        found = of(math.pi * turned)
        if not (2 * turned).is_integer():
            return found
        whole = float(round(found))
        return whole or copysign(0.0, value)

    return of_angle


def _in_turns(of: Callable[[float], float]) -> Callable[[float], float]:
    """A function whose value is an angle, in half turns."""
    return lambda value: of(value) / math.pi


def _next(bits: int) -> Callable[[float, float], float]:
    """The number of the floating type of so many bits that comes next, toward another one."""

    def of(value: float, toward: float) -> float:
        if isnan(value) or isnan(toward):
            return nan
        if value == toward:
            return toward
        if value == 0:
            return copysign(float_of(1, bits), toward)
        # The bits of numbers of one sign are in the order of their sizes.
        is_larger = (toward > value) is (value > 0)
        return float_of(bits_of(value, bits) + (1 if is_larger else -1), bits)

    return of


def _directed(mode: str, bits: int) -> Callable[[float], float]:
    """The number of the floating type of so many bits that is nearest on one side."""
    form, integer = _FORMATS[bits]

    def of(value: float) -> float:
        near = rounded(value, bits)
        is_up = mode == "rtp" or (mode == "rtz" and value < 0)
        if near == value or isnan(value) or (near < value if not is_up else near > value):
            return near
        # The next one on that side: the bits of numbers of one sign are in their order.
        pattern = struct.unpack(integer, struct.pack(form, near))[0]
        if near == 0:
            return copysign(float_of(1, bits), 1.0 if is_up else -1.0)
        return float_of(pattern + 1 if is_up is (near > 0) else pattern - 1, bits)

    return of


ONE: Final[dict[str, Callable[[float], float]]] = {
    "fabs": abs,
    "sqrt": math.sqrt,
    "rsqrt": _rsqrt,
    "recip": _recip,
    "cbrt": math.cbrt,
    "degrees": math.degrees,
    "radians": math.radians,
    "exp": math.exp,
    "exp2": lambda value: math.pow(2.0, value),
    "exp10": lambda value: math.pow(10.0, value),
    "expm1": math.expm1,
    "log": _logarithm(math.log),
    "log2": _logarithm(math.log2),
    "log10": _logarithm(math.log10),
    "log1p": lambda value: math.log1p(value) if value != -1 else -inf,
    "sin": math.sin,
    "cos": math.cos,
    "tan": math.tan,
    "asin": math.asin,
    "acos": math.acos,
    "atan": math.atan,
    "sinh": math.sinh,
    "cosh": math.cosh,
    "tanh": math.tanh,
    "asinh": math.asinh,
    "acosh": math.acosh,
    "atanh": lambda value: math.atanh(value) if abs(value) != 1 else copysign(inf, value),
    "erf": math.erf,
    "erfc": math.erfc,
    "ceil": _whole(math.ceil),
    "floor": _whole(math.floor),
    "trunc": _whole(math.trunc),
    "rint": _whole(round),
    "round": _whole(_half_away),
    "sign": _sign,
    "logb": _logb,
    "sinpi": _of_turns(math.sin),
    "cospi": _of_turns(math.cos),
    "asinpi": _in_turns(math.asin),
    "acospi": _in_turns(math.acos),
    "atanpi": _in_turns(math.atan),
    "tgamma": lambda value: math.gamma(value) if value else copysign(inf, value),
    "lgamma": lambda value: inf if value <= 0 and value.is_integer() else math.lgamma(value),
    "isnan": lambda _: 0.0,
    **{name: _directed(*key) for key, name in DIRECTED.items()},
}
NEXT: Final = {bits: f"nextafter#{bits}" for bits in _FORMATS}
_ODD: Final = frozenset({"sinh", "tan", "expm1"})

TWO: Final[dict[str, Callable[[float, float], float]]] = {
    "fmin": _fmin,
    "fmax": _fmax,
    "fdim": _fdim,
    "fmod": math.fmod,
    "remainder": math.remainder,
    "pow": _pow,
    "hypot": math.hypot,
    "atan2": math.atan2,
    "copysign": copysign,
    "atan2pi": lambda left, right: math.atan2(left, right) / math.pi,
    "maxmag": _magnitude(is_least=False),
    "minmag": _magnitude(is_least=True),
    "ldexp": _ldexp,
    "rootn": _rootn,
    EXACT_PRODUCT: _exact_product,
    ROUNDED_SUM: _rounded_sum,
    **{name: _next(bits) for bits, name in NEXT.items()},
}
