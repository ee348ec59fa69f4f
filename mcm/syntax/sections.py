"""Cutting a file with mistakes into its parts, so that a mistake in one of them leaves the others readable.

Works on the text without comments. Only brackets, and the words that begin a part, are looked at.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from msgspec import Struct

from mcm.base.diagnostic import Diagnostic, Note
from mcm.base.source import Span
from mcm.base.suggest import did_you_mean
from mcm.syntax.depth import check_nesting
from mcm.syntax.expected import last_word, structure_without_semicolon, without_sign
from mcm.syntax.limits import MAX_PROBLEMS
from mcm.syntax.parts import Part
from mcm.syntax.unsupported import unsupported

if TYPE_CHECKING:
    from mcm.base.source import Source
    from mcm.syntax.language import Foreign

_PARTS: Final = {part.value: part for part in Part}
# The parts that end with a block of statements.
_WITH_BODY: Final = (Part.THREAD, Part.KERNEL, Part.FUNCTION, Part.CALLBACK, Part.HOST)


class Section(Struct, frozen=True):
    """The characters `start` to `end` are one part; `body` is the offset of the `{` of its statements."""

    part: Part
    start: int
    end: int
    body: int | None = None
    is_closed: bool = True


# The words and the parameters of a function, which need not be right. A word before its name is its type.
FUNCTION: Final = r"(?:(?!(?:__)?kernel\b)[A-Za-z_]\w*[\s*]+){1,20}[A-Za-z_]\w*\s*\([^;{}]*\)"

_FUNCTION_HEAD: Final = re.compile(FUNCTION)

# Words, a name, and what may stand behind the name of a variable: up to its semicolon, which no brace hides.
VARIABLES: Final = (
    r"(?!typedef\b|enum\b)(?:[A-Za-z_]\w*[\s*]+){1,20}[A-Za-z_]\w*\s*(?:\[[^\]]*\]\s*)*(?:=[^;]*)?(?:,[^;(]*)?;"
)

# The same without a semicolon, before a kernel or a thread.
_UNENDED: Final = re.compile(
    r"(?P<variable>(?:(?!(?:__)?kernel\b)[A-Za-z_]\w*[\s*]+){1,20}?[A-Za-z_]\w*(?:\s*\[[^\]\n]*\])*(?:\s*=[^;\n]*)?)"
    r"\s*\n\s*(?=(?:__)?kernel\b|P\d+\s*[@(])"
)

_BEGIN: Final = re.compile(
    r"(?P<initial_state>\{)|(?P<thread_head>P\d+(?=\s*[@({]))|(?P<kernel_head>(?:__)?kernel\b)"
    r"|(?P<callback_head>callback\b)|(?P<launch>launch\b)|(?P<scope_tree>scopeTree\b)"
    r"|(?P<locations>locations\b)|(?P<execution_filter>filter\b)"
    r"|(?P<condition>~\s*exists\b|exists\b|forall\b)|(?P<regions>[A-Za-z_]\w*\s*:)"
    r"|(?P<structure>(?:struct|union)\s+\w+\s*\{[^{}]*\}\s*;)"
    rf"|(?P<file_variables>{VARIABLES})"
    rf"|(?P<prototype>{FUNCTION}\s*;)|(?P<function_head>{FUNCTION}(?=\s*\{{))"
)
# What begins the next part at the beginning of a line, even where braces say that the last part is not over.
# `\n` is found faster than `^`, and no search begins at the beginning of a line.
_LINE_BEGINS_PART: Final = re.compile(
    r"\n[ \t]*(?P<word>P\d+(?=\s*[@({])|(?:__)?kernel(?=\s+\w+[^;{]{0,2000}\{)|callback(?=\s+\w+\s*\()"
    r"|launch(?=\s+\w)|scopeTree\b|locations(?=\s*\[)|filter(?=\s*\()|(?:~\s*)?exists\b(?=\s*[(~\w\[])|forall\b(?=\s*[(~\w\[]))"
)
_THREAD_BEGINS: Final = re.compile(r"\n[ \t]*P\d+(?=\s*@|\s*\([^;()]*\)\s*\{)")
# What ends a part without brackets. Region lines are a list of entries, and only other words end them.
_TAIL_WORDS: Final = (
    r"\b(?:scopeTree|locations|filter|forall)\b|~\s*exists\b|\bexists\b|\blaunch\s+[A-Za-z_]"
    r"|^[ \t]*(?:P\d+\s*[@(]|(?:__)?kernel\b|callback\b)"
)
_AFTER_REGIONS: Final = re.compile(_TAIL_WORDS, re.MULTILINE)
_AFTER_TAIL: Final = re.compile(
    rf"{_TAIL_WORDS}|\b[A-Za-z_]\w*\s*:\s*(?:__)?(?:global|local|constant|generic|private)\b", re.MULTILINE
)
_PART_WORDS: Final = ("exists", "forall", "locations", "filter", "scopeTree", "kernel", "callback", "launch")


# Words for questions in English, and those of lines of the header.
_PART_MEANT: Final = {
    "always": "forall",
    "never": "~exists",
    "sometimes": "exists",
    "assert": "forall",
    "for": "forall",
}
_KEYS: Final = frozenset({"Expect", "Without", "Covers", "Origin"})
_LONGEST_HEAD: Final = 1000


class Marks(Struct, frozen=True):
    """What parts begin and end with: `begin` has a group for each part, `line_begins_part` is what begins one at the
    beginning of a line even where braces say otherwise, and `thread_begins` what cannot stand in another part.

    `after_tail` is what ends a part without brackets, `words` are those that a misspelt one may mean.
    """

    begin: re.Pattern[str]
    line_begins_part: re.Pattern[str]
    thread_begins: re.Pattern[str]
    after_tail: re.Pattern[str]
    words: tuple[str, ...]
    expected: str


C_MARKS: Final = Marks(
    _BEGIN, _LINE_BEGINS_PART, _THREAD_BEGINS, _AFTER_TAIL, _PART_WORDS, "a thread, a kernel or the condition"
)
# Where a thread stands, written as what it is not.
_PLACE: Final = r"(?:sg|wg|ki|dev)"
_MISPLACED: Final = re.compile(
    rf"(?P<thread>P\d+)\s*(?:(?P<colon>:)\s*(?:{_PLACE}|host)\b"
    rf"|@\s*(?:{_PLACE}\s+\d+[\s,]+){{0,4}}(?P<key>{_PLACE})\s*(?P<bracket>\()\s*(?P<number>\d+)\s*\))"
)
_BRACE: Final = re.compile(r"[{}]")
_ENDS_UNKNOWN: Final = re.compile(r"[;{]")
_SEMICOLON: Final = re.compile(r"\s*;")
_STRING: Final = re.compile(r'"(?:[^"\\\n]|\\.)*"')
_BRACKET_OR_SEMICOLON: Final = re.compile(r"[(){};]")
_ENDS_COMMAND: Final = re.compile(r"[\s)]*;?")
_SKIPPED_WORD: Final = re.compile(r"\w+|\S")


class Cutter:
    """Cuts one text; `sections` and `problems` grow from left to right."""

    def __init__(self, source: Source, text: str, marks: Marks, foreign: Foreign | None = None) -> None:
        self._foreign = foreign
        self._source = source
        self._text = text
        self._marks = marks
        self.sections: list[Section] = []
        self.problems: list[Diagnostic] = []

    def cut(self, start: int) -> None:
        """Find all sections from `start` to the end of the text."""
        offset = self._skip_blanks(start)
        if not self._text.startswith("{", offset):
            self._report_missing_initial_state(offset)
        while (offset := self._skip_blanks(offset)) < len(self._text) and len(self.problems) < MAX_PROBLEMS:
            offset = self._cut_one(offset)

    def _cut_one(self, offset: int) -> int:
        found = self._marks.begin.match(self._text, offset)
        if found is None or found.lastgroup is None:
            return self._skip_unknown(offset)
        part = _PARTS[found.lastgroup]
        if (place := _MISPLACED.match(self._text, offset)) is not None:
            return self._report_misplaced(place)
        if part in _WITH_BODY:
            return self._cut_unit(part, found)
        if part in {Part.PROTOTYPE, Part.STRUCTURE, Part.VARIABLES}:
            return self._add(Section(part, offset, found.end()))
        if part is Part.INITIAL:
            return self._cut_initial_state(offset)
        if part is Part.COMMAND:
            return self._cut_command(offset)
        after = (_AFTER_REGIONS if part is Part.REGIONS else self._marks.after_tail).search(self._text, found.end())
        end = after.start() if after else len(self._text)
        if part is Part.LAUNCH:
            semicolon = self._text.find(";", offset, end)
            end = semicolon + 1 if semicolon >= 0 else end
        return self._add(Section(part, offset, end))

    def _report_misplaced(self, found: re.Match[str]) -> int:
        """A thread with `: wg 0` or `@wg(0)`: go on where the next part begins."""
        if found["colon"]:
            message = f"expected '@' or '(' after '{found['thread']}', found ':'; did you mean '{found['thread']}@'?"
            self._problem("E042", message, *found.span("colon"))
        else:
            key, number = found["key"], found["number"]
            message = f"expected a number after '{key}', found '('; did you mean '{key} {number}'?"
            self._problem("E040", message, *found.span("bracket"))
        following = self._marks.line_begins_part.search(self._text, found.end())
        return following.start() if following else len(self._text)

    def _cut_command(self, offset: int) -> int:
        """A statement of its own, with the block of a lambda in it perhaps: up to its semicolon."""
        following = self._marks.line_begins_part.search(self._text, offset)
        limit = following.start() if following else len(self._text)
        depth = 0
        brace: int | None = None
        for found in _BRACKET_OR_SEMICOLON.finditer(self._text, offset, limit):
            mark = found.group()
            if mark == ";" and depth <= 0:
                return self._add(Section(Part.COMMAND, offset, found.end()))
            depth += (mark in "({") - (mark in ")}")
            brace = found.start() if mark == "{" else brace
        if brace is None or depth == 0:
            return self._add(Section(Part.COMMAND, offset, limit))
        end, is_closed = self._close(brace)
        semicolon = _ENDS_COMMAND.match(self._text, end)
        return self._add(Section(Part.COMMAND, offset, semicolon.end() if semicolon else end, None, is_closed))

    def _cut_initial_state(self, offset: int) -> int:
        if self.sections:
            self._problem("E042", "expected a thread or another part of the file, found '{'", offset, offset + 1)
            return self._close(offset)[0]
        end, is_closed = self._close(offset)
        return self._add(Section(Part.INITIAL, offset, end, None, is_closed))

    def _cut_unit(self, part: Part, found: re.Match[str]) -> int:
        """A thread, kernel or callback: a head, then a block."""
        following = self._marks.line_begins_part.search(self._text, found.end())
        limit = following.start() if following else len(self._text)
        brace = self._text.find("{", found.end(), limit)
        if brace < 0:
            word = found.group()
            self._problem("E040", f"expected '{{' of the body of '{word}' before {self._shown(limit)}", *found.span())
            return limit
        end, is_closed = self._close(brace)
        return self._add(Section(part, found.start(), end, brace, is_closed))

    def _add(self, section: Section) -> int:
        too_deep = check_nesting(self._source, self._text, section.start, section.end)
        if too_deep is None:
            self.sections.append(section)
        else:
            self.problems.append(too_deep)
        return section.end

    def _close(self, brace: int) -> tuple[int, bool]:
        """The offset behind the partner of the `{` at `brace`, and whether there is one."""
        open_braces: list[int] = []
        for found in _BRACE.finditer(self._text, brace):
            if found.group() == "{":
                open_braces.append(found.start())
                continue
            open_braces.pop()
            if not open_braces:
                inner = self._marks.thread_begins.search(self._text, brace, found.end())
                if inner is None:
                    return found.end(), True
                break
        return self._end_unclosed(brace), False

    def _end_unclosed(self, brace: int) -> int:
        """Report the brace that is never closed; the section ends where the next part begins."""
        following = self._marks.line_begins_part.search(self._text, brace)
        end = following.start("word") if following else len(self._text)
        blamed = self._unclosed_brace(brace, end)
        opening = Span(self._source, blamed, blamed + 1)
        stop = end if following else len(self._text.rstrip())
        self.problems.append(
            Diagnostic(
                "E030",
                f"expected '}}' before {self._shown(end)}",
                Span(self._source, stop, following.end("word") if following else stop),
                notes=(Note("this '{' is never closed", opening),),
            )
        )
        return end

    def _unclosed_brace(self, brace: int, end: int) -> int:
        """The `{` to blame for a `}` that is missing before `end`.

        The first one whose partner is indented less than its own line; otherwise the innermost open one.
        """
        open_braces = []
        for found in _BRACE.finditer(self._text, brace, end):
            if found.group() == "{":
                open_braces.append(found.start())
                continue
            opening = open_braces.pop()
            is_first = not self._text[self._line_start(found.start()) : found.start()].strip()
            if is_first and self._indentation(found.start()) < self._indentation(opening):
                return opening
        return open_braces[-1]

    def _line_start(self, offset: int) -> int:
        return self._text.rfind("\n", 0, offset) + 1

    def _indentation(self, offset: int) -> int:
        """How far the line of `offset` is indented."""
        start = self._line_start(offset)
        line = self._text[start : offset + 1]
        return len(line) - len(line.lstrip())

    def _skip_unknown(self, offset: int) -> int:
        """Report what begins no part, and go on where the next part begins."""
        found = _SKIPPED_WORD.match(self._text, offset)
        assert found is not None
        word = found.group()
        if word == "}":
            self._problem("E031", "unmatched '}': there is no '{' that it could close", offset, offset + 1)
            return offset + 1
        self.problems.append(self._unknown_part(word, Span(self._source, offset, found.end())))
        following = self._marks.line_begins_part.search(self._text, found.end())
        limit = following.start() if following else len(self._text)
        ending = _ENDS_UNKNOWN.search(self._text, found.end(), limit)
        if ending is None:
            return limit
        end = ending.end() if ending.group() == ";" else self._close(ending.start())[0]
        semicolon = _SEMICOLON.match(self._text, end)
        return semicolon.end() if semicolon else end

    def _unknown_part(self, word: str, span: Span) -> Diagnostic:
        told = None if self._foreign is None else self._foreign(self._source, self._text, span.start)
        if told is not None:
            return told
        structure = structure_without_semicolon(self._source, self._text, span.start)
        if structure is not None:
            return structure
        if text := _STRING.match(self._text, span.start):
            message = f"expected {self._marks.expected}, found a string; a doc string stands before the initial state"
            return Diagnostic("E042", message, Span(self._source, *text.span()))
        sentence = unsupported(word)
        if sentence is not None:
            return Diagnostic("E050", sentence, span)
        unended = _UNENDED.match(self._text, span.start)
        if unended is not None:
            end = unended.end("variable")
            message = f"expected ';' after '{last_word(self._text, end)}', found {self._shown(unended.end())}"
            return Diagnostic("E041", message, Span(self._source, end, end))
        if placed := without_sign(self._source, self._text, span.start):
            return placed
        if re.fullmatch(r"P\d+", word):
            found = _SKIPPED_WORD.search(self._text, span.end)
            place = Span(self._source, *found.span()) if found else span
            return Diagnostic("E042", f"expected '@' or '(' after '{word}', found {self._shown(span.end)}", place)
        head = _FUNCTION_HEAD.match(self._text, span.start)
        if head is not None and word not in _PART_MEANT:
            message = f"expected '{{' of the body of a function, found {self._shown(head.end())}"
            start = self._skip_blanks(head.end())
            return Diagnostic("E040", message, Span(self._source, start, start))
        hint = self._meant(word, span) or did_you_mean(word, self._marks.words)
        return Diagnostic("E042", f"expected {self._marks.expected}, found '{word}'{hint}", span)

    def _meant(self, word: str, span: Span) -> str:
        """What is probably meant by a word that begins no part; nothing where only its spelling may tell."""
        rest = self._text[span.end : span.end + _LONGEST_HEAD]
        if word in _PART_MEANT:
            return f"; did you mean '{_PART_MEANT[word]}'?"
        if word in _KEYS and "=" in rest.partition("\n")[0]:
            return "; lines with a key stand before the initial state"
        if re.match(r"\s+global\s+\d", rest):
            return f"; did you mean 'launch {word} …'?"
        if re.match(r"~\s*forall\b", self._text[span.start :]):
            return "; '~forall (…)' is written 'exists (~(…))'"
        if re.fullmatch(r"[A-Za-z]+\d+", word) or re.match(r"\s*(?:@[^(]*)?\([^()]*\)\s*\{", rest):
            return "; threads are named P0, P1, …"
        return ""

    def _report_missing_initial_state(self, offset: int) -> None:
        note = Note("write '{}' when every location is 0 at the beginning")
        found = _SKIPPED_WORD.match(self._text, offset)
        span = Span(self._source, offset, found.end() if found else offset)
        message = f"expected '{{' of the initial state, found {self._shown(offset)}"
        self.problems.append(Diagnostic("E043", message, span, notes=(note,)))

    def _shown(self, offset: int) -> str:
        found = _SKIPPED_WORD.search(self._text, offset)
        return "the end of the file" if found is None else f"'{found.group()}'"

    def _problem(self, code: str, message: str, start: int, end: int) -> None:
        self.problems.append(Diagnostic(code, message, Span(self._source, start, end)))

    def _skip_blanks(self, offset: int) -> int:
        found = _SKIPPED_WORD.search(self._text, offset)
        return len(self._text) if found is None else found.start()
