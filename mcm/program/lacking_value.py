"""What is said of a private variable that is read and has no value (INIT-2)."""

from __future__ import annotations

from typing import Final

# Where a call keeps what the function returns: no variable has this name.
RETURNED: Final = "::return"


def why_lacking(register: str, index: int | None = None) -> str:
    """The sentence about a register, or about an element of one; calls of a function have registers of their own.

    >>> why_lacking("f::t#2", 1)
    "'f::t[1]' is read before it has been given a value"
    >>> why_lacking("f::return#2")
    "'f' returns no value here, and its value is used"
    """
    name = register.partition("#")[0]
    if name.endswith(RETURNED):
        return f"'{name.removesuffix(RETURNED)}' returns no value here, and its value is used"
    element = "" if index is None else f"[{index}]"
    return f"'{name}{element}' is read before it has been given a value"
