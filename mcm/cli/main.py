"""The entry point: runs a command line and turns whatever ends it into an exit code."""

from __future__ import annotations

import atexit
import gc
import os
import sys
from io import StringIO, TextIOWrapper
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence


def main(arguments: Sequence[str] | None = None) -> None:
    """Run and leave; never returns."""
    # Before anything is imported.
    search_rarely_for_garbage()
    # Python searches for garbage once more when it ends, which takes longer than a small test: leave all values out.
    atexit.register(gc.freeze)
    # A test may hold characters that the terminal cannot show: they are escaped, not a reason to fail.
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")
    sys.exit(_exit_code(arguments))


def search_rarely_for_garbage() -> None:
    """Set how often that is done in this process.

    Values are immutable and hardly ever refer to each other in circles, which the search is there to find: where a
    program has a thousand threads, it would take as long as all the rest.
    """
    gc.set_threshold(100_000)


def _exit_code(arguments: Sequence[str] | None) -> int:
    import click

    from mcm import InputError, render, visible
    from mcm.cli.exit_code import ExitCode
    from mcm.cli.group import run

    try:
        code = run(arguments)
        sys.stdout.flush()
    except click.ClickException as error:
        shown = StringIO()
        error.show(shown)
        click.echo(visible(shown.getvalue(), kept="\n"), nl=False, err=True)
        return ExitCode.BAD_INPUT
    except InputError as error:
        click.echo("\n".join(map(render, error.diagnostics)), err=True)
        return ExitCode.BAD_INPUT
    except (click.Abort, KeyboardInterrupt):
        click.echo("interrupted", err=True)
        return ExitCode.INTERRUPTED
    except BrokenPipeError:
        # The reader has gone (`mcm check … | head`); the interpreter must not try to flush into the closed pipe.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return ExitCode.BROKEN_PIPE
    except Exception:  # noqa: BLE001 - whatever is left is our defect, and is shown as such
        import traceback

        click.echo(visible(traceback.format_exc(), kept="\n"), err=True)
        click.echo("This is a defect of mcm. Please report it with the command and the file that led to it.", err=True)
        return ExitCode.DEFECT
    return code
