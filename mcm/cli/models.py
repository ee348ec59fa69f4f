"""`mcm models`: the built-in models, and the words that models are written in."""

from __future__ import annotations

import click

from mcm.cli.exit_code import ExitCode
from mcm.cli.group import Command


@click.command(cls=Command, short_help="List the built-in models, or the vocabulary of models.")
@click.option("--vocabulary", is_flag=True, help="The base sets and relations that a model may use.")
def command(vocabulary: bool) -> int:
    """List the built-in models, or the vocabulary of models.

    \b
    Examples:
      mcm models
      mcm models --vocabulary
    """
    if vocabulary:
        _show_vocabulary()
    else:
        _show_models()
    return ExitCode.AS_EXPECTED


def _show_models() -> None:
    from mcm import load_model, models

    titles = {name: load_model(name).model.title for name in models()}
    width = max(map(len, titles))
    for name, title in titles.items():
        click.echo(f"{name.ljust(width)}  {title}")


def _show_vocabulary() -> None:
    from mcm import ALIASES, RELATIONS, SETS

    same = {name: f"the same as {meaning}" for name, meaning in ALIASES.items()}
    for heading, table in (("Sets", SETS), ("Relations", RELATIONS), ("Names of other tools", same)):
        click.echo(f"{heading}:")
        width = max(map(len, table))
        for name, meaning in table.items():
            click.echo(f"  {name.ljust(width)}  {meaning}")
        click.echo()
