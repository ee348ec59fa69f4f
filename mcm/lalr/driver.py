"""The driver of the LALR automaton: it reads a section word by word, shifts and reduces."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any, Final

from mcm.lalr.lines import FirstWord, NotedLine
from mcm.lalr.tables import ANYWHERE, BLANKS, END
from mcm.lalr.token import Token

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from mcm.lalr.tables import Tables

# No action: the word cannot stand here.
_NONE: Final = sys.maxsize


class Driver:
    """The part `begin` to `end` of a text on its way through the automaton, as what the symbol `start` says.

    `states` is the stack of states, and `values` that of what was understood, shorter by one. The next word is looked
    for at `position`.
    """

    def __init__(self, tables: Tables, builder: Any, text: str, start: str, begin: int, end: int) -> None:
        self._tables = tables
        self.builder = builder
        self.text = text
        self.start = start
        self.begin = begin
        self.end = end
        self.position = begin
        self.states: list[int] = [tables.starts[start]]
        self.values: list[Any] = []
        self._lines: Final = tables.lines
        self._begun: Final = {} if tables.lines is None else tables.lines.begun
        self._noted: NotedLine | None = None
        self._lowest: Final = [0]
        self._reduce: Final = _reducer(tables, builder, self.states, self.values, self._lowest)

    def advance(self) -> bool:
        """Go on to the end of the section; False when the word at `position`, or the end, cannot stand there."""
        text, end, position, tables = self.text, self.end, self.position, self._tables
        states, values, builder, reduce = self.states, self.values, self.builder, self._reduce
        actions, leaves, piece, known = tables.actions, tables.leaves, tables.match.piece, tables.match.known
        begun, line_end, begin, word = self._begun, self._forget_line(), position, ""
        state = states[-1]
        while True:
            kind, line = None, ""
            if position >= line_end:
                begin, line = self._next_line(position)
                if not line:
                    break
                kind, word = begun.get((state, line), (None, ""))
                position, line_end = begin + len(word), begin + len(line)
            if kind is None:
                found = piece(text, position, end)
                word = "" if found is None else found[1]
                kind = known[state].get(word)
                if found is not None and kind is not None:
                    position = found.end()
                else:
                    other = self._read_other(state, position, word)
                    if other is None:
                        break
                    kind, word, position = other
            action = actions[state].get(kind, _NONE)
            if action < 0:
                action = reduce(kind, action)
            if action == _NONE:
                self.position = position - len(word)
                return False
            if line and position < line_end and self._repeat_line(FirstWord(state, kind, word), action, begin, line):
                state = states[-1]
                position = line_end
                continue
            if kind in leaves:
                values.append(leaves[kind](builder, word, position))
            else:
                values.append(Token(word, kind, position - len(word), position))
            state = action
            states.append(state)
        self.position = self._behind_blanks(position)
        return self.position == end and reduce(END, actions[state].get(END, _NONE)) != _NONE

    def _forget_line(self) -> int:
        """Begin behind a line that was not read to its end; an offset at which the next line is looked for."""
        self._noted = None
        return self.begin if self._lines is not None else self.end + 1

    def _next_line(self, position: int) -> tuple[int, str]:
        """Where the line behind a line begins, and what it says; nothing at the end of the section."""
        if self._noted is not None:
            self._note_line(self._noted, position)
        begin = self._behind_blanks(position)
        line_end = self.text.find("\n", begin, self.end)
        return begin, self.text[begin : line_end if line_end >= 0 else self.end].rstrip()

    def _read_other(self, state: int, position: int, piece: str) -> tuple[str, str, int] | None:
        """The name, the text and the end of the next word, which the piece of the text there does not tell."""
        lexers = self._tables.match
        found = lexers[state](self.text, position, self.end)
        if found is None:
            return None
        kind = found.lastgroup
        assert kind is not None
        word = found[kind]
        if word == piece:
            lexers.note(state, piece, kind)
        return kind, word, found.end()

    def _repeat_line(self, first: FirstWord, action: int, begin: int, line: str) -> bool:
        """Do again what a line did before whose first word is read; False if it is not known."""
        lines = self._lines
        if lines is None:
            return False
        key = self.states[-1], action, line
        known = lines.known.get(key)
        if known is None:
            if lines.is_wanted(line):
                self._lowest[0] = len(self.values)
                self._noted = NotedLine(key, begin, len(self.values), len(self.builder.problems), first)
            return False
        self.values += known.make(self.builder.source, begin)
        self.states += known.states
        return True

    def _note_line(self, line: NotedLine, position: int) -> None:
        """Remember a line if it was read to its end, unless it changed what was understood before, or has a problem."""
        lines, self._noted = self._lines, None
        is_alone = self._lowest[0] == line.height and len(self.builder.problems) == line.problems
        if lines is not None and is_alone and position == line.end:
            lines.note(line, self.states, self.values)

    def feed(self, kind: str, offset: int, position: int) -> bool:
        """Take a word that is not in the text as if it stood at `offset`, and go on at `position`.

        False if it cannot stand there.
        """
        action = self._reduce(kind, self._tables.actions[self.states[-1]].get(kind, _NONE))
        if action == _NONE:
            return False
        self.states.append(action)
        self.values.append(Token.unwritten(kind, offset))
        self.position = position
        return True

    def give_up(self, height: int) -> None:
        """Forget what was understood above the lowest `height` values."""
        del self.states[height + 1 :]
        del self.values[height:]

    def allows(self, kind: str, height: int) -> bool:
        """Whether there is an action for a word above the lowest `height` values."""
        return kind in self._tables.actions[self.states[height]]

    def expected(self) -> frozenset[str]:
        """The words that can stand next."""
        known = self._tables.actions[self.states[-1]]
        return frozenset(kind for kind in known if kind.isupper() and self._is_expected(kind))

    def is_at_word(self) -> bool:
        """Whether some word of the language stands at `position`, be it one that cannot stand there."""
        return self._tables.match[ANYWHERE](self.text, self.position, self.end) is not None

    def words(self, end: int) -> Iterator[tuple[str, int, int]]:
        """The words from the beginning up to `end`, wherever they can stand: their names, beginnings and ends."""
        match, position = self._tables.match[ANYWHERE], self.begin
        while found := match(self.text, position, end):
            kind = found.lastgroup
            assert kind is not None
            position = found.end()
            yield kind, found.start(kind), position

    def _is_expected(self, kind: str) -> bool:
        """The same without doing it: whether a word can be shifted after some reductions."""
        actions, rules, states = self._tables.actions, self._tables.rules, self.states.copy()
        while (action := actions[states[-1]].get(kind, _NONE)) < 0:
            size, origin, _, _ = rules[~action]
            del states[len(states) - size :]
            states.append(actions[states[-1]][origin])
        return action != _NONE

    def _behind_blanks(self, position: int) -> int:
        found = self._tables.match[BLANKS](self.text, position, self.end)
        assert found is not None
        return found.end()


def _reducer(
    tables: Tables, builder: Any, states: list[int], values: list[Any], lowest: list[int]
) -> Callable[[str, int], int]:
    """The function that reduces for as long as the next word asks for it, then tells what to do with that word.

    `lowest` becomes the number of values below those of each rule, where it is larger.
    """
    actions, rules, leads = tables.actions, tables.rules, tables.leads

    def reduce(kind: str, action: int) -> int:
        while action < 0:
            size, origin, build, edits = rules[~action]
            first = len(values) - size
            if first < lowest[0]:  # noqa: PLR1730 - a call takes longer
                lowest[0] = first
            if edits is None:
                # Nobody else has the list, so a repetition grows without being copied, and the state stays the same.
                items = values[first + 1 :]
                del values[first + 1 :], states[first + 2 :]
                values[first] += items
                action = actions[states[-1]].get(kind, _NONE)
                continue
            # Where nothing is built, the value stays, and is called something else.
            if build is not None:
                children = values[first:]
                for place, is_repetition in edits:
                    if is_repetition:
                        children[place : place + 1] = children[place]
                    else:
                        children.insert(place, None)
                values[first:] = (build(builder, children),)
            key = states[first], origin, kind
            lead = leads.get(key)
            if lead is None:
                lead = leads[key] = _lead(tables, *key)
            state, action = lead
            states[first + 1 :] = (state,)
        return action

    return reduce


def _lead(tables: Tables, below: int, symbol: str, kind: str) -> tuple[int, int]:
    """The state above the state `below` behind a symbol and all rules that build nothing, and what to do there."""
    actions, rules = tables.actions, tables.rules
    state = actions[below][symbol]
    action = actions[state].get(kind, _NONE)
    while action < 0 and rules[~action][2] is None:
        state = actions[below][rules[~action][1]]
        action = actions[state].get(kind, _NONE)
    return state, action
