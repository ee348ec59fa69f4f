from __future__ import annotations

import threading
from itertools import permutations

import pytest

from mcm.machine.command import Command, CommandKind, KernelCommand
from mcm.machine.command_state import FAILED, State, status_of
from mcm.machine.runtime import CommandQueue, Context, Device
from mcm.program.command import FAILED_IN_WAIT_LIST

# What `clGetEventInfo` tells, as OpenCL's header has it.
QUEUED, SUBMITTED, RUNNING, COMPLETE = 3, 2, 1, 0


def command(name: str, *wait_list: Command, done: list[str] | None = None) -> Command:
    action = None if done is None else lambda: done.append(name)
    return Command(name, CommandKind.COMMAND, wait_list, action=action)


def queue_of(*, in_order: bool) -> tuple[Context, CommandQueue, Device]:
    context = Context()
    device = Device(context, "d")
    return context, CommandQueue(context, device, "q", in_order=in_order), device


def pushed(context: Context) -> list[str]:
    return [line.removeprefix("q pushes ") for line in context.log if line.startswith("q pushes ")]


def drain(device: Device) -> None:
    while device.perform_next():
        pass


def test_an_in_order_queue_pushes_the_next_event_when_the_one_before_is_over() -> None:
    context, queue, device = queue_of(in_order=True)
    first, second = queue.enqueue(command("a")), queue.enqueue(command("b"))

    assert pushed(context) == ["a"]
    assert (first.status, second.status) == (SUBMITTED, QUEUED)
    device.perform_next()
    assert (first.status, second.status) == (COMPLETE, SUBMITTED)
    assert pushed(context) == ["a", "b"]


def test_an_out_of_order_queue_pushes_whatever_waits_for_nothing() -> None:
    context, queue, device = queue_of(in_order=False)
    first = queue.enqueue(command("a"))
    queue.enqueue(command("b", first))
    queue.enqueue(command("c"))

    assert pushed(context) == ["a", "c"]
    drain(device)
    assert pushed(context) == ["a", "c", "b"]


def test_nothing_passes_a_barrier() -> None:
    context, queue, device = queue_of(in_order=False)
    queue.enqueue(command("a"))
    queue.enqueue(Command("barrier", CommandKind.BARRIER))
    queue.enqueue(command("b"))

    assert pushed(context) == ["a"]
    drain(device)
    assert pushed(context) == ["a", "barrier", "b"]


def test_a_barrier_with_a_wait_list_waits_for_that_alone() -> None:
    context, queue, device = queue_of(in_order=False)
    queue.enqueue(command("a"))
    user = context.user_event("u")
    queue.enqueue(Command("barrier", CommandKind.BARRIER, (user,)))
    queue.enqueue(command("b"))
    drain(device)

    assert pushed(context) == ["a"]
    context.set_status(user)
    drain(device)
    assert pushed(context) == ["a", "barrier", "b"]


def test_a_marker_waits_for_what_is_before_it_and_holds_nothing_back() -> None:
    context, queue, device = queue_of(in_order=False)
    queue.enqueue(command("a"))
    marker = queue.enqueue(Command("marker", CommandKind.MARKER))
    queue.enqueue(command("b"))

    assert pushed(context) == ["a", "b"]
    assert marker.status == QUEUED
    drain(device)
    assert marker.status == COMPLETE


def test_wait_for_events_blocks_later_what_comes_later() -> None:
    context, queue, device = queue_of(in_order=False)
    user = context.user_event("u")
    queue.enqueue(Command("wait", CommandKind.WAIT_FOR_EVENTS, (user,)))
    queue.enqueue(command("a"))

    assert pushed(context) == []
    context.set_status(user)
    drain(device)
    assert pushed(context) == ["wait", "a"]


def test_events_of_one_queue_wait_for_those_of_another() -> None:
    context = Context()
    device = Device(context, "d")
    one, other = CommandQueue(context, device, "one"), CommandQueue(context, device, "other")
    done: list[str] = []
    late = Command("late", CommandKind.COMMAND, action=lambda: done.append("late"))
    other.enqueue(command("early", late, done=done))
    one.enqueue(late)
    drain(device)

    assert done == ["late", "early"]


