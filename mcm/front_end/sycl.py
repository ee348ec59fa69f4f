"""The front end for SYCL: the text has a syntax of its own, and means what its form in the C family means."""

from __future__ import annotations

from typing import TYPE_CHECKING

from msgspec.structs import replace

from mcm.base.diagnostic import InputError, listed
from mcm.front_end.naming import names_types
from mcm.front_end.test import InvalidTestError, Test
from mcm.program.resolve import resolve
from mcm.program.resolve.header import resolve_header
from mcm.sycl.language import SYCL_LANGUAGE
from mcm.sycl.lower import lowered
from mcm.syntax.parse import IncompleteError, parse

if TYPE_CHECKING:
    from collections.abc import Iterator

    from mcm.base.diagnostic import Diagnostic
    from mcm.base.source import Source
    from mcm.program.program import Program
    from mcm.syntax.ast import Litmus


def read(source: Source) -> Test:
    """Parse and resolve a test; InputError with all its problems, InvalidTestError when only its meaning is wrong."""
    try:
        tree = _parse(source)
    except IncompleteError as error:
        raise InputError(*error.diagnostics, *_errors_of_meaning(error.rest)) from None
    header = resolve_header(tree, is_whole=True)
    try:
        program, warnings = _program(tree)
    except InputError as error:
        raise InvalidTestError(header, *header.diagnostics, *error.diagnostics) from None
    diagnostics = (*header.diagnostics, *sorted(warnings, key=lambda one: one.span.start))
    if any(diagnostic.is_error for diagnostic in diagnostics):
        raise InvalidTestError(header, *diagnostics)
    return Test(header, tree, program, listed(sorted(diagnostics, key=lambda d: d.code)))


def _parse(source: Source) -> Litmus:
    """The tree of a test; where it names types, what they mean stands in place of the names."""
    if not names_types(source.text, of_cpp=True):
        return parse(source, SYCL_LANGUAGE)
    # Imported here: few tests name any.
    from mcm.front_end.words import parsed  # noqa: PLC0415

    return parsed(source, None, SYCL_LANGUAGE, of_cpp=True)


def _program(tree: Litmus) -> tuple[Program, tuple[Diagnostic, ...]]:
    """The program, and the warnings of both stages."""
    in_terms_of_c, warnings = lowered(tree)
    program = resolve(in_terms_of_c)
    return program, (*warnings, *program.diagnostics)


def _errors_of_meaning(rest: Litmus) -> Iterator[Diagnostic]:
    """Errors of meaning in the parts of a file with syntax errors that could be parsed."""
    yield from (each for each in resolve_header(rest).diagnostics if each.is_error)
    try:
        lowered(replace(rest, locations=(), filter=None, condition=None))
    except InputError as error:
        yield from (each for each in error.diagnostics if each.is_error)


def format(source: Source) -> str:  # noqa: A001 - a function of every front end
    """The text in the standard layout; InputError when its syntax is wrong. Its meaning is not checked."""
    # Imported here: only `fmt` prints.
    from mcm.sycl.printer import print_sycl  # noqa: PLC0415

    if names_types(source.text, of_cpp=True):
        from mcm.front_end.words import check_layout  # noqa: PLC0415 - as above

        check_layout(source, of_cpp=True)
    return print_sycl(parse(source, SYCL_LANGUAGE))
