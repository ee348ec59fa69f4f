"""`mcm rules`: the rules of a model, or some of them in full."""

from __future__ import annotations

import re
from pathlib import Path
from typing import TYPE_CHECKING

import click

from mcm import visible
from mcm.cli.exit_code import ExitCode
from mcm.cli.group import Command
from mcm.cli.options import complete_model_or_rule

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from mcm import RuleEntry


@click.command(cls=Command, short_help="List the rules of a model, or show some in full.")
@click.argument("words", metavar="[MODEL] [ID]...", nargs=-1, shell_complete=complete_model_or_rule)
def command(words: tuple[str, ...]) -> int:
    """List the rules of a model, or show some of them in full: statement, source, cat text, and their tests.

    Without MODEL it is opencl-3.0, or the first model that states the rule.

    \b
    Examples:
      mcm rules
      mcm rules rc11
      mcm rules COH-RR
      mcm rules opencl-3.1 SCOPE-8 SB-1
    """
    from mcm import OPENCL, did_you_mean, models

    names = models()
    words = tuple(_as_rule(word, names) for word in words)
    model = words[0] if words and _names_a_model(words[0], names) else None
    identifiers = words if model is None else words[1:]
    late = next((word for word in identifiers if word in names or word.endswith(".cat")), None)
    if late is not None:
        message = f"'{visible(late)}' names a model, and one model comes before the rules: mcm rules [MODEL] [ID]..."
        raise click.UsageError(message)
    if model is not None and model not in names and not model.endswith(".cat"):
        hint = did_you_mean(model, {*names, *_known_rules(names)})
        told = hint or "; `mcm models` and `mcm rules` list them"
        message = f"there is neither a model nor a rule '{visible(model)}'{told}"
        raise click.UsageError(message)
    default = OPENCL.default_model
    if not identifiers:
        click.echo(_list(model or default))
        return ExitCode.AS_EXPECTED
    asked = [model] if model else [default, *names]
    # All are looked up before one is shown: an error is not to be looked for between rules.
    shown = [_show(identifier, asked) for identifier in dict.fromkeys(identifiers)]
    click.echo("\n\n".join(shown))
    return ExitCode.AS_EXPECTED


def _names_a_model(word: str, names: Sequence[str]) -> bool:
    # IDs have capitals, models have none.
    return word in names or word.endswith(".cat") or word == word.lower()


def _known_rules(names: Sequence[str]) -> set[str]:
    return {one for name in names for entry in _stated_by(name) for one in entry.rule.identifiers}


def _as_rule(word: str, names: Sequence[str]) -> str:
    """The ID of a rule that is written in small letters, as its relation is in explanations (`sw-g-1`)."""
    if word not in names and word == word.lower() and word.upper() in _known_rules(names):
        return word.upper()
    return word


def _stated_by(model: str) -> tuple[RuleEntry, ...]:
    from mcm import rules
    from mcm.cli.selection import known_models

    (known,) = known_models([model], "MODEL")
    return rules(known)


def _list(model: str) -> str:
    stated = {entry.rule: visible(", ".join(entry.rule.identifiers)) for entry in _stated_by(model)}
    width = max(map(len, stated.values()), default=0)
    lines = (
        f"  {identifiers.ljust(width)}  {visible(rule.statement)}".rstrip() for rule, identifiers in stated.items()
    )
    return "\n".join([f"Rules of {visible(model)}:", *lines])


def _show(identifier: str, models: Sequence[str]) -> str:
    """The rule as the first of these models states it."""
    from mcm import FAULT_RULES, did_you_mean

    known = set(FAULT_RULES)
    for model in models:
        stated = _stated_by(model)
        known.update(one for entry in stated for one in entry.rule.identifiers)
        places = [entry for entry in stated if identifier in entry.rule.identifiers]
        if places:
            return "\n".join((*_places(identifier, model, places), *_tests(identifier)))
    if identifier not in FAULT_RULES:
        where = models[0] if len(models) == 1 else "any model"
        message = f"no rule '{visible(identifier)}' in {visible(where)}{did_you_mean(identifier, known)}"
        raise click.BadParameter(message, param_hint="ID")
    head = (f"{identifier} in every model", f"  {FAULT_RULES[identifier]}")
    return "\n".join((*head, "  It is checked on the values of a program, not by cat text.", *_tests(identifier)))


def _places(identifier: str, model: str, places: Sequence[RuleEntry]) -> Iterator[str]:
    """What the model says of the rule, and each place of its text that implements it."""
    yield visible(f"{identifier} in {model}")
    for statement, section in dict.fromkeys((place.rule.statement, place.rule.section) for place in places):
        yield f"  {visible(statement)}"
        yield f"  Source: {visible(section)}"
    for place in places:
        yield f"\n  {visible(place.span.source.name)}:{place.span.line}"
        yield from (f"    {visible(line, kept=chr(9))}".rstrip() for line in place.text.split("\n"))


def _tests(identifier: str) -> Iterator[str]:
    """The shipped tests that cover the rule, or state what a model says without it; they come with the source tree."""
    import mcm

    root = Path(mcm.__file__).parent.parent
    tests = [path for path in sorted((root / "litmus").rglob("*.litmus")) if _covers(path, identifier)]
    if tests:
        yield "\n  Tests:"
        yield from (f"    {visible(str(path.relative_to(root)))}" for path in tests)


def _covers(path: Path, identifier: str) -> bool:
    header = path.read_text(encoding="utf-8").partition("{")[0]
    # Most headers do not have it at all: there are many.
    return identifier in header and any(
        identifier in line.removeprefix("Covers=").replace(",", " ").split()
        if line.startswith("Covers=")
        else re.match(rf"Without\.{re.escape(identifier)}[@=]", line)
        for line in header.splitlines()
    )
