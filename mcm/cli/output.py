"""What a command writes to a file: the whole of it, or the file stays as it was."""

from __future__ import annotations

import os
from contextlib import suppress
from pathlib import Path

import click


def write_whole(path: Path, text: str) -> None:
    """Write a text to a file, whose folder is made if need be; who reads the file meanwhile sees the old one or this.

    Raises ClickException where that is not possible.
    """
    # Imported here: most commands write no file.
    from tempfile import NamedTemporaryFile

    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        with NamedTemporaryFile("wb", dir=path.parent, prefix=".", suffix=".part", delete=False) as file:
            try:
                file.write(text.encode("utf-8", "backslashreplace"))
                file.close()
                # Temporary files are private, the result is a file like any other.
                Path(file.name).chmod(0o666 & ~_mask())
                Path(file.name).replace(path)
            except BaseException:
                with suppress(OSError):
                    Path(file.name).unlink()
                raise
    except (OSError, ValueError) as error:
        why = error.strerror if isinstance(error, OSError) and error.strerror else str(error)
        message = f"cannot write '{path}': {why.lower()}"
        raise click.ClickException(message) from error


def deliver(text: str, output: str | None) -> None:
    """Write a text to a file, or without one to standard output."""
    if output is None:
        click.echo(text, nl=False)
    else:
        write_whole(Path(output), text)


def _mask() -> int:
    """The permissions that new files lack."""
    mask = os.umask(0)
    os.umask(mask)
    return mask
