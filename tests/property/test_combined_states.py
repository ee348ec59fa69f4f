"""Random programs with many reads have the same answers whether states of independent reads are combined or searched.

`MCM_READS_COUNT` and `MCM_READS_SEED` choose how many are compared, and which.
"""

from __future__ import annotations

import os
from random import Random
from typing import TYPE_CHECKING, Final

import pytest
from msgspec.structs import replace

from mcm.answer.query import Limits, Query
from mcm.base.source import Source
from mcm.catalogue import registry
from mcm.engine.explicit.combinations import Combinations
from mcm.engine.explicit.decide import decide
from mcm.engine.smt.decide import decide as decide_with_solver
from mcm.execution.elaborate import elaborate
from mcm.explain.observed import observed_by
from mcm.front_end.read import read_test

if TYPE_CHECKING:
    from mcm.answer.answer import Answer

pytestmark = pytest.mark.slow

SEED: Final = os.environ.get("MCM_READS_SEED", "2026")
COUNT: Final = int(os.environ.get("MCM_READS_COUNT", "20"))
MODELS: Final = {"C": ("rc11", "c11", "c20", "sc"), "OPENCL": ("opencl-3.0", "opencl-3.1", "opencl-scoped")}
# Nodes alone: how much is searched must not depend on time.
LIMITS: Final = Limits(nodes=300)
NEVER: Final = 1 << 60
STORES: Final = ("relaxed", "release", "seq_cst")
LOADS: Final = ("relaxed", "acquire", "seq_cst")


def text_of(number: int) -> str:
    """A program: some threads write, and more of them read, so that what is read hangs together in parts only."""
    pick = Random(f"{SEED}-{number}")  # noqa: S311 - no secret
    dialect = "OPENCL" if number % 3 == 0 else "C"
    kind = "global atomic_int" if dialect == "OPENCL" else "atomic_int"
    locations = "xyz"[: pick.randint(1, 3)]
    parameters = ", ".join(f"{kind}* {name}" for name in locations)
    threads = []
    for thread in range(pick.randint(3, 4)):
        lines, registers = [], 0
        for _ in range(pick.randint(1, 3)):
            where = pick.choice(locations)
            match pick.choice(("store", "store", *["load"] * 5, "exchange", "copy", "fence", "alike")):
                case "store":
                    order = pick.choice(STORES)
                    lines.append(f"atomic_store_explicit({where}, {pick.randint(1, 3)}, memory_order_{order});")
                case "exchange":
                    lines.append(f"int r{registers} = atomic_exchange_explicit({where}, 4, memory_order_acq_rel);")
                    registers += 1
                case "copy" if registers:
                    lines.append(f"atomic_store_explicit({where}, r{registers - 1} + 1, memory_order_relaxed);")
                case "alike" if registers:
                    # The value does not depend on what is read, and the operation does.
                    lines.append(f"atomic_store_explicit({where}, r{registers - 1} * 0 + 2, memory_order_relaxed);")
                case "fence":
                    lines.append("atomic_thread_fence(memory_order_seq_cst);" if dialect == "C" else "")
                case _:
                    order = pick.choice(LOADS)
                    lines.append(f"int r{registers} = atomic_load_explicit({where}, memory_order_{order});")
                    registers += 1
        place = f"@wg {pick.randint(0, 2)}" if dialect == "OPENCL" else ""
        threads.append(f"P{thread}{place} ({parameters}) {{ {' '.join(lines)} }}")
    wanted = "locations [" + " ".join(f"{name};" for name in locations) + "]" if pick.random() < 0.5 else ""
    return "\n".join([f"{dialect} reads-{number}", "{}", *threads, wanted])


def query_of(number: int) -> Query:
    text = text_of(number)
    names = MODELS[text.split(" ", 1)[0]]
    program = read_test(Source(f"reads-{number}", text)).program
    model = registry.get(names[number // 3 % len(names)])
    return Query(elaborate(program, 2), model, observed_by(program), limits=LIMITS, wants_witnesses=False)


def said(answer: Answer) -> tuple[object, ...]:
    states = [(state.values, state.satisfies, state.thin_air, state.varying) for state in answer.states]
    return states, [(flag.name, flag.events) for flag in answer.flags], answer.complete_exists


@pytest.mark.parametrize("number", range(COUNT))
def test_answers_are_the_same_without_combinations(number: int) -> None:
    query = query_of(number)
    combined = decide(query, many_ways=2)
    searched = decide(query, many_ways=NEVER)
    if searched.undecided is not None:
        pytest.skip("too many executions")

    assert combined.undecided is None
    assert said(combined) == said(searched), text_of(number)


@pytest.mark.parametrize("number", range(COUNT // 6))
def test_the_solver_finds_the_same_states(number: int) -> None:
    query = query_of(number)

    combined = decide(query, many_ways=2)
    solved = decide_with_solver(replace(query, limits=Limits(seconds=20)))

    if combined.undecided is not None or solved.undecided is not None:
        pytest.skip("too many executions")

    assert [state.values for state in combined.states] == [state.values for state in solved.states], text_of(number)


def test_many_of_these_programs_have_independent_reads(monkeypatch: pytest.MonkeyPatch) -> None:
    tried: list[bool] = []
    add = Combinations.add
    monkeypatch.setattr(Combinations, "add", lambda *given: tried.append(add(*given)) or tried[-1])

    for number in range(40):
        before = len(tried)
        decide(query_of(number), many_ways=2)
        tried[before:] = [any(tried[before:])]

    assert sum(tried) >= 8
