"""The driver against lark's own parser, which follows the same tables: every part of every file, whole and damaged."""

from __future__ import annotations

import random
import re
from contextlib import suppress
from functools import cache, partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import pytest
from lark import TextSlice, UnexpectedInput
from msgspec import Struct

from mcm.base.diagnostic import InputError
from mcm.base.source import Source, Span
from mcm.lalr.driver import Driver
from mcm.lalr.make_tables import lark_parser
from mcm.lalr.token import Token
from mcm.syntax import recover_file
from mcm.syntax.builder import Builder
from mcm.syntax.language import C_FAMILY
from mcm.syntax.lexical import lex
from mcm.syntax.parse import parse
from mcm.syntax.parts import BODY, FILE
from mcm.syntax.tables import BUILD, part_tables, tables

if TYPE_CHECKING:
    import lark

    from mcm.lalr.tables import Tables
    from mcm.syntax.language import Language

ROOT: Final = Path(__file__).resolve().parents[3]
TEXTS: Final = {
    str(path.relative_to(ROOT)): path.read_text(encoding="utf-8", errors="replace")
    for path in sorted((ROOT / "litmus").rglob("*.litmus"))
    if not re.search(r"^SYCL ", path.read_text(encoding="utf-8"), re.MULTILINE)
}
# Each stands where it should not somewhere, and each of them alone is something else than in company.
MARKS: Final = (
    *"{}()[];,:=<>!~&|^*/+-%?.@\"'\\ \n",
    *("==", "=>", "&&", "++", "--", "/\\", "+=", ">>=", "P0", "0:", "wg0", "dev", "int", "global", "queue", "true"),
    *("exists", "not", "if", "else", "do", "for", "case", "1.5f", "09", "0x", "1.2.3", "fine_svm", "void"),
)
MUTANTS: Final = 3
MUTATED: Final = 0.15  # so many of the texts


class ForLark:
    """Methods for all rules, and for all words, as lark hands over tokens of its own."""

    def __init__(self, tables: Tables) -> None:
        self.builder = Builder(Source("", ""))
        self._tables = tables

    def __getattr__(self, name: str) -> Any:
        return self._value if name in self._tables.words else partial(getattr(BUILD, name), self.builder)

    def _value(self, found: lark.Token) -> Any:
        assert found.start_pos is not None
        assert found.end_pos is not None
        leaf = self._tables.leaves.get(found.type)
        if leaf is not None:
            return leaf(self.builder, str(found), found.end_pos)
        return Token(str(found), found.type, found.start_pos, found.end_pos)


TABLES: Final = {"litmus": tables(), "litmus_parts": part_tables()}


def tables_for(start: str) -> str:
    return "litmus" if start == FILE else "litmus_parts"


@cache
def reference(name: str) -> tuple[lark.Lark, Builder]:
    for_lark = ForLark(TABLES[name])
    return lark_parser(name, for_lark), for_lark.builder


def told(value: Any) -> Any:
    """All that a tree says, the places too, which `==` leaves out."""
    if isinstance(value, Span):
        return value.start, value.end
    if isinstance(value, Token):
        return value.text, value.type, value.start, value.end
    if isinstance(value, Struct):
        return type(value).__name__, *(told(getattr(value, name)) for name in value.__struct_fields__)
    return tuple(map(told, value)) if isinstance(value, list | tuple) else value


def by_lark(source: Source, text: str, start: str, begin: int, end: int) -> Any:
    parser, builder = reference(tables_for(start))
    builder.source, builder.problems = source, []
    try:
        tree = parser.parse(TextSlice(text, begin, end), start)
    except UnexpectedInput as error:
        at_end = getattr(error, "token", None) is not None and error.token.type == "$END"
        return "refused", end if at_end else error.pos_in_stream, error.interactive_parser.accepts()
    return "accepted", told(tree), builder.problems


def by_driver(source: Source, text: str, start: str, begin: int, end: int) -> Any:
    builder = Builder(source)
    driver = Driver(TABLES[tables_for(start)], builder, text, start, begin, end)
    if not driver.advance():
        return "refused", driver.position, driver.expected()
    (tree,) = driver.values
    return "accepted", told(tree), builder.problems


def mutants(name: str, text: str) -> list[str]:
    """The text with a few of its words deleted, doubled, exchanged or followed by others."""
    choose = random.Random(name)  # noqa: S311 - the same at each run
    if choose.random() > MUTATED:
        return []
    made = []
    for _ in range(MUTANTS):
        words = re.findall(r"\w+|\s+|.", text)
        for _ in range(choose.choice((1, 1, 2, 4))):
            at = choose.randrange(len(words))
            words[at : at + choose.choice((0, 1, 1, 2))] = choose.choice(
                ((), (choose.choice(MARKS),), (choose.choice(words), " "))
            )
        made.append("".join(words))
    return made


@pytest.mark.parametrize(("name", "start"), [("litmus", FILE), ("litmus_parts", BODY)])
def test_no_word_is_also_another_where_both_can_stand(name: str, start: str) -> None:
    """Then lark would look again at what it found (`if` among names), and the driver does not."""
    parser, _ = reference(name)
    lexer: Any = parser.parse_interactive("", start=start).lexer_thread.lexer
    by_state = [list(words.scanner.terminals) for words in lexer.lexers.values()]

    assert by_state == [words.terminals for words in lexer.lexers.values()]
    assert len(by_state) == len(TABLES[name].actions)


def test_there_are_files() -> None:
    assert len(TEXTS) > 300


@pytest.mark.slow
def test_a_whole_file_and_its_parts_make_the_same_tree() -> None:
    """What recovery does with a file without mistakes is what the grammar does with it."""
    compared = 0
    for name, text in TEXTS.items():
        source = Source(name, text)
        try:
            tree = parse(source)
        except InputError:
            continue
        by_parts, problems = recover_file.recover_file(lex(source), C_FAMILY)
        assert (told(by_parts), problems) == (told(tree), []), name
        compared += 1
    assert compared > 300


@pytest.mark.slow
def test_driver_and_lark_agree(monkeypatch: pytest.MonkeyPatch) -> None:
    sections: list[tuple[Source, str, str, int, int]] = []
    parse_section = recover_file.parse_section

    def note(
        source: Source, text: str, start: str, begin: int, end: int, language: Language, *, is_closed: bool = True
    ) -> Any:
        sections.append((source, text, start, begin, end))
        return parse_section(source, text, start, begin, end, language, is_closed=is_closed)

    monkeypatch.setattr(recover_file, "parse_section", note)
    for name, whole in TEXTS.items():
        for text in (whole, *mutants(name, whole)):
            with suppress(InputError):
                lexed = lex(Source(name, text))
                sections.append((lexed.source, lexed.text, FILE, 0, len(lexed.text)))
                recover_file.recover_file(lexed, C_FAMILY)

    outcomes = []
    # Lark takes its time; neighbours in the list are much alike.
    for section in sections[::2]:
        outcome = by_driver(*section)
        assert outcome == by_lark(*section), section[1][section[3] : section[4]]
        outcomes.append(outcome[0])
    assert {start for _, _, start, _, _ in sections} == {start for tables in TABLES.values() for start in tables.starts}
    assert min(outcomes.count("accepted"), outcomes.count("refused")) > 250
