"""What was understood of a text, made once more where the same text stands elsewhere: the same, at other places."""

from __future__ import annotations

from functools import partial
from types import NoneType
from typing import TYPE_CHECKING, Any, Final

from mcm.base.source import Span
from mcm.lalr.token import Token
from mcm.syntax.ast import Node

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from mcm.base.source import Source

    # Makes a value of what stands from an offset of a source on.
    Make = Callable[[Source, int], Any]


def makes_again(values: Sequence[Any], begin: int) -> Callable[[Source, int], list[Any]]:
    """The function that makes values again: tokens, nodes, lists and tuples of such; their text begins at `begin`."""
    makes = [_make(value, begin) for value in values]
    return lambda source, at: [make(source, at) for make in makes]


def _make(value: Any, begin: int) -> Make:
    """The function that makes a value again."""
    if _is_constant(value):
        return lambda _, __: value
    if isinstance(value, Node):
        start, end = value.span.start - begin, value.span.end - begin
        fields = [getattr(value, name) for name in value.__struct_fields__ if name != "span"]
        kind: Callable[..., Node] = type(value)
        if all(map(_is_constant, fields)):
            leaf = partial(kind, *fields)
            return lambda source, at: leaf(span=Span(source, at + start, at + end))
        holes = [(place, _make(field, begin)) for place, field in enumerate(fields) if not _is_constant(field)]

        def make_node(source: Source, at: int) -> Node:
            given = fields.copy()
            for place, make in holes:
                given[place] = make(source, at)
            return kind(*given, span=Span(source, at + start, at + end))

        return make_node
    if isinstance(value, Token):
        start, end = value.start - begin, value.end - begin
        token = partial(Token, value.text, value.type)
        return lambda _, at: token(at + start, at + end)
    assert isinstance(value, list | tuple)
    if isinstance(value, list):
        return makes_again(value, begin)
    makes = [_make(item, begin) for item in value]
    return lambda source, at: tuple([make(source, at) for make in makes])


def _is_constant(value: Any) -> bool:
    """Whether a value says nothing of a place."""
    return type(value) in _CONSTANT or (isinstance(value, tuple) and all(map(_is_constant, value)))


_CONSTANT: Final = frozenset({str, int, float, bool, NoneType})
