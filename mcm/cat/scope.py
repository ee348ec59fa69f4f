"""What names stand for while a model is loaded."""

from __future__ import annotations

from enum import Enum
from typing import TYPE_CHECKING

from msgspec import Struct

from mcm.relation.term import Base, BaseSet, Defined, DefinedSet, Nothing, RelationTerm, SetTerm

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

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


Entry = SetTerm | RelationTerm | Zero | Function | Broken


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
        return Scope(entries)


class Scope(Struct, frozen=True):
    """A mapping from names to what they stand for."""

    entries: Mapping[str, Entry]

    def extended(self, additions: Iterable[tuple[str, Entry]]) -> Scope:
        """This scope with more names, which hide older ones."""
        return Scope({**self.entries, **dict(additions)})


def named(name: str, term: SetTerm | RelationTerm) -> SetTerm | RelationTerm:
    """The term under a name that the model gives it."""
    return DefinedSet(name, term) if isinstance(term, SetTerm) else Defined(name, term)
