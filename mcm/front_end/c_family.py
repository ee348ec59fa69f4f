"""The front end of the dialects that are written in C: OpenCL C and C11."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from msgspec.structs import replace

from mcm.base.diagnostic import InputError
from mcm.front_end.test import InvalidTestError, Test
from mcm.program.resolve import resolve
from mcm.program.resolve.header import resolve_header
from mcm.syntax.parse import IncompleteError, parse

if TYPE_CHECKING:
    from collections.abc import Iterator

    from mcm.base.diagnostic import Diagnostic
    from mcm.base.source import Source
    from mcm.syntax.ast import Litmus

_NO_THREAD: Final = "E148"


def read(source: Source) -> Test:
    """The test that a text is; InputError with all that is wrong, InvalidTestError where that is its meaning."""
    try:
        tree = parse(source)
    except IncompleteError as error:
        raise InputError(*error.diagnostics, *_meaningless(error.rest, source)) from None
    header = resolve_header(tree)
    try:
        program = resolve(tree, source)
    except InputError as error:
        raise InvalidTestError(header, *header.diagnostics, *error.diagnostics) from None
    diagnostics = (*header.diagnostics, *program.diagnostics)
    if any(diagnostic.is_error for diagnostic in diagnostics):
        raise InvalidTestError(header, *diagnostics)
    return Test(header, tree, program, tuple(sorted(diagnostics, key=lambda d: (d.span.start, d.span.end, d.code))))


def _meaningless(rest: Litmus, source: Source) -> Iterator[Diagnostic]:
    """What is wrong with the meaning of the parts whose syntax is right.

    The condition and its like are left out: they may speak of what could not be parsed. Nor is it known that there is
    no thread.
    """
    yield from (each for each in resolve_header(rest).diagnostics if each.is_error)
    try:
        resolve(replace(rest, scope_tree=(), locations=(), filter=None, condition=None), source)
    except InputError as error:
        yield from (each for each in error.diagnostics if each.is_error and each.code != _NO_THREAD)


def format(source: Source) -> str:  # noqa: A001 - a function of every front end
    """The text in the standard layout, whatever it means; InputError when its syntax is wrong."""
    # Imported here: only `fmt` prints.
    from mcm.syntax.printer import print_litmus  # noqa: PLC0415

    return print_litmus(parse(source))
