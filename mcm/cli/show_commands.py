"""`mcm show --commands`: the graph of the commands of a test."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from mcm.cli.exit_code import ExitCode

if TYPE_CHECKING:
    from mcm import Options, Source, Test


def require_for_commands(format_: str, given: dict[str, bool]) -> None:
    """UsageError for what has no meaning with `--commands`."""
    for option, is_given in given.items():
        if is_given:
            message = f"{option} means nothing with --commands"
            raise click.UsageError(message)
    if format_ == "html":
        message = "--commands has the formats text, svg and dot"
        raise click.UsageError(message)


def drawn_commands(test: Source | Test, options: Options, format_: str) -> str | ExitCode:
    """The graph in a form; where there is none, what is wrong is said, and the exit code returned."""
    from mcm import InputError, LimitReachedError, render, render_commands, shared_session

    try:
        graph = shared_session().command_graph(test, options)
    except InputError as error:
        click.echo("\n".join(map(render, error.diagnostics)), err=True)
        return ExitCode.BAD_INPUT
    except LimitReachedError as reached:
        click.echo(f"there is no graph: {reached.reason}", err=True)
        return ExitCode.UNDECIDED
    return render_commands(graph, "svg" if format_ == "svg" else "dot" if format_ == "dot" else "text")
