"""Numbers that groups take from a counter, and what groups are told once: a case for each condition."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import pytest

from mcm.answer.query import Query
from mcm.base.source import Source
from mcm.catalogue import registry
from mcm.engine.choose import told_in
from mcm.execution.broadcasts import written_once
from mcm.execution.elaborate import elaborate
from mcm.execution.event import EventKind
from mcm.execution.expression import Constant, ReadValue
from mcm.execution.tickets import tickets_of
from mcm.explain.observed import observed_by
from mcm.front_end.read import read_test

if TYPE_CHECKING:
    from mcm.program.program import Program

TAKE: Final = "atomic_fetch_add_explicit(next, 1, memory_order_relaxed, memory_scope_device)"
FIRST: Final = f"if (l == 0) {{ tile = {TAKE}; }} barrier(CLK_LOCAL_MEM_FENCE); int t = tile;"


def program_of(
    body: str = f"{FIRST} out[t] = l;",
    *,
    groups: int = 3,
    seen: str = "next; out;",
    initial: str = "[next]=5;",
    launch: str = "",
) -> Program:
    return read_test(
        Source(
            "tickets",
            f"""OPENCL tickets
{{ {initial} int out[8]; int others[4]; }}
kernel K (global atomic_int* next, global int* out, global int* others) {{
  local int tile; local int spare; local int few[2]; int l = get_local_id(0); int me = 0;
  {body}
}}
{launch or f"launch K global {2 * groups}, local 2, dev 0;"}
locations [{seen}]
exists (out[0]=1)
""",
        )
    ).program


def test_each_group_takes_a_number() -> None:
    tickets = tickets_of(program_of())
    assert tickets is not None
    assert [constant.value for constant in tickets.by_thread.values()] == [5, 5, 6, 6, 7, 7]
    assert [sorted(group) for group in tickets.groups] == [[0, 1], [2, 3], [4, 5]]


ALIKE: Final = {
    "nothing else": FIRST,
    "local memory of its own": FIRST + "few[l] = t; barrier(CLK_LOCAL_MEM_FENCE); out[t] = few[1 - l];",
    "what has no number": FIRST + "if (l == 1) { out[7] = 1; }",
    "steps of two": FIRST.replace(", 1,", ", 2,"),
    "sizes": FIRST + "out[t] = get_num_groups(0);",
    "another object": FIRST + "others[t & 3] = t;",
}


@pytest.mark.parametrize("body", ALIKE.values(), ids=ALIKE)
def test_groups_that_differ_in_nothing_else(body: str) -> None:
    assert tickets_of(program_of(body)) is not None


DIFFERENT: Final = {
    "the number of the group": FIRST + "out[t] = get_group_id(0);",
    "the number of the work-item": FIRST + "out[get_global_id(0)] = t;",
    "one group does more": FIRST + "if (get_group_id(0) == 1) { out[t] = 1; }",
    "a second number": FIRST + f"me = {TAKE};",
    "a loop": f"for (int i = 0; i < 2; i++) {{ if (l == 0) {{ tile = {TAKE}; }} }}",
    "a loop before": "if (l > 0) { while (others[0]) { } } " + FIRST,
    "somebody looks at the counter": FIRST + "me = atomic_load(next);",
    "the address of the counter is kept": FIRST + "global atomic_int* p = next; me = atomic_load(p);",
    "no step": FIRST.replace(", 1,", ", 0,"),
    "steps that are not known": FIRST.replace(", 1,", ", l + 1,"),
    "another operator": "if (l == 0) { tile = atomic_fetch_max(next, 1); }",
}


@pytest.mark.parametrize("body", DIFFERENT.values(), ids=DIFFERENT)
def test_other_groups_may_differ(body: str) -> None:
    assert tickets_of(program_of(body)) is None


def test_two_groups_are_few() -> None:
    assert tickets_of(program_of(groups=2)) is None


def test_registers_that_are_asked_for_tell_groups_apart() -> None:
    assert tickets_of(program_of(seen="K[0]:t;")) is None


def test_numbers_that_do_not_fit() -> None:
    assert tickets_of(program_of(initial="[next]=2147483645;")) is None
    assert tickets_of(program_of(initial="[next]=2147483600;")) is not None


def test_a_launch_of_another_kernel_changes_nothing() -> None:
    other = "P9@wg 9, dev 0 (global int* others) { others[0] = 1; }"
    launch = f"launch K global 6, local 2, dev 0;\n{other}"
    assert tickets_of(program_of(launch=launch)) is not None
    assert tickets_of(program_of(launch=launch.replace("others", "next").replace("int* n", "atomic_int* n"))) is None


def test_what_depends_on_an_update_depends_on_its_number() -> None:
    program = program_of(f"if (l == 0) {{ int t = {TAKE}; out[t - 5] = t; }}")
    (skeleton,) = elaborate(program, tickets=tickets_of(program))
    writes = [event for event in skeleton.events if event.kind is EventKind.WRITE and event.thread is not None]
    updates = [event.identifier for event in skeleton.events if event.kind is EventKind.UPDATE]

    assert [event.value for event in writes] == [Constant(5), Constant(6), Constant(7)]
    assert all(isinstance(event.address, Constant) for event in writes)
    assert len(skeleton.constraints) == len(updates) == 3


@pytest.mark.parametrize("who", ["l == 0 && others[0] == 0", "true", "false"])
def test_where_not_one_member_takes_a_number_in_any_case_nothing_is_supposed(who: str) -> None:
    program = program_of(f"if ({who}) {{ tile = {TAKE}; }} barrier(CLK_LOCAL_MEM_FENCE); out[tile & 7] = l;")
    tickets = tickets_of(program)
    assert tickets is not None
    (skeleton,) = elaborate(program, tickets=tickets)
    (other,) = elaborate(program)

    assert skeleton.constraints == other.constraints
    assert [event.value for event in skeleton.events] == [event.value for event in other.events]


# --- what groups are told once ----------------------------------------------------------------------------------------


def names(program: Program) -> set[str]:
    return {program.objects[number].name for number in written_once(program)}


@pytest.mark.parametrize(
    ("body", "is_once"),
    [
        ("if (l == 0) { tile = 1; }", True),
        ("me = tile;", True),
        ("if (l == 0) { tile = 1; } else { tile = 2; }", False),
        ("tile += 1;", True),
        ("for (int i = 0; i < 2; i++) { tile = i; }", False),
        ("for (int i = 0; i < 2; i++) { me = tile; } tile = 4;", False),
        ("tile = 4; for (int i = 0; i < 2; i++) { me = tile; }", True),
        ("local int* p = &tile; *p = 3;", False),
        ("few[0] = 1; tile = 2;", True),
    ],
)
def test_variables_that_are_written_once(body: str, *, is_once: bool) -> None:
    assert ("tile" in names(program_of(body))) is is_once
    assert "few" not in names(program_of(body + " few[l] = 1;"))


def told(program: Program) -> set[tuple[int, object]]:
    tickets = tickets_of(program)
    skeletons = elaborate(program, waiting=True, tickets=tickets)
    query = Query(skeletons, registry.get("opencl-3.0"), observed_by(program))
    return {(place.thread, supposition.value.value) for place, supposition in told_in(query).items()}


def test_who_reads_behind_a_barrier_is_told() -> None:
    assert told(program_of()) == {(0, 5), (1, 5), (2, 6), (3, 6), (4, 7), (5, 7)}


@pytest.mark.parametrize(
    "body",
    [
        FIRST.replace("barrier(CLK_LOCAL_MEM_FENCE);", ""),
        FIRST.replace("LOCAL_MEM", "GLOBAL_MEM"),
        FIRST.replace("if (l == 0)", "if (l == 0 && others[l] == 0)"),
        FIRST + "tile = 3;",
        FIRST.replace("int t = tile;", "if (others[l] == 0) { me = tile; }"),
        f"if (l == 0) {{ tile = {TAKE} + others[0]; }} barrier(CLK_LOCAL_MEM_FENCE); me = tile; others[0] = 1;",
    ],
)
def test_who_may_read_something_else_is_not_told(body: str) -> None:
    assert told(program_of(body)) == set()


def test_what_is_told_is_known_when_the_program_is_elaborated_again() -> None:
    program = program_of()
    tickets = tickets_of(program)
    query = Query(elaborate(program, tickets=tickets), registry.get("opencl-3.0"), observed_by(program))
    (skeleton,) = elaborate(program, tickets=tickets, supposed=told_in(query))
    addresses = {e.address for e in skeleton.events if e.kind is EventKind.WRITE and e.span.text.startswith("out")}

    assert not skeleton.supposed
    assert all(isinstance(address, Constant) for address in addresses)
    assert len(addresses) == 3
    assert not any(isinstance(event.value, ReadValue) for event in skeleton.events)
