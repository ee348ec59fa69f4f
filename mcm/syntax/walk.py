"""Traversal of syntax trees."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from mcm.syntax.ast import Assignment, Name, Node, Postfix, Prefix

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator


# Annotations of fields that hold no nodes.
_NO_NODES: Final = frozenset(
    {
        *("Span", "str", "int", "bool"),
        *("Span | None", "str | None", "int | None"),
        *("tuple[str, ...]", "tuple[int, ...]", "tuple[tuple[str, ...], ...]"),
    }
)


class _PartNames(dict["type[Node]", tuple[str, ...]]):
    """The fields of each class that may hold nodes, in the order written."""

    def __missing__(self, kind: type[Node]) -> tuple[str, ...]:
        """Those of a class that was not met before, as its annotations and those of its bases say."""
        types: dict[str, str] = {}
        for base in reversed(kind.__mro__):
            types |= vars(base).get("__annotations__", {})
        names = self[kind] = tuple(name for name in kind.__struct_fields__ if types[name] not in _NO_NODES)
        return names


_NAMES: Final = _PartNames()


def walk(roots: Iterable[Node]) -> Iterator[Node]:
    """All nodes of some trees, outer before inner, in the order written."""
    waiting = list(roots)[::-1]
    while waiting:
        node = waiting.pop()
        yield node
        waiting += parts_of(node)[::-1]


def parts_of(node: Node) -> list[Node]:
    """The nodes that a node is made of directly, in the order written."""
    found: list[Node] = []
    for name in _NAMES[type(node)]:
        part = getattr(node, name)
        if type(part) is tuple:
            found += _nodes(part)
        elif type(part) in _NAMES or isinstance(part, Node):
            found.append(part)
    return found


def names_in(node: Node) -> frozenset[str]:
    """The names in a tree, whatever they mean."""
    return frozenset(one.text for one in walk([node]) if isinstance(one, Name))


def changed_variable(node: Node) -> str | None:
    """The variable that a node itself writes, or takes the address of; None if it does neither."""
    match node:
        case Assignment(_, Name(text)) | Postfix(_, Name(text)) | Prefix("++" | "--" | "&", Name(text)):
            return text
        case _:
            return None


def _nodes(value: Any) -> list[Node]:
    if type(value) is tuple:
        return [node for item in value for node in _nodes(item)]
    return [value] if type(value) in _NAMES or isinstance(value, Node) else []