def test_a_user_event_is_completed_once_and_by_the_host_alone() -> None:
    context, queue, _ = queue_of(in_order=True)
    user = context.user_event("u")
    context.set_status(user)

    with pytest.raises(ValueError, match="has ended before"):
        context.set_status(user)
    with pytest.raises(ValueError, match="not a user event"):
        context.set_status(queue.enqueue(command("a")))
    with pytest.raises(ValueError, match="cannot be enqueued"):
        queue.enqueue(context.user_event("v"))


def test_a_failure_reaches_those_who_wait_for_it_and_no_others() -> None:
    context, queue, device = queue_of(in_order=False)
    user = context.user_event("u")
    waiting = queue.enqueue(command("a", user))
    behind = queue.enqueue(command("b", waiting))
    marker = queue.enqueue(Command("marker", CommandKind.MARKER))
    context.set_status(user, -7)
    drain(device)

    assert (user.status, waiting.status, behind.status) == (-7, FAILED_IN_WAIT_LIST, FAILED_IN_WAIT_LIST)
    assert marker.status == COMPLETE


def test_a_kernel_is_reserved_group_by_group_and_over_after_the_last() -> None:
    context, queue, device = queue_of(in_order=True)
    done: list[int] = []
    kernel = KernelCommand("k", [lambda number=number: done.append(number) for number in range(3)])
    queue.enqueue(kernel)
    after = queue.enqueue(command("after"))

    statuses = []
    while device.perform_next():
        statuses.append((kernel.status, after.status))
    assert done == [0, 1, 2]
    assert statuses == [(RUNNING, QUEUED), (RUNNING, QUEUED), (COMPLETE, SUBMITTED), (COMPLETE, COMPLETE)]
    assert "worker 0 of d reserves work-group 2 of k" in context.log


def test_an_error_in_one_work_group_is_the_status_of_the_kernel() -> None:
    def fails() -> None:
        message = "out of bounds"
        raise IndexError(message)

    context, queue, device = queue_of(in_order=True)
    done: list[int] = []
    kernel = queue.enqueue(KernelCommand("k", [fails, lambda: done.append(1)]))
    drain(device)

    assert kernel.status == FAILED
    assert done == [1]
    assert [str(error) for error in context.errors] == ["out of bounds"]


def test_work_groups_run_in_parallel_on_worker_threads() -> None:
    # Each group waits for the others: only parallel workers bring them all to the end.
    meeting = threading.Barrier(3)
    with Context() as context:
        device = Device(context, "d", workers=3)
        queue = CommandQueue(context, device, "q")
        kernel = queue.enqueue(KernelCommand("k", [lambda: meeting.wait(20) and None] * 3))
        assert queue.finish(20)

    assert kernel.status == COMPLETE
    assert context.errors == []


@pytest.mark.parametrize("order", list(permutations(range(3))))
def test_many_workers_do_every_piece_of_work_once(order: tuple[int, ...]) -> None:
    done: list[tuple[int, int]] = []
    with Context() as context:
        device = Device(context, "d", workers=4)
        queue = CommandQueue(context, device, "q", in_order=False)
        for kernel in order:
            groups = [lambda pair=(kernel, group): done.append(pair) for group in range(5)]
            queue.enqueue(KernelCommand(f"k{kernel}", groups))
        assert queue.finish(20)

    assert sorted(done) == [(kernel, group) for kernel in range(3) for group in range(5)]


def test_a_command_goes_through_the_states_of_the_specification_in_order() -> None:
    """HOST-17; a queue that is flushed has submitted what still waits."""
    context, queue, device = queue_of(in_order=True)
    kernel = KernelCommand("k", [lambda: None, lambda: None])
    seen = [kernel.state]
    user = context.user_event("u")
    waiting = queue.enqueue(Command("w", CommandKind.COMMAND, (user,)))
    assert (waiting.state, waiting.status) == (State.QUEUED, QUEUED)
    queue.flush()
    assert (waiting.state, waiting.status) == (State.SUBMITTED, SUBMITTED)
    context.set_status(user)
    assert (waiting.state, waiting.status) == (State.READY, SUBMITTED)
    drain(device)
    assert (waiting.state, waiting.status) == (State.COMPLETE, COMPLETE)
    queue.enqueue(kernel)
    seen.append(kernel.state)
    while device.perform_next():
        seen.append(kernel.state)
    assert seen == [State.QUEUED, State.READY, State.RUNNING, State.COMPLETE]
    assert [status_of(state) for state in list(State)[1:]] == [3, 2, 2, 1, 1, 0]
