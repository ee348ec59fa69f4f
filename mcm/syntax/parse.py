"""Litmus text to syntax tree: one lexical pass, then the grammar."""

from __future__ import annotations

from typing import TYPE_CHECKING

from mcm.base.diagnostic import InputError
from mcm.lalr.driver import Driver
from mcm.syntax.builder import Builder
from mcm.syntax.depth import check_nesting
from mcm.syntax.language import C_FAMILY
from mcm.syntax.lexical import lex
from mcm.syntax.limits import MAX_PROBLEMS
from mcm.syntax.parts import FILE

if TYPE_CHECKING:
    from mcm.base.diagnostic import Diagnostic
    from mcm.base.source import Source
    from mcm.syntax.ast import Litmus
    from mcm.syntax.language import Language
    from mcm.syntax.lexical import Lexed


class IncompleteError(InputError):
    """Some parts of a file could not be parsed; `rest` is the tree of the others, searched for more problems."""

    def __init__(self, rest: Litmus, *diagnostics: Diagnostic) -> None:
        super().__init__(*diagnostics)
        self.rest = rest


def parse(source: Source, language: Language = C_FAMILY) -> Litmus:
    """The tree of a litmus file; InputError with all problems if it has any."""
    lexed = lex(source)
    tree = None if lexed.problems else _parse_whole(lexed, language)
    if tree is not None:
        return tree
    # Imported here: most files have no mistakes.
    from mcm.syntax.recover_file import recover_file  # noqa: PLC0415

    tree, problems = recover_file(lexed, language)
    if problems:
        raise IncompleteError(tree, *sorted(problems, key=lambda problem: problem.span.start)[:MAX_PROBLEMS])
    return tree


def _parse_whole(lexed: Lexed, language: Language) -> Litmus | None:
    """The tree of a file without mistakes; None if there is one."""
    source, text = lexed.source, lexed.text
    builder = Builder(source)
    driver = Driver(language.tables(), builder, text, FILE, 0, len(text))
    if check_nesting(source, text, lexed.body, len(text)) is not None or not driver.advance() or builder.problems:
        return None
    ((header, parts),) = driver.values
    assembly = language.assembly(source, text)
    for part in parts:
        assembly.add(part)
    return None if assembly.problems else assembly.tree(header, lexed.comments)
