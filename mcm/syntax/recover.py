"""Error recovery within a section: report a mistake, skip the statement, item or parameter that contains it, go on."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any, Final

from mcm.lalr.token import Token
from mcm.syntax.ast import Node
from mcm.syntax.expected import Failure, explain_failure, explain_header_line, line_end
from mcm.syntax.limits import MAX_PROBLEMS
from mcm.syntax.parts import BODY, Part

if TYPE_CHECKING:
    from mcm.base.diagnostic import Diagnostic
    from mcm.base.source import Source
    from mcm.lalr.driver import Driver
    from mcm.syntax.language import Foreign

_MARK: Final = "ERROR"
_SEMICOLON: Final = "SEMICOLON"
_PARENTHESIS: Final = "RPAR"
_BEGINS_STATEMENT: Final = re.compile(r"(?:if|else|switch|case|default|while|do|for|return|break|continue)\b|[{}]")
_BRACKET_OR_END: Final = re.compile(r"[(){};,]")
_GOES_ON: Final = re.compile(r"\s*else\b")
_SEMICOLON_FOLLOWS: Final = re.compile(r"[ \t]*;")
_FOR: Final = re.compile(r"for\b")


def recover(
    driver: Driver, source: Source, foreign: Foreign | None = None, *, expects_end: bool
) -> tuple[Any, list[Diagnostic]]:
    """The node of a section that the driver cannot parse to its end (None if its end is not reached), and all problems.

    Without `expects_end` it has been reported already that the section ends too early.
    """
    recovery = _Recovery(driver, source, foreign, expects_end=expects_end)
    node = driver.values[-1] if recovery.reach_end(driver) else None
    understood = [problem for problem in driver.builder.problems if not recovery.gave_up(problem)]
    return node, recovery.problems + understood


class _Recovery:
    """Recovers from the mistakes of one section."""

    def __init__(self, driver: Driver, source: Source, foreign: Foreign | None, *, expects_end: bool) -> None:
        self._foreign = foreign
        self._source = source
        self._text = driver.text
        self._start = driver.start
        self._begin = driver.begin
        self._end = driver.end
        self._expects_end = expects_end
        self._last_offset = -1
        self._is_foreign = False
        self._given_up: set[int] = set()
        self.unreadable: list[tuple[int, int]] = []
        self.problems: list[Diagnostic] = []

    def reach_end(self, driver: Driver) -> bool:
        """Recover from each mistake up to the end of the section; False if it cannot be reached."""
        is_end = False
        while True:
            offset, was_end, is_end = driver.position, is_end, driver.position == self._end
            is_word = is_end or driver.is_at_word()
            # What was fed at the end did not help.
            if (was_end and is_end) or not self._go_on(driver, offset):
                return False
            if not is_word and driver.position == offset:
                driver.position += 1
            if driver.advance():
                return True

    def _go_on(self, driver: Driver, offset: int) -> bool:
        """Report the mistake at `offset` and bring the driver to where it can go on; False if it cannot."""
        is_header = self._start == Part.HEADER
        if (offset >= self._end and not self._expects_end) or (len(self.problems) >= MAX_PROBLEMS and not is_header):
            return False
        height, opening = self._unfinished(driver, offset)
        before = self._begin + len(self._text[self._begin : offset].rstrip())
        if offset > self._last_offset:
            scope = opening if self._start == BODY else self._begin
            failure = Failure(self._text, self._end, offset, before, opening, scope, driver.expected())
            explain = explain_header_line if is_header else explain_failure
            foreign = self._told_foreign(opening, offset)
            self._is_foreign = foreign is not None
            diagnostic = foreign or explain(self._source, failure)
            self.problems.append(diagnostic)
            self._last_offset = offset
            forgotten = self._forgotten(diagnostic, before, offset)
            if forgotten is not None:
                return driver.feed(forgotten, before, offset)
        elif offset in self._given_up:
            return False
        if height is None or offset >= self._end:
            return False
        self._given_up.add(offset)
        goal = self._goal(opening, offset)
        self.unreadable.append((opening, goal))
        driver.give_up(height)
        return driver.feed(_MARK, opening, goal)

    def _told_foreign(self, opening: int, offset: int) -> Diagnostic | None:
        return None if self._foreign is None else self._foreign(self._source, self._text, opening, self._word(offset))

    def _word(self, offset: int) -> int:
        """Where the next word begins."""
        return offset + len(self._text[offset : self._end]) - len(self._text[offset : self._end].lstrip())

    def gave_up(self, problem: Diagnostic) -> bool:
        """Whether `problem` is in a part of the section that was skipped."""
        return any(start <= problem.span.start < end for start, end in self.unreadable)

    def _forgotten(self, diagnostic: Diagnostic, before: int, offset: int) -> str | None:
        """The word of the grammar that is missing before `offset`: the parser goes on as if it stood there.

        This is a semicolon before a line or a word that begins a statement, or a parenthesis before a block.
        """
        if diagnostic.code == "E041":
            is_plain = "\n" in self._text[before:offset] or _BEGINS_STATEMENT.match(self._text, offset)
            return _SEMICOLON if is_plain else None
        if diagnostic.code == "E030" and self._text.startswith("{", offset) and self._start == BODY:
            return _PARENTHESIS
        return None

    def _unfinished(self, driver: Driver, offset: int) -> tuple[int | None, int]:
        """How many values to keep so that the rest can be given up as one ERROR, and where that rest begins."""
        values = driver.values
        for height in range(len(values), -1, -1):
            # The body of `do` cannot be skipped alone: the `while` behind it may have been parsed already.
            is_in_do = height > 0 and getattr(values[height - 1], "type", "") == "DO"
            if driver.allows(_MARK, height) and not is_in_do:
                starts = [start for value in values[height:] if (start := _start_of(value)) is not None]
                return height, min(starts, default=offset)
        return None, self._begin

    def _goal(self, opening: int, offset: int) -> int:
        """Where to go on when what begins at `opening` could not be understood at `offset`."""
        if self._start == BODY or (self._start == Part.COMMAND and self._is_in_body(opening)):
            return self._behind_statement(opening, offset)
        if self._start == Part.HEADER:
            return line_end(self._text, offset)
        seen = self._text[opening:offset]
        depth = sum(seen.count(mark) for mark in "({") - sum(seen.count(mark) for mark in ")}")
        separator = ";" if self._start == Part.INITIAL else ","
        for found in _BRACKET_OR_END.finditer(self._text, offset, self._end):
            mark = found.group()
            if depth <= 0 and (mark == separator or mark in ")}"):
                return found.start()
            depth += (mark in "({") - (mark in ")}")
        return self._end

    def _is_in_body(self, offset: int) -> bool:
        """Whether a place is in the body of a function that is an argument."""
        seen = self._text[self._begin : offset]
        return seen.count("{") > seen.count("}")

    def _behind_statement(self, opening: int, offset: int) -> int:
        """Behind the `;` or the block that ends a statement, or before the `}` of the block around it."""
        seen = self._text[opening:offset]
        braces = seen.count("{") - seen.count("}")
        # The semicolons in the parentheses of `for` end nothing; elsewhere a parenthesis may simply be missing, but
        # in what is right in another language.
        counts = self._is_foreign or _FOR.match(seen) is not None
        parentheses = seen.count("(") - seen.count(")") if counts else 0
        for found in _BRACKET_OR_END.finditer(self._text, offset, self._end):
            mark = found.group()
            if mark == ";" and braces <= 0 and parentheses <= 0:
                return found.end()
            if mark == "}":
                braces -= 1
                if braces < 0:
                    return found.start()
                if braces == 0 and parentheses <= 0 and not _GOES_ON.match(self._text, found.end()):
                    return self._behind_initializer(found.end())
            elif mark == "{":
                braces += 1
            elif parentheses or self._is_foreign:
                parentheses += {"(": 1, ")": -1}.get(mark, 0)
        return self._end

    def _behind_initializer(self, offset: int) -> int:
        """A `;` directly behind a brace belongs to what the brace ended."""
        found = _SEMICOLON_FOLLOWS.match(self._text, offset, self._end)
        return offset if found is None else found.end()


def _start_of(value: Any) -> int | None:
    """Where a value of the driver's stack begins, if it is known."""
    match value:
        case Node():
            return value.span.start
        case Token():
            return value.start
        case list() | tuple() if value:
            return _start_of(value[0])
        case _:
            return None
