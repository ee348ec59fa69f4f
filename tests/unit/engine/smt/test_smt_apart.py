"""Elements that a counter hands out are told apart, and others are not."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from msgspec.structs import replace
from smt_inputs import query

from mcm.answer.query import Limits
from mcm.catalogue import registry
from mcm.catalogue.rules import without
from mcm.engine.explicit.decide import decide as decide_by_search
from mcm.engine.explicit.decide import open_skeleton
from mcm.engine.smt.apart import apart, taken
from mcm.engine.smt.budget import Budget
from mcm.engine.smt.decide import decide
from mcm.engine.smt.encode import Encoding

if TYPE_CHECKING:
    from mcm.execution.skeleton import Skeleton

ADD = "uint r = atomic_fetch_add_explicit(c, {}, memory_order_relaxed, memory_scope_device);"


def handing_out(code: str, *, items: int = 3, start: int = 0, other: str = "") -> str:
    return f"""OPENCL handing-out
{{ [c]={start}; [x]=0; int a[8]; }}
kernel K (global atomic_uint* c, global atomic_uint* x, global int* a) {{ {code} }}
launch K global {items}, local 1, dev 0;
{other}exists (a[0]=7)
"""


def told_apart(skeleton: Skeleton) -> dict[int, int]:
    return apart(skeleton, taken(skeleton))


def pairs(text: str) -> int:
    """How many pairs of accesses are told apart."""
    found = told_apart(query(text, "opencl-3.0").skeletons[0])
    assert all(found[other] >> event & 1 for event, others in found.items() for other in found if others >> other & 1)
    return sum(others.bit_count() for others in found.values()) // 2


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (handing_out(ADD.format(1) + "a[r] = 7;"), 3),
        (handing_out(ADD.format(2).replace("add", "sub") + "a[r & 7] = 7;"), 3),
        (handing_out(ADD.format(1) + "a[7 - r] = 7; int s = a[7 - r];"), 12),
        # Elements of one update, and those by different functions of what it returns, may be the same.
        (handing_out(ADD.format(1) + "a[r] = 7; a[r + 1] = 7;"), 6),
        # Two of three have one element.
        (handing_out(ADD.format(1) + "a[r / 2] = 7;"), 0),
        (handing_out(ADD.format("0x80000000") + "a[r & 7] = 7;"), 0),
        (handing_out(ADD.format(1) + "a[r & 1] = 7;"), 0),
        # Another write sets the counter back; an update adds something else, or what is not known.
        (handing_out(ADD.format(1) + "a[r] = 7;", other="P7 (global atomic_uint* c) { atomic_store(c, 0); }\n"), 0),
        (handing_out(ADD.format(1) + "a[r] = 7;", other="P7 (global atomic_uint* c) { atomic_fetch_add(c, 2); }\n"), 0),
        (handing_out(ADD.format("atomic_load(x)") + "a[r] = 7;"), 0),
        # A write that may reach the counter.
        (
            handing_out(
                ADD.format(1) + "a[r] = 7;",
                other="P7 (global atomic_uint* c, global atomic_uint* x)"
                " { global atomic_uint* p = atomic_load(x) ? c : x; atomic_store(p, 0); }\n",
            ),
            0,
        ),
        # An update that may be one of another counter returns what that has.
        (
            handing_out(
                ADD.format(1) + "a[r] = 7;",
                other="P7 (global atomic_uint* c, global atomic_uint* x, global int* a)"
                " { global atomic_uint* p = atomic_load(x) ? c : x; uint r = atomic_fetch_add(p, 1); a[r] = 7; }\n",
            ),
            0,
        ),
        # The address depends on more than the counter.
        (handing_out(ADD.format(1) + "a[(r + atomic_load(x)) & 7] = 7;"), 0),
        # Of two there is one pair.
        (handing_out(ADD.format(1) + "a[r] = 7;", items=2), 0),
    ],
)
def test_pairs_that_are_told_apart(text: str, expected: int) -> None:
    assert pairs(text) == expected


WAIT = "work_group_barrier(CLK_GLOBAL_MEM_FENCE);"
CLEAR = "if (l == 0) { atomic_init(c, 0); }"
AGAIN = ADD.format(1).replace("r =", "s =")


def pairs_of_cleared(clear: str, code: str, other: str = "") -> int:
    """How many pairs are told apart where three items of a group count after one, or each, has set the counter."""
    code = f"int l = get_local_id(0); {clear} {WAIT} {ADD.format(1)} {code}"
    text = handing_out(code, start=5, other=other).replace("local 1", "local 3")
    asked = replace(query(text, "opencl-3.0"), wants_witnesses=False)
    assert told_apart(asked.skeletons[0]) == {}
    return sum(others.bit_count() for others in told_apart(open_skeleton(asked.skeletons[0], asked, 0)).values()) // 2


@pytest.mark.parametrize(
    ("clear", "code", "expected"),
    [
        (CLEAR, "a[r] = 7;", 3),
        ("if (l == 0) { atomic_init(c, 4); }", "a[r & 7] = 7;", 3),
        ("if (l == 0) { atomic_init(c, 0xffffffff); }", "a[r & 3] = 7;", 3),
        (CLEAR, "a[r / 2] = 7;", 0),
        # Nobody writes `x`, so it is known what the counter starts with; here it is not known who has set it.
        ("if (l == 0) { atomic_init(c, atomic_load(x)); }", "a[r & 7] = 7;", 3),
        ("atomic_store(c, 0);", "a[r & 7] = 7;", 0),
        # Those that count from another write are others.
        (CLEAR, f"a[r & 7] = 7; {WAIT} {CLEAR} {WAIT} {AGAIN} a[s & 7] = 8;", 6),
    ],
)
def test_elements_of_a_counter_that_was_cleared(clear: str, code: str, expected: int) -> None:
    assert pairs_of_cleared(clear, code) == expected


def test_what_a_counter_starts_with_may_be_open() -> None:
    other = "P7 (global atomic_uint* x) { atomic_store(x, 4); }\n"
    assert pairs_of_cleared("if (l == 0) { atomic_init(c, atomic_load(x)); }", "a[r & 7] = 7;", other) == 0


@pytest.mark.parametrize(("element", "expected"), [("r & 3", 3), ("r % 3", 0)])
def test_updates_that_count_from_an_unknown_write_may_come_between(element: str, expected: int) -> None:
    other = "P7 (global atomic_uint* c) { atomic_fetch_add(c, 1); }\n"

    assert pairs_of_cleared(CLEAR, f"a[{element}] = 7;", other) == expected


def meetings(model: str, rule: str | None = None) -> int:
    asked = query(handing_out(ADD.format(1) + "a[r] = 7;"), model)
    loaded = registry.get(model)
    execution = Encoding(
        asked.skeletons[0], loaded if rule is None else without(loaded, [rule]), Budget(Limits())
    ).execution
    writes = [event.identifier for event in asked.skeletons[0].events if len(event.locations) > 1]
    return sum(execution.may_meet(one, other) for one in writes for other in writes if one < other)


def test_a_model_has_to_say_that_updates_read_the_write_before() -> None:
    assert meetings("opencl-3.0") == 0
    assert meetings("opencl-3.0", "RMW-1") == 3


@pytest.mark.parametrize("code", ["a[r] = 7;", "a[r / 2] = 7;", "a[r] = 7; a[r + 1] = 8;"])
def test_the_search_finds_the_same(code: str) -> None:
    asked = query(handing_out(ADD.format(1) + code), "opencl-3.0")
    solved, searched = decide(asked), decide_by_search(asked)
    races = set() if code == "a[r] = 7;" else {"data_race"}

    assert [state.values for state in solved.states] == [state.values for state in searched.states]
    assert {flag.name for flag in solved.flags} == {flag.name for flag in searched.flags} == races
