"""Whether what a compare-exchange has found is what it expected says whether it has succeeded."""

from __future__ import annotations

from random import Random
from typing import TYPE_CHECKING

import pytest

from mcm import check
from mcm.answer.query import Limits, Query
from mcm.base.source import Source
from mcm.catalogue import registry
from mcm.engine.explicit.decide import decide
from mcm.engine.smt.decide import decide as decide_by_solver
from mcm.execution import operands
from mcm.execution.algebra import binary, negation
from mcm.execution.elaborate import elaborate
from mcm.execution.event import EventKind
from mcm.execution.expression import Choice, Expression
from mcm.front_end.read import read_test

if TYPE_CHECKING:
    from mcm.answer.answer import Answer
    from mcm.execution.shared import Shared
    from mcm.execution.skeleton import Skeleton
    from mcm.program.types import Type

RELAXED = "memory_order_relaxed, memory_scope_device"
EXCHANGE = f"atomic_compare_exchange_%s_explicit(x, &e, %s, memory_order_relaxed, {RELAXED});"


def skeleton_of(*bodies: str) -> Skeleton:
    """Of threads that access x and y, of which each returns in r."""
    threads = "\n".join(
        f"P{number}@wg {number}, dev 0 (global atomic_int* x, global atomic_int* y) {{ int r = 0; {body} }}"
        for number, body in enumerate(bodies)
    )
    observed = " /\\ ".join(f"{number}:r=0" for number in range(len(bodies)))
    text = f"OPENCL compared\n{{ [x]=0; [y]=0; }}\n{threads}\nexists (x=0 /\\ y=0 /\\ {observed})\n"
    (skeleton,) = elaborate(read_test(Source("compared", text)).program, 2, waiting=True)
    return skeleton


def guard_of_store(body: str) -> Expression:
    """The guard of the store to y."""
    skeleton = skeleton_of(f"{body} atomic_store_explicit(y, 1, {RELAXED});")
    (guard,) = (e.guard for e in skeleton.events if e.kind is EventKind.WRITE and e.locations[0].object == 1)
    return guard


LOADED = f"int e = atomic_load_explicit(x, {RELAXED});"


@pytest.mark.parametrize(
    ("body", "meant"),
    [
        (f"{LOADED} if (atomic_cmpxchg(x, e, 5) == e)", Choice(0)),
        (f"{LOADED} if (e != atomic_cmpxchg(x, e, 5))", negation(Choice(0))),
        ("int e = 3; if (atomic_cmpxchg(x, e, 5) != e)", negation(Choice(0))),
        (f"{LOADED} int o = e; {EXCHANGE % ('strong', 5)} if (o == e)", Choice(0)),
        # It may fail though it finds what it expects.
        (f"{LOADED} int o = e; {EXCHANGE % ('weak', 5)} if (o == e)", None),
        (f"{LOADED} int o = e + 1; if (atomic_cmpxchg(x, e, 5) == o)", None),
        (f"{LOADED} int s = e; if (r == 0 && e < 3) s = atomic_cmpxchg(x, e, 5); if (s == e)", None),
    ],
)
def test_comparisons_tell_success(body: str, meant: Expression | None) -> None:
    assert (guard_of_store(body) is meant) is (meant is not None)


def body(random: Random) -> str:
    """What a thread does, or tries."""
    value = random.choice(("e + 1", "1", "2", "e"))
    load = random.choice((LOADED, "int e = atomic_or(x, 0);", "int e = 0;", "int e = atomic_add(x, 1);"))
    test = random.choice(("==", "!="))
    then = random.choice((f"atomic_store_explicit(y, e + 1, {RELAXED});", "r = 1;", "atomic_add(y, 1);"))
    match random.randrange(5):
        case 0:
            return f"{load} int o = 0; do {{ o = e; e = atomic_cmpxchg(x, o, o + 1); }} while (e != o); r = e;"
        case 1:
            return f"{load} int s = atomic_cmpxchg(x, e, {value}); if (s {test} e) {{ {then} }} else {{ r = s + 2; }}"
        case 2:
            given = f"int s = e; if (atomic_load_explicit(y, {RELAXED})) {{ s = atomic_cmpxchg(x, e, {value}); }}"
            return f"{load} {given} if (s {test} e) {{ {then} }}"
        case 3:
            exchange = EXCHANGE % (random.choice(("strong", "weak")), value)
            return f"{load} int o = e; {exchange} if (e {test} o) {{ {then} }}"
        case _:
            return f"while (atomic_cmpxchg(x, 0, 1) != 0) {{ }} {then.replace('e + 1', '1')} atomic_xchg(x, 0);"


def said(answer: Answer) -> tuple[object, ...]:
    assert answer.undecided is None
    states = sorted((state.values, state.satisfies, state.thin_air) for state in answer.states)
    return states, sorted(flag.name for flag in answer.flags), answer.complete_exists, bool(answer.waits)


@pytest.mark.parametrize("seed", range(6))
def test_answers_are_those_of_what_is_written(seed: int, monkeypatch: pytest.MonkeyPatch) -> None:
    random = Random(seed)  # noqa: S311 - no secret
    bodies = [body(random) for _ in range(2)]
    found = []
    for is_told in (True, False):
        if not is_told:

            def as_written(symbol: str, left: Expression, right: Expression, type_: Type, _: Shared) -> Expression:
                return binary(symbol, left, right, type_)

            monkeypatch.setattr(operands, "compared", as_written)
        skeleton = skeleton_of(*bodies)
        query = Query((skeleton,), registry.get("opencl-3.0"), tuple(skeleton.registers), limits=Limits())
        found += [said(decide(query)), said(decide_by_solver(query))]
    assert all(each == found[0] for each in found), bodies


# What is stored where the exchange fails is what makes it fail.
CIRCLE = """OPENCL circle
{{ [x]=0; [y]=0; [z]=0; }}
P0@wg 0, dev 0 (global atomic_int* x, global atomic_int* y, global atomic_int* z) {{
  int e = atomic_load_explicit(y, {relaxed});
  {exchange}
    atomic_store_explicit(z, 1, {relaxed});
}}
P1@wg 1, dev 0 (global atomic_int* y, global atomic_int* z) {{
  int r = atomic_load_explicit(z, {relaxed});
  atomic_store_explicit(y, r, {relaxed});
}}
exists (y=1)
"""


@pytest.mark.parametrize("engine", ["explicit", "smt"])
@pytest.mark.parametrize(
    "exchange",
    [
        f"if (!{(EXCHANGE % ('strong', 5))[:-1]})",
        "if (atomic_cmpxchg(x, e, 5) != e)",
        "int s = atomic_cmpxchg(x, e, 5); if (s + 1 != e + 1)",
    ],
)
def test_what_is_expected_is_what_success_depends_on(exchange: str, engine: str) -> None:
    states = check(CIRCLE.format(exchange=exchange, relaxed=RELAXED), engine=engine).states
    assert {state.values["y"]: state.thin_air for state in states} == {0: False, 1: True}
