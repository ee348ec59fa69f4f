"""Number literals of C."""

from __future__ import annotations

# Characters of a literal: more than 64 bits need in any base, less than the limit of int().
LONGEST_NUMBER = 64


def integer_value(text: str) -> int | None:
    """The value of an integer literal in any base, suffix allowed; None for a floating literal.

    >>> integer_value("0x1Fu"), integer_value("017"), integer_value("0b11"), integer_value("5ul"), integer_value("1.5")
    (31, 15, 3, 5, None)
    """
    digits = text.lower()
    if digits.startswith("0x"):
        digits, base = digits[2:].rstrip("ul"), 16
    elif digits.startswith("0b"):
        digits, base = digits[2:].rstrip("ul"), 2
    else:
        digits = digits.rstrip("ul")
        base = 8 if digits.startswith("0") else 10
    try:
        return int(digits, base)
    except ValueError:
        return None


def floating_value(text: str) -> float | None:
    """The value of a floating literal in base 10 or 16, suffix allowed; None for what is none.

    >>> floating_value("1.5f"), floating_value("1e-3"), floating_value("0x1p-2f"), floating_value("7up")
    (1.5, 0.001, 0.25, None)
    """
    digits = text.lower()
    try:
        return float.fromhex(digits.rstrip("fl")) if "p" in digits else float(digits.rstrip("fhl"))
    except ValueError:
        return None
