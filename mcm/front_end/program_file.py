"""The front end for SYCL programs as they are, in C++: `main` is the host program of a test.

Like a kernel file, a program is the middle of a test, whose question is given beside it. What a memory model does not
ask about (output, handlers of exceptions, names of kernels) is left out word by word, and every place is told as its
author knows it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from msgspec.structs import replace

from mcm.base.diagnostic import Diagnostic, InputError, listed
from mcm.base.source import Source, Span
from mcm.front_end.cpp.arguments import run_of
from mcm.front_end.cpp.device_globals import taken_apart
from mcm.front_end.cpp.program import told_of_program, units_of_program
from mcm.front_end.kernel_header import header_of
from mcm.front_end.kernel_source import KernelSource
from mcm.front_end.pieces import Piece
from mcm.front_end.pieces_of_request import add_questions, begun, initial_items, questions_of
from mcm.front_end.preprocess import preprocessed_program
from mcm.front_end.test import InvalidTestError, Test
from mcm.program.resolve import resolve
from mcm.program.resolve.record_types import components_of
from mcm.sycl.language import SYCL_LANGUAGE
from mcm.sycl.lower import lowered
from mcm.syntax import ast, question
from mcm.syntax.fingerprint import commented
from mcm.syntax.parse import IncompleteError, parse

if TYPE_CHECKING:
    from collections.abc import Sequence

    from mcm.front_end.pieces import Pieces
    from mcm.syntax.fingerprint import Commented


def read(source: Source) -> Test:
    """The test that a program is; InputError with all that is wrong."""
    tree, written, told = _tree(source)
    header = header_of(tree, source, written)
    try:
        in_terms_of_c, warnings = lowered(tree, is_program=True)
        program = resolve(_with_results(in_terms_of_c))
    except InputError as error:
        raise InvalidTestError(header, *error.diagnostics) from None
    diagnostics = listed(sorted((*told, *warnings, *program.diagnostics), key=lambda one: one.code))
    if any(one.is_error for one in diagnostics):
        raise InvalidTestError(header, *diagnostics)
    return Test(header, tree, program, diagnostics)


def format(source: Source) -> str:  # noqa: A001 - a function of every front end
    """The litmus test that a program is."""
    # Imported here: only `fmt` prints.
    from mcm.sycl.printer import print_sycl  # noqa: PLC0415

    return print_sycl(_tree(source)[0])


def _tree(source: Source) -> tuple[ast.Litmus, Commented, tuple[Diagnostic, ...]]:
    """The test, each node at its place in the file or the option that it comes from, its text, and what is told."""
    assert isinstance(source, KernelSource)
    pieces, told = _together(source)
    try:
        tree = parse(Source(source.name, pieces.text), SYCL_LANGUAGE)
    except IncompleteError as error:
        raise pieces.error(error) from None
    except InputError as error:
        raise pieces.error(error) from None
    return pieces.relocated_test(tree, source), commented(tree), told


def _together(source: KernelSource) -> tuple[Pieces, tuple[Diagnostic, ...]]:
    """The text of the test: header, initial state, the program, question; and what is told of the program."""
    request = source.request
    if request.launches:
        text = request.launches[0]
        message = "a program says itself what it launches: '--launch' is for kernel files (.cl)"
        raise InputError(Diagnostic("E181", message, Span(Source("--launch", text), 0, len(text))))
    program = preprocessed_program(source, request.definitions, request.folders)
    run = run_of(source.name, request.arguments)
    whole = Span(source, 0, 0)
    initial, words = taken_apart(list(units_of_program(program, whole, run)))
    pieces = begun(source, [*((one,) for one in initial_items(request)), *map(_apart, initial)])
    last: Span | None = None
    for word in words:
        # What is missing at the end of a line is missing there, and not before what the next line begins with.
        pieces.made_up("\n" if _is_on_next_line(last, word.span) else " ")
        pieces.add(word)
        last = word.span or last
    add_questions(pieces, ((quantifier, (asked,)) for quantifier, asked in questions_of(request)))
    return pieces, told_of_program(program, whole, run)


def _apart(words: Sequence[Piece]) -> list[Piece]:
    """The words of a declaration, with white space between them."""
    return [piece for word in words for piece in (word, Piece(" ", None))]


def _is_on_next_line(last: Span | None, span: Span | None) -> bool:
    """Whether a word stands in a later line of a text than the one before it."""
    if last is None or span is None or last.source is not span.source:
        return False
    return "\n" in span.source.text[last.end : span.start]


def _with_results(tree: ast.Litmus) -> ast.Litmus:
    """The test; where nothing is asked, it shows the memory that the host can see."""
    if tree.condition is not None or tree.locations:
        return tree
    structures = {unit.name.text: unit for unit in tree.units if isinstance(unit, ast.Structure)}
    shown = [
        replace(item.name, text=name)
        for item in tree.initial
        if isinstance(item, ast.InitialValue) and item.allocation != "coarse_svm" and not item.pointers
        for name in _members(item.name.text, item.type, structures)
    ]
    return replace(tree, locations=tuple(question.LocationReference(name, span=name.span) for name in shown))


def _members(name: str, type_: ast.TypeName | None, structures: dict[str, ast.Structure]) -> list[str]:
    """The name of an object, or those of its members, `p.x`, where it is a structure or a vector."""
    if type_ is not None and type_.pointers:
        return [name]
    components = () if type_ is None else components_of(type_)
    if components:
        return [f"{name}.{one}" for one in components]
    unit = None if type_ is None else structures.get(type_.base.removeprefix("struct "))
    if unit is None or type_ is None or not type_.base.startswith("struct "):
        return [name]
    return [
        found
        for one in unit.members
        for each in one.declarators
        for found in _members(f"{name}.{each.name.text}", replace(one.type, pointers=each.pointers), structures)
    ]
