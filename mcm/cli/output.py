"""What a command writes to a file: the whole of it, or the file stays as it was."""

from __future__ import annotations

import os
from contextlib import suppress
from errno import EACCES, EBUSY, EPERM
from pathlib import Path
from stat import S_IMODE
from typing import TYPE_CHECKING, Final

import click

if TYPE_CHECKING:
    from io import FileIO

# Names of the streams, and whether it is that of errors. They may lead to files, in which other output stands as well.
_STREAMS: Final = {"/dev/stdout": False, "/dev/fd/1": False, "/dev/stderr": True, "/dev/fd/2": True}

# Why a file that may be written may not be replaced: its folder may not be changed, or the file is mounted.
_FIXED: Final = frozenset({EACCES, EPERM, EBUSY})


def write_whole(path: Path, text: str) -> None:
    """Write a text to a file, whose folder is made if need be; who reads the file meanwhile sees the old one or this.

    Links stay links, and a file keeps its permissions. A device or a pipe (`/dev/stdout`, `/dev/null`, what a shell
    makes of `>(…)`) is written to, as it cannot be replaced. Raises ClickException where that is not possible.
    """
    if path.as_posix() in _STREAMS:
        click.echo(text, nl=False, err=_STREAMS[path.as_posix()])
        return
    content = text.encode("utf-8", "backslashreplace")
    try:
        if path.exists() and not path.is_file():
            # Unbuffered: what cannot be written is said here, not when the file is closed.
            with path.open("wb", buffering=0) as stream:
                _write_all(stream, content)
        else:
            _write_file(path.resolve(), content)
    except (OSError, ValueError, RuntimeError) as error:
        why = error.strerror if isinstance(error, OSError) and error.strerror else str(error)
        message = f"cannot write '{path}': {why.lower()}"
        raise click.ClickException(message) from error


def _write_all(stream: FileIO, content: bytes) -> None:
    """Write it all: a pipe may take a part at a time."""
    rest = memoryview(content)
    while rest:
        rest = rest[stream.write(rest) :]


def _write_file(path: Path, content: bytes) -> None:
    """Write a regular file that is there, or not yet."""
    if not path.exists():
        path.parent.mkdir(parents=True, exist_ok=True)
        # Temporary files are private, the result is a file like any other.
        _replace(path, content, 0o666 & ~_mask())
        return
    if not os.access(path, os.W_OK):
        raise PermissionError(EACCES, os.strerror(EACCES))
    try:
        _replace(path, content, S_IMODE(path.stat().st_mode))
    except OSError as error:
        if error.errno not in _FIXED:
            raise
        path.write_bytes(content)


def _replace(path: Path, content: bytes, mode: int) -> None:
    """Put a file with this content and these permissions in the place of another, or of none."""
    # Imported here: most commands write no file.
    from tempfile import NamedTemporaryFile

    with NamedTemporaryFile("wb", dir=path.parent, prefix=".", suffix=".part", delete=False) as file:
        try:
            file.write(content)
            file.close()
            Path(file.name).chmod(mode)
            Path(file.name).replace(path)
        except BaseException:
            with suppress(OSError):
                Path(file.name).unlink()
            raise


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
