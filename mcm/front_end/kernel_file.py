"""The front end for OpenCL C files as they are.

A kernel file is the middle of a litmus test, whose other parts are given beside it: the initial state, the launches,
the question. They are put together as one text, read as any test, and every place is told as its author knows it.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from msgspec.structs import replace

from mcm.base.diagnostic import Diagnostic, InputError, Note, Severity
from mcm.base.source import Source, Span
from mcm.base.suggest import did_you_mean
from mcm.front_end.buffers import with_buffers, with_results
from mcm.front_end.kernel_header import header_of
from mcm.front_end.kernel_source import KernelSource
from mcm.front_end.launched import kernels_in, without_others
from mcm.front_end.own_functions import names_as_written, told_as_written, with_own_functions
from mcm.front_end.pieces_of_request import (
    add_questions,
    begun,
    initial_items,
    is_unnamed,
    launches_of,
    questions_of,
)
from mcm.front_end.preprocess import preprocessed_with
from mcm.front_end.scratch import without_byte_scratch
from mcm.front_end.sub_groups_unsaid import sub_groups_unsaid
from mcm.front_end.test import InvalidTestError, Test
from mcm.front_end.texts_of_arrays import with_texts_as_lists
from mcm.front_end.tokens import with_types, without_attributes
from mcm.program.resolve import resolve_apart, taken_apart
from mcm.syntax import ast
from mcm.syntax.fingerprint import commented
from mcm.syntax.parse import parse
from mcm.syntax.walk import walk

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from mcm.front_end.pieces import Piece, Pieces
    from mcm.syntax.fingerprint import Commented

_NOT_LAUNCHED: Final = "W120"
# Warnings of litmus tests, whose threads may be taken from other languages.
_NO_SPACE: Final = frozenset({"W100", "W111"})
_KERNEL: Final = re.compile(r"\b(?:__)?kernel\b")


def read(source: Source) -> Test:
    """The test that the launches of a kernel file are; InputError with all that is wrong."""
    tree, written = _tree(source)
    asked = tree
    header = header_of(tree, source, written)
    names = names_as_written(tree)
    try:
        tree = with_results(with_buffers(taken_apart(tree)))
        program = resolve_apart(tree)
    except InputError as error:
        told = (told_as_written(_told(one, source), names) for one in _wanted(error.diagnostics))
        raise InvalidTestError(header, *told) from None
    # A structure is given by its members.
    if unnamed := {one.span.start: one for one in program.diagnostics if one.code in _NO_SPACE}:
        raise InvalidTestError(header, *map(_without_space, unnamed.values()))
    warnings = (*_wanted(program.diagnostics), *_unused(asked), *sub_groups_unsaid(asked))
    program = replace(program, diagnostics=tuple(told_as_written(one, names) for one in warnings))
    return Test(header, tree, program, program.diagnostics)


def _wanted(diagnostics: tuple[Diagnostic, ...]) -> tuple[Diagnostic, ...]:
    """Without the warnings about kernels that are not launched: a file has several, and one was asked for."""
    return tuple(diagnostic for diagnostic in diagnostics if diagnostic.code != _NOT_LAUNCHED)


def _without_space(diagnostic: Diagnostic) -> Diagnostic:
    """That a parameter of a kernel names no address space, which no compiler of OpenCL C takes (AS-3)."""
    written = diagnostic.span.text
    message = "a pointer that a kernel is given is global, local or constant (AS-3)"
    return Diagnostic("E184", f"{message}; did you mean 'global {written.removeprefix('generic ')}'?", diagnostic.span)


def _unused(tree: ast.Litmus) -> Iterator[Diagnostic]:
    """Warnings of names in the initial state that neither what is launched nor a question mentions: mistyped ones."""
    stated = [item for item in tree.initial if isinstance(item, ast.InitialValue)]
    values = [part for item in stated for part in (item.value, item.length) if part is not None]
    asked = [part for part in (tree.filter, tree.condition) if part is not None]
    mentions = walk([*tree.units, *tree.locations, *asked, *values])
    used = {part.text.partition(".")[0] for part in mentions if isinstance(part, ast.Name)}
    kernels = [unit for unit in tree.units if isinstance(unit, ast.Kernel)]
    for item in stated:
        name = item.name.text.partition(".")[0]
        if name not in used:
            hint = did_you_mean(name, (one.name.text for kernel in kernels for one in kernel.parameters))
            message = f"no kernel that is launched uses '{name}'{hint}"
            yield Diagnostic("W105", message, item.name.span, Severity.WARNING)


def _told(diagnostic: Diagnostic, source: Source) -> Diagnostic:
    """A complaint that there is no such kernel, with the place of one that is left out, or declared alone."""
    if diagnostic.code != "E151":
        return diagnostic
    name = re.escape(diagnostic.span.text)
    heads = list(re.finditer(rf"\b(?:__)?kernel\b[^;{{}}]*?\b({name})\s*\([^;{{}}]*([;{{])", source.text))
    found = next((one for one in heads if one[2] == "{"), heads[0] if heads else None)
    if found is None:
        return diagnostic
    left_out = "the preprocessor leaves it out here: -D defines what its '#if' asks for"
    told = left_out if found[2] == "{" else "it is declared here, and defined nowhere"
    note = Note(told, Span(source, *found.span(1)))
    return replace(diagnostic, notes=(*diagnostic.notes, note))


def format(source: Source) -> str:  # noqa: A001 - a function of every front end
    """The litmus test that the launches of a kernel file are."""
    # Imported here: only `fmt` prints.
    from mcm.syntax.printer import print_litmus  # noqa: PLC0415

    tree, _ = _tree(source)
    try:
        # Of structures, each member is a buffer: those that are missing are found where they are taken apart.
        whole = taken_apart(tree)
    except InputError:
        # What is wrong with its meaning is not for the printer to say.
        whole = tree
    numbers = _numbers_of_vectors(whole)
    added = (
        replace(item, type=numbers.get(item.name.text)) if isinstance(item, ast.InitialValue) else item
        for item in with_buffers(whole).initial[len(whole.initial) :]
    )
    return print_litmus(replace(tree, initial=(*tree.initial, *added), locations=with_results(whole).locations))


def _numbers_of_vectors(whole: ast.Litmus) -> dict[str, ast.TypeName]:
    """The types of the numbers that parameters for vectors point to instead: their buffers have so many of these."""
    kernels = (unit for unit in whole.units if isinstance(unit, ast.Kernel))
    parameters = (one for kernel in kernels for one in kernel.parameters if one.step > 1 and "." not in one.name.text)
    return {one.name.text: ast.TypeName((), one.type.base, span=one.span) for one in parameters}


def _tree(source: Source) -> tuple[ast.Litmus, Commented]:
    """The test, each node at its place in the file or the option that it comes from, and its text."""
    assert isinstance(source, KernelSource)
    pieces = _together(source)
    text = Source(source.name, pieces.text)
    try:
        tree = parse(text)
    except InputError as error:
        raise pieces.error(error) from None
    located = without_byte_scratch(pieces.relocated_test(tree, source))
    kernels = [unit for unit in located.units if isinstance(unit, ast.Kernel)]
    if not kernels and not _KERNEL.search(source.text):
        raise InputError(_no_kernel(source))
    if not any(isinstance(unit, ast.Launch) for unit in located.units):
        raise InputError(_no_launch(source, kernels))
    return located, commented(tree)


def _together(source: KernelSource) -> Pieces:
    """The text of the test: header, initial state, the file, launches, question."""
    request = source.request
    initial, launches, questions = initial_items(request), launches_of(request), questions_of(request)
    items = [*initial, *launches, *(asked for _, asked in questions)]
    words, written = preprocessed_with(source, request.definitions, request.folders, items)
    number, end = len(initial), len(initial) + len(launches)
    only = _only_kernel(source, words, launches)
    launched = {only if is_unnamed(launch) else launch.text.split()[0] for launch in launches}
    asked = {name for text in (*request.initial, *request.questions) for name in re.findall(r"\w+", text)}
    kept = with_own_functions(without_others(words, launched, asked))
    pieces = begun(source, with_types(written[:number], kept))
    pieces.extend(without_attributes(with_texts_as_lists(kept)))
    for launch, asked_for in zip(written[number:end], launches, strict=True):
        pieces.made_up(f"\nlaunch {only} " if is_unnamed(asked_for) else "\nlaunch ")
        pieces.extend(launch)
        pieces.made_up(";")
    quantifiers = [quantifier for quantifier, _ in questions]
    add_questions(pieces, zip(quantifiers, written[end:], strict=True))
    return pieces


def _only_kernel(source: KernelSource, words: Sequence[Piece], launches: Sequence[Piece]) -> str:
    """The kernel that launches without a name are of; InputError where there are such, and several kernels, or none."""
    unnamed = next(filter(is_unnamed, launches), None)
    if unnamed is None or unnamed.span is None:
        return ""
    kernels = kernels_in(words)
    if not kernels:
        raise InputError(_no_kernel(source))
    if len(kernels) > 1:
        first = unnamed.text.split()[0]
        start = unnamed.span.start + unnamed.text.index(first)
        named = " or ".join(f"'{kernel}'" for kernel in kernels)
        message = f"expected the kernel that is launched, {named}, found '{first}'"
        raise InputError(Diagnostic("E040", message, replace(unnamed.span, start=start, end=start + len(first))))
    return kernels[0]


def _no_kernel(source: Source) -> Diagnostic:
    """There is nothing to launch; what is a kernel in CUDA is told."""
    message, cuda = "this file defines no kernel", re.search(r"\b__global__\b", source.text)
    if cuda is None:
        return Diagnostic("E181", message, Span(source, 0, 0))
    # Imported here: only wrong input needs its patterns.
    from mcm.syntax.foreign import about_foreign  # noqa: PLC0415

    told = f"; '__global__' is not part of the language{about_foreign('__global__')}"
    return Diagnostic("E181", f"{message}{told}", Span(source, *cuda.span()))


def _no_launch(source: Source, kernels: list[ast.Kernel]) -> Diagnostic:
    """Nothing says what to launch."""
    if not kernels:
        return _no_kernel(source)
    example = f"--launch '{kernels[0].name.text} global 4, local 2'"
    others = ", ".join(f"'{kernel.name.text}'" for kernel in kernels)
    notes = (Note(f"the kernels of this file are {others}"),) if len(kernels) > 1 else ()
    message = f"nothing says which kernel is launched, and on how many work-items: give for example {example}"
    return Diagnostic("E181", message, kernels[0].name.span, notes=notes)
