"""From the cat files of the built-in models to their data: `python -m mcm.catalogue.make_expanded`."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

from mcm.base.plain_data import text_of
from mcm.catalogue.empty_parts import within
from mcm.catalogue.expanded import PlainModel, checksum, path_of
from mcm.catalogue.registry import load_text, names
from mcm.program.program import EXTENTS

if TYPE_CHECKING:
    from mcm.base.source import Source, Span
    from mcm.cat.model import Check, Definition, Flag, Model, Rule
    from mcm.catalogue.expanded import PlainCheck, PlainDefinition, PlainSpan
    from mcm.relation.term import Term


class _Writer:
    """The tables of a model in the making."""

    def __init__(self) -> None:
        self.terms: list[list[Any]] = []
        self.rules: dict[Rule, int] = {}
        self.sources: dict[Source, int] = {}
        self._numbers: dict[Term, int] = {}

    def term(self, term: Term) -> int:
        """The number of a term, which follows those that it is built from."""
        if term not in self._numbers:
            row = [type(term).__name__, *(self._field(getattr(term, name)) for name in type(term).fields)]
            self._numbers[term] = len(self.terms)
            self.terms.append(row)
        return self._numbers[term]

    def _field(self, value: Any) -> Any:
        if isinstance(value, tuple):
            return [(variable, self.term(body)) for variable, body in value]
        return value if isinstance(value, str) else self.term(value)

    def rule(self, rule: Rule | None) -> int | None:
        """The number of a rule."""
        return None if rule is None else self.rules.setdefault(rule, len(self.rules))

    def span(self, span: Span) -> PlainSpan:
        """A span, by the number of its source."""
        return self.sources.setdefault(span.source, len(self.sources)), span.start, span.end

    def check(self, check: Check | Flag) -> PlainCheck:
        """A check or a flag."""
        rule, span = self.rule(check.rule), self.span(check.span)
        return check.name, check.shape.value, check.negated, self.term(check.term), rule, span, check.phrase

    def definition(self, definition: Definition) -> PlainDefinition:
        """A definition."""
        rule, span = self.rule(definition.rule), self.span(definition.span)
        without = None if definition.without is None else self.term(definition.without)
        return definition.name, self.term(definition.term), rule, span, without, definition.phrase


def plain(model: Model, texts: list[Source]) -> PlainModel:
    """The data of a model that was read from these texts."""
    writer = _Writer()
    definitions = [writer.definition(each) for each in model.definitions]
    linearisations = [(each.name, writer.term(each.events), writer.term(each.order)) for each in model.linearisations]
    checks = [writer.check(each) for each in model.checks]
    flags = [writer.check(each) for each in model.flags]
    sources = dict.fromkeys([*writer.sources, *texts])
    return PlainModel(
        model.title,
        [(source.name, checksum(source)) for source in sources],
        writer.terms,
        list(writer.rules),
        definitions,
        linearisations,
        checks,
        flags,
        {number: each.draw.words for number, each in enumerate(model.definitions) if each.draw is not None},
    )


def main() -> None:
    """Write the data of all built-in models."""
    for name in names():
        model, texts = load_text(name)
        larger = None
        for extent in EXTENTS:
            less = within(model, extent)
            if less != larger:
                Path(path_of(name, extent)).write_text(text_of(plain(less, texts)), encoding="utf-8")
            larger = less


if __name__ == "__main__":
    main()
