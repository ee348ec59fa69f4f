"""The command `mcm` with its subcommands, each loaded only when it is called."""

from __future__ import annotations

import os
import sys
from importlib import import_module
from typing import TYPE_CHECKING, Final

import click

from mcm import __version__
from mcm.cli.commands import COMMANDS
from mcm.cli.settings import defaults

if TYPE_CHECKING:
    from collections.abc import Sequence

# What a shell sets when it asks how to go on with a command line.
_COMPLETE: Final = "_MCM_COMPLETE"

# What other tools call it.
_MEANT: Final = {"help": "--help", "why": "explain", "format": "fmt", "draw": "show"}


def _show_help(context: click.Context, _parameter: click.Parameter, wanted: bool) -> None:
    if wanted and not context.resilient_parsing:
        click.echo(context.get_help(), color=context.color)
        context.exit()


# Of one wording: click looks for translations of its own, which takes longer than reading a command line.
_HELP: Final = click.Option(
    ["-h", "--help"],
    is_flag=True,
    expose_value=False,
    is_eager=True,
    callback=_show_help,
    help="Show this message and exit.",
)


class Command(click.Command):
    """A command with the help option that all have."""

    def get_help_option(self, ctx: click.Context) -> click.Option | None:  # noqa: ARG002 - click's signature
        """The option."""
        return _HELP


class LazyGroup(Command, click.Group):
    """A group that finds the command NAME as `command` in the module `mcm.cli.NAME`."""

    def list_commands(self, ctx: click.Context) -> list[str]:  # noqa: ARG002 - click's signature
        """The names, in the order of the table."""
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:  # noqa: ARG002 - click's signature
        """The command of that name, imported now."""
        if cmd_name not in COMMANDS:
            return None
        command: click.Command = import_module(f"mcm.cli.{cmd_name}").command
        return command

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """As click does it, with a suggestion for a misspelt name."""
        if args[0] not in COMMANDS:
            from difflib import get_close_matches

            close = [_MEANT[args[0]]] if args[0] in _MEANT else get_close_matches(args[0], COMMANDS, n=1)
            if close:
                ctx.fail(f"no such command '{args[0]}'; did you mean '{close[0]}'?")
        return super().resolve_command(ctx, args)

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:  # noqa: ARG002
        """The table of commands."""
        with formatter.section("Commands"):
            formatter.write_dl(list(COMMANDS.items()))


def _show_version(context: click.Context, _parameter: click.Parameter, wanted: bool) -> None:
    """The version, then the built-in models with the dates of the texts that they state."""
    if not wanted:
        return
    from mcm import MODEL_DATES

    width = max(map(len, MODEL_DATES))
    click.echo(f"mcm {__version__}")
    for name, date in MODEL_DATES.items():
        click.echo(f"  {name.ljust(width)}  {date}")
    context.exit()


# `color`: click would take escape sequences out of what goes to a file, of the text that `mcm fmt` prints too. What we
# print holds none but our own colours, and these only on a terminal.
@click.group(
    cls=LazyGroup,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100, "color": True},
)
@click.option(
    "--version",
    is_flag=True,
    expose_value=False,
    is_eager=True,
    callback=_show_version,
    help="Show the version and the dates of the models, and exit.",
)
def mcm() -> None:
    """What the OpenCL, SYCL and C11 memory models allow.

    \b
    Examples:
      mcm check test.litmus
      mcm rules opencl-3.0 COH-RR
    """


def run(arguments: Sequence[str] | None = None) -> int:
    """Run a command line and give its exit code; what goes wrong is raised, a closed pipe included."""
    words = sys.argv[1:] if arguments is None else list(arguments)
    if arguments is None and _COMPLETE in os.environ:
        # Imported here: only shells ask.
        from click.shell_completion import shell_complete

        return shell_complete(mcm, {}, "mcm", _COMPLETE, os.environ[_COMPLETE])
    try:
        with mcm.make_context("mcm", words, default_map=defaults(mcm, words)) as context:
            return int(mcm.invoke(context) or 0)
    except click.exceptions.Exit as ended:
        return ended.exit_code
