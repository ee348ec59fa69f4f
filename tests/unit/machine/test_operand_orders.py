"""The operands of long expressions are evaluated in all orders that C allows, and their code is short."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeAlias

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mcm.base.source import Source
from mcm.explain.observed import observed_by
from mcm.front_end.read import read_test
from mcm.machine.build import build
from mcm.machine.exhaustive import Budget, explore

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from conftest import Test

# A sum: the number of a term, or two sums.
Sum: TypeAlias = "int | tuple[Sum, Sum]"

ADD = "atomic_fetch_add_explicit(x, 1, memory_order_relaxed, memory_scope_device)"


def sums(terms: int) -> st.SearchStrategy[Sum]:
    """The sums of so many terms, which are numbered from the left."""

    def of(first: int, number: int) -> st.SearchStrategy[Sum]:
        if number == 1:
            return st.just(first)
        return st.integers(1, number - 1).flatmap(
            lambda left: st.tuples(of(first, left), of(first + left, number - left))
        )

    return of(0, terms)


def written(tree: Sum) -> str:
    if isinstance(tree, int):
        return f"{ADD} * {10**tree}"
    return f"({written(tree[0])} + {written(tree[1])})"


def orders(tree: Sum) -> Iterator[tuple[int, ...]]:
    """The orders in which the terms may be evaluated: those of one operand and then those of the other."""
    if isinstance(tree, int):
        yield (tree,)
        return
    for left in orders(tree[0]):
        for right in orders(tree[1]):
            yield left + right
            yield right + left


def results(tree: Sum) -> set[int]:
    """What a sum may be, while somebody else adds 1 at any time."""
    found = set()
    for order in orders(tree):
        for before in range(len(order) + 1):
            found.add(sum(10**term * (place + (place >= before)) for place, term in enumerate(order)))
    return found


def states(text: str, memory: str) -> set[tuple[object, ...]]:
    program = read_test(Source("operands", text)).program
    found = explore(build(program, memory), observed_by(program), Budget())
    assert found.is_complete
    return set(found.states)


@settings(derandomize=True, deadline=None, max_examples=12)
@given(tree=st.integers(2, 6).flatmap(sums))
def test_the_terms_of_a_sum_come_in_all_orders_of_its_operands(tree: Sum) -> None:
    text = f"""OPENCL sum
{{}}
P0 (global atomic_int* x) {{ int r = {written(tree)}; }}
P1 (global atomic_int* x) {{ {ADD}; }}
exists (0:r=0)
"""
    for memory in ("views", "interleaving"):
        assert states(text, memory) == {(value,) for value in results(tree)}


def test_a_long_operand_of_an_assignment_comes_before_or_after_the_load(program: Callable[[str], Test]) -> None:
    test = program(f"""{{}}
P0 (global atomic_int* x, global int* y) {{ *y += {ADD} * 1000 + {ADD} * 100 + {ADD} * 10 + {ADD}; }}
exists (y=0)
""")
    numbers = {value for value in results((((0, 1), 2), 3)) if sorted(f"{value:04}") == list("0123")}

    assert test.states("views") == {(int(f"{value:04}"[::-1]),) for value in numbers}


@pytest.mark.parametrize("tests_last", [False, True])
def test_code_does_not_double_with_each_term(program: Callable[[str], Test], tests_last: bool) -> None:
    terms = [f"a[{number}]" for number in range(60)]
    long = " + ".join(terms) if not tests_last else "(" + " + (".join(terms) + ")" * 60
    test = program(f"{{ int a[60] = {{1, 2}}; }}\nP0 (global int* a) {{ int r = {long}; }}\nexists (0:r=3)")
    (code,) = build(test.program, "views").threads

    assert len(code.instructions) < 60 * 20
    assert len(code.initial) < 60 * 20


def test_code_beside_a_group_function_does_not_double_with_each_term(program: Callable[[str], Test]) -> None:
    long = " + ".join(["work_group_any(a[0])", *(f"a[{number}]" for number in range(1, 24))])
    test = program(f"{{ int a[24] = {{1, 2}}; }}\nP0 (global int* a) {{ int r = {long}; }}\nexists (0:r=3)")
    (code,) = build(test.program, "views").threads

    assert len(code.instructions) < 24 * 30
    assert len(code.initial) < 24 * 20


@pytest.mark.parametrize("terms", [1, 5])
@pytest.mark.parametrize("group_first", [False, True])
def test_what_stands_beside_a_group_function_comes_before_or_after_it(terms: int, group_first: bool) -> None:
    beside = f"({' + '.join(['atomic_load(x)'] * terms)})"
    sum_ = f"work_group_any(1) * 10 + {beside}" if group_first else f"{beside} + work_group_any(1) * 10"
    text = f"""OPENCL beside
{{}}
P0@wg 0, sg 0 (global atomic_int* x) {{ int r = {sum_}; }}
P1@wg 0, sg 0 (global atomic_int* x) {{ atomic_store(x, 1); work_group_any(0); atomic_store(x, 2); }}
exists (0:r=10)
"""
    assert states(text, "interleaving") == {(10 + value,) for value in range(2 * terms + 1)}


@pytest.mark.parametrize(
    ("call", "wanted", "expected"),
    [
        ("atomic_cmpxchg(c, atomic_load(y), atomic_load(z))", "c=0", {(0,), (1,)}),
        ("work_group_broadcast(atomic_load(y), 0 * atomic_exchange(y, 2))", "0:r=0", {(0,), (1,), (2,)}),
        (
            "atomic_compare_exchange_strong(a, &p[atomic_load(y)], atomic_load(z) + 5)",
            "a=0",
            {(0,), (5,), (6,)},
        ),
    ],
    ids=["expected and desired", "operand and lane", "index of what is expected and desired"],
)
def test_arguments_of_calls_come_in_any_order(call: str, wanted: str, expected: set[tuple[int]]) -> None:
    parameters = "volatile global int* c, global atomic_int* a, global atomic_int* y, global atomic_int* z"
    text = f"""OPENCL arguments
{{}}
P0@wg 0 ({parameters}) {{ int p[2] = {{0, 1}}; int r = {call}; }}
P1@wg 1 (global atomic_int* y, global atomic_int* z) {{ atomic_store(y, 1); atomic_store(z, 1); }}
exists ({wanted})
"""
    assert states(text, "interleaving") == expected


def test_three_arguments_come_in_all_their_orders() -> None:
    """The element that is changed is the one behind which what is expected was counted, and then what is desired."""
    text = f"""OPENCL three
{{ int c[3] = {{1, 2, 0}}; }}
P0 (volatile global int* c, global atomic_int* x) {{ atomic_cmpxchg(c + {ADD}, {ADD}, {ADD}); }}
exists (c[0]=1 /\\ c[1]=2 /\\ c[2]=0)
"""
    for memory in ("views", "interleaving"):
        assert states(text, memory) == {(1, 2, 0), (2, 2, 0), (1, 0, 0), (1, 2, 1)}
