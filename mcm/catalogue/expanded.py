"""Built-in models as data, so that a small test need not wait for their texts to be read.

`python -m mcm.catalogue.make_expanded` writes `expanded/NAME.json` from the cat files, and `expanded/NAME.EXTENT.json`
for programs of a smaller extent where that is another model. A file counts as long as the cat texts are those that it
was made from.
"""

from __future__ import annotations

from os.path import dirname, join
from typing import TYPE_CHECKING, Any, Final, get_args
from zlib import crc32

import msgspec
from msgspec import Struct

from mcm.base.source import Source, Span
from mcm.cat.model import Check, Definition, Flag, Linearisation, Model, Rule, Shape
from mcm.relation.term import Recursive, Term

if TYPE_CHECKING:
    from collections.abc import Callable

    from mcm.base.style import Style
    from mcm.program.program import Extent

_FOLDER: Final = join(dirname(__file__), "expanded")
_CLASSES: Final[dict[str, Callable[..., Term]]] = {kind.__name__: kind for kind in get_args(Term)}

# Terms, rules and sources are numbers of items of the tables. A span is a source with a beginning and an end.
PlainSpan = tuple[int, int, int]
# Name, term, rule, span, term without the rule, phrase.
PlainDefinition = tuple[str, int, int | None, PlainSpan, int | None, str | None]
# Name, shape, whether it is negated, term, rule, span, phrase.
PlainCheck = tuple[str, str, bool, int, int | None, PlainSpan, str | None]


class PlainModel(Struct, frozen=True, omit_defaults=True):
    """A model as data.

    `sources` are the names of the cat files that spans point into, each with the checksum of its text. A term is the
    name of its class with its fields, in which terms are numbers of earlier terms. `draws` says how definitions are
    drawn, by their number, where they say so.
    """

    title: str
    sources: list[tuple[str, int]]
    terms: list[list[Any]]
    rules: list[Rule]
    definitions: list[PlainDefinition]
    linearisations: list[tuple[str, int, int]]
    checks: list[PlainCheck]
    flags: list[PlainCheck]
    draws: dict[int, str] = {}


def path_of(name: str, extent: Extent = "whole") -> str:
    """Where the data of a built-in model for programs of this extent lie."""
    return join(_FOLDER, f"{name}.json" if extent == "whole" else f"{name}.{extent}.json")


def read(name: str, read_source: Callable[[str], Source], extent: Extent = "whole") -> Model | None:
    """The model of this name; None when there is none, or the texts of its cat files are others by now."""
    try:
        with open(path_of(name, extent), "rb") as stream:
            content = stream.read()
    except FileNotFoundError:
        return None
    plain = msgspec.json.decode(content, type=PlainModel)
    sources = [read_source(source) for source, _ in plain.sources]
    if [checksum(source) for source in sources] != [number for _, number in plain.sources]:
        return None
    return _model(name, plain, sources)


def checksum(source: Source) -> int:
    """What tells a text from others."""
    return crc32(source.text.encode())


def _model(name: str, plain: PlainModel, sources: list[Source]) -> Model:
    terms: Any = _terms(plain.terms)

    def rule(number: int | None) -> Rule | None:
        return None if number is None else plain.rules[number]

    def span(place: PlainSpan) -> Span:
        return Span(sources[place[0]], place[1], place[2])

    return Model(
        name,
        plain.title,
        tuple(
            Definition(
                name,
                terms[term],
                rule(number),
                span(place),
                None if without is None else terms[without],
                phrase,
                _style(plain.draws.get(index)),
            )
            for index, (name, term, number, place, without, phrase) in enumerate(plain.definitions)
        ),
        tuple(Linearisation(name, terms[events], terms[order]) for name, events, order in plain.linearisations),
        tuple(
            Check(name, Shape(shape), negated, terms[term], rule(number), span(place), phrase)
            for name, shape, negated, term, number, place, phrase in plain.checks
        ),
        tuple(
            Flag(name, Shape(shape), negated, terms[term], rule(number), span(place), phrase)
            for name, shape, negated, term, number, place, phrase in plain.flags
        ),
    )


def _style(words: str | None) -> Style | None:
    if words is None:
        return None
    # Imported here: most models leave it to the table.
    from mcm.base.style import style_named  # noqa: PLC0415

    return style_named(words)


def _terms(rows: list[list[Any]]) -> list[Term]:
    terms: list[Any] = []
    for kind, *fields in rows:
        if kind == Recursive.__name__:
            name, equations = fields
            terms.append(Recursive(name, tuple((variable, terms[body]) for variable, body in equations)))
        else:
            terms.append(_CLASSES[kind](*[terms[field] if isinstance(field, int) else field for field in fields]))
    return terms
