"""Host programs: the oracle says what section 3 of the table says, and mcm says what the oracle says.

`MCM_HOST_COUNT` and `MCM_RANDOM_SEED` choose how many random programs and which; a difference is shrunk and printed as
a litmus test with both answers.
"""

import os
from typing import Final

import pytest

from oracle.host_brute import TooManyError, host_answer
from oracle.host_comparison import difference, smallest
from oracle.host_program import (
    Callback,
    Enqueue,
    Finish,
    Flag,
    HostProgram,
    Kernel,
    Kind,
    Launch,
    Object,
    Query,
    Queue,
    Register,
    SetStatus,
    Step,
    WaitFor,
)
from oracle.host_random import host_from_seed
from oracle.host_rules import FINDINGS
from oracle.model import OPENCL_3_0
from oracle.program import Allocation, FetchAdd, Guard, Load, Order, Scope, Store

SEED: Final = os.environ.get("MCM_RANDOM_SEED", "2026")
COUNT: Final = int(os.environ.get("MCM_HOST_COUNT", "40"))
CHUNK: Final = 20

BUFFER, COARSE, FINE, ATOMICS, PROGRAM_SCOPE = (
    Allocation.BUFFER,
    Allocation.COARSE_SVM,
    Allocation.FINE_SVM,
    Allocation.FINE_SVM_ATOMICS,
    Allocation.PROGRAM_SCOPE,
)
WRITE, READ = Store("x", 1), Load("r", "x")
POLL = (Query("s", "A"), Load("r", "x", guard=Guard("s", 0)))
RELAXED_ADD = FetchAdd("t", "f", 1, Order.RELAXED, Scope.DEVICE)
SEND = (WRITE, Store("f", 1, Order.RELEASE, Scope.ALL))
TAKE = (Load("s", "f", Order.ACQUIRE, Scope.ALL), Load("r", "x", guard=Guard("s", 1)))


def enqueue(event: str, *items: Step | tuple[Step, ...], queue: str = "q", waits: str = "", local: int = 1) -> Enqueue:
    """A kernel with one work-item for each tuple of steps, or for a step alone."""
    bodies = tuple(item if isinstance(item, tuple) else (item,) for item in items)
    return Enqueue(event, Kind.KERNEL, queue, tuple(waits), kernel=Kernel(bodies, local))


def piped(event: str, end: str, *items: Step, queue: str = "q", waits: str = "") -> Enqueue:
    """A kernel that uses an end of the pipe."""
    return Enqueue(event, Kind.KERNEL, queue, tuple(waits), kernel=Kernel((items,), end=end))


def child(flag: Flag, *steps: Step) -> Launch:
    return Launch("C", flag, Kernel((steps,)))


def marker(event: str, waits: str = "") -> Enqueue:
    return Enqueue(event, Kind.MARKER, "q", tuple(waits))


def barrier(event: str, waits: str = "") -> Enqueue:
    return Enqueue(event, Kind.BARRIER, "q", tuple(waits))


def mapped(event: str, waits: str = "", *, for_writing: bool = False, target: str = "x") -> Enqueue:
    return Enqueue(event, Kind.MAP, "q", tuple(waits), blocking=True, target=target, for_writing=for_writing)


def unmapped(event: str) -> Enqueue:
    return Enqueue(event, Kind.UNMAP, "q", target="x")


def program(
    *threads: tuple[Step, ...], order: str = "out", kind: Allocation = FINE, queues: str = "q", size: int | None = None
) -> HostProgram:
    """Threads on out-of-order queues, unless the order is `in`; `x` and `f` are of one kind."""
    return HostProgram(
        (Object("x", kind, size), Object("f", kind, atomic=True)),
        tuple(Queue(name, order == "in") for name in queues),
        threads,
        ("u",),
        (Callback("CB", (READ,)),),
        "row",
    )


def verdict(program: HostProgram, rules: str = "") -> str:
    """F or A for reading 0 (after what orders, where that is asked), ! behind it for a race, and other findings."""
    found = host_answer(program, OPENCL_3_0.minus(*rules.split()))
    stale = any(
        value == 0 and dict(state).get(f"{name.partition(':')[0]}:s", 1) in (0, 1)
        for state in found.states
        for name, value in state
        if name.endswith(":r")
    )
    others = sorted(found.findings - {"data_race"})
    return " ".join([("A" if stale else "F") + "!" * ("data_race" in found.findings), *others])


