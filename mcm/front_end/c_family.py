"""The front end for OpenCL C and C11."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from msgspec.structs import replace

from mcm.base.diagnostic import Diagnostic, InputError, listed
from mcm.front_end.naming import names_types
from mcm.front_end.test import InvalidTestError, Test
from mcm.program.resolve import resolve
from mcm.program.resolve.header import resolve_header
from mcm.syntax.language import C_FAMILY
from mcm.syntax.parse import IncompleteError, parse

if TYPE_CHECKING:
    from collections.abc import Iterator

    from mcm.base.source import Source
    from mcm.syntax.ast import Litmus

_NO_THREAD: Final = "E148"
# There is no such kernel, no such function.
_OF_NAMES: Final = frozenset({"E151", "E102"})
# What an initial state that could not be parsed may have declared: values of parameters, queues, events.
_OF_INITIAL_STATE: Final = frozenset({"E128", "E160", "E161"})


def read(source: Source) -> Test:
    """Parse and resolve a test; InputError with all its problems, InvalidTestError when only its meaning is wrong."""
    try:
        tree = _parse(source)
    except IncompleteError as error:
        raise InputError(*error.diagnostics, *_errors_of_meaning(error.rest)) from None
    header = resolve_header(tree, is_whole=True)
    try:
        program = resolve(tree)
    except InputError as error:
        raise InvalidTestError(header, *header.diagnostics, *error.diagnostics) from None
    diagnostics = (*header.diagnostics, *program.diagnostics)
    if any(diagnostic.is_error for diagnostic in diagnostics):
        raise InvalidTestError(header, *diagnostics)
    return Test(header, tree, program, listed(sorted(diagnostics, key=lambda d: d.code)))


def _parse(source: Source) -> Litmus:
    """The tree of a test; where names stand for constants or types, everything in it is told at its place."""
    has_macros, has_names = _may_define(source), names_types(source.text)
    if not has_macros and not has_names:
        return parse(source)
    # Imported here: few tests define anything.
    from mcm.front_end.macros import expanded  # noqa: PLC0415
    from mcm.front_end.words import parsed  # noqa: PLC0415

    return parsed(source, expanded(source) if has_macros else None, C_FAMILY)


def _may_define(source: Source) -> bool:
    return "#" in source.text and "define" in source.text


def _errors_of_meaning(rest: Litmus) -> Iterator[Diagnostic]:
    """Errors of meaning in a file with syntax errors, found in the parts that could be parsed.

    Scope tree, locations, filter and condition are left out: they may refer to parts that could not be parsed. For the
    same reason a missing thread is not reported.
    """
    yield from (each for each in resolve_header(rest).diagnostics if each.is_error)
    try:
        resolve(replace(rest, scope_tree=(), locations=(), filter=None, condition=None))
    except InputError as error:
        text = rest.span.source.text
        is_lost = not rest.initial
        found = (each for each in error.diagnostics if not (is_lost and each.code in _OF_INITIAL_STATE))
        yield from (each for each in found if each.is_error and not _follows(each, text))


def _follows(problem: Diagnostic, text: str) -> bool:
    """Whether an error only follows from what could not be parsed: a kernel is missing, a function, or all threads."""
    if problem.code in _OF_NAMES:
        name = re.escape(problem.span.text)
        return re.search(rf"\b{name}\s*\([^;{{}}]*\)\s*\{{", text) is not None
    return problem.code == _NO_THREAD


def format(source: Source) -> str:  # noqa: A001 - a function of every front end
    """The text in the standard layout; InputError when its syntax is wrong. Its meaning is not checked."""
    # Imported here: only `fmt` prints.
    from mcm.syntax.printer import print_litmus  # noqa: PLC0415

    if _may_define(source):
        from mcm.front_end.macros import definitions  # noqa: PLC0415

        for span in definitions(source):
            message = "a test that defines constants has no standard layout: they would be lost"
            raise InputError(Diagnostic("E050", message, span))
    if names_types(source.text):
        from mcm.front_end.words import check_layout  # noqa: PLC0415 - as above

        check_layout(source)
    return print_litmus(parse(source))
