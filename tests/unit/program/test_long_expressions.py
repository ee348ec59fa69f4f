"""Long chains of operators are regrouped, say what they said, and end in a complaint where they cannot be."""

from __future__ import annotations

from itertools import chain
from random import Random
from typing import Final, Literal

import pytest

from mcm import InputError, Judged, check, parse, run
from mcm.base.source import Source
from mcm.program.walk import parts_of
from mcm.syntax import chains
from mcm.syntax.parse import parse as read_tree
from mcm.syntax.printer import print_litmus

TEST: Final = """C chain
{{ [x]=1; [y]=5; }}
P0 (atomic_int* x, int* y) {{
  int a = 3; uint b = 4000000000; long c = -7; float f = 0.5f; int t[2] = {{1, 2}};
  int r = atomic_load_explicit(x, memory_order_relaxed);
  {type} z = {expression};
}}
exists (0:z=0)
"""


def text_of(expression: str, type_: str = "long") -> str:
    return TEST.format(expression=expression, type=type_)


def levels(text: str) -> int:
    """How deep the tree of the thread is."""
    level, found = [parse(text).program.threads[0].body], 0
    while level:
        level, found = list(chain.from_iterable(map(parts_of, level))), found + 1
    return found


def value(text: str, engine: Literal["explicit", "smt"] = "explicit") -> object:
    result = check(text, engine=engine)
    assert isinstance(result, Judged)
    (state,) = result.states
    return dict(state.values)["0:z"]


OPERATORS: Final = ("+", "+", "+", "-", "*", "&", "|", "^", "<<", ">", "==", "&&", "||", ",", "/", "%")
OPERANDS: Final = (
    "a",
    "b",
    "c",
    "r",
    "t[1]",
    "1",
    "2",
    "3u",
    "5l",
    "-1",
    "(a + 1)",
    "(char) 200",
    "*y",
    "(a = 2)",
    "!a",
)


@pytest.mark.parametrize("engine", ["explicit", "smt"])
def test_regrouped_chains_have_the_value_of_those_that_are_not(
    engine: Literal["explicit", "smt"], monkeypatch: pytest.MonkeyPatch
) -> None:
    random = Random(12)  # noqa: S311 - nothing secret
    undefined = 0
    for _ in range(40):
        operators = [random.choice(OPERATORS[: random.choice((6, 16))]) for _ in range(random.choice((3, 6, 9)))]
        operands = [random.choice(OPERANDS) for _ in range(len(operators) + 1)]
        operands = [
            "2" if before in "/%<<" else operand for before, operand in zip(["+", *operators], operands, strict=True)
        ]
        expression = operands[0] + "".join(f" {o} {right}" for o, right in zip(operators, operands[1:], strict=True))
        text = text_of(f"({expression})")
        told = []
        for longest in (0, 100):
            monkeypatch.setattr(chains, "LONG_CHAIN", longest)
            result = check(text, engine=engine)
            assert isinstance(result, Judged)
            told.append((result.verdict, [p.kind for p in result.undefined], [s.values for s in result.states]))
        assert told[0] == told[1], expression
        undefined += bool(told[0][1])
    assert undefined < 30


@pytest.mark.parametrize(
    ("expression", "expected"),
    [
        ("a" + " + 1" * 1000, 1003),
        ("a" + " - 1 + 2" * 500, 503),
        ("r" + " * 3" * 300, pow(3, 300, 1 << 32)),
        ("a" + " && r" * 300, 1),
        ("0" + " || 0" * 300 + " || r", 1),
        ("(a" + ", 1" * 300 + ", 7)", 7),
        ("a" + " + 1" * 300 + " + 5000000000" + " + 1" * 300, 5000000603),
        ("a" + " ^ r" * 301, 2),
    ],
)
def test_long_chains_are_flat(expression: str, expected: int) -> None:
    text = text_of(expression)
    found = value(text)
    assert found == expected if expected < 1 << 31 or "5000" in expression else found == expected - (1 << 32)
    assert levels(text) < 30


@pytest.mark.slow
@pytest.mark.parametrize("expression", ["a" + " + 1" * 10_000, "r" + " + r - a" * 5_000, "a" + " && r" * 10_000])
def test_ten_thousand_operands(expression: str) -> None:
    text = text_of(expression)
    found = value(text)
    assert found == value(text, "smt")
    printed = print_litmus(read_tree(Source("t.litmus", text)))
    assert expression in printed
    ran = run(text, runs=3)
    assert [dict(count.state.values)["0:z"] for count in ran.states] == [found]


@pytest.mark.parametrize(
    "expression",
    [
        "a" + " << 0" * 300,
        "f" + " + f" * 300,
        "*y" + " + *y" * 300,
        "(" * 201 + "a" + ")" * 201,
        "!" * 300 + "a",
        "1 + (" * 190 + "a" + " << 0" * 200 + ")" * 190,
        "a" + " + a" * 150 + " + " + "- " * 250 + "a",
    ],
)
def test_what_cannot_be_flat_is_refused_where_it_is_too_deep(expression: str) -> None:
    with pytest.raises(InputError) as caught:
        parse(text_of(expression))
    assert {diagnostic.code for diagnostic in caught.value.diagnostics} == {"E032"}


def test_all_complaints_about_a_long_chain_are_told() -> None:
    with pytest.raises(InputError) as caught:
        parse(text_of("nobody" + " + 1" * 150 + " + nowhere" + " + 1" * 10))
    assert [diagnostic.code for diagnostic in caught.value.diagnostics] == ["E101", "E101"]


def test_fmt_keeps_the_parentheses_of_chains() -> None:
    expression = "(" + "a" + " + 1" * 150 + ") * 2 - (3 - a)" + " - 1" * 120
    tree = read_tree(Source("t.litmus", text_of(expression)))
    printed = print_litmus(tree)
    assert expression in printed
    assert print_litmus(read_tree(Source("t.litmus", printed))) == printed


def test_fence_flags_and_lengths_may_be_long_chains() -> None:
    flags = "CLK_GLOBAL_MEM_FENCE" + " | CLK_LOCAL_MEM_FENCE" * 500
    text = f"""OPENCL long
{{ int x = 0; }}
P0 @wg 0, dev 0 (global int* x) {{
  int t[1{" + 0" * 2000}];
  atomic_work_item_fence({flags}, memory_order_seq_cst, memory_scope_device);
  x[0] = 1;
}}
exists (x=1)
"""
    assert isinstance(check(text), Judged)