ROWS: Final = (
    ("HOST-1", program((WRITE, enqueue("A", READ))), "F", "A!"),
    ("HOST-1", program((enqueue("A", (WRITE, child(Flag.NO_WAIT, READ))),)), "F", "A!"),
    ("", program((enqueue("A", (WRITE, child(Flag.NO_WAIT, READ))),), kind=BUFFER), "A!", ""),
    ("", program((enqueue("A", (WRITE, child(Flag.NO_WAIT, READ))),), kind=COARSE), "A!", ""),
    ("HOST-2", program((enqueue("A", WRITE), enqueue("B", READ, waits="A"))), "F", "A!"),
    ("", program((enqueue("A", WRITE), enqueue("B", READ))), "A!", ""),
    ("HOST-3", program((enqueue("A", WRITE), WaitFor(("A",)), READ)), "F", "A!"),
    ("HOST-3", program((enqueue("A", WRITE), marker("M", "A"), WaitFor(("M",)), READ)), "F", "A!"),
    ("HOST-4", program((enqueue("A", WRITE), WaitFor(("A",)), READ)), "F", "A!"),
    ("HOST-4", program((enqueue("A", WRITE), mapped("M", "A"), READ), kind=BUFFER), "F", "A! unmapped_access"),
    ("", program((enqueue("A", WRITE), *POLL)), "A!", ""),
    ("HOST-5", program((enqueue("A", WRITE), enqueue("B", READ)), order="in"), "F", "A!"),
    ("", program((enqueue("A", WRITE), enqueue("B", READ, queue="p")), order="in", queues="qp"), "A!", ""),
    ("HOST-6", program((enqueue("A", WRITE), marker("M"), WaitFor(("M",)), READ)), "F", "A!"),
    ("", program((enqueue("A", WRITE), marker("M"), enqueue("B", READ))), "A!", ""),
    ("HOST-7", program((enqueue("A", WRITE), barrier("M"), enqueue("B", READ))), "F", "A!"),
    ("HOST-7", program((enqueue("A", WRITE), barrier("M", "A"), enqueue("B", READ))), "F", "A!"),
    ("", program((enqueue("A", WRITE), enqueue("N", RELAXED_ADD), barrier("M", "N"), enqueue("B", READ))), "A!", ""),
    ("HOST-8", program((enqueue("A", WRITE), Finish("q"), READ)), "F", "A!"),
    ("", program((enqueue("A", WRITE), Finish("p"), READ), queues="qp"), "A!", ""),
    ("HOST-9", program((WRITE, enqueue("A", READ, READ))), "F", "A!"),
    (
        "HOST-10",
        program((enqueue("A", WRITE, (Store("f", 1, Order.RELAXED, Scope.ALL),)), Finish("q"), READ)),
        "F",
        "A!",
    ),
    ("HOST-11", program((enqueue("A", WRITE), Register("A", "CB"))), "F", "A!"),
    ("HOST-12", program((enqueue("B", READ, waits="u"),), (WRITE, SetStatus("u"))), "F", "A!"),
    ("HOST-4", program((WaitFor(("u",)), READ), (WRITE, SetStatus("u"))), "F", "A!"),
    ("", program((enqueue("B", READ, waits="u"),), (WRITE, SetStatus("u")), (SetStatus("u"),)), "A!", ""),
    ("", program((enqueue("B", WRITE, waits="u"), SetStatus("u", -3), Finish("q"), READ)), "A abnormal_event", ""),
    ("HOST-13", program((enqueue("A", WRITE, child(Flag.WAIT_KERNEL, READ)),), kind=BUFFER), "F", "A!"),
    ("", program((enqueue("A", WRITE, child(Flag.WAIT_WORK_GROUP, READ)),), kind=BUFFER), "A!", ""),
    ("HOST-14", program((enqueue("A", WRITE, child(Flag.WAIT_WORK_GROUP, READ), local=2),), kind=BUFFER), "F", "A!"),
    ("", program((enqueue("A", WRITE, child(Flag.NO_WAIT, READ), local=2),), kind=BUFFER), "A!", ""),
    ("HOST-16", program((enqueue("A", child(Flag.NO_WAIT, WRITE)), WaitFor(("A",)), READ)), "F", "A!"),
    ("", program((enqueue("A", WRITE, waits="u"), SetStatus("u", -1))), "F abnormal_event", ""),
    (
        "HOST-2",
        program((enqueue("A", WRITE), mapped("M", "A"), READ), kind=BUFFER),
        "F",
        "A! map_misuse",
    ),
    ("MAP-2", program((enqueue("A", WRITE), mapped("M")), kind=COARSE), "F! map_misuse", "F map_misuse"),
    ("", program((enqueue("A", READ), mapped("M")), kind=COARSE), "A", ""),
    ("", program((mapped("M", for_writing=True), WRITE, enqueue("A", READ)), kind=COARSE), "F map_misuse", ""),
    ("", program((mapped("M", for_writing=True), WRITE, unmapped("U"), enqueue("A", READ)), order="in"), "F", ""),
    ("", program((mapped("M"),), (mapped("N"),), kind=BUFFER), "F", ""),
    ("", program((mapped("M"),), (mapped("N", for_writing=True),), kind=BUFFER), "F map_misuse", ""),
    ("", program((mapped("M"), WRITE), kind=BUFFER), "F unmapped_access", ""),
    ("", program((mapped("M"), unmapped("U"), READ), kind=BUFFER), "A unmapped_access", ""),
    ("", program((READ,), kind=BUFFER), "A unmapped_access", ""),
    ("", program((READ,), kind=FINE), "A", ""),
    ("", program((enqueue("A", RELAXED_ADD), enqueue("B", RELAXED_ADD)), kind=BUFFER), "F! implementation_defined", ""),
    ("", program((enqueue("A", RELAXED_ADD), enqueue("B", RELAXED_ADD)), kind=BUFFER, order="in"), "F", ""),
    ("", program((enqueue("A", (child(Flag.NO_WAIT, RELAXED_ADD), RELAXED_ADD)),), kind=BUFFER), "F", ""),
    ("PIPE-1", program((piped("A", "write"), piped("B", "write"))), "F pipe_misuse", "F"),
    ("PIPE-1", program((piped("A", "write"), piped("B", "write")), order="in", queues="qp"), "F", "F"),
    ("", program((piped("A", "read"), piped("B", "read", waits="A"), piped("C", "write"))), "F", ""),
    ("HOST-2", program((piped("A", "read"), piped("B", "read", waits="A"))), "F", "F pipe_misuse"),
    ("", program((piped("A", "write", *SEND), piped("B", "write", *TAKE))), "F pipe_misuse", ""),
    *(
        ("", program((enqueue("A", SEND), enqueue("B", TAKE)), kind=kind), "F", "")
        for kind in (COARSE, FINE, PROGRAM_SCOPE)
    ),
    ("", program((enqueue("A", Store("x[0]", 1)), enqueue("B", Store("x[1]", 1))), size=2), "F", ""),
    ("", program((enqueue("A", WRITE), enqueue("B", WRITE))), "F!", ""),
    *(
        ("", program((enqueue("A", SEND), *TAKE), kind=kind), found, "")
        for kind, found in ((ATOMICS, "F"), (FINE, "A!"))
    ),
)
"""Rows, programs, and what becomes of reading the old value: with all rules, and without the row."""


