"""A memory model: named definitions and checks over relational terms, with the rules that the checks implement."""

from __future__ import annotations

from enum import Enum
from typing import TYPE_CHECKING

from msgspec import Struct

from mcm.base.compared import PartlyCompared

if TYPE_CHECKING:
    from mcm.base.source import Span
    from mcm.base.style import Style
    from mcm.relation.term import RelationTerm, SetTerm, Term


class Shape(Enum):
    """What a check demands of its term."""

    ACYCLIC = "acyclic"
    IRREFLEXIVE = "irreflexive"
    EMPTY = "empty"


class Rule(Struct, frozen=True):
    """A rule of the specification: its ID in `model-rules`, the section of its source, one sentence in our words.

    `also` are the IDs of other rules that the same text of the model implements.
    """

    identifier: str
    section: str
    statement: str
    also: tuple[str, ...] = ()

    @property
    def identifiers(self) -> tuple[str, ...]:
        """All IDs, the leading one first."""
        return (self.identifier, *self.also)


class Check(PartlyCompared, frozen=True):
    """A named demand on every consistent execution.

    `negated` is `~empty` and the like. `name` is unique in the model; `rule` is None in models without rule comments.
    `phrase` says in explanations what a cycle of events {a}, {b} … breaks; None where the model has no words for it.
    """

    name: str
    shape: Shape
    negated: bool
    term: Term
    rule: Rule | None
    span: Span
    phrase: str | None = None


class Flag(PartlyCompared, frozen=True):
    """`flag ~empty term as name`: a consistent execution in which the term is not empty raises the flag.

    `name` is one of `data_race`, `unsequenced_race`, `uninitialised_read`, `map_misuse`,
    `unmapped_access`, `overlapping_use`, `pipe_misuse`, `scopes_not_inclusive`, `work_item_scope`,
    `implementation_defined`,
    `abnormal_event` or free. One that is `undefined` makes the program undefined whatever its name:
    `undefined_unless empty term`.
    The check holds (the flag is raised) in the same sense as for `Check`.
    """

    name: str
    shape: Shape
    negated: bool
    term: Term
    rule: Rule | None
    span: Span
    phrase: str | None = None
    undefined: bool = False


class Linearisation(Struct, frozen=True):
    """`with NAME from linearisations(events, order)`: some strict total order on `events` that contains `order`
    (restricted to `events`) must exist such that all checks hold; `Base(NAME)` denotes it.
    """

    name: str
    events: SetTerm
    order: RelationTerm


class Definition(PartlyCompared, frozen=True):
    """A `let` of the model, in file order.

    Functions are expanded and do not appear, except that each application of one that implements a rule is a
    definition of its own, named by its text (`on-device(DV, ALL)`). Other terms contain the definition as
    `Defined(name, term)` or `DefinedSet(name, term)`. `without` is what it becomes when its rule is removed, and is
    `term` itself where the rule cannot be removed; None for a definition without a rule. `phrase` says
    in explanations how {a} and {b} are related, or what {a} is; `draw` is how pictures show the relation, None where
    they show it only to those who ask.
    """

    name: str
    term: Term
    rule: Rule | None
    span: Span
    without: Term | None = None
    phrase: str | None = None
    draw: Style | None = None


class Model(Struct, frozen=True, cache_hash=True):
    """A memory model. `title` is the quoted string at the top of its file.

    `splits_updates`: its read-modify-writes are two events, a read and a write, related by `rmw`.
    """

    name: str
    title: str
    definitions: tuple[Definition, ...]
    linearisations: tuple[Linearisation, ...]
    checks: tuple[Check, ...]
    flags: tuple[Flag, ...]
    splits_updates: bool = False
