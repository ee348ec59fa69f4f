"""Which components of a vector its members name, and of which type what they return is."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from mcm.sycl.words import meant
from mcm.syntax import ast

if TYPE_CHECKING:
    from mcm.sycl.tree import MemberCall

_NAMED: Final = re.compile(r"(?P<letters>[xyzw]{1,4}|[rgba]{1,4})|s(?P<number>[0-9a-fA-F])")
_LETTERS: Final = {**{one: number for number, one in enumerate("xyzw")}, **{one: n for n, one in enumerate("rgba")}}
_ELEMENT: Final = re.compile(r"(?:elem::)?(?:s(?P<hexadecimal>[0-9a-fA-F])|(?P<letter>[xyzwrgba])|(?P<number>\d+))")
# The halves of a vector, and how far one of their components is from the next; what a vector of 3 lacks has no value.
_STEPS: Final = {"lo": 1, "hi": 1, "even": 2, "odd": 2}
_SIZES: Final = frozenset({1, 2, 3, 4, 8, 16})


def picked(node: MemberCall, size: int) -> tuple[int, ...] | None:
    """The numbers of the components that a member of a vector of a size names; None where it names none."""
    numbers = None if node.arguments else _numbers(node, size)
    if numbers is None or None in numbers or len(numbers) not in _SIZES:
        return None
    found = tuple(one for one in numbers if one is not None)
    return found if all(one < size for one in found) else None


def is_component(node: MemberCall) -> bool:
    """Whether a member names components of vectors, at least of long ones."""
    return picked(node, max(_SIZES)) is not None


def _numbers(node: MemberCall, size: int) -> tuple[int | None, ...] | None:
    name = node.name.text
    if name == "swizzle":
        return tuple(map(_element, node.templates or ()))
    named = _NAMED.fullmatch(name)
    if node.templates is not None:
        return None
    if name in _STEPS:
        count = (size + 1) // 2
        begin = count if name == "hi" else int(name == "odd")
        return tuple(begin + _STEPS[name] * one for one in range(count))
    if named is None:
        return None
    return tuple(_LETTERS[one] for one in named["letters"]) if named["letters"] else (int(named["number"], 16),)


def _element(node: object) -> int | None:
    """The number of the component that an argument of `swizzle<…>` names: `elem::x`, `elem::sB`, `2`."""
    assert isinstance(node, ast.Node)
    found = _ELEMENT.fullmatch(meant(node))
    if found is None:
        return None
    if found["hexadecimal"]:
        return int(found["hexadecimal"], 16)
    return _LETTERS[found["letter"]] if found["letter"] else int(found["number"])


def name_of(numbers: tuple[int, ...]) -> str:
    """What the C family calls these components.

    >>> name_of((1, 11))
    's1b'
    """
    return "s" + "".join(f"{one:x}" for one in numbers)


def converted_type(node: MemberCall) -> ast.TypeName | None:
    """The type that `convert` or `as` names; None for other members."""
    if node.name.text not in {"convert", "as"} or node.arguments or not node.templates:
        return None
    first = node.templates[0]
    if node.name.text == "as" and len(node.templates) > 1:
        return None
    return first if isinstance(first, ast.TypeName) else None
