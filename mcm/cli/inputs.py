"""What the arguments of `mcm check` and `mcm fmt` name: files, folders, lists of files, standard input."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Final

from mcm import DEFAULT_LIMIT, Diagnostic, InputError, Source, Span, decode_source, read_source

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

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
            yield from _found(Path(argument))


def read(name: str) -> Source:
    """The text of a file or of standard input; InputError if there is none to be had."""
    if name == STANDARD_INPUT:
        return decode_source(name, sys.stdin.buffer.read(DEFAULT_LIMIT + 1))
    return read_source(name)


def _listed(name: str) -> Iterator[str | Diagnostic]:
    """The files of a list: one a line, `#` begins a comment, relative names are relative to the list."""
    try:
        content = read_source(name)
    except InputError as error:
        yield from error.diagnostics
        return
    entries = [line.partition("#")[0].strip() for line in content.text.splitlines()]
    if not any(entries):
        yield _no_test(name, "this list names no test")
    for entry in filter(None, entries):
        yield from _found(Path(name).parent / entry)


def _found(path: Path) -> Iterator[str | Diagnostic]:
    if not path.is_dir():
        yield str(path)
        return
    tests = sorted(found for found in path.rglob("*.litmus") if found.is_file())
    if not tests:
        yield _no_test(str(path), "this folder holds no *.litmus file")
    yield from map(str, tests)


def _no_test(name: str, message: str) -> Diagnostic:
    return Diagnostic("E001", message, Span(Source(name, ""), 0, 0))