@pytest.mark.parametrize(("row", "written", "expected", "without"), ROWS)
def test_the_oracle_says_what_the_table_says(row: str, written: HostProgram, expected: str, without: str) -> None:
    assert verdict(written) == expected
    if row:
        assert verdict(written, row) == without


def expect_no_difference(program: HostProgram) -> None:
    found = difference(program)
    if found is not None:
        pytest.fail(f"first shown by {program.name}\n{smallest(found)}", pytrace=False)


@pytest.mark.slow
def test_mcm_says_the_same_of_the_rows() -> None:
    for _, written, _, _ in ROWS:
        expect_no_difference(written)


@pytest.mark.slow
@pytest.mark.parametrize("start", range(0, COUNT, CHUNK))
def test_agreement_on_random_host_programs(start: int) -> None:
    print(f"MCM_RANDOM_SEED={SEED}, host programs {start} to {min(start + CHUNK, COUNT) - 1}")  # noqa: T201 (the seed)
    for number in range(start, min(start + CHUNK, COUNT)):
        try:
            expect_no_difference(host_from_seed(SEED, number))
        except TooManyError:
            continue


@pytest.mark.slow
def test_random_host_programs_show_everything() -> None:
    """Most are small enough, and among a hundred is one that shows each finding, one that waits, one with nothing."""
    answers = []
    for number in range(100):
        try:
            answers.append(host_answer(host_from_seed("each", number), OPENCL_3_0, most=500))
        except TooManyError:
            continue
    assert len(answers) >= 80
    shown = {name for answer in answers for name in answer.findings}
    assert shown == set(FINDINGS)
    assert any(answer.blocked for answer in answers)
    assert sum(not answer.findings for answer in answers) >= 20
