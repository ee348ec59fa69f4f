"""Random programs whose values depend on themselves: what is said without a solver is what is said with one.

`MCM_COPIED_COUNT` says how many.
"""

from __future__ import annotations

import os
from random import Random
from typing import TYPE_CHECKING, Final

import pytest
from msgspec.structs import replace
from test_thin_air import asked, told

from mcm.answer.query import Limits
from mcm.base.source import Source
from mcm.engine.equations import copies, known
from mcm.engine.equations.system import Equations
from mcm.engine.equations.trial import tried
from mcm.engine.explicit.budget import NodeBudget
from mcm.engine.explicit.copied_results import CopiedResults
from mcm.engine.explicit.decide import decide
from mcm.front_end.read import read_test

if TYPE_CHECKING:
    from mcm.engine.equations.decided import DecidedExecution

pytestmark = pytest.mark.slow

COUNT: Final = int(os.environ.get("MCM_COPIED_COUNT", "16"))
TYPES: Final = ("char", "int", "uint", "long")
# Next to zero and to the ends of types.
CONSTANTS: Final = (-129, -128, -127, -1, 0, 1, 2, 5, 126, 127, 128, 255, 2**31 - 1, 2**31, 2**32 - 1)


def proposition(random: Random, names: list[str], depth: int) -> str:
    """A condition about final values, some of which go around circles."""
    if depth and random.random() < 0.6:
        parts = (proposition(random, names, depth - 1) for _ in range(2))
        return "(" + random.choice((" /\\ ", " \\/ ")).join(parts) + ")"
    negated = "~" if random.random() < 0.2 else ""
    right = random.choice(names) if random.random() < 0.1 else str(random.choice(CONSTANTS))
    return f"{negated}({random.choice(names)} {random.choice(('=', '!=', '<', '>', '<=', '>='))} {right})"


def litmus(random: Random) -> str:
    """A random test: threads copy from one location to another, and some do something else besides."""
    type_ = random.choice(TYPES)
    names = {"uint": "unsigned int"}.get(type_, type_)
    locations = ["a", "b", "c", "d"][: random.choice((2, 2, 3, 4))]
    parameters = ", ".join(f"atomic_{type_}* {name}" for name in locations) + ", int* n"
    threads, observed = [], list(locations)
    for number in range(random.choice((2, 2, 3))):
        body = []
        for copy in range(random.choice((1, 1, 2))):
            source, target = random.sample(locations, 2)
            body.append(f"{names} r{copy} = atomic_load_explicit({source}, memory_order_relaxed);")
            value = random.choice((f"r{copy}",) * 8 + ("3", f"r{copy} + 1"))
            body.append(f"atomic_store_explicit({target}, {value}, memory_order_relaxed);")
            observed.append(f"{number}:r{copy}")
        if random.random() < 0.3:
            body.append("*n = 1;")
        if random.random() < 0.1:
            body.append("if (r0 == 4) { *n = 2; }")
        threads.append(f"P{number} ({parameters}) {{\n  {' '.join(body)}\n}}")
    condition = proposition(random, observed, random.randrange(3))
    initial = " ".join(f"{name} = 0;" for name in (*locations, "n"))
    return "\n".join(["C copied", f"{{ {initial} }}", *threads, f"{random.choice(('exists', 'forall'))} {condition}"])


def deciding(random: Random) -> str:
    """A random test in which what a compare-exchange that fails has read decides whether it is executed."""
    parameters = "global atomic_int* x, global atomic_int* y, int* n"
    order = "memory_order_relaxed"
    threads = []
    for number in range(2):
        exchange = f"int r1 = atomic_compare_exchange_strong_explicit(x, n, {random.randint(1, 2)}, {order}, {order});"
        more = random.choice(("", f"atomic_store_explicit(y, r1, {order});", "if (r1 == 0) { *n = 2; }"))
        body = f"int r0 = atomic_load_explicit({random.choice('xy')}, {order});"
        test = random.choice(("r0 != *n", "r0 < *n", "r0 == *n", "*n", "*n == 0 || r0", "!(r0 != *n)", ""))
        body += f" if ({test}) {{ {exchange} {more} }}" if test else f" {exchange} {more}"
        threads.append(f"P{number}@wg 0, dev 0 ({parameters}) {{\n  {body}\n}}")
    return "\n".join(["OPENCL deciding", "{ x = 0; y = 0; n = 0; }", *threads, "exists (0:r0 = 1)"])


def test_what_is_seen_at_once_is_what_a_solver_says(monkeypatch: pytest.MonkeyPatch) -> None:
    told_at_once: list[bool] = []

    def checked(decided: DecidedExecution) -> bool | None:
        found = tried(decided)
        if found is not None:
            assert Equations(decided, NodeBudget(Limits())).is_possible() is found
            told_at_once.append(found)
        return found

    monkeypatch.setattr(known, "tried", checked)
    for number in range(COUNT // 2):
        text = deciding(Random(f"deciding {number}"))  # noqa: S311 - no secret
        for model in ("opencl-2.0", "opencl-3.0"):
            decide(asked(read_test(Source("deciding.litmus", text)).program, model))
    assert set(told_at_once) == {True, False}


def test_copied_values_are_those_that_a_solver_finds(monkeypatch: pytest.MonkeyPatch) -> None:
    seen: list[bool] = []
    real = CopiedResults.add

    def add(*arguments: object) -> bool:
        seen.append(real(*arguments))  # type: ignore[arg-type]
        return seen[-1]

    monkeypatch.setattr(CopiedResults, "add", add)
    for number in range(COUNT):
        text = litmus(Random(f"copied {number}"))  # noqa: S311 - no secret
        query = asked(read_test(Source("copied.litmus", text)).program, "c11")
        query = replace(query, wants_states=number % 3 > 0)
        found = told(decide(query))
        with monkeypatch.context() as without:
            without.setattr(copies, "copies_of", lambda _: None)
            assert told(decide(query)) == found, text
    assert any(seen)
