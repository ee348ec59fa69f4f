"""Lines that stand in several texts: what the parser remembers of them, and that it makes no difference."""

from __future__ import annotations

from typing import Any

import pytest
from msgspec import Struct

from mcm.base.diagnostic import InputError
from mcm.base.source import Source, Span
from mcm.lalr.driver import Driver
from mcm.lalr.tables import Tables, read_tables
from mcm.lalr.token import Token
from mcm.syntax.again import makes_again
from mcm.syntax.builder import Builder
from mcm.syntax.lexical import lex
from mcm.syntax.parse import parse
from mcm.syntax.parts import FILE
from mcm.syntax.tables import BUILD

TEXT = """OPENCL t
{
  [x]=0; [y]=0;
  int a[2] = {1, 2};
}
P0@wg 0, dev 0 (global atomic_int* x, global int* y) {
  atomic_store_explicit(x, -1, memory_order_relaxed);
  if (*y == 1) {
    int r0 = *y + 2 * 3;
  }
}
kernel K (global int a[2]) { a[get_global_id(0)] = 1; }
launch K global 2;
~exists (0:r0=1 /\\ x=0 /\\ 0:r0!=0.5)
"""


@pytest.fixture
def tables() -> Tables:
    """Tables that have read nothing as yet."""
    return read_tables("litmus", BUILD, makes_again)


def read(text: str, tables: Tables) -> tuple[bool, Any, int, int]:
    """Whether a text was read, what it means with all places, where it was left, and how many problems it has."""
    lexed = lex(Source("t", text))
    builder = Builder(lexed.source)
    driver = Driver(tables, builder, lexed.text, FILE, 0, len(text))
    reached = driver.advance()
    return reached, told(driver.values, lexed.source), driver.position, len(builder.problems)


def told(value: Any, source: Source) -> Any:
    if isinstance(value, Span):
        assert value.source is source
        return value.start, value.end
    if isinstance(value, Token):
        return value.text, value.type, value.start, value.end
    if isinstance(value, Struct):
        return type(value).__name__, *(told(getattr(value, name), source) for name in value.__struct_fields__)
    return [told(one, source) for one in value] if isinstance(value, list | tuple) else value


def known(tables: Tables) -> set[str]:
    assert tables.lines is not None
    return {line for _, _, line in tables.lines.known}


def test_lines_of_several_words_are_known_when_they_were_read(tables: Tables) -> None:
    assert read(TEXT, tables)[0]

    alone = {"OPENCL t", "{", "}"}
    assert known(tables) == {line.strip() for line in TEXT.splitlines()} - alone


@pytest.mark.parametrize("before", ["", "\n\n", "// a comment\n", "/* of two\n lines */ "])
def test_known_lines_mean_the_same_elsewhere(tables: Tables, before: str) -> None:
    text = before.join(TEXT.splitlines(keepends=True))
    wanted = read(text, read_tables("litmus", BUILD))

    for _ in range(3):
        read(TEXT, tables)
        assert read(text, tables) == wanted
    assert wanted[0]


def test_what_grows_behind_a_line_is_no_part_of_it(tables: Tables) -> None:
    """The items of an initial state become one list, which grows from line to line."""
    texts = [
        f"C t\n{{\n  [x]=0; [y]=0;\n{more}}}\nP0 () {{ }}\n" for more in ("  [z]=0;\n  [w]=0;\n", "", "  [v]=1;\n")
    ]

    for text in texts:
        assert read(text, tables) == read(text, read_tables("litmus", BUILD)), text


@pytest.mark.parametrize(
    "body",
    [
        # Two statements: the first becomes part of what stands before the line.
        "int r = 0;\nint r0 = 0; int r1 = 1;",
        # What closes a block that was opened before.
        "if (1) {\n } else { r0 = 1; }",
        # Longer than is remembered.
        f"int r0 = {' + '.join('1' * 80)};",
        # What follows the line tells what its last word is.
        "int r0 =\n P0\n;",
    ],
)
def test_other_lines_are_read_each_time(tables: Tables, body: str) -> None:
    text = f"C t\n{{ }}\nP0 (int* x) {{\n{body}\n}}\n"
    wanted = read(text, read_tables("litmus", BUILD))

    assert [read(text, tables) for _ in range(3)] == [wanted] * 3
    assert not {line for line in body.splitlines() if len(line) > 20} & known(tables)


def test_a_mistake_in_a_line_is_told_each_time(tables: Tables) -> None:
    for line in ("1 = *x;", "*x 1;", "*x = 1"):
        text = f"C t\n{{ }}\nP0 (int* x) {{\n  {line}\n}}\n"
        wanted = read(text, read_tables("litmus", BUILD))

        assert [read(text, tables) for _ in range(3)] == [wanted] * 3, line
        assert line not in known(tables)


def test_a_test_with_a_mistake_is_refused_alike_where_its_lines_are_known() -> None:
    wrong = TEXT.replace("[y]=0;\n", "[y]=0\n").replace("= 1; }", "= 1 }")

    def complaints() -> list[tuple[str, str, int, int]]:
        with pytest.raises(InputError) as caught:
            parse(Source("t", wrong))
        return [(one.code, one.message, one.span.start, one.span.end) for one in caught.value.diagnostics]

    first = complaints()
    for _ in range(2):
        parse(Source("t", TEXT))
        assert complaints() == first
