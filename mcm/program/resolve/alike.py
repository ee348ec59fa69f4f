"""Work-items of one launch: a body that was resolved for one of them serves the others, with their own ids.

What is resolved depends on the place of a work-item by what the body asks of it: calls of work-item functions, which
become literals. Of a literal, resolution looks at which types hold it (one that fits changes its type) and whether it
is zero, the null pointer; where it looks at more, the body is resolved for each work-item.
"""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING, Final

from msgspec import Struct, field
from msgspec.structs import replace

from mcm.base.source import Span
from mcm.program.instruction import AboutCommands, Block, ElementPlace, Literal, Written
from mcm.program.resolve.literals import fits
from mcm.program.types import Location, Scalar
from mcm.program.walk import part_names, parts_of, walk

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from mcm.program.topology import WorkItem


class Asked(Struct, frozen=True):
    """A call of a work-item function, by the span of the literal that it became; `of`: what it is for a work-item."""

    span: Span
    of: Callable[[WorkItem], int]


class AskedIds(Struct):
    """What a body asks of the place of its work-item, by the identities of the spans; `is_all`: nothing but calls."""

    is_all: bool = True
    calls: dict[int, Asked] = field(default_factory=dict)

    def literal(self, item: WorkItem, of: Callable[[WorkItem], int], type_: Scalar, span: Span) -> Literal:
        """What a call is for a work-item. The literal has a span of its own, which it keeps when it is converted."""
        own = Span(span.source, span.start, span.end)
        self.calls[id(own)] = Asked(own, of)
        return Literal(of(item), type_, is_asked=True, span=own)


class SharedBody:
    """The body of a work-item, and those of other work-items of its launch that differ from it in literals only.

    `locals` are the addresses of its copies of variables in local memory.
    """

    def __init__(self, body: Block, item: WorkItem, asked: AskedIds, local_addresses: Sequence[Location]) -> None:
        self.body: Final = body
        self._calls: Final = asked.calls
        self._kinds: Final = {self._kinds_of(item)}
        self._locals: Final = local_addresses
        self._ids: Final[list[tuple[Literal, Asked]]] = []
        self._addresses: Final[list[tuple[Literal, int]]] = []
        objects = {address.object: number for number, address in enumerate(local_addresses)}
        for node in walk(body):
            if not isinstance(node, Literal):
                continue
            # Others may have the span of one that they stand beside.
            if node.is_asked and id(node.span) in self._calls:
                self._ids.append((node, self._calls[id(node.span)]))
            elif isinstance(node.value, Location) and node.value.object in objects:
                self._addresses.append((node, objects[node.value.object]))
        self._own: Final = {id(node) for node, _ in (*self._ids, *self._addresses)}
        self._around: Final = _around(body, self._own)

    def serves(self, item: WorkItem) -> bool:
        """Whether the body of a work-item is known to differ in literals only."""
        return self._kinds_of(item) in self._kinds

    def is_joined_by(self, body: Block, item: WorkItem) -> bool:
        """Note that a body was resolved for a work-item; whether this one serves it, and all that are of its kind."""
        # Imported here: few small tests have work-items of one kernel.
        from mcm.program.difference import different_literals  # noqa: PLC0415

        different = different_literals(self.body, body)
        joins = different is not None and self._own.issuperset(different)
        if joins:
            self._kinds.add(self._kinds_of(item))
        return joins

    def of(self, item: WorkItem, local_addresses: Sequence[Location]) -> Block:
        """The body of a work-item that it serves, which has these copies of variables in local memory."""
        made: dict[int, Written] = {}
        for node, function in self._ids:
            amount = function.of(item)
            if amount != node.value:
                value = float(amount) if isinstance(node.value, float) else amount
                made[id(node)] = Literal(value, node.type, is_asked=True, span=node.span)
        for node, number in self._addresses:
            if local_addresses[number] != self._locals[number]:
                made[id(node)] = Literal(local_addresses[number], node.type, span=node.span)
        for around, names in self._around:
            changes = {name: _changed(getattr(around, name), made) for name in names}
            made[id(around)] = replace(around, **changes)
        found = made.get(id(self.body), self.body)
        assert isinstance(found, Block)
        return found

    def _kinds_of(self, item: WorkItem) -> tuple[int, ...]:
        return tuple([_kind(function.of(item)) for function in self._calls.values()])


def shared_body(body: Block, item: WorkItem, asked: AskedIds, local_addresses: Sequence[Location]) -> SharedBody | None:
    """What other work-items of a launch may share with one whose body this is; None where resolution may differ."""
    if not asked.is_all:
        return None
    left = set(asked.calls)
    for node in walk(body):
        # A call has commands of its own in each thread; whether an array has an element was looked at.
        if isinstance(node, AboutCommands) or (isinstance(node, ElementPlace) and id(node.index.span) in asked.calls):
            return None
        if not isinstance(node, Literal) or not node.is_asked or id(node.span) not in left:
            continue
        if node.value == asked.calls[id(node.span)].of(item):
            left.remove(id(node.span))
    # Of what is no literal any more, the value was looked at.
    if left:
        return None
    return SharedBody(body, item, asked, local_addresses)


@cache
def _kind(amount: int) -> int:
    """What resolution may see of a literal, as a number."""
    return sum(1 << bit for bit, holds in enumerate((amount == 0, *(fits(amount, type_) for type_ in Scalar))) if holds)


def _around(body: Block, wanted: set[int]) -> list[tuple[Written, tuple[str, ...]]]:
    """The nodes that some wanted ones are in, inner before outer, each with the names of the fields that lead there."""
    found: dict[int, tuple[Written, tuple[str, ...]]] = {}
    inside = set(wanted)
    for node in reversed(list(walk(body))):
        if id(node) not in inside and any(id(part) in inside for part in parts_of(node)):
            names = tuple(name for name in part_names(type(node)) if _holds(getattr(node, name), inside))
            found[id(node)] = node, names
            inside.add(id(node))
    return list(found.values())


def _holds(part: object, inside: set[int]) -> bool:
    return id(part) in inside or (isinstance(part, tuple) and any(id(one) in inside for one in part))


def _changed(part: object, made: Mapping[int, Written]) -> object:
    """A part of a node with what was made in place of what it has."""
    if isinstance(part, tuple):
        return tuple([made.get(id(one), one) for one in part])
    return made.get(id(part), part)
