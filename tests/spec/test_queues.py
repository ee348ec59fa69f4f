"""The rows about command queues (QUE-1 to QUE-5) on the machine, and what goes wrong where a queue breaks them."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any, Final

import pytest
from msgspec.structs import replace
from shipped_tests import HOST, source_of

from mcm import run
from mcm.catalogue import registry
from mcm.catalogue.evaluate import evaluate_model
from mcm.confirm import execution_of
from mcm.explain.observed import observed_by
from mcm.front_end.read import read_test
from mcm.machine import commands, compiled
from mcm.machine.build import build
from mcm.machine.command import CommandKind, KernelCommand
from mcm.machine.command_state import State, to_push
from mcm.machine.command_table import table_of
from mcm.machine.exhaustive import Budget, explore
from mcm.machine.host_calls import HostCalls
from mcm.machine.recording import recorded
from mcm.machine.runtime import CommandQueue, Context, Device
from mcm.machine.schedule import RandomScheduler
from mcm.machine.view_memory import ViewMemory

if TYPE_CHECKING:
    from collections.abc import Iterator

    from mcm.machine.command_code import CommandTable
    from mcm.machine.commands import CommandStates
    from mcm.machine.exhaustive import Exploration

CLOVER = HOST / "clover"


def explored(name: str) -> Exploration:
    program = read_test(source_of(HOST / f"{name}.litmus")).program
    return explore(build(program, "views"), observed_by(program), Budget(configurations=20_000, operations=100))


def kinds(found: Exploration) -> set[str]:
    return {finding.kind for finding in found.findings}


def trace(name: str) -> list[str]:
    result = run(source_of(CLOVER / f"{name}.litmus"), schedule="clover", trace=True)
    assert result.trace is not None
    return [line.what for line in result.trace.lines]


@pytest.mark.parametrize("name", ["HOST-5", "HOST-7", "HOST-7.list.waited"])
def test_que_2_what_a_queue_holds_back(name: str) -> None:
    assert not kinds(explored(name))


def test_que_2_a_queue_that_takes_no_notice_of_the_order_breaks_host_5(monkeypatch: pytest.MonkeyPatch) -> None:
    def out_of_order(pending: tuple[int, ...], **rest: Any) -> Iterator[int]:
        return to_push(pending, **{**rest, "in_order": False, "may_begin": lambda _: True})

    monkeypatch.setattr(commands, "to_push", out_of_order)
    assert "data-race" in kinds(explored("HOST-5"))


def test_que_2_a_queue_that_passes_barriers_breaks_host_7(monkeypatch: pytest.MonkeyPatch) -> None:
    def passing(pending: tuple[int, ...], **rest: Any) -> Iterator[int]:
        return to_push(pending, **{**rest, "blocks_later": lambda _: False, "may_begin": lambda _: True})

    monkeypatch.setattr(commands, "to_push", passing)
    assert "data-race" in kinds(explored("HOST-7.list.waited"))


def test_que_1_and_que_4_commands_go_to_devices_whose_workers_perform_them() -> None:
    lines = trace("queue.workers")
    pushed = lines.index("q pushes square to device 0: 6 work-groups")
    reserved = [place for place, line in enumerate(lines) if "reserves work-group" in line]
    assert lines.index("square is queued on q") < pushed < reserved[0]
    # Each work-group is reserved once; with the last one, the kernel leaves the list of the device.
    assert [lines[place].partition(" of square")[0].rpartition(" ")[2] for place in reserved] == [*"012345"]
    assert [lines[place].endswith("leaves the list of device 0") for place in reserved] == [False] * 5 + [True]
    # Any other command is taken off the list, and so performed once.
    assert sum(line.endswith("takes fill of b off its list") for line in lines) == 1
    # It is complete after its last group, not when that one is reserved.
    last_group = max(place for place, line in enumerate(lines) if line == "writes 25")
    assert reserved[-1] < last_group < lines.index("square is complete")


def test_que_3_markers_barriers_and_user_events_order_and_do_nothing() -> None:
    lines = trace("queue.out-of-order")
    for nothing in ("barrier", "marker"):
        assert f"q comes to {nothing}, which only orders: there is nothing to push" in lines
        assert not any(f"off its list: {nothing}" in line or f"takes {nothing}" in line for line in lines)
    # A user event is complete where the host says so, and nothing that waits for it is pushed before.
    assert lines.index("user event go is complete") < lines.index("q pushes setA to device 0: 1 work-group")


def test_que_1_commands_of_a_queue_that_pushes_nothing_are_never_performed(monkeypatch: pytest.MonkeyPatch) -> None:
    assert not explored("HOST-8").blocked
    monkeypatch.setattr(commands, "to_push", lambda *_, **__: ())
    found = explored("HOST-8")
    assert found.blocked
    assert not found.states


def test_que_3_a_marker_that_holds_back_what_is_later_gives_more_than_host_6(monkeypatch: pytest.MonkeyPatch) -> None:
    assert "data-race" in kinds(explored("HOST-6.later"))
    monkeypatch.setattr(CommandKind, "blocks_later", property(lambda kind: kind.only_orders))
    assert not kinds(explored("HOST-6.later"))


def test_que_3_a_user_event_that_completes_by_itself_breaks_host_12(monkeypatch: pytest.MonkeyPatch) -> None:
    def complete(self: HostCalls[Any]) -> CommandStates:
        now = start(self)
        return now._replace(states=tuple(s if s == State.ABSENT else State.COMPLETE for s in now.states))

    assert not kinds(explored("HOST-12"))
    start = HostCalls.start
    monkeypatch.setattr(HostCalls, "start", complete)
    assert "data-race" in kinds(explored("HOST-12"))


def performed(groups: int) -> tuple[list[int], bool]:
    """What work-groups of a kernel were performed, in order, and whether it was complete after the last one only."""
    done: list[int] = []
    with Context() as context:
        device = Device(context, "d")
        queue = CommandQueue(context, device, "q")
        kernel = KernelCommand("k", [partial(done.append, number) for number in range(groups)])
        queue.enqueue(kernel)
        is_last = True
        while device.perform_next():
            is_last &= kernel.is_over == (len(done) == groups)
    return done, is_last


def test_que_4_a_kernel_stays_in_the_list_up_to_its_last_group(monkeypatch: pytest.MonkeyPatch) -> None:
    assert performed(3) == ([0, 1, 2], True)
    reserve = KernelCommand.reserve
    monkeypatch.setattr(KernelCommand, "reserve", lambda kernel: reserve(kernel) or True)
    assert performed(3) == ([0], True)


def test_que_4_a_kernel_is_complete_after_its_last_group(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(KernelCommand, "group_finished", lambda kernel, **_: None if kernel.is_over else State.COMPLETE)
    assert performed(1) == ([0], True)
    assert performed(3) == ([0, 1, 2], False)


def test_que_4_a_kernel_that_is_complete_after_its_first_group_breaks_host_10(monkeypatch: pytest.MonkeyPatch) -> None:
    def first_group(*arguments: Any) -> CommandTable:
        table = table_of(*arguments)
        return replace(table, commands=tuple(replace(one, groups=one.groups[:1]) for one in table.commands))

    assert not kinds(explored("HOST-10"))
    monkeypatch.setattr(compiled, "table_of", first_group)
    assert kinds(explored("HOST-10")) == {"data-race"}


QUE_5: Final = [f"HOST-{row}" for row in (1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12)]


def agrees(name: str, seed: int) -> bool:
    """Whether a random trace of a test is an execution that the model allows, and races where the model says so."""
    program = read_test(source_of(HOST / f"{name}.litmus")).program
    model = registry.get("opencl-3.0")
    recording = recorded(build(program, "views"), RandomScheduler((name, seed)), 300, is_weak=True)
    evaluation = evaluate_model(execution_of(recording, program, model), model)
    races = any(found.finding.kind == "data-race" for found in recording.findings)
    return evaluation.is_consistent and races == ("data_race" in evaluation.raised)


@pytest.mark.parametrize("name", QUE_5)
def test_que_5_a_trace_satisfies_the_rows(name: str) -> None:
    assert all(agrees(name, seed) for seed in range(5))


@pytest.mark.parametrize("name", QUE_5)
def test_que_5_a_trace_does_not_where_commands_hand_nothing_on(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ViewMemory, "take", lambda _memory, state, _thread, _box: state)
    assert not all(agrees(name, seed) for seed in range(5))
