"""What is said of a private variable that is read and has no value (INIT-2)."""

from __future__ import annotations

import re
from typing import Final

# Where a call keeps what the function returns: no variable has this name.
RETURNED: Final = "::return"
# The number of one of several functions of a name, before what it declares; as text: it is rarely asked for.
_ONE_OF_SEVERAL: Final = r"(?<=\w)#\d+(?=[#\d]*::)"


def why_lacking(register: str, index: int | None = None) -> str:
    """The sentence about a register, or about an element of one; calls of a function have registers of their own.

    >>> why_lacking("f::t#2", 1)
    "'f::t[1]' is read before it has been given a value"
    >>> why_lacking("f#1::t#2")
    "'f::t' is read before it has been given a value"
    >>> why_lacking("f::return#2")
    "'f' returns no value here, and its value is used"
    """
    name = _name_of(register)
    if name.endswith(RETURNED):
        return f"'{name.removesuffix(RETURNED)}' returns no value here, and its value is used"
    element = "" if index is None else f"[{index}]"
    return f"'{name}{element}' is read before it has been given a value"


def why_lacking_behind_pointer(register: str) -> str:
    """The sentence about a register that is read through a pointer, which its block need not outlive.

    >>> why_lacking_behind_pointer("t")
    "'t' is read through a pointer and has no value: it was given none, or its block has ended"
    """
    return (
        f"'{_name_of(register)}' is read through a pointer and has no value: it was given none, or its block has ended"
    )


def _name_of(register: str) -> str:
    """The name that the text has for a register, or for an element of an array."""
    name, number, element = re.sub(_ONE_OF_SEVERAL, "", register).partition("#")
    return name + (element[element.index("[") :] if number and "[" in element else "")
