"""The rules of a model: where each is stated, and the model without some of them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from msgspec import Struct
from msgspec.structs import replace

from mcm.catalogue.mentions import mentions_of, named
from mcm.relation.term import Defined, DefinedSet, RelationTerm, SetTerm

if TYPE_CHECKING:
    from collections.abc import Collection

    from mcm.base.source import Span
    from mcm.cat.model import Check, Definition, Flag, Model, Rule
    from mcm.relation.rewrite import Rewriter


class RuleEntry(Struct, frozen=True):
    """A place where a model states a rule: the name of the definition, check or flag, and its cat text.

    `removable` says whether the model can be had without it.
    """

    rule: Rule
    name: str
    text: str
    span: Span
    removable: bool


def rules(model: Model) -> tuple[RuleEntry, ...]:
    """All rules of a model in the order of definitions, checks and flags; a function's once, however often applied."""
    entries: dict[tuple[str, int, str], RuleEntry] = {}
    for definition in model.definitions:
        if definition.rule is not None:
            removable = definition.without is not definition.term
            name = definition.name.partition("(")[0]
            entry = RuleEntry(definition.rule, name, definition.span.text, definition.span, removable)
            entries.setdefault((definition.span.source.name, definition.span.start, name), entry)
    tests: tuple[Check | Flag, ...] = (*model.checks, *model.flags)
    for test in tests:
        if test.rule is not None:
            entry = RuleEntry(test.rule, test.name, test.span.text, test.span, removable=True)
            entries[test.span.source.name, test.span.start, test.name] = entry
    return tuple(entries.values())


def without(model: Model, identifiers: Collection[str], *, definitions: bool = True) -> Model:
    """The model without the rules of these IDs; IDs that it does not state are ignored.

    A check or flag is dropped; a definition becomes what its `without` says, everywhere. Engines need no `definitions`:
    without them the model is made more quickly.
    """
    rewriter = rewriter_without(model, identifiers)

    def removed(rule: Rule | None) -> bool:
        return _is_removed(rule, identifiers)

    return replace(
        model,
        definitions=tuple(_changed(d, rewriter) for d in model.definitions if definitions),
        linearisations=tuple(
            replace(s, events=rewriter.set(s.events), order=rewriter.relation(s.order)) for s in model.linearisations
        ),
        checks=tuple(replace(c, term=rewriter.term(c.term)) for c in model.checks if not removed(c.rule)),
        flags=tuple(replace(f, term=rewriter.term(f.term)) for f in model.flags if not removed(f.rule)),
    )


def rewriter_without(model: Model, identifiers: Collection[str]) -> Rewriter:
    """What makes terms of a model into those of the model without some rules."""
    # Imported here: most models are taken as they are.
    from mcm.relation.rewrite import Rewriter  # noqa: PLC0415

    changed = [d for d in model.definitions if _is_removed(d.rule, identifiers)]
    sets: dict[DefinedSet, SetTerm] = {}
    relations: dict[Defined, RelationTerm] = {}
    for definition in changed:
        name, term, alternative = definition.name, definition.term, definition.without
        if isinstance(term, SetTerm):
            assert isinstance(alternative, SetTerm)
            sets[DefinedSet(name, term)] = alternative
        else:
            assert isinstance(alternative, RelationTerm)
            relations[Defined(name, term)] = alternative
    mentions = mentions_of(model)
    meant = sum({mentions.own_mask(named(definition)) for definition in changed})
    return Rewriter(sets, relations, lambda term: bool(mentions.mask(term) & meant))


def _is_removed(rule: Rule | None, identifiers: Collection[str]) -> bool:
    return rule is not None and not set(identifiers).isdisjoint(rule.identifiers)


def _changed(definition: Definition, rewriter: Rewriter) -> Definition:
    """A definition as it stands in the changed model: its body is that of its own name after rewriting."""
    whole = named(definition)
    changed = rewriter.term(whole)
    assert isinstance(changed, Defined | DefinedSet)
    return definition if changed is whole else replace(definition, term=changed.body)
