"""`mcm rules`: the rules of a model, or one of them in full."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from mcm import visible
from mcm.cli.exit_code import ExitCode

if TYPE_CHECKING:
    from collections.abc import Sequence

    from mcm import RuleEntry


@click.command(short_help="List the rules of a model, or show one in full.")
@click.argument("model_or_id", metavar="[MODEL]", required=False)
@click.argument("identifier", metavar="[ID]", required=False)
def command(model_or_id: str | None, identifier: str | None) -> int:
    """List the rules of a model, or show one in full: statement, source, cat text, and its tests.

    Without MODEL it is opencl-3.0, or the first model that states the rule.

    \b
    Examples:
      mcm rules
      mcm rules rc11
      mcm rules COH-RR
      mcm rules opencl-3.1 SCOPE-6
    """
    from mcm import OPENCL, models

    if identifier is None and model_or_id is not None and not _names_a_model(model_or_id, models()):
        model_or_id, identifier = None, model_or_id
    default = OPENCL.default_model
    if identifier is None:
        _list(model_or_id or default)
    else:
        _show(identifier, [model_or_id] if model_or_id else [default, *models()])
    return ExitCode.AS_EXPECTED


def _names_a_model(word: str, names: Sequence[str]) -> bool:
    # IDs are written in capitals, models are not.
    return word in names or word.endswith(".cat") or word != word.upper()


def _stated_by(model: str) -> tuple[RuleEntry, ...]:
    from mcm import rules
    from mcm.cli.selection import known_models

    (known,) = known_models([model])
    return rules(known)


def _list(model: str) -> None:
    stated = {entry.rule: visible(", ".join(entry.rule.identifiers)) for entry in _stated_by(model)}
    width = max(map(len, stated.values()), default=0)
    click.echo(f"Rules of {visible(model)}:")
    for rule, identifiers in stated.items():
        click.echo(f"  {identifiers.ljust(width)}  {visible(rule.statement)}")


def _show(identifier: str, models: Sequence[str]) -> None:
    """The rule as the first of these models states it."""
    from mcm import FAULT_RULES, did_you_mean

    known = set(FAULT_RULES)
    for model in models:
        stated = _stated_by(model)
        known.update(one for entry in stated for one in entry.rule.identifiers)
        places = [entry for entry in stated if identifier in entry.rule.identifiers]
        if places:
            _show_places(identifier, model, places)
            return
    if identifier not in FAULT_RULES:
        where = models[0] if len(models) == 1 else "any model"
        message = f"no rule '{identifier}' in {where}{did_you_mean(identifier, known)}"
        raise click.BadParameter(message, param_hint="ID")
    click.echo(f"{identifier} in every model\n  {FAULT_RULES[identifier]}")
    click.echo("  It is checked on the values of a program, not by cat text.")
    _show_tests(identifier)


def _show_places(identifier: str, model: str, places: Sequence[RuleEntry]) -> None:
    click.echo(visible(f"{identifier} in {model}"))
    for statement, section in dict.fromkeys((place.rule.statement, place.rule.section) for place in places):
        click.echo(f"  {visible(statement)}\n  Source: {visible(section)}")
    for place in places:
        click.echo(f"\n  {visible(place.span.source.name)}:{place.span.line}")
        lines = (visible(line, kept="\t") for line in place.text.split("\n"))
        click.echo("\n".join(f"    {line}".rstrip() for line in lines))
    _show_tests(identifier)


def _show_tests(identifier: str) -> None:
    """The shipped tests that say they cover the rule; they come with the source tree, not with the package."""
    import mcm

    root = Path(mcm.__file__).parent.parent
    tests = [path for path in sorted((root / "litmus").rglob("*.litmus")) if _covers(path, identifier)]
    if tests:
        click.echo("\n  Tests:")
        for path in tests:
            click.echo(f"    {visible(str(path.relative_to(root)))}")


def _covers(path: Path, identifier: str) -> bool:
    header = path.read_text(encoding="utf-8").partition("{")[0].splitlines()
    return any(
        identifier in line.removeprefix("Covers=").replace(",", " ").split()
        for line in header
        if line.startswith("Covers=")
    )
