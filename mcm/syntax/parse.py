"""Litmus text to syntax tree."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from msgspec import Struct, field

from mcm.base.diagnostic import Diagnostic, InputError, Note
from mcm.base.source import Span
from mcm.lalr.driver import Driver
from mcm.syntax.ast import Callback, Kernel, Launch, Litmus, Thread
from mcm.syntax.build import TreeBuilder
from mcm.syntax.characters import remove_unknown
from mcm.syntax.comments import CommentFinder, UnterminatedError
from mcm.syntax.depth import check_depth
from mcm.syntax.header import scan_header
from mcm.syntax.sections import MAX_PROBLEMS, Cutter, Part, Section
from mcm.syntax.tables import tables

if TYPE_CHECKING:
    from mcm.base.source import Source
    from mcm.syntax.ast import Block, Unit
    from mcm.syntax.header import Header

_ONLY_ONCE: Final[dict[Part, str]] = {
    Part.INITIAL: "the initial state",
    Part.SCOPE_TREE: "'scopeTree'",
    Part.LOCATIONS: "'locations'",
    Part.FILTER: "'filter'",
    Part.CONDITION: "the condition",
}


class IncompleteError(InputError):
    """Some parts of a file could not be parsed; `rest` is the tree of the others, for further complaints only."""

    def __init__(self, rest: Litmus, *diagnostics: Diagnostic) -> None:
        super().__init__(*diagnostics)
        self.rest = rest


def parse(source: Source) -> Litmus:
    """The tree of a litmus file; InputError with everything that is wrong if it is not one."""
    if "\0" in source.text:
        at = source.text.index("\0")
        raise InputError(
            Diagnostic("E003", "binary data (a zero byte), expected litmus text", Span(source, at, at + 1))
        )
    finder = CommentFinder(source)
    try:
        header = scan_header(source, finder)
        text, comments = finder.strip(header.end)
    except UnterminatedError as error:
        raise InputError(error.diagnostic) from None
    text, removed = remove_unknown(source, text)
    cutter = Cutter(source, text)
    cutter.cut(header.end)
    parts = _Parts(source, text)
    for section in cutter.sections:
        if len(parts.problems) < MAX_PROBLEMS:
            parts.add(section)
    later = [problem for problem in (*cutter.problems, *parts.problems) if not _echoes(problem, removed, text)]
    problems = [*header.problems, *removed, *later]
    tree = parts.tree(header, (*header.comments, *comments))
    if problems:
        raise IncompleteError(tree, *sorted(problems, key=lambda problem: problem.span.start)[:MAX_PROBLEMS])
    return tree


def parse_section(
    source: Source, text: str, start: str, begin: int, end: int, *, is_closed: bool = True
) -> tuple[Any, list[Diagnostic]]:
    """The node that `text[begin:end]` stands for, meaningless when there are diagnostics, and what is wrong with it."""
    builder = TreeBuilder(source)
    driver = Driver(tables(), builder, text, start, begin, end)
    if driver.advance():
        return driver.values[-1], builder.problems
    # Imported here: most files have no mistakes.
    from mcm.syntax.recover import recover  # noqa: PLC0415

    return recover(driver, source, expects_end=is_closed)


class _Parts(Struct):
    """The parts of one file as they are parsed, in any order."""

    source: Source
    text: str
    problems: list[Diagnostic] = field(default_factory=list)
    units: list[Unit] = field(default_factory=list)
    regions: list[Any] = field(default_factory=list)
    single: dict[Part, Any] = field(default_factory=dict)
    spans: dict[Part, Span] = field(default_factory=dict)

    def add(self, section: Section) -> None:
        """Parse a section and keep what it says."""
        parsed = self._parse(section, section.part, section.start, section.body or section.end)
        body = None
        if section.body is not None:
            body = self._parse(section, "block", section.body, section.end)
        span = self._trimmed(section)
        if section.part in _ONLY_ONCE:
            self._add_single(section.part, parsed, span)
        elif section.part is Part.REGIONS:
            self.regions += parsed or ()
        elif parsed is not None and (body is not None or section.part is Part.LAUNCH):
            self.units.append(_unit(section.part, parsed, body, span))

    def _parse(self, section: Section, start: str, begin: int, end: int) -> Any:
        node, problems = parse_section(self.source, self.text, start, begin, end, is_closed=section.is_closed)
        if problems or node is None:
            self.problems += problems
            return None
        too_deep = check_depth(node, self.text[begin:end])
        if too_deep is not None:
            self.problems.append(too_deep)
            return None
        return node

    def _add_single(self, part: Part, parsed: Any, span: Span) -> None:
        if part in self.spans:
            word = Span(self.source, span.start, min(span.end, span.start + len(span.text.split("(")[0].rstrip())))
            note = Note("first given here", self.spans[part])
            message = f"{_ONLY_ONCE[part]} may be given only once, found '{word.text}' again"
            self.problems.append(Diagnostic("E044", message, word, notes=(note,)))
            return
        if parsed is not None:
            self.single[part] = parsed
        self.spans[part] = span

    def _trimmed(self, section: Section) -> Span:
        """The section without the white space and the comments behind it."""
        end = section.start + len(self.text[section.start : section.end].rstrip())
        return Span(self.source, section.start, end)

    def tree(self, header: Header, comments: tuple[Any, ...]) -> Litmus:
        """The whole file."""
        return Litmus(
            word=header.word,
            name=header.name,
            documentation=tuple(header.documentation),
            keys=tuple(header.keys),
            initial=self.single.get(Part.INITIAL, ()),
            units=tuple(self.units),
            scope_tree=self.single.get(Part.SCOPE_TREE, ()),
            regions=tuple(self.regions),
            locations=self.single.get(Part.LOCATIONS, ()),
            filter=self.single.get(Part.FILTER),
            condition=self.single.get(Part.CONDITION),
            comments=comments,
            name_span=header.name_span,
            documentation_spans=tuple(header.documentation_spans),
            initial_span=self.spans.get(Part.INITIAL),
            span=Span(self.source, 0, len(self.source.text)),
        )


def _echoes(problem: Diagnostic, removed: list[Diagnostic], text: str) -> bool:
    """Whether a problem stands right behind an unknown character, and is but a consequence of it."""
    return any(
        cause.code == "E022"
        and cause.span.end <= problem.span.start
        and not text[cause.span.end : problem.span.start].strip()
        for cause in removed
    )


def _unit(part: Part, head: Any, body: Block | None, span: Span) -> Unit:
    if part is Part.LAUNCH:
        kernel, parts = head
        return Launch(kernel, parts, span=span)
    assert body is not None
    if part is Part.THREAD:
        number, placement, parameters = head
        return Thread(number, placement, parameters, body, span=span)
    name, parameters = head
    unit = Kernel if part is Part.KERNEL else Callback
    return unit(name, parameters, body, span=span)
