"""Answers about random expressions with calls are the same when all orders of the calls are looked at.

`MCM_KERNEL_COUNT` and `MCM_KERNEL_SEED` choose how many programs are compared, and which.
"""

from __future__ import annotations

import os
from random import Random
from typing import Final

import pytest

import mcm
from mcm.base.diagnostic import InputError
from mcm.execution import call_orders
from mcm.execution.elaborate import elaborate

COUNT: Final = int(os.environ.get("MCM_KERNEL_COUNT", "10"))
SEED: Final = os.environ.get("MCM_KERNEL_SEED", "orders")
MODELS: Final = ("c11", "rc11", "c++20", "sc")

_MOST_ORDERS: Final = 16

_ORDERS: Final = ("relaxed", "relaxed", "acq_rel", "seq_cst")
_LOAD_ORDERS: Final = ("relaxed", "relaxed", "acquire", "seq_cst")


def program(seed: str) -> str:
    """Two threads over atomic x and y and plain a and b, in whose expressions calls stand beside other operands."""
    random = Random(seed)  # noqa: S311 - nothing secret
    threads = []
    for number in range(2):
        # Mostly each thread writes to an array of its own, so that reads of it may come at any time.
        own = "ab"[number]
        body = [f"int r{n} = 0;" for n in range(2)]
        for n in range(random.choice((1, 2, 2))):
            operands = [_operand(random, own) for _ in range(2)]
            if random.random() < 0.2:
                operands.append(_operand(random, own))
            body.append(f"r{n} = {' + 10 * '.join(operands)};")
            if random.random() < 0.5:
                body.append(_store(random, own, n))
        threads.append(f"P{number} (int* a, int* b, atomic_int* x, atomic_int* y) {{ {' '.join(body)} }}")
    shown = " ".join(f"{thread}:r{n};" for thread in range(2) for n in range(2))
    state = "{ int a[2] = {1, 2}; int b[2] = {3, 4}; }"
    return "\n".join(["C orders", state, *threads, f"locations [x; y; a; b; {shown}]", "exists (true)", ""])


def _operand(random: Random, own: str) -> str:
    location = random.choice("xy")
    match random.randrange(4):
        case 0:
            return f"atomic_fetch_add_explicit({location}, 1, memory_order_{random.choice(_ORDERS)})"
        case 1:
            return f"atomic_load_explicit({location}, memory_order_{random.choice(_LOAD_ORDERS)})"
        case _:
            return f"{own if random.random() < 0.8 else random.choice('ab')}[{random.randrange(2)}]"


def _store(random: Random, own: str, register: int) -> str:
    if random.random() < 0.5:
        return f"{own}[{random.randrange(2)}] = r{register} + 1;"
    order = random.choice(("relaxed", "release", "seq_cst"))
    return f"atomic_store_explicit({random.choice('xy')}, {register + 1}, memory_order_{order});"


def told(test: mcm.Test, model: str) -> tuple[object, ...]:
    """The verdict, the states and the problems of a test, without the executions that show them."""
    result = mcm.check(test, model)
    assert isinstance(result, mcm.Judged)
    problems = {
        (race.kind, tuple(sorted((site.thread, site.span.start) for site in race.sites))) for race in result.races
    }
    return result.verdict, {tuple(sorted(dict(state.values).items())) for state in result.states}, problems


@pytest.mark.slow
def test_reads_at_any_time_change_no_answer(monkeypatch: pytest.MonkeyPatch) -> None:
    fewer = compared = 0
    for number in range(COUNT):
        text = program(f"{SEED} {number}")
        test = mcm.parse(text)
        with monkeypatch.context() as patched:
            patched.setattr(call_orders, "_idle_reads", lambda *_: 0)
            patched.setattr(call_orders, "_only_reads", lambda *_: False)
            try:
                orders = len(elaborate(test.program))
            except InputError:
                continue
            # More take long to be looked at.
            if orders > _MOST_ORDERS:
                continue
            expected = [told(mcm.parse(text), model) for model in MODELS]
        assert [told(mcm.parse(text + "\n"), model) for model in MODELS] == expected, text
        compared += 1
        fewer += len(elaborate(test.program)) < orders
    assert compared > COUNT // 3
    assert fewer > COUNT // 5
