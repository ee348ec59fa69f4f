"""A page for each rule: what it says, where from, its cat text, and what the tests of it answer with and without it."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import mcm
from site_pages.page import Page, fenced, plain, slug

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from site_pages.shipped_tests import ShippedTest

FOLDER = "rules"
_INTRODUCTION = """Every rule that a built-in model states, in the order of the models. `mcm rules ID` shows
the same on a terminal, and `mcm check --without ID` judges by the model without that rule."""
_OF_VALUES = "This holds under every model: it is checked on the values of a program, not by cat text."


class Stated(NamedTuple):
    """A place where a model states a rule."""

    model: str
    entry: mcm.RuleEntry


def rule_page_path(identifier: str) -> str:
    """Where the page of a rule stands."""
    return f"{FOLDER}/{slug(identifier)}.md"


def rules_by_identifier() -> dict[str, list[Stated]]:
    """Each rule of the built-in models with the places where it is stated, in the order of models and of their text."""
    found: dict[str, list[Stated]] = {}
    for model in mcm.models():
        for entry in mcm.rules(model):
            for identifier in entry.rule.identifiers:
                found.setdefault(identifier, []).append(Stated(model, entry))
    return found


def rule_pages(tests: Mapping[str, Sequence[ShippedTest]]) -> Iterator[Page]:
    """The pages of all rules, and their index."""
    stated = rules_by_identifier()
    yield Page(f"{FOLDER}/index.md", _index(stated))
    for identifier, places in stated.items():
        yield Page(rule_page_path(identifier), "\n".join(_rule(identifier, places, tests.get(identifier, ()))))
    for identifier in mcm.FAULT_RULES.keys() - stated.keys():
        yield Page(rule_page_path(identifier), "\n".join(_fault_rule(identifier, tests.get(identifier, ()))))


def _index(stated: Mapping[str, Sequence[Stated]]) -> str:
    rows = mcm.FAULT_RULES | {identifier: places[0].entry.rule.statement for identifier, places in stated.items()}
    lines = [f"| [{plain(i)}]({slug(i)}.md) | {plain(statement)} |" for i, statement in rows.items()]
    table = "\n".join(("| rule | says |", "| --- | --- |", *lines))
    return f"# Rules\n\n{_INTRODUCTION}\n\n{table}\n"


def _rule(identifier: str, places: Sequence[Stated], tests: Sequence[ShippedTest]) -> Iterator[str]:
    first = places[0].entry.rule
    yield f"# {plain(identifier)}\n"
    statements = dict.fromkeys((place.entry.rule.statement, place.entry.rule.section) for place in places)
    for statement, section in statements:
        yield f"{plain(statement)}\n\nSource: {plain(section)}\n"
    together = [other for other in first.identifiers if other != identifier]
    if together:
        yield "The same text states " + ", ".join(f"[{plain(o)}]({slug(o)}.md)" for o in together) + ".\n"
    if identifier in mcm.FAULT_RULES:
        yield f"{plain(mcm.FAULT_RULES[identifier])} {_OF_VALUES}\n"
    yield "## In the models\n"
    for text, models in _texts(places).items():
        yield f"{_listed(models)}, `{text.file}` line {text.line}:\n\n{fenced(text.cat, 'ocaml')}"
    if tests:
        yield from _tests(identifier, places, tests)


class _Text(NamedTuple):
    file: str
    line: int
    cat: str


def _texts(places: Sequence[Stated]) -> dict[_Text, list[str]]:
    """The different texts that state the rule, each with its models."""
    texts: dict[_Text, list[str]] = {}
    for place in places:
        span = place.entry.span
        texts.setdefault(_Text(span.source.name, span.line, place.entry.text), []).append(place.model)
    return texts


def _listed(models: Sequence[str]) -> str:
    return ", ".join(f"[{plain(model)}](../models/{slug(model)}.md)" for model in models)


def _tests(identifier: str, places: Sequence[Stated], tests: Sequence[ShippedTest]) -> Iterator[str]:
    removable = [place.model for place in places if place.entry.removable]
    yield "## Tests\n\n| test | about | model | with the rule | without it |\n| --- | --- | --- | --- | --- |"
    for shipped in tests:
        default = shipped.header.dialect.default_model
        stating = [place.model for place in places]
        model = default if default in stating else stating[0]
        without = _verdict(shipped, mcm.load_model(model, [identifier])) if model in removable else "-"
        about = plain(" ".join(shipped.header.documentation))
        link = f"[{plain(shipped.header.name)}](../files/{shipped.path}.md)"
        yield f"| {link} | {about} | {model} | {_verdict(shipped, model)} | {without} |"
    yield ""


def _verdict(shipped: ShippedTest, model: str | mcm.ChosenModel) -> str:
    (result,) = mcm.check_all(shipped.source, [model])
    if isinstance(result, mcm.Judged) and result.observation is not None:
        return f"{result.verdict.value}, {result.observation.value}"
    return result.verdict.value if isinstance(result, mcm.Judged) else result.status.value


def _fault_rule(identifier: str, tests: Sequence[ShippedTest]) -> Iterator[str]:
    yield f"# {plain(identifier)}\n\n{plain(mcm.FAULT_RULES[identifier])}\n"
    yield f"{_OF_VALUES}\n"
    if tests:
        yield "## Tests\n"
        for shipped in tests:
            about = plain(" ".join(shipped.header.documentation))
            yield f"- [{plain(shipped.header.name)}](../files/{shipped.path}.md): {about}"
