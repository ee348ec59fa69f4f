"""Error recovery for a file: each of its parts is parsed on its own, so that all mistakes are found."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from mcm.base.source import Span
from mcm.lalr.driver import Driver
from mcm.syntax.builder import Builder
from mcm.syntax.characters import blank
from mcm.syntax.limits import MAX_PROBLEMS
from mcm.syntax.parts import BODY, Part
from mcm.syntax.recover import recover
from mcm.syntax.sections import Cutter

if TYPE_CHECKING:
    from mcm.base.diagnostic import Diagnostic
    from mcm.base.source import Source
    from mcm.syntax.assembly import Assembly
    from mcm.syntax.ast import Litmus
    from mcm.syntax.language import Language
    from mcm.syntax.lexical import Lexed
    from mcm.syntax.sections import Section


def recover_file(lexed: Lexed, language: Language) -> tuple[Litmus, list[Diagnostic]]:
    """The tree of the parts that can be parsed, and all problems of the file."""
    source = lexed.source
    header, problems = parse_section(source, lexed.text, Part.HEADER, 0, lexed.body, language)
    text = blank(lexed.text[: lexed.body]) + lexed.text[lexed.body :]
    cutter = Cutter(source, text, language.marks(), language.foreign)
    cutter.cut(lexed.body)
    assembly = language.assembly(source, text)
    for section in cutter.sections:
        if len(assembly.problems) < MAX_PROBLEMS:
            _add(section, source, text, assembly, language)
    found = [*cutter.problems, *assembly.problems]
    problems += [*lexed.problems, *(each for each in found if not _echoes(each, lexed, text))]
    return assembly.tree(header, lexed.comments), problems


def _add(section: Section, source: Source, text: str, assembly: Assembly, language: Language) -> None:
    """Parse a part, its head and its body separately, and add it to the tree."""
    head, problems = parse_section(
        source, text, section.part, section.start, section.body or section.end, language, is_closed=section.is_closed
    )
    body: Any = None
    more: list[Diagnostic] = []
    if section.body is not None:
        body, more = parse_section(source, text, BODY, section.body, section.end, language, is_closed=section.is_closed)
    assembly.problems += (*problems, *more)
    has_head = head is not None and not problems
    has_body = body is not None and not more
    if has_head and (has_body or section.body is None):
        build = language.units.get(section.part)
        assembly.add(head if build is None else build(Builder(source), [head, body]))
        return
    end = section.start + len(text[section.start : section.end].rstrip())
    assembly.is_first(section.part, Span(source, section.start, end))
    if has_body:
        assembly.is_shallow((body,))


def parse_section(
    source: Source, text: str, start: str, begin: int, end: int, language: Language, *, is_closed: bool = True
) -> tuple[Any, list[Diagnostic]]:
    """The node of `text[begin:end]`, and its problems; a node with problems is used only of a header."""
    builder = Builder(source)
    driver = Driver(language.part_tables(), builder, text, start, begin, end)
    if driver.advance():
        return driver.values[-1], builder.problems
    return recover(driver, source, language.foreign, expects_end=is_closed)


def _echoes(problem: Diagnostic, lexed: Lexed, text: str) -> bool:
    """Whether a problem follows directly on an unknown character: it is a consequence of that."""
    return any(
        cause.code == "E022"
        and cause.span.end <= problem.span.start
        and not text[cause.span.end : problem.span.start].strip()
        for cause in lexed.problems
    )
