"""Programs of GenMC's tests, with the numbers of executions stated there: for `check`, and for exhaustive runs."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Final

import pytest

import mcm
from mcm.base.source import Source
from mcm.explain.observed import observed_by
from mcm.front_end.read import read_test
from mcm.machine.build import build
from mcm.machine.exhaustive import Budget, explore


def store(location: str, value: str, order: str = "release") -> str:
    return f"atomic_store_explicit({location}, {value}, memory_order_{order});"


def load(register: str, location: str, order: str = "acquire") -> str:
    return f"int {register} = atomic_load_explicit({location}, memory_order_{order});"


def add(location: str, order: str = "relaxed") -> str:
    return f"atomic_fetch_add_explicit({location}, 1, memory_order_{order});"


def reader(*registers: str, order: str = "acquire") -> str:
    return " ".join(load(register, "x", order) for register in registers)


def wrw(number: int) -> list[str]:
    others = [f"{load('a', 'x', 'relaxed')} {store('x', str(n))}" for n in range(number)]
    return [store("x", "1"), *others]


def coa(number: int) -> list[str]:
    first = [f"{store('x', str(n))} {load('a', where)} {load('b', 'x')}" for n, where in ((1, "y"), (2, "z"))]
    return [*first, *(f"{store('y', str(n))} {store('z', str(n))}" for n in range(number - 1))]


FENCE: Final = "atomic_thread_fence(memory_order_acq_rel);"
IRIWISH: Final = [
    store("x", "1", "relaxed"),
    f"{load('a', 'x', 'relaxed')} {store('y', 'a')}",
    f"{load('a', 'x', 'relaxed')} {FENCE} {load('b', 'y', 'relaxed')}",
    f"{load('a', 'y', 'relaxed')} {FENCE} {load('b', 'x', 'relaxed')}",
]
RELSEQ: Final = [
    f"{add('x', 'acquire')} {add('x')}",
    f"{add('x')} {add('x')}",
    add("x", "release"),
    add("x"),
]
# The name of the program there, its threads, how many executions GenMC finds under sequential consistency, and in how
# many configurations the exhaustive runs end.
PROGRAMS: Final = (
    ("CoRR1", [store("x", "1"), store("x", "2"), reader("a", "b"), reader("a")], 36, 36),
    ("CoRR2", [store("x", "1"), store("x", "2"), reader("a", "b"), reader("a", "b")], 72, 72),
    ("IRIWish", IRIWISH, 27, 16),
    ("wrw, N=2", wrw(2), 22, 8),
    ("wrw, N=3", wrw(3), 300, 44),
    ("CoA, N=1", coa(1), 4, 4),
    ("CoA, N=2", coa(2), 15, 4),
    ("CoA, N=3", coa(3), 130, 61),
    ("cinc, N=2", [f"{add('x')} {add('y')} {add('z')}"] * 2, 8, 8),
    ("cinc, N=3", [f"{add('x')} {add('y')} {add('z')}"] * 3, 216, 216),
    ("ainc, N=4", [add("x")] * 4, 24, 24),
    ("ainc, N=5", [add("x")] * 5, 120, 120),
    ("viktor-relseq", RELSEQ, 180, 180),
    ("N-writers, N=5", [*(store("x", str(n)) for n in range(5)), load("a", "x")], 720, 25),
    ("fr+w+w+w+reads", [*(store("x", str(n)) for n in (1, 2, 3)), reader("a", "b", "c", "d")], 210, 135),
)


def source(name: str, threads: list[str]) -> Source:
    parameters = "atomic_int* x, atomic_int* y, atomic_int* z"
    lines = [f"P{number} ({parameters}) {{ {code} }}" for number, code in enumerate(threads)]
    return Source(name, "\n".join(["C counted", "{}", *lines]))


def documented() -> dict[str, tuple[int, ...]]:
    """The table of the documentation: the numbers of each program."""
    page = Path(__file__).parents[3] / "docs" / "comparison.md"
    rows = re.findall(r"^\| ([^|]+) \|((?: \d+ \|){6})$", page.read_text(encoding="utf-8"), re.MULTILINE)
    return {name: tuple(map(int, re.findall(r"\d+", numbers))) for name, numbers in rows}


def test_the_table_of_the_documentation_has_these_programs() -> None:
    assert set(documented()) == {name for name, *_ in PROGRAMS}


def executions(name: str, threads: list[str], model: str) -> int:
    result = mcm.check(source(name, threads), model, count=True)
    return sum(state.executions or 0 for state in result.states)


@pytest.mark.parametrize(("name", "threads", "known", "ends"), PROGRAMS, ids=[name for name, *_ in PROGRAMS])
def test_executions_are_as_many_as_genmc_finds(name: str, threads: list[str], known: int, ends: int) -> None:
    del ends

    assert executions(name, threads, "sc") == known


@pytest.mark.parametrize(("number", "known"), [(1, 4), (2, 16), (3, 144)])
def test_executions_of_rc11_are_as_many_as_genmc_finds(number: int, known: int) -> None:
    assert executions("CoA", coa(number), "rc11") == known


@pytest.mark.parametrize(("name", "threads", "known", "ends"), PROGRAMS, ids=[name for name, *_ in PROGRAMS])
def test_exhaustive_runs_end_at_most_once_for_each_execution(
    name: str, threads: list[str], known: int, ends: int
) -> None:
    program = read_test(source(name, threads)).program
    machine, observed = build(program, "interleaving"), observed_by(program)

    reduced, all_orders = (explore(machine, observed, Budget(), reduced=reduced) for reduced in (True, False))

    assert reduced.is_complete
    assert reduced.ends == ends <= known
    assert reduced.configurations <= all_orders.configurations
    # Who takes each execution once, and remembers none, makes so many steps when executions share no beginning.
    assert reduced.steps <= known * max(map(len, reduced.states.values()))
    assert documented()[name] == (known, known, ends, reduced.configurations, reduced.steps, all_orders.configurations)
    assert set(reduced.states) == set(all_orders.states)
    allowed = mcm.check(source(name, threads), "sc").states
    assert set(reduced.states) == {tuple(state.values.values()) for state in allowed}
