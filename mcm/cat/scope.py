"""What names stand for while a model is loaded."""

from __future__ import annotations

from collections import ChainMap
from enum import Enum
from typing import TYPE_CHECKING

from msgspec import Struct

from mcm.relation.term import Base, BaseSet, Defined, DefinedSet, Nothing, RelationTerm, SetTerm

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from mcm.base.source import Span
    from mcm.cat.tree import Expression, Name, RuleComment


class Zero(Enum):
    """`0`: the empty set or the empty relation, as the place where it is used demands."""

    ZERO = 0


class Broken(Enum):
    """A name whose definition is in error: its uses are not complained about again."""

    BROKEN = 0


class Function(Struct, frozen=True, eq=False):
    """A parametric definition, with the names that were known where it was written.

    Applications of a `silent` function (one of the prelude) are expanded without a trace.
    """

    name: Name
    parameters: tuple[Name, ...]
    body: Expression
    scope: Scope
    comment: RuleComment | None
    span: Span
    silent: bool


class BuiltIn(Struct, frozen=True):
    """A function that is no definition of a model, such as `domain`."""

    name: str


class TupleValue(Struct, frozen=True):
    """Several values: `(a, b)`."""

    items: tuple[Value, ...]


class Classes(Struct, frozen=True):
    """`partition(events)`: the accesses among some events, by location."""

    events: SetTerm


class Orders(Struct, frozen=True):
    """`linearisations(events, order)`: all total orders of the events that contain the relation among them."""

    events: SetTerm
    order: RelationTerm


class OrdersByClass(Struct, frozen=True):
    """For each location the total orders of those events that access it."""

    events: SetTerm
    order: RelationTerm


class UnitedOrders(Struct, frozen=True):
    """Relations that order those events that access one location, for each of them."""

    events: SetTerm
    order: RelationTerm


# What no term stands for.
Other = Function | BuiltIn | TupleValue | Classes | Orders | OrdersByClass | UnitedOrders
Value = SetTerm | RelationTerm | Zero | Other
Entry = Value | Broken


class Vocabulary(Struct, frozen=True):
    """The base names that executions provide, and other names (`aliases`) for some of them."""

    sets: frozenset[str]
    relations: frozenset[str]
    aliases: Mapping[str, str]

    def scope(self) -> Scope:
        """The scope in which the prelude begins."""
        entries: dict[str, Entry] = {name: BaseSet(name) for name in sorted(self.sets)}
        entries |= {name: Base(name) for name in sorted(self.relations)}
        entries |= {alias: entries[name] for alias, name in self.aliases.items()}
        entries["emptyset"] = Nothing()
        history = History()
        return Scope(history, 0, {}).defining(entries.items())


class Scope(Struct, frozen=True):
    """What names stand for at one place of a file: `inner` are the parameters of a function, which hide the others.

    The scopes of a file share one history of definitions; `time` is how many of them stand above the place.
    """

    history: History
    time: int
    inner: Mapping[str, Entry]

    def get(self, name: str) -> Entry | None:
        """What a name stands for; None if nothing defines it."""
        return self.inner[name] if name in self.inner else self.history.get(name, self.time)

    def names(self) -> tuple[str, ...]:
        """All names that stand for something."""
        return (*self.inner, *self.history.names(self.time))

    def defining(self, additions: Iterable[tuple[str, Entry]]) -> Scope:
        """The scope below some definitions, which hide older ones of the same names."""
        for name, entry in additions:
            self.history.define(name, entry)
        return Scope(self.history, self.history.time, self.inner)

    def binding(self, parameters: Iterable[tuple[str, Entry]]) -> Scope:
        """The scope inside a function."""
        return Scope(self.history, self.time, {**self.inner, **dict(parameters)})

    def within(self, entries: dict[str, Entry]) -> Scope:
        """The scope inside `let rec`: what is added to the entries later is known too."""
        return Scope(self.history, self.time, ChainMap(entries, dict(self.inner)))


class History:
    """The definitions of a file in order: a name stands for the last one above the place where it is used."""

    def __init__(self) -> None:
        self.time = 0
        self._entries: dict[str, list[tuple[int, Entry]]] = {}

    def define(self, name: str, entry: Entry) -> None:
        """Add a definition behind all others."""
        self.time += 1
        self._entries.setdefault(name, []).append((self.time, entry))

    def get(self, name: str, time: int) -> Entry | None:
        """What a name stands for behind the first `time` definitions."""
        return next((entry for when, entry in reversed(self._entries.get(name, ())) if when <= time), None)

    def names(self, time: int) -> Iterator[str]:
        """The names that the first `time` definitions define."""
        return (name for name, entries in self._entries.items() if entries[0][0] <= time)


def named(name: str, term: SetTerm | RelationTerm) -> SetTerm | RelationTerm:
    """The term under a name that the model gives it."""
    return DefinedSet(name, term) if isinstance(term, SetTerm) else Defined(name, term)
