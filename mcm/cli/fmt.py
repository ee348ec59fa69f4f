"""`mcm fmt`: litmus tests in the standard layout."""

from __future__ import annotations

import sys
from pathlib import Path

import click

from mcm import Diagnostic, InputError, Source, Span, render, visible
from mcm.cli.exit_code import ExitCode, combine
from mcm.cli.group import Command
from mcm.cli.kernel_options import kernel_options, require_option
from mcm.cli.options import argument_of_tests
from mcm.cli.output import write_whole


@click.command(cls=Command, short_help="Print litmus tests in the standard layout.")
@argument_of_tests()
@click.option("--check", "mode", flag_value="check", help="Only say which files are laid out differently; exit code 1.")
@click.option("--in-place", "-i", "mode", flag_value="in-place", help="Write the files back instead of printing them.")
@require_option
@kernel_options
def command(tests: tuple[str, ...], mode: str | None) -> int:
    """Print litmus tests in the standard layout.

    Nothing but layout changes; comments are kept where the layout has a place for them.

    \b
    Examples:
      mcm fmt test.litmus
      mcm fmt --in-place litmus/
      mcm fmt --check litmus/
    """
    from mcm.cli.inputs import find_tests

    return combine(_format(name, mode) for name in find_tests(tests))


def _format(name: str | Diagnostic, mode: str | None) -> ExitCode:
    if isinstance(name, Diagnostic):
        return _complain(name)
    from mcm import format_test
    from mcm.cli.inputs import read

    if mode is not None and name.endswith((".cl", ".cpp", ".cc", ".cxx")):
        message = "a kernel file keeps its own layout; without '--check' and '--in-place' its litmus test is printed"
        return _complain(Diagnostic("E182", message, Span(Source(name, ""), 0, 0)))
    try:
        source = read(name)
        formatted = format_test(source)
    except InputError as error:
        return _complain(*error.diagnostics)
    match mode:
        case "check":
            if formatted == source.text:
                return ExitCode.AS_EXPECTED
            click.echo(f"{visible(source.name)}: would be laid out differently")
            return ExitCode.NOT_AS_EXPECTED
        case "in-place" if source.name != "-":
            if formatted != source.text:
                return _write(Path(source.name), formatted)
        case _:
            # A file or a pipe gets the text as it is, a terminal nothing that would change what it shows.
            click.echo(visible(formatted, kept="\n\t") if sys.stdout.isatty() else formatted, nl=False)
    return ExitCode.AS_EXPECTED


def _write(path: Path, text: str) -> ExitCode:
    """Write a test back; where that is not possible, the others are written all the same."""
    try:
        write_whole(path, text)
    except click.ClickException as error:
        click.echo(visible(error.message), err=True)
        return ExitCode.BAD_INPUT
    return ExitCode.AS_EXPECTED


def _complain(*diagnostics: Diagnostic) -> ExitCode:
    click.echo("\n".join(map(render, diagnostics)), err=True)
    return ExitCode.BAD_INPUT
