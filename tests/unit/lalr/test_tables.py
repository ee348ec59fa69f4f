"""The tables in the package are those of the grammars, and nothing but them is needed to read a test."""

from __future__ import annotations

import re
import subprocess
import sys
from itertools import takewhile
from pathlib import Path

import msgspec
import pytest

from mcm.base.plain_data import text_of
from mcm.lalr import make_tables
from mcm.lalr.make_tables import STARTS
from mcm.lalr.tables import ANYWHERE, Lexers, PlainTables, WordByWord, path_of
from mcm.syntax.parts import BODY, FILE, Part

ROOT = Path(__file__).resolve().parents[3]


@pytest.mark.parametrize("name", sorted(STARTS))
def test_tables_are_those_of_the_grammar(name: str) -> None:
    """If not: `python -m mcm.lalr.make_tables`."""
    assert Path(path_of(name)).read_text(encoding="utf-8") == text_of(make_tables.make_tables(name))


def test_every_part_of_a_test_can_be_parsed() -> None:
    assert STARTS["litmus"] == (FILE,)
    assert STARTS["sycl"] == (FILE,)
    assert {*STARTS["litmus_parts"], *STARTS["sycl_parts"]} == {*map(str, Part), BODY}


def test_every_grammar_has_tables_and_the_other_way_round() -> None:
    grammars = {path.stem for path in make_tables.GRAMMARS.glob("*.lark")}
    assert {path.stem for path in Path(path_of("litmus")).parent.glob("*.json")} == set(STARTS)
    assert {path.stem for name in STARTS for path in make_tables.grammars_of(name)} == grammars


def test_tables_are_written_so_that_they_are_read_again() -> None:
    tables = make_tables.make_tables("litmus")
    assert msgspec.json.decode(text_of(tables), type=PlainTables) == tables


def test_a_check_needs_no_lark(tmp_path: Path) -> None:
    """Nor does one with complaints: what is wrong is told by the tables, too."""
    good, wrong = ROOT / "litmus/c11/MP+rlx.litmus", tmp_path / "wrong.litmus"
    wrong.write_text("C t\n{}\nP0 () { x = ; }\nexists (x=1)")
    program = f"""
import sys
sys.modules["lark"] = None  # importing it is an error
from mcm.cli.main import main
for path, code in (({str(good)!r}, 0), ({str(wrong)!r}, 2)):
    sys.argv, sys.stderr = ["mcm", "check", path], sys.stdout
    try:
        main()
    except SystemExit as ended:
        print("ended with", ended.code, "expected", code)
"""
    ended = subprocess.run([sys.executable, "-c", program], cwd=ROOT, capture_output=True, text=True, check=True)
    assert re.findall(r"ended with (\d) expected (\d)", ended.stdout) == [("0", "0"), ("2", "2")]


def test_a_check_writes_nothing() -> None:
    test = ROOT / "litmus/opencl/patterns/MP.litmus"
    program = f"""
import os, sys
sys.dont_write_bytecode = True
opened = []
def note(event, arguments):
    if event == "open" and isinstance(arguments[2], int) and arguments[2] & (os.O_WRONLY | os.O_RDWR | os.O_CREAT):
        opened.append(str(arguments[0]))
    elif event in ("os.mkdir", "os.rename", "pickle.find_class"):
        opened.append(event)
sys.addaudithook(note)
from mcm.cli.main import main
sys.argv = ["mcm", "check", {str(test)!r}]
try:
    main()
except SystemExit:
    pass
print("written:", opened)
"""
    ended = subprocess.run([sys.executable, "-c", program], cwd=ROOT, capture_output=True, text=True, check=True)
    assert ended.stdout.startswith("MP under opencl-3.0: ")
    assert ended.stdout.endswith("written: []\n")


def test_words_are_read_alike_one_by_one_and_in_one_expression() -> None:
    plain = msgspec.json.decode(Path(path_of("litmus")).read_bytes(), type=PlainTables)
    texts = ["  x = 1;", " P0 (int* x)", "0x1fu)", " /\\ y", "global int", "1.5f]", "exists (", "}", "", " §", "true1 "]
    for state in range(len(plain.actions)):
        one_by_one = Lexers(plain)
        in_one = Lexers(plain).in_one(plain.lexers[state])
        for text in texts:
            found, wanted = one_by_one[state](text, 0, len(text)), in_one(text, 0, len(text))
            assert (found is None) == (wanted is None), (state, text)
            if found and wanted:
                assert (found.lastgroup, found.end()) == (wanted.lastgroup, wanted.end()), (state, text)


# What may stand behind a piece of a text.
BEHIND = (
    *("", " ", "\n", *"x1_=.:;,*&+-<>()[]{}!~|/?@^%"),
    *(" x", " 1", "\nx {", " {", "x {", " (", " [", ": x", "::x", " ::x", ".x", ".5", " .x", "->x", "-1", "+1"),
    *("<int>(x)", " <x, y>(", "=1", "==", ">=", "++", " = 1;", ", x", ";\n", "&x]{", "](", "\\/", "'", '"', '"x"'),
)
PIECES = (
    *("x", "e", "E", "p", "r0", "0", "17", "0x1f", "1u", "1e", "0x1p", "P", "P0", "P12", "wg", "wg0", "ki1", "not"),
    *("range", "buffer", "queue", "struct", "int", "uint4", "if", "true", "sizeof", "host", "goto", "printf", "image"),
    *("+", "-", "*", "&", "++", "--", "->", "==", "=", "=>", "+=", "<<", "<<=", "<", ">", "!", "!=", "~", "/\\", "||"),
    *"?;,(){}[]@:",
)


