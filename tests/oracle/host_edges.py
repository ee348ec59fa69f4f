"""Section 3 of the table, rows HOST-1 to HOST-16: what each adds to gsw, in the table's words."""

from collections.abc import Callable, Iterator
from typing import Final

from oracle.host_events import Events
from oracle.host_program import Command, Enqueue, Finish, Flag, Launch, Register, WaitFor
from oracle.host_progress import earlier, index_of

Pair = tuple[int, int]


def host_1(e: Events) -> Iterator[Pair]:
    # call(enqueue C) -> start(C); that of a kernel counts for fine-grain SVM only, and stands in `by_child`
    for name, start in e.starts.items():
        if isinstance(_command(e, name).call, Enqueue) and (call := e.call_of(name)):
            yield call.number, start.number


def by_child(e: Events) -> Iterator[Pair]:
    # HOST-1, device-side enqueue: writes before X reach C only through fine-grain SVM
    for name, start in e.starts.items():
        if isinstance(_command(e, name).call, Launch) and (call := e.call_of(name)):
            yield call.number, start.number


def host_2(e: Events) -> Iterator[Pair]:
    # E -> start(C) for each E in C's wait list
    for name, start in e.starts.items():
        for event in _command(e, name).waits:
            if event in e.completions:
                yield e.completions[event].number, start.number


def host_3(e: Events) -> Iterator[Pair]:
    # C -> E(C) completion (end(C) -> E(C))
    for name, complete in e.completions.items():
        yield e.starts[name].number, complete.number
        if name in e.ends:
            yield e.ends[name].number, complete.number


def host_4(e: Events) -> Iterator[Pair]:
    # E -> call(X) for an API call X that waits on E: clWaitForEvents, blocking read/write/map
    for place, returned in e.returns.items():
        step = e.progress.step(place)
        names = step.events if isinstance(step, WaitFor) else (step.event,) if isinstance(step, Enqueue) else ()
        for name in names:
            if name in e.completions:
                yield e.completions[name].number, returned.number
            yield from ((call.number, returned.number) for call in e.sets(name))


def host_5(e: Events) -> Iterator[Pair]:
    # in-order queue: E(C) -> start(C1) for consecutive C, C1
    for name, before in _earlier_in_queue(e):
        call = _command(e, name).call
        assert isinstance(call, Enqueue)
        if before and e.progress.cast.program.queue(call.queue).in_order:
            yield e.completions[before[-1]].number, e.starts[name].number


def host_6(e: Events) -> Iterator[Pair]:
    # marker with empty list: E(all earlier in queue) -> C; gives nothing to later commands
    for name, before in _earlier_in_queue(e):
        if _command(e, name).is_marker and not _command(e, name).waits:
            yield from ((e.completions[one].number, e.starts[name].number) for one in before)


def host_7(e: Events) -> Iterator[Pair]:
    # barrier command, empty list: HOST-6 plus E(C) -> all later commands; with a list it still holds back the later
    for name, before in _earlier_in_queue(e):
        if _command(e, name).is_barrier and not _command(e, name).waits:
            yield from ((e.completions[one].number, e.starts[name].number) for one in before)
        barriers = [one for one in before if _command(e, one).is_barrier]
        yield from ((e.completions[one].number, e.starts[name].number) for one in barriers)


def host_8(e: Events) -> Iterator[Pair]:
    # clFinish: E(all earlier in queue) -> call(clFinish)
    for place, returned in e.returns.items():
        if isinstance(e.progress.step(place), Finish):
            yield from ((e.completions[one].number, returned.number) for one in earlier(e.progress, place))


def host_9(e: Events) -> Iterator[Pair]:
    # start(K) -> every op of every wi of K
    for name, start in e.starts.items():
        for actor in _command(e, name).actors:
            yield from ((start.number, one.number) for one in e.of_actor(actor))


def host_10(e: Events) -> Iterator[Pair]:
    # every op of every wi of K -> E(K); "end" is where all work-groups are done
    for name, end in e.ends.items():
        for actor in _command(e, name).actors:
            yield from ((one.number, end.number) for one in e.of_actor(actor))


def host_11(e: Events) -> Iterator[Pair]:
    # E -> all ops of callback P registered on E
    for place in e.progress.called:
        step = e.progress.step(place)
        if isinstance(step, Register):
            (actor,) = (one for one in e.progress.cast.actors if one.name == f"{step.callback}[0]")
            done = [e.completions[step.event]] if step.event in e.completions else e.sets(step.event)
            yield from ((one.number, other.number) for one in done for other in e.of_actor(actor.number))


def host_12(e: Events) -> Iterator[Pair]:
    # user event: call(set E COMPLETE) -> start(C) for C waiting on E
    for name, start in e.starts.items():
        for event in _command(e, name).waits:
            yield from ((call.number, start.number) for call in e.sets(event))


def host_13(e: Events) -> Iterator[Pair]:
    # CLK_ENQUEUE_FLAGS_WAIT_KERNEL: end(parent) -> start(C)
    for name, start, call in _children(e):
        parent = _command(e, name).parent
        if call.flag is Flag.WAIT_KERNEL and parent is not None:
            yield e.ends[parent].number, start


def host_14(e: Events) -> Iterator[Pair]:
    # ..._WAIT_WORK_GROUP: end(enqueuing work-group) -> start(C)
    actors = e.progress.cast.actors
    for name, start, call in _children(e):
        caller = actors[_command(e, name).caller]
        if call.flag is Flag.WAIT_WORK_GROUP:
            group = [one for one in actors if one.command == caller.command and one.place.wg == caller.place.wg]
            yield from ((op.number, start) for one in group for op in e.of_actor(one.number))


def host_16(e: Events) -> Iterator[Pair]:
    # parent's COMPLETE waits for all children COMPLETE: E(child) -> E(parent)
    for name, complete in e.completions.items():
        parent = _command(e, name).parent
        if parent in e.completions:
            yield complete.number, e.completions[parent].number


ROWS: Final[dict[str, Callable[[Events], Iterator[Pair]]]] = {
    "HOST-1": host_1,
    "HOST-2": host_2,
    "HOST-3": host_3,
    "HOST-4": host_4,
    "HOST-5": host_5,
    "HOST-6": host_6,
    "HOST-7": host_7,
    "HOST-8": host_8,
    "HOST-9": host_9,
    "HOST-10": host_10,
    "HOST-11": host_11,
    "HOST-12": host_12,
    "HOST-13": host_13,
    "HOST-14": host_14,
    "HOST-16": host_16,
}


def _command(e: Events, name: str) -> Command:
    return e.progress.cast.commands[name]


def _earlier_in_queue(e: Events) -> Iterator[tuple[str, list[str]]]:
    """Yield each command that the host enqueued and that started, with those before it that are complete by then."""
    for name in e.starts:
        command = _command(e, name)
        if isinstance(command.call, Enqueue):
            place = command.caller, index_of(e.progress.cast, command)
            yield name, [one for one in earlier(e.progress, place) if one in e.completions]


def _children(e: Events) -> Iterator[tuple[str, int, Launch]]:
    for name, start in e.starts.items():
        call = _command(e, name).call
        if isinstance(call, Launch):
            yield name, start.number, call
