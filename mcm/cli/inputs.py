"""What the arguments of `mcm check` and `mcm fmt` name: files, folders, lists of files, standard input."""

from __future__ import annotations

import os
import stat
import sys
from operator import itemgetter
from typing import TYPE_CHECKING, Final

from mcm import DEFAULT_LIMIT, Diagnostic, InputError, Source, Span, decode_source, read_source, shared_session

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

STANDARD_INPUT: Final = "-"


def find_tests(arguments: Iterable[str]) -> Iterator[str | Diagnostic]:
    """The files that the arguments name, in order; folders are searched for `*.litmus`, sorted by path.

    An argument that leads to no test gives a complaint in its place.
    """
    for argument in arguments:
        if argument == STANDARD_INPUT:
            yield argument
        elif argument.startswith("@"):
            yield from _listed(argument[1:])
        else:
            yield from _found(argument)


def read(name: str) -> Source:
    """The text of a file or of standard input, with what is asked of a kernel file; InputError if there is none."""
    if name == STANDARD_INPUT:
        if sys.stdin is None:
            raise InputError(_no_test(name, "standard input is closed"))
        return decode_source(name, sys.stdin.buffer.read(DEFAULT_LIMIT + 1))
    return shared_session().kernels_of(read_source(name))


def _listed(name: str) -> Iterator[str | Diagnostic]:
    """The files of a list: one a line, `#` begins a comment, relative names are relative to the list."""
    from pathlib import Path

    try:
        content = read_source(name)
    except InputError as error:
        yield from error.diagnostics
        return
    entries = [line.partition("#")[0].strip() for line in content.text.splitlines()]
    if not any(entries):
        yield _no_test(name, "this list names no test")
    for entry in filter(None, entries):
        yield from _found(str(Path(name).parent / entry))


def _found(name: str) -> Iterator[str | Diagnostic]:
    if not name:
        yield _no_test(name, "an empty name; the current folder is named '.'")
        return
    if is_folder(name):
        yield from _in_folder(name)
    else:
        yield name


def is_one_test(arguments: Sequence[str]) -> bool:
    """Whether the arguments name one test, and no folder or list."""
    return len(arguments) == 1 and not arguments[0].startswith("@") and not is_folder(arguments[0])


def is_folder(name: str) -> bool:
    """Whether there is a folder of that name; where nothing can be called so, reading it says what is wrong."""
    try:
        return stat.S_ISDIR(os.stat(name).st_mode)
    except (OSError, ValueError):
        return False


def _in_folder(name: str) -> Iterator[str | Diagnostic]:
    """The tests of a folder, sorted by path, and a complaint about each folder in it that cannot be looked into.

    Hidden folders in it are not looked into: they belong to tools, and may hold copies of the tests. A link that leads
    nowhere counts as a test: reading it says what is wrong.
    """
    found: list[tuple[list[str], str | Diagnostic]] = []

    def complain(error: OSError) -> None:
        folder = str(error.filename)
        why = f"this folder cannot be read: {(error.strerror or str(error)).lower()}"
        found.append((_normal(folder).split(os.sep), _no_test(folder, why)))

    for folder, inner, files in os.walk(name, onerror=complain):
        inner[:] = (one for one in inner if not one.startswith("."))
        for file in files:
            if file.endswith(".litmus"):
                path = _normal(os.path.join(folder, file))
                found.append((path.split(os.sep), path))
    if not found:
        yield _no_test(_normal(name), f"this folder holds no *.litmus file{_code_in(name)}")
    yield from (one for _, one in sorted(found, key=itemgetter(0)))


_OF_CODE: Final = (".cl", ".cpp", ".cc", ".cxx")


def _code_in(folder: str) -> str:
    """That a folder holds files of code, which are named one by one, with what is launched."""
    found = sorted(file for file in os.listdir(folder) if file.endswith(_OF_CODE))
    return f"; a file of code is named by itself, such as '{os.path.join(folder, found[0])}'" if found else ""


def _normal(path: str) -> str:
    """The path without what changes nothing in it: `./`, doubled separators, one at the end."""
    parts = path.removeprefix(os.sep).split(os.sep)
    if os.curdir not in parts and "" not in parts and not (os.altsep and os.altsep in path):
        return path
    # Imported here: that takes longer than to look through a small folder.
    from pathlib import Path

    return str(Path(path))


def _no_test(name: str, message: str) -> Diagnostic:
    return Diagnostic("E001", message, Span(Source(name, ""), 0, 0))
