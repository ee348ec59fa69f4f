"""The entry point: runs a command line and turns whatever ends it into an exit code."""

from __future__ import annotations

import atexit
import gc
import os
import sys
from contextlib import contextmanager
from io import BufferedWriter, RawIOBase, StringIO, TextIOWrapper
from typing import TYPE_CHECKING, TextIO

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence


def run_process() -> None:
    """The command `mcm`: as `main`, and the process ends at once where nothing is left to do."""
    try:
        main()
    except SystemExit as ended:
        if isinstance(ended.code, int) and _nothing_is_left_to_do():
            # Python would take all values apart one by one.
            os._exit(ended.code)
        raise


def main(arguments: Sequence[str] | None = None) -> None:
    """Run and leave by SystemExit; never returns."""
    # Before anything is imported.
    search_rarely_for_garbage()
    # Python searches for garbage once more when it ends, which takes longer than a small test: leave all values out.
    atexit.register(gc.freeze)
    from mcm.cli.interrupts import terminations_interrupt

    with _streams(), terminations_interrupt():
        code = _exit_code(arguments)
    sys.exit(code)


def _nothing_is_left_to_do() -> bool:
    """Whether the process can end at once: all is shown, no other works for it, and nobody watches what it does."""
    import threading

    started = sys.modules.get("multiprocessing")
    if (started and started.active_children()) or threading.active_count() > 1 or sys.gettrace() or sys.getprofile():
        return False
    try:
        for stream in (sys.stdout, sys.stderr):
            if stream is not None:
                stream.flush()
    except (OSError, ValueError):
        return False
    return True


@contextmanager
def _streams() -> Iterator[None]:
    """Within, standard output and the error stream are those of this module.

    A test may hold characters that the terminal cannot show: they are escaped, not a reason to fail.
    """
    out, err = sys.stdout, sys.stderr
    own: list[tuple[TextIOWrapper, BufferedWriter | None]] = []
    # There is no stream where the shell has closed it (`>&-`).
    sys.stdout = out or _ClosedOutput()
    sys.stderr = err or StringIO()
    if isinstance(out, TextIOWrapper):
        buffer = _missing_buffer(out)
        sys.stdout = _OutputStream(
            buffer or out.buffer, out.encoding, "backslashreplace", line_buffering=out.line_buffering
        )
        own.append((sys.stdout, buffer))
    if isinstance(err, TextIOWrapper):
        buffer = _missing_buffer(err)
        sys.stderr = _ErrorStream(buffer or err.buffer, err.encoding, "backslashreplace", line_buffering=True)
        own.append((sys.stderr, buffer))
    try:
        yield
    finally:
        sys.stdout, sys.stderr = out, err
        for stream, buffer in own:
            stream.detach()
            if buffer is not None:
                buffer.detach()


def _missing_buffer(stream: TextIOWrapper) -> BufferedWriter | None:
    """A buffer for a stream that has none (PYTHONUNBUFFERED, `python -u`).

    There, of a write that a signal interrupts only a part is written, and Python does not write the rest.
    """
    return BufferedWriter(stream.buffer) if isinstance(stream.buffer, RawIOBase) else None


class _ErrorStream(TextIOWrapper):
    """The error stream, which may be full or closed: that changes nothing about what a command found."""

    def write(self, text: str) -> int:
        """Write if that is possible."""
        with self._or_nowhere():
            super().write(text)
        return len(text)

    def flush(self) -> None:
        """Pass on what was written if that is possible."""
        with self._or_nowhere():
            super().flush()

    @contextmanager
    def _or_nowhere(self) -> Iterator[None]:
        try:
            yield
        except OSError:
            _discard(self)


class OutputError(Exception):
    """Standard output takes no more, for another reason than that its reader has gone."""


class _OutputStream(TextIOWrapper):
    """Standard output, whose errors are told apart from those of files that are read."""

    def write(self, text: str) -> int:
        """Write; OutputError if there is no room."""
        with _as_output_error():
            return super().write(text)

    def flush(self) -> None:
        """Pass on what was written; OutputError if there is no room."""
        with _as_output_error():
            super().flush()


class _ClosedOutput(StringIO):
    """Standard output that the shell has closed: who writes there would lose it."""

    def write(self, text: str) -> int:
        """OutputError, unless there is nothing to write."""
        if text:
            message = "standard output is closed"
            raise OutputError(message)
        return 0


@contextmanager
def _as_output_error() -> Iterator[None]:
    try:
        yield
    except BrokenPipeError:
        raise
    except OSError as error:
        raise OutputError((error.strerror or str(error)).lower()) from None


def _discard(stream: TextIO) -> None:
    """From now on, and when the interpreter ends, what is written to a stream goes nowhere."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), stream.fileno())


def search_rarely_for_garbage() -> None:
    """Set how often that is done in this process.

    Values are immutable and hardly ever refer to each other in circles, which the search is there to find: where a
    program has a thousand threads, it would take as long as all the rest.
    """
    gc.set_threshold(100_000)


def _exit_code(arguments: Sequence[str] | None) -> int:
    from mcm import InputError, render
    from mcm.cli.exit_code import ExitCode

    try:
        code = _run(arguments)
        sys.stdout.flush()
    except InputError as error:
        sys.stderr.write("".join(f"{render(one)}\n" for one in error.diagnostics))
        return ExitCode.BAD_INPUT
    except KeyboardInterrupt:
        sys.stderr.write("interrupted\n")
        return ExitCode.INTERRUPTED
    except OutputError as error:
        if not isinstance(sys.stdout, _ClosedOutput):
            _discard(sys.stdout)
        sys.stderr.write(f"cannot write the output: {error}\n")
        return ExitCode.BAD_INPUT
    except BrokenPipeError:
        # The reader has gone (`mcm check … | head`); the interpreter must not try to flush into the closed pipe.
        _discard(sys.stdout)
        return ExitCode.BROKEN_PIPE
    except Exception as error:  # noqa: BLE001 - of click, or a defect of ours, which is shown as such
        return _told(error)
    return code


def _run(arguments: Sequence[str] | None) -> int:
    from mcm.cli.plain import plain_check

    check = plain_check(sys.argv[1:] if arguments is None else arguments)
    if check is not None:
        return check()
    from mcm.cli.group import run

    return run(arguments)


def _told(error: Exception) -> int:
    """Say what click complains about, or what went wrong where nothing should; the exit code."""
    import click

    from mcm import visible
    from mcm.cli.exit_code import ExitCode

    if isinstance(error, click.ClickException):
        shown = StringIO()
        error.show(shown)
        click.echo(visible(shown.getvalue(), kept="\n\t"), nl=False, err=True)
        return ExitCode.BAD_INPUT
    if isinstance(error, click.Abort):
        click.echo("interrupted", err=True)
        return ExitCode.INTERRUPTED
    import traceback

    trace = "".join(traceback.format_exception(error))
    click.echo(visible(trace, kept="\n"), err=True)
    click.echo("This is a defect of mcm. Please report it with the command and the file that led to it.", err=True)
    return ExitCode.DEFECT
