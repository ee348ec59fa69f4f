"""Read-modify-writes as two events: what becomes of their orders, their dependences and what refers to them."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from mcm import parse
from mcm.base.bits import members
from mcm.execution.elaborate import elaborate
from mcm.execution.splitting import split_updates

if TYPE_CHECKING:
    from mcm.execution.skeleton import Skeleton


def _split(body: str, parameters: str = "atomic_int* x, atomic_int* y") -> Skeleton:
    (skeleton,) = elaborate(parse(f"C t\n{{}}\nP0 ({parameters}) {{ {body} }}\nexists (x=0)\n").program, 2)
    return split_updates(skeleton)


def _in(skeleton: Skeleton, name: str) -> list[str]:
    return [
        skeleton.events[e].kind.value for e in members(skeleton.sets[name].events) if skeleton.events[e].thread == 0
    ]


def _pairs(skeleton: Skeleton, name: str) -> list[tuple[int, int]]:
    initial = sum(event.thread is None for event in skeleton.events)
    rows = skeleton.relations[name]
    return [(a - initial, b - initial) for a, row in enumerate(rows) if a >= initial for b in members(row)]


@pytest.mark.parametrize(
    ("order", "sets"),
    [
        ("relaxed", {"RLX": ["read", "write"], "ACQ": [], "REL": [], "ACQ_REL": [], "SC": []}),
        ("acquire", {"RLX": ["write"], "ACQ": ["read"], "REL": [], "ACQ_REL": [], "SC": []}),
        ("release", {"RLX": ["read"], "ACQ": [], "REL": ["write"], "ACQ_REL": [], "SC": []}),
        ("acq_rel", {"RLX": [], "ACQ": ["read"], "REL": ["write"], "ACQ_REL": [], "SC": []}),
        ("seq_cst", {"RLX": [], "ACQ": ["read"], "REL": ["write"], "SC": ["read", "write"]}),
    ],
)
def test_orders_are_parted(order: str, sets: dict[str, list[str]]) -> None:
    skeleton = _split(f"int r0 = atomic_fetch_add_explicit(x, 1, memory_order_{order});")

    assert {name: _in(skeleton, name) for name in sets} == sets
    assert {name: _in(skeleton, name) for name in ("RMW", "A", "R", "W")} == {
        "RMW": ["read", "write"],
        "A": ["read", "write"],
        "R": ["read"],
        "W": ["write"],
    }


def test_the_write_follows_the_read_and_depends_on_it() -> None:
    skeleton = _split(
        "atomic_store_explicit(y, 1, memory_order_relaxed);"
        "int r0 = atomic_fetch_add_explicit(x, 1, memory_order_relaxed);"
        "atomic_store_explicit(y, r0, memory_order_relaxed);"
    )

    assert [event.identifier for event in skeleton.events] == list(range(len(skeleton.events)))
    assert _pairs(skeleton, "rmw") == [(1, 2)]
    assert _pairs(skeleton, "po") == [(0, 1), (0, 2), (0, 3), (1, 2), (1, 3), (2, 3)]
    assert _pairs(skeleton, "data") == [(1, 2), (1, 3)]
    assert _pairs(skeleton, "int") == [(a, b) for a in range(4) for b in range(4)]


def test_what_is_written_may_depend_on_earlier_reads() -> None:
    skeleton = _split(
        "int r0 = atomic_load_explicit(y, memory_order_relaxed);"
        "int r1 = atomic_exchange_explicit(x, r0, memory_order_relaxed);"
    )

    assert _pairs(skeleton, "data") == [(0, 2)]
    assert _pairs(skeleton, "ctrl") == []


def test_a_compare_exchange_writes_because_of_what_it_reads() -> None:
    skeleton = _split(
        "int e = 0;"
        "int r0 = atomic_compare_exchange_strong_explicit(x, &e, 2, memory_order_acq_rel, memory_order_relaxed);"
    )

    (pair,) = _pairs(skeleton, "rmw")
    assert pair in _pairs(skeleton, "ctrl")
    assert [event.kind.value for event in skeleton.events if event.thread == 0].count("read") == 2


def test_programs_without_read_modify_writes_stay_as_they_are() -> None:
    (skeleton,) = elaborate(parse("C t\n{}\nP0 (int* x) { *x = 1; }\nexists (x=0)\n").program, 2)

    assert split_updates(skeleton) is skeleton
