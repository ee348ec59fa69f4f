"""Reading a file as a Source."""

from __future__ import annotations

import os
import stat
from codecs import BOM_UTF8
from itertools import islice
from typing import TYPE_CHECKING, Final

from mcm.base.diagnostic import Diagnostic, InputError
from mcm.base.source import Source, Span

if TYPE_CHECKING:
    from os import PathLike

DEFAULT_LIMIT: Final = 1_000_000
# More files than that are not looked through for a name like one that is missing.
_MOST_BESIDE: Final = 5_000


def read_source(path: str | PathLike[str], limit_bytes: int = DEFAULT_LIMIT) -> Source:
    """The text of the file `path`, line ends normalised; InputError if it cannot be read."""
    _require_path(path)
    name = str(path)
    try:
        content = _read_bytes(path, name, limit_bytes)
    except FileNotFoundError:
        raise _unreadable("E001", name, f"no such file{_beside(name)}") from None
    except ValueError:
        raise _unreadable("E001", name, "no file can have this name") from None
    except OSError as error:
        raise _unreadable("E001", name, f"cannot be read: {(error.strerror or str(error)).lower()}") from None
    return decode_source(name, content, limit_bytes)


def _beside(name: str) -> str:
    """What a file that is not there may be instead: one of a name like it in its folder."""
    # Imported here: only wrong input needs them.
    from pathlib import Path  # noqa: PLC0415

    from mcm.base.suggest import nearest  # noqa: PLC0415

    path = Path(name)
    try:
        names = [one.name for one in islice(path.parent.iterdir(), _MOST_BESIDE) if one.is_file()]
    except OSError:
        return f"; there is no folder '{path.parent}'"
    found = nearest(path.name, names)
    return "" if found is None else f"; did you mean '{path.parent / found}'?"


def decode_source(name: str, content: bytes, limit_bytes: int = DEFAULT_LIMIT) -> Source:
    """The same for content that was read already, for example from standard input."""
    if len(content) > limit_bytes:
        raise _too_large(name, f"{len(content)} bytes", limit_bytes)
    if b"\0" in content:
        if content.startswith((b"\xff\xfe", b"\xfe\xff")):
            raise _unreadable("E003", name, "text in UTF-16, expected UTF-8")
        raise _unreadable("E003", name, f"a binary file (byte {content.index(0)} is zero), expected text")
    text_begins = len(BOM_UTF8) if content.startswith(BOM_UTF8) else 0
    try:
        text = content[text_begins:].decode()
    except UnicodeDecodeError:
        _require_known_bytes(name, content, text_begins)
        text = content[text_begins:].decode(errors="replace")
    return Source(name, _with_line_ends(text))


def _with_line_ends(text: str) -> str:
    """The text with line ends as they are known here."""
    return text.replace("\r\n", "\n").replace("\r", "\n")


def _require_known_bytes(name: str, content: bytes, begin: int) -> None:
    """InputError for bytes in another encoding, but in comments and strings, where compilers read over them too."""
    # Imported here: few files have such bytes.
    import re  # noqa: PLC0415

    quiet = re.compile(rb'//[^\n]*|/\*.*?\*/|\(\*.*?\*\)|"(?:[^"\\\n]|\\.)*"', re.DOTALL)
    loud = quiet.sub(lambda found: b" " * len(found[0]), content)
    try:
        loud[begin:].decode()
    except UnicodeDecodeError as error:
        at = begin + error.start
        place = len(_with_line_ends(content[begin:at].decode(errors="replace")))
        source = Source(name, _with_line_ends(content[begin:].decode(errors="replace")))
        message = f"not UTF-8 text (byte 0x{content[at]:02x} at offset {at})"
        raise InputError(Diagnostic("E004", message, Span(source, place, place + 1))) from None


def _require_path(path: object) -> None:
    """Refuse what only looks like a path to the system: a number is that of an open file."""
    if not isinstance(path, str | os.PathLike):
        message = f"expected a text or the path of a file, found {type(path).__name__}"
        raise TypeError(message)


def _read_bytes(path: str | PathLike[str], name: str, limit_bytes: int) -> bytes:
    status = os.stat(path)
    if stat.S_ISDIR(status.st_mode):
        raise _unreadable("E002", name, "a directory, expected a file")
    if not stat.S_ISREG(status.st_mode) and not stat.S_ISFIFO(status.st_mode):
        raise _unreadable("E002", name, "not a regular file")
    with open(path, "rb") as stream:
        # Room is asked for what there should be, and a byte more. What has no size, as a pipe, is longer than that; one
        # byte more than the limit shows that it is too large, without reading all of it.
        content = stream.read(min(status.st_size, limit_bytes) + 1)
        if len(content) > status.st_size:
            content += stream.read(limit_bytes + 1 - len(content))
    if len(content) > limit_bytes:
        raise _too_large(name, f"{max(status.st_size, len(content))} bytes", limit_bytes)
    return content


def _too_large(name: str, found: str, limit_bytes: int) -> InputError:
    return _unreadable("E005", name, f"{found}, more than the limit of {limit_bytes} bytes for a file")


def _unreadable(code: str, name: str, message: str) -> InputError:
    return InputError(Diagnostic(code, message, Span(Source(name, ""), 0, 0)))