@pytest.mark.parametrize("name", STARTS)
def test_a_piece_that_is_known_is_the_same_word_whatever_follows(name: str) -> None:
    plain = msgspec.json.decode(Path(path_of(name)).read_bytes(), type=PlainTables)
    lexers = Lexers(plain)
    counted = 0
    for choice in range(len(plain.choices)):
        state = plain.lexers.index(choice)
        match = lexers.in_one(choice)
        for piece in PIECES:
            found = match(piece, 0, len(piece))
            if found and found.end() == len(piece) and found.lastgroup:
                lexers.note(state, piece, found.lastgroup)
            for text in [f" {piece}{behind}" for behind in BEHIND if piece in lexers.known[state]]:
                alone = lexers.piece(text, 0, len(text))
                if alone and alone[1] == piece:
                    wanted = match(text, 0, len(text))
                    assert wanted, (state, text)
                    assert (lexers.known[state][piece], alone.end()) == (wanted.lastgroup, wanted.end()), (state, text)
                    counted += 1
    assert (counted > 1000) is make_tables.CONTEXTUAL[name]


def test_no_word_depends_on_what_is_behind_a_line() -> None:
    """Lines that end with such a sign are remembered."""
    expressions = {
        text
        for name in STARTS
        if make_tables.CONTEXTUAL[name]
        for word, text in read_plain(name).expressions.items()
        if word not in {"TITLE", "KEY", "STRING"}
    }
    lines = [f"{piece}{between}{sign}" for piece in PIECES for between in ("", " ", " x ", "x]") for sign in ";{})"]
    behind = ["\n" + text for text in ("x", "1", "{", "(", "[0]", "<int>(", "= 1", ":", "::x", ".x", ")", "; }", "]{")]

    for match in (re.compile(expression).match for expression in sorted(expressions)):
        for line in lines:
            wanted = match(line)
            for found in (match(line + text) for text in behind):
                assert (found and found.end()) == (wanted and wanted.end()), (match, line)


def read_plain(name: str) -> PlainTables:
    return msgspec.json.decode(Path(path_of(name)).read_bytes(), type=PlainTables)


def test_states_of_the_same_words_share_what_reads_them() -> None:
    plain = msgspec.json.decode(Path(path_of("litmus")).read_bytes(), type=PlainTables)
    lexers = Lexers(plain)
    states = range(len(plain.actions))
    alike = [state for state in states if plain.lexers[state] == plain.lexers[states[-1]]]
    first, second, *others = alike
    assert lexers[first] is lexers[second]
    expression = lexers.in_one(plain.lexers[first])
    assert [lexers[state] for state in alike] == [expression] * (2 + len(others))


def test_a_state_that_is_used_often_has_one_expression() -> None:
    lexers = Lexers(msgspec.json.decode(Path(path_of("litmus")).read_bytes(), type=PlainTables))
    for _ in range(3000):
        found = lexers[ANYWHERE](" while", 0, 6)
        assert found is not None
        assert found.lastgroup == "WHILE"
    assert not isinstance(lexers[ANYWHERE], WordByWord)


def test_signs_are_tried_first_where_no_other_word_begins_with_them() -> None:
    words = {
        "TYPE": r"int\b(?!\s*,)",
        "NAME": r"(?:::)?\w+",
        "PREFIX": r"[-*]",
        "ASSIGN": r"=",
        "COMMA": ",",
        "STAR": r"\*",
        "COLON": ":",
    }
    assert make_tables.signs_first(tuple(words), words) == (
        *("ASSIGN", "COMMA"),
        *("TYPE", "NAME", "PREFIX", "STAR", "COLON"),
    )
    assert make_tables.signs_first(("KEY", "COMMA"), {"KEY": r"[^\s=]+", "COMMA": ","}) == ("KEY", "COMMA")


@pytest.mark.parametrize("name", STARTS)
def test_nothing_else_begins_with_the_signs_that_are_tried_first(name: str) -> None:
    plain = msgspec.json.decode(Path(path_of(name)).read_bytes(), type=PlainTables)
    behind = ["", " ", *'x1_=.:;,*&+-<>()[]{}!~|/"@?^', "x y", "::x", "x){", "=x]({", "-1", "1.5", "\nx = 1"]

    for words in plain.choices:
        for sign in takewhile(lambda word: re.fullmatch(r"\\?\W", plain.expressions[word]), words):
            begun = plain.expressions[sign].removeprefix("\\")
            for other in set(words) - {sign}:
                expression = re.compile(plain.expressions[other])
                assert not any(expression.match(begun + text) for text in behind), (sign, other)
