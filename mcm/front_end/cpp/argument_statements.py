"""Statements that the arguments of a program decide: the branch that is taken, and the turns of loops over them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from msgspec import Struct

from mcm.front_end.cpp.argument_texts import options_of, read
from mcm.front_end.cpp.argument_values import ArgumentValues, about
from mcm.front_end.cpp.ends import EXITS
from mcm.front_end.cpp.words import (
    ASSIGNING,
    LEAVING,
    STEPS,
    behind_statement,
    closing,
    end_of_statement,
    is_name,
    made,
    texts,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

    from mcm.front_end.cpp.argument_texts import RunTexts
    from mcm.front_end.cpp.argument_values import Names
    from mcm.front_end.cpp.words import Words
    from mcm.front_end.pieces import Piece

# Of what leaves a loop or a turn of it, what is followed here, and is no statement of what is left.
_NONE: Final[frozenset[str]] = frozenset()
_OF_LOOPS: Final = frozenset({"break", "continue"})
_INTEGERS: Final = frozenset({"int", "auto", "unsigned", "long", "size_t", "std", "::", "int32_t", "uint32_t", "short"})
_BEFORE_TEXT: Final = frozenset({"const", "std", "::", "string", "string_view", "char", "*", "&"})
# What may stand before a name that is not declared there, and behind one that is.
_NO_TYPES: Final = frozenset({"return", "else", "case", "delete", "not", "and", "or"})
_BEHIND_DECLARED: Final = frozenset({("=",), (")",), (",",), (";",), ("(",), ("{",)})
_COMPARING: Final = frozenset({"<", ">", "<=", ">=", "==", "!=", "+", "-", "++", "--"})
_MOST_TURNS: Final = 1000
# Functions that go through options, which there are none of without arguments.
_OPTIONS: Final = frozenset({"getopt", "getopt_long"})
# What such a function calls what stands behind an option.
_OF_OPTION: Final = "optarg"


class Left(Struct):
    """What is left of statements: their words, and how the last one leaves them, `break`, `continue` or `return`."""

    words: Words
    leaves: str = ""


class ArgumentStatements:
    """Follows the statements of a function as far as the arguments of the program decide.

    `ends` is told of each branch that they choose and that leaves the function: where it is chosen, and its words.
    """

    def __init__(self, run: RunTexts, names: Names, ends: Callable[[Piece, Sequence[Piece]], None]) -> None:
        self._values: Final = ArgumentValues(run, names)
        self._names: Final = names
        self._ends: Final = ends

    def body(self, words: Sequence[Piece]) -> Words:
        """The body of a function, in braces."""
        return [words[0], *self._statements(words[1:-1], followed=_NONE).words, words[-1]]

    def _statements(self, words: Sequence[Piece], *, followed: frozenset[str]) -> Left:
        kept = dict(self._names.texts)
        declared: list[str] = []
        found: Words = []
        number = 0
        leaves = ""
        while number < len(words) and not leaves:
            end = self._behind(words, number)
            one = words[number:end]
            if not (name := self._declared(one, words[end:])):
                left = self._statement(one, followed=followed)
                found += left.words
                leaves = left.leaves
            elif name in self._names.counters:
                declared.append(name)
            number = end
        for name in declared:
            self._names.counters.pop(name, None)
        self._names.texts.clear()
        self._names.texts.update(kept)
        return Left(found, leaves)

    def _behind(self, words: Sequence[Piece], number: int) -> int:
        """The position behind a statement; that of a label is one by itself."""
        if texts(words, number, 1) == ("do",):
            return end_of_statement(words, behind_statement(words, number + 1)) + 1
        if texts(words, number, 1) in {("case",), ("default",)}:
            return next((n for n in range(number, len(words)) if words[n].text == ":"), len(words) - 1) + 1
        if texts(words, number, 2) == ("try", "{"):
            return closing(words, number + 1) + 1
        if texts(words, number, 2) == ("catch", "("):
            return closing(words, closing(words, number + 1) + 1) + 1
        return behind_statement(words, number)

    def _statement(self, words: Sequence[Piece], *, followed: frozenset[str]) -> Left:
        if words[0].text in {"break", "continue"}:
            return Left([], words[0].text) if words[0].text in followed else Left(list(words))
        if words[0].text == "return":
            return Left(self._values.rest(words), "return")
        leaves = any(word.text in LEAVING for word in words)
        if not leaves and not self._names.are_in(words) and not self._asks_for_options(words):
            return Left(list(words), _ending(words))
        match words[0].text:
            case "{":
                inner = self._statements(words[1:-1], followed=followed)
                return Left([words[0], *inner.words, words[-1]], inner.leaves)
            case "try":
                inner = self._statements(words[2:-1], followed=followed)
                return Left([*words[:2], *inner.words, words[-1]], inner.leaves)
            case "if" if texts(words, 1, 1) == ("(",):
                return self._branches(words, followed=followed)
            case "for" | "while" if (left := self._loop(words)) is not None:
                return left
            case "switch" if (left := self._chosen_case(words, followed)) is not None:
                return left
            case "for" | "while" | "switch":
                return Left(self._unchanged(words, lambda: self._around(words)))
            case "do" if (left := self._turns_of_do(words)) is not None:
                return left
            case _:
                return self._simple(words)

    def _simple(self, words: Sequence[Piece]) -> Left:
        """A statement without others in it: counters change, and nothing is left of that."""
        name = words[0].text
        if name in self._names.counters and texts(words, 1, 1) and words[1].text in ASSIGNING and words[-1].text == ";":
            value = self._values.number(words[2:-1])
            if value is None or words[1].text not in {"=", "+=", "-="}:
                raise about(words[0], _NOT_COUNTED.format(name))
            before = 0 if words[1].text == "=" else self._names.counters[name]
            self._names.counters[name] = before - value if words[1].text == "-=" else before + value
            return Left([])
        if len(words) == 3 and {words[0].text, words[1].text} & STEPS and self._values.step(words, 0) is not None:
            return Left([])
        if any(word.text == "{" for word in words):
            return Left(self._unchanged(words, lambda: self._values.rest(words)))
        return Left(self._values.rest(words), _ending(words))

    def _around(self, words: Sequence[Piece]) -> Words:
        """A loop, or a choice, that arguments do not decide."""
        last = closing(words, 1)
        body = self._statements(words[last + 1 :], followed=_NONE)
        return [*words[:2], *self._values.rest(words[2:last]), words[last], *body.words]

    def _unchanged(self, words: Sequence[Piece], follow: Callable[[], Words]) -> Words:
        """What is left of a statement that may be done several times, or never: no counter may change in it."""
        kept = dict(self._names.counters)
        found = follow()
        if self._names.counters != kept:
            name = next(name for name in kept if self._names.counters.get(name) != kept[name])
            raise about(words[0], _NOT_COUNTED.format(name))
        return found

    def _turns_of_do(self, words: Sequence[Piece]) -> Left | None:
        """The turns of `do … while (i < argc);`; None where arguments do not decide how many there are."""
        end = behind_statement(words, 1)
        condition = words[end + 2 : closing(words, end + 1)]
        if not self._names.are_in(condition):
            return None
        found: Words = []
        for _ in range(_MOST_TURNS):
            one = self._statements(words[1:end], followed=_OF_LOOPS)
            found += [made("{", words[0]), *one.words, made("}", words[0])]
            if one.leaves in {"break", "return"}:
                return Left(found, one.leaves if one.leaves == "return" else "")
            holds = self._values.number(condition)
            if holds is None:
                raise about(words[0], _NOT_COUNTED.format(self._names.count))
            if not holds:
                break
        return Left(found)

    # --- what is declared ---

    def _declared(self, words: Sequence[Piece], behind: Sequence[Piece]) -> str | None:
        """The name of a counter or a text that a statement declares, of which nothing is left; None for others."""
        sign = next((n for n, word in enumerate(words) if word.text in {"=", "(", "{"}), 0)
        if sign < 2 or words[-1].text != ";" or not is_name(words[sign - 1]):
            return None
        name, before = words[sign - 1].text, {word.text for word in words[: sign - 1]}
        last = len(words) - 1 if words[sign].text == "=" else closing(words, sign)
        if last < len(words) - 2 or _is_declared_again(behind, name):
            return None
        value = words[sign + 1 : last]
        if before <= _INTEGERS and self._counts(behind, name):
            number = self._values.number(value)
            if number is not None:
                self._names.counters[name] = number
                return name
        if before <= _BEFORE_TEXT and self._names.are_in(value) and not _changes(behind, name):
            text = self._values.text(value)
            if text is not None:
                self._names.texts[name] = text
                (self._names.pointers.add if "*" in before else self._names.pointers.discard)(name)
                return name
        return None

    def _counts(self, words: Sequence[Piece], name: str) -> bool:
        """Whether a variable counts arguments: it stands between the brackets of `argv[i]`, or beside `argc`."""
        for number, word in enumerate(words):
            if word.text == self._names.vector and texts(words, number + 1, 1) == ("[",):
                if any(one.text == name for one in words[number + 2 : closing(words, number + 1)]):
                    return True
            elif word.text == self._names.count and name in _beside(words, number):
                return True
        return False

    # --- branches and loops ---

    def _branches(self, words: Sequence[Piece], *, followed: frozenset[str]) -> Left:
        last = closing(words, 1)
        end = behind_statement(words, last + 1)
        then, otherwise = words[last + 1 : end], words[end + 1 :]
        condition = words[2:last]
        holds = self._values.number(condition) if self._names.are_in(condition) else None
        if holds is not None:
            chosen = then if holds else otherwise
            if not chosen:
                return Left([made(";", words[last])])
            left = self._statements(chosen, followed=followed)
            if left.leaves == "return":
                self._ends(condition[0], left.words)
            return left
        head = [*words[:2], *self._values.rest(condition), words[last]]
        found = [*head, *self._open(then, followed)]
        return Left([*found, words[end], *self._open(otherwise, followed)] if otherwise else found)

    def _open(self, words: Sequence[Piece], followed: frozenset[str]) -> Words:
        """A statement of which the arguments do not say whether it is reached: it neither counts nor ends a turn."""
        kept = dict(self._names.counters)
        left = self._statements(words, followed=followed)
        if self._names.counters != kept or left.leaves in followed:
            name = next((name for name in kept if self._names.counters[name] != kept[name]), left.leaves)
            raise about(words[0], _NOT_COUNTED.format(name))
        return left.words or [made(";", words[0])]

    def _chosen_case(self, words: Sequence[Piece], followed: frozenset[str]) -> Left | None:
        """What a `switch` about arguments does; None for one that they do not decide."""
        last = closing(words, 1)
        value = self._values.number(words[2:last]) if self._names.are_in(words[2:last]) else None
        if value is None or texts(words, last + 1, 1) != ("{",):
            return None
        body = words[last + 2 : -1]
        begins: dict[int | None, int] = {}
        reached: Words = []
        number = 0
        while number < len(body):
            end = self._behind(body, number)
            if body[number].text in {"case", "default"}:
                label = None if body[number].text == "default" else self._values.number(body[number + 1 : end - 1])
                begins.setdefault(label, len(reached))
            else:
                reached += body[number:end]
            number = end
        begin = begins.get(value, begins.get(None))
        if begin is None or begin == len(reached):
            return Left([made(";", words[last])])
        left = self._statements(reached[begin:], followed=followed | {"break"})
        if left.leaves == "return":
            self._ends(words[0], left.words)
        found = [made("{", words[0]), *left.words, made("}", words[0])]
        return Left(found, "" if left.leaves == "break" else left.leaves)

    def _loop(self, words: Sequence[Piece]) -> Left | None:
        """The turns of a loop over the arguments, one behind the other; None for a loop that they do not decide."""
        last = closing(words, 1)
        head, body = words[2:last], words[last + 1 :]
        if self._asks_for_options(head):
            return self._options(head, body)
        kept = dict(self._names.counters)
        parts = [[], *[list(head)], []] if words[0].text == "while" else _parts_of_head(head)
        if len(parts) != 3 or not self._goes_through(parts, body) or (parts[0] and not self._begins(parts[0])):
            return None
        found: Words = []
        left = ""
        for turn in range(_MOST_TURNS):
            holds = self._values.number(parts[1]) if self._names.are_in(parts[1]) else None
            if holds is None and turn == 0:
                self._names.counters.clear()
                self._names.counters.update(kept)
                return None
            if holds is None:
                raise about(words[0], _NOT_COUNTED.format(self._names.count))
            if not holds:
                break
            one = self._statements(body, followed=_OF_LOOPS)
            found += [made("{", words[0]), *one.words, made("}", words[0])]
            if one.leaves in {"break", "return"}:
                left = one.leaves if one.leaves == "return" else ""
                break
            if parts[2]:
                self._simple([*parts[2], made(";", words[last])])
        self._end(parts[0], kept)
        return Left(found, left)

    def _end(self, begin: Sequence[Piece], kept: Mapping[str, int]) -> None:
        """Behind a loop, what it declares is not known, but what was called so before it."""
        counters = self._names.counters
        sign = next((n for n, word in enumerate(begin) if word.text in {"=", "{", "("}), 0)
        own = begin[sign - 1].text if sign else ""
        for name in [name for name in counters if name not in kept or name == own]:
            del counters[name]
        if own in kept:
            counters[own] = kept[own]

    def _goes_through(self, head: Sequence[Words], body: Sequence[Piece]) -> bool:
        """Whether a loop is one over arguments: its condition is about them, or its counter says which is meant."""
        sign = next((n for n, word in enumerate(head[0]) if word.text in {"=", "{", "("}), 0)
        return self._names.are_in(head[1]) or (sign > 0 and self._counts(body, head[0][sign - 1].text))

    def _options(self, head: Sequence[Piece], body: Sequence[Piece]) -> Left:
        """The turns of a loop over options, `while ((c = getopt(argc, argv, "n:v")) != -1)`."""
        if self._values.run.count == 1:
            return Left([])
        match [word.text for word in head]:
            case ["(", name, "=", "getopt", "(", _, ",", _, ",", form, ")", ")", "!=", "-", "1"]:
                pass
            case _:
                raise about(head[0], _OPTIONS_NOT_FOLLOWED)
        options = options_of(read(form), self._values.run.all[1:])
        if options is None:
            raise about(head[0], _OPTIONS_NOT_FOLLOWED)
        found: Words = []
        for letter, text in options:
            self._names.counters[name] = ord(letter)
            self._names.texts[_OF_OPTION] = text
            self._names.pointers.add(_OF_OPTION)
            one = self._statements(body, followed=_OF_LOOPS)
            found += [made("{", head[0]), *one.words, made("}", head[0])]
            if one.leaves in {"break", "return"}:
                break
        self._names.counters.pop(name, None)
        self._names.texts.pop(_OF_OPTION, None)
        return Left(found)

    def _begins(self, words: Sequence[Piece]) -> bool:
        """Whether a loop begins with a counter, which then has its value: `int i = 1`."""
        sign = next((n for n, word in enumerate(words) if word.text in {"=", "{", "("}), 0)
        if not sign or not is_name(words[sign - 1]):
            return False
        end = len(words) if words[sign].text == "=" else closing(words, sign)
        number = self._values.number(words[sign + 1 : end])
        if number is None or end < len(words) - 1 or not {word.text for word in words[: sign - 1]} <= _INTEGERS:
            return False
        self._names.counters[words[sign - 1].text] = number
        return True

    def _asks_for_options(self, words: Sequence[Piece]) -> bool:
        return any(word.text in _OPTIONS for word in words)


_NOT_COUNTED: Final = (
    "the arguments of the program and what only a run knows decide here together ('{}'), which is not followed: a "
    "number in the place of what is made of arguments is"
)
_OPTIONS_NOT_FOLLOWED: Final = (
    "options are not followed: a comparison of 'argv[i]' with each of them is, or a macro and '-D N=4'"
)


def _beside(words: Sequence[Piece], number: int) -> Iterator[str]:
    """The words around a position that it is compared with: `i + 1` in `i + 1 < argc`."""
    for places in (reversed(range(number)), range(number + 1, len(words))):
        for place in places:
            word = words[place]
            if not (is_name(word) or word.text.isdecimal() or word.text in _COMPARING):
                break
            yield word.text


def _ending(words: Sequence[Piece]) -> str:
    """How a statement leaves those around it that ends the program, `exit(1);`."""
    call = words[2:] if texts(words, 0, 2) == ("std", "::") else words
    return "return" if call[0].text in EXITS and texts(call, 1, 1) == ("(",) else ""


def _parts_of_head(head: Sequence[Piece]) -> list[Words]:
    """The three parts of the head of a `for`."""
    first = end_of_statement(head, 0)
    second = end_of_statement(head, first + 1)
    if first == len(head) or second == len(head):
        return []
    return [list(head[:first]), list(head[first + 1 : second]), list(head[second + 1 :])]


def _is_declared_again(words: Sequence[Piece], name: str) -> bool:
    """Whether another variable has the name in the statements behind a declaration."""
    depth = 0
    for number, word in enumerate(words):
        depth += (word.text == "{") - (word.text == "}")
        if depth < 0:
            return False
        before = words[number - 1] if number else None
        if word.text != name or before is None or before.text in _NO_TYPES:
            continue
        is_behind_template = before.text == ">" and texts(words, number + 1, 1)[:1] in _BEHIND_DECLARED
        if is_name(before) or is_behind_template:
            return True
    return False


def _changes(words: Sequence[Piece], name: str) -> bool:
    """Whether a text is assigned or changed behind its declaration."""
    for number, word in enumerate(words):
        if word.text == name and texts(words, number + 1, 1) and words[number + 1].text in ASSIGNING:
            return True
    return False
