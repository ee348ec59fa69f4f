"""Chains of connectives may have any length: they do not count as nesting."""

from __future__ import annotations

from itertools import pairwise

import pytest

from mcm import Judged, check_all, format_test
from mcm.base.source import Source
from mcm.program.condition import And, Comparison, Not, Or, Truth
from mcm.session import Session

pytestmark = pytest.mark.slow

MANY = 10_000

TEXT = """OPENCL chain
{{ }}
P0@wg 0 (global atomic_int* x) {{ int r = atomic_load(x); }}
P1@wg 1 (global atomic_int* x) {{ atomic_store(x, 2); }}
exists ({})
"""


def with_condition(condition: str) -> str:
    return TEXT.format(condition)


def levels(proposition: Comparison | Truth | Not | And | Or) -> int:
    match proposition:
        case And(left, right) | Or(left, right):
            return 1 + max(levels(left), levels(right))
        case Not(body):
            return 1 + levels(body)
        case _:
            return 1


@pytest.mark.parametrize("engine", ["explicit", "smt"])
@pytest.mark.parametrize(
    ("condition", "satisfying"),
    [
        (" \\/ ".join(f"0:r={number}" for number in range(1, MANY)), 1),
        (" /\\ ".join(f"~(0:r={number})" for number in range(1, MANY)), 1),
        (" \\/ ".join(f"0:r={number} /\\ [x]=2" for number in range(2, MANY)), 1),
    ],
)
def test_a_condition_of_10_000_atoms(condition: str, satisfying: int, engine: str) -> None:
    (result,) = check_all(with_condition(condition), engine="smt" if engine == "smt" else "explicit")
    assert isinstance(result, Judged)
    assert (result.satisfying, len(result.states)) == (satisfying, 2)
    assert result.condition is not None
    assert result.condition.text == condition.replace("~(", "not (")
    assert levels(result.condition.proposition) < 20


def test_a_long_chain_is_laid_out_as_it_was_written() -> None:
    source = Source("chain", with_condition(" /\\ ".join(f"0:r={number}" for number in range(MANY))))
    formatted = format_test(source)
    assert format_test(Source("again", formatted)) == formatted
    positions = [formatted.index(f"0:r={number}{end}") for number, end in ((1, " "), (500, " "), (MANY - 1, ")"))]
    assert all(before < after for before, after in pairwise(positions))
    assert Session().parse(Source("again", formatted)).header.fingerprint == Session().parse(source).header.fingerprint


def test_parentheses_are_nesting() -> None:
    for condition in ("(" * 300 + "0:r=1" + ")" * 300, "~" * 300 + "(0:r=1)"):
        (result,) = check_all(with_condition(condition))
        assert [diagnostic.code for diagnostic in result.diagnostics] == ["E032"]
