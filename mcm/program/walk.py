"""Traversal of bodies, for passes that look for certain instructions."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from mcm.program.instruction import Written

_STATEMENTS: Final = ("Statement", "Block", "Arm")
_PARTS: Final = ("Expression", "Place", *_STATEMENTS)


class _PartNames(dict["type[Written]", tuple[str, ...]]):
    """The fields of each class that may hold some kinds of parts, last to first: bodies are traversed several times."""

    def __init__(self, parts: tuple[str, ...]) -> None:
        super().__init__()
        self._parts = parts

    def __missing__(self, kind: type[Written]) -> tuple[str, ...]:
        """Those of a class that was not met before, as their annotations say."""
        names = self[kind] = tuple(
            name for name, type_ in reversed(kind.__annotations__.items()) if any(part in type_ for part in self._parts)
        )
        return names


_NAMES: Final = _PartNames(_PARTS)
_NAMES_OF_STATEMENTS: Final = _PartNames(_STATEMENTS)


def walk(node: Written) -> list[Written]:
    """The node and all places, expressions and statements inside it, outer before inner, in the order written."""
    return _walk(node, _NAMES)


def walk_statements(statement: Written) -> list[Written]:
    """The statement and all inside it, without their expressions, outer before inner, in the order written."""
    return _walk(statement, _NAMES_OF_STATEMENTS)


def _walk(node: Written, names: _PartNames) -> list[Written]:
    found: list[Written] = []
    waiting = [node]
    while waiting:
        node = waiting.pop()
        found.append(node)
        for name in names[node.__class__]:
            part = getattr(node, name)
            if part.__class__ is tuple:
                waiting += part[::-1]
            elif part is not None:
                waiting.append(part)
    return found


def walk_once(nodes: Iterable[Written]) -> Iterator[Written]:
    """The nodes and all inside them, in no order; what several of them share comes once."""
    seen: set[int] = set()
    waiting = list(nodes)
    while waiting:
        node = waiting.pop()
        if id(node) not in seen:
            seen.add(id(node))
            yield node
            waiting += parts_of(node)


def parts_of(node: Written) -> list[Written]:
    """The places, expressions and statements that a node consists of, last to first."""
    found: list[Written] = []
    for name in _NAMES[node.__class__]:
        part = getattr(node, name)
        if part.__class__ is tuple:
            found += part[::-1]
        elif part is not None:
            found.append(part)
    return found


def part_names(kind: type[Written]) -> tuple[str, ...]:
    """The names of the fields of a class that may hold parts; last to first."""
    return _NAMES[kind]
