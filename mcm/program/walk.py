"""Traversal of bodies, for passes that look for certain instructions."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Iterator

    from mcm.program.instruction import Written

# The fields of each class that hold parts, looked up once: a thousand work-items are traversed several times.
_PARTS: Final = ("Expression", "Place", "Statement", "Block", "Arm")
_NAMES: Final[dict[type[Written], tuple[str, ...]]] = {}


def walk(node: Written) -> Iterator[Written]:
    """The node and all places, expressions and statements inside it, outer before inner, in the order written."""
    waiting = [node]
    while waiting:
        node = waiting.pop()
        yield node
        _add_parts(node, waiting)


def parts_of(node: Written) -> list[Written]:
    """The places, expressions and statements that a node consists of, last to first."""
    found: list[Written] = []
    _add_parts(node, found)
    return found


def _add_parts(node: Written, found: list[Written]) -> None:
    names = _NAMES.get(node.__class__)
    for name in part_names(node.__class__) if names is None else names:
        part = getattr(node, name)
        if part.__class__ is tuple:
            found += part[::-1]
        elif part is not None:
            found.append(part)


def part_names(kind: type[Written]) -> tuple[str, ...]:
    """The names of the fields of a class that may hold parts, as their annotations say; last to first."""
    names = _NAMES.get(kind)
    if names is None:
        names = _NAMES[kind] = tuple(
            name for name, type_ in reversed(kind.__annotations__.items()) if any(part in type_ for part in _PARTS)
        )
    return names
