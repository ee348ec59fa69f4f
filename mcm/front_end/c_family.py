"""The front end for OpenCL C and C11."""

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
    """Parse and resolve a test; InputError with all its problems, InvalidTestError when only its meaning is wrong."""
    try:
        tree = parse(source)
    except IncompleteError as error:
        raise InputError(*error.diagnostics, *_errors_of_meaning(error.rest)) from None
    header = resolve_header(tree)
    try:
        program = resolve(tree)
    except InputError as error:
        raise InvalidTestError(header, *header.diagnostics, *error.diagnostics) from None
    diagnostics = (*header.diagnostics, *program.diagnostics)
    if any(diagnostic.is_error for diagnostic in diagnostics):
        raise InvalidTestError(header, *diagnostics)
    return Test(header, tree, program, tuple(sorted(diagnostics, key=lambda d: (d.span.start, d.span.end, d.code))))


def _errors_of_meaning(rest: Litmus) -> Iterator[Diagnostic]:
    """Errors of meaning in a file with syntax errors, found in the parts that could be parsed.

    Scope tree, locations, filter and condition are left out: they may refer to parts that could not be parsed. For the
    same reason a missing thread is not reported.
    """
    yield from (each for each in resolve_header(rest).diagnostics if each.is_error)
    try:
        resolve(replace(rest, scope_tree=(), locations=(), filter=None, condition=None))
    except InputError as error:
        yield from (each for each in error.diagnostics if each.is_error and each.code != _NO_THREAD)


def format(source: Source) -> str:  # noqa: A001 - a function of every front end
    """The text in the standard layout; InputError when its syntax is wrong. Its meaning is not checked."""
    # Imported here: only `fmt` prints.
    from mcm.syntax.printer import print_litmus  # noqa: PLC0415

    return print_litmus(parse(source))
