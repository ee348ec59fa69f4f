"""How far a host program gets when calls come to its queues in a given order, and what waits for ever."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import product
from typing import Final

from oracle.host_program import (
    Actor,
    Cast,
    Command,
    Enqueue,
    Finish,
    Flag,
    Launch,
    Query,
    Register,
    SetStatus,
    Step,
    WaitFor,
)

Place = tuple[int, int]
"""A step: the number of the actor, and of its step."""

Ways = Mapping[Place, bool]
"""For each step with a guard, whether the guard holds."""

Order = tuple[Place, ...]
"""The calls to a queue, or those that set a user event."""

FAILED_IN_WAIT_LIST: Final = -14


@dataclass(slots=True)
class Progress:
    """What has happened: how many steps each actor has made, and whether it has returned from the last one."""

    cast: Cast
    ways: Ways
    orders: Mapping[str, Order]
    """Of the calls to each queue, and of those that set each user event."""
    made: list[int] = field(default_factory=list)
    called: set[Place] = field(default_factory=set)
    """Steps that were begun. A call that waits returns when it is made."""
    started: set[str] = field(default_factory=set)
    ended: set[str] = field(default_factory=set)
    completed: set[str] = field(default_factory=set)
    """Of commands and of user events."""
    failed: dict[str, int] = field(default_factory=dict)
    """HOST-18: the errors of those that are complete with one."""

    def is_done(self, actor: Actor) -> bool:
        return self.made[actor.number] == len(actor.steps)

    def happens(self, place: Place) -> bool:
        """Tell whether a step is made, and not passed over because of its guard."""
        return place[1] < self.made[place[0]] and self.ways.get(place, True)

    @property
    def is_over(self) -> bool:
        """Tell whether all threads have come to their ends, and all commands are complete but markers and barriers."""
        hosts = [actor for actor in self.cast.actors if actor.command is None and actor.callback_of is None]
        called = [one for one in self.cast.commands.values() if (one.caller, index_of(self.cast, one)) in self.called]
        return all(map(self.is_done, hosts)) and all(
            one.name in self.completed or one.is_marker or one.is_barrier for one in called
        )

    def step(self, place: Place) -> Step:
        return self.cast.actors[place[0]].steps[place[1]]

    def places(self) -> Iterator[Place]:
        yield from ((actor.number, index) for actor in self.cast.actors for index in range(len(actor.steps)))


def ways_of(cast: Cast) -> Iterator[Ways]:
    """Yield every way in which the guards of a program may turn out."""
    guarded = [
        (actor.number, index)
        for actor in cast.actors
        for index, step in enumerate(actor.steps)
        if step.guard is not None
    ]
    for chosen in product((True, False), repeat=len(guarded)):
        yield dict(zip(guarded, chosen, strict=True))


def courses(cast: Cast, ways: Ways) -> Iterator[Progress]:
    """Yield how far the program gets, for each order of the calls to each queue and user event."""
    names = (*(queue.name for queue in cast.program.queues), *cast.program.user_events)
    queues = {name: list(_orders(cast, ways, name)) for name in names}
    seen = set()
    for chosen in product(*queues.values()):
        progress = Progress(cast, ways, dict(zip(queues, chosen, strict=True)), [0] * len(cast.actors))
        while _goes_on(progress):
            pass
        if _is_held_by_order(progress):
            continue
        # A call that is never made comes behind all others, so that nobody waits for what it would enqueue.
        made = {queue: [place in progress.called for place in order] for queue, order in progress.orders.items()}
        if all(sorted(each, reverse=True) == each for each in made.values()):
            happened = tuple(tuple(p for p in order if p in progress.called) for order in progress.orders.values())
            if happened not in seen:
                seen.add(happened)
                yield progress


def _is_held_by_order(p: Progress) -> bool:
    """Tell whether somebody cannot set a user event because the order has a call before that is never made."""
    waiting = [actor for actor in p.cast.actors if not p.is_done(actor) and runs(p, actor)]
    return any(isinstance(p.step((actor.number, p.made[actor.number])), SetStatus) for actor in waiting)


def _orders(cast: Cast, ways: Ways, name: str) -> Iterator[Order]:
    sequences = [
        [
            (actor.number, index)
            for index, step in enumerate(actor.steps)
            if ways.get((actor.number, index), True)
            and (
                (isinstance(step, Enqueue | Finish) and step.queue == name)
                or (isinstance(step, SetStatus) and step.event == name)
            )
        ]
        for actor in cast.actors
    ]
    yield from _merged([each for each in sequences if each])


def _merged(sequences: Sequence[Sequence[Place]]) -> Iterator[Order]:
    if not sequences:
        yield ()
    for index, (first, *rest) in enumerate(sequences):
        others = [*sequences[:index], *([rest] if rest else []), *sequences[index + 1 :]]
        yield from ((first, *order) for order in _merged(others))


def _goes_on(p: Progress) -> bool:
    """Make all steps that can be made, and tell whether there was any."""
    before = sum(p.made), len(p.called), len(p.started), len(p.ended), len(p.completed)
    for actor in p.cast.actors:
        while not p.is_done(actor) and runs(p, actor) and _step(p, actor):
            pass
    for command in p.cast.commands.values():
        if (command.caller, index_of(p.cast, command)) in p.called and _may_start(p, command):
            p.started.add(command.name)
            if any(event in p.failed for event in command.waits):
                # It does nothing, and is over.
                p.failed[command.name] = FAILED_IN_WAIT_LIST
                p.completed.add(command.name)
                continue
        actors = [p.cast.actors[number] for number in command.actors]
        if command.name in p.started and all(map(p.is_done, actors)):
            p.ended.add(command.name)
        if command.name in p.ended and all(child in p.completed for child in _children(p, command)):
            if any(child in p.failed for child in _children(p, command)):
                p.failed[command.name] = FAILED_IN_WAIT_LIST
            p.completed.add(command.name)
    return before != (sum(p.made), len(p.called), len(p.started), len(p.ended), len(p.completed))


def index_of(cast: Cast, command: Command) -> int:
    """The number of the step that enqueues a command."""
    return cast.actors[command.caller].steps.index(command.call)


def _children(p: Progress, command: Command) -> Iterator[str]:
    """HOST-16: the children whose completion the completion of a command waits for."""
    for one in p.cast.commands.values():
        if one.parent == command.name and (one.caller, index_of(p.cast, one)) in p.called:
            yield one.name


def runs(p: Progress, actor: Actor) -> bool:
    """Tell whether an actor executes anything so far."""
    if actor.callback_of is not None:
        registered = any(
            isinstance(step := p.step(place), Register) and actor.name == f"{step.callback}[0]" for place in p.called
        )
        return registered and actor.callback_of in p.completed
    return actor.command is None or (actor.command in p.started and not is_ended_by_failure(p, actor.command))


def is_ended_by_failure(p: Progress, command: str) -> bool:
    """Tell whether a command did not run, since it waited for what has failed."""
    return command in p.completed and command not in p.ended and command in p.cast.commands


def _step(p: Progress, actor: Actor) -> bool:
    """Make the next step of an actor, if it can be made."""
    place = actor.number, p.made[actor.number]
    step = p.step(place)
    if p.ways.get(place, True):
        if isinstance(step, SetStatus) and not _is_next(p, place, step.event):
            return False
        p.called.add(place)
        match step:
            case WaitFor(events) if not set(events) <= p.completed:
                return False
            case Finish() if not all(name in p.completed for name in earlier(p, place)):
                return False
            case Enqueue(blocking=True) if step.event not in p.completed:
                return False
            case SetStatus(event, status):
                if status < 0 and event not in p.completed:
                    p.failed[event] = status
                p.completed.add(event)
            case _:
                pass
    p.made[actor.number] += 1
    return True


def _is_next(p: Progress, place: Place, event: str) -> bool:
    order = p.orders[event]
    return all(other in p.called for other in order[: order.index(place)])


def earlier(p: Progress, place: Place) -> Iterator[str]:
    """Yield the commands that came to a queue before this call did."""
    step = p.step(place)
    assert isinstance(step, Enqueue | Finish)
    order = p.orders[step.queue]
    for other in order[: order.index(place)]:
        found = p.step(other)
        if isinstance(found, Enqueue):
            yield found.event


def _may_start(p: Progress, command: Command) -> bool:
    if not set(command.waits) <= p.completed:
        return False
    if isinstance(command.call, Launch):
        return _parent_lets_start(p, command.call.flag, p.cast.actors[command.caller])
    before = list(earlier(p, (command.caller, index_of(p.cast, command))))
    waits_for_all = (command.is_marker or command.is_barrier) and not command.waits
    # QUE-2: in order, after all that came before; out of order, not behind a barrier that is not complete.
    if not (p.cast.program.queue(command.call.queue).in_order or waits_for_all):
        before = [name for name in before if p.cast.commands[name].is_barrier]
    return set(before) <= p.completed


def _parent_lets_start(p: Progress, flag: Flag, caller: Actor) -> bool:
    instance = [actor for actor in p.cast.actors if actor.command == caller.command]
    match flag:
        case Flag.NO_WAIT:
            return True
        case Flag.WAIT_KERNEL:
            return all(map(p.is_done, instance))
        case Flag.WAIT_WORK_GROUP:
            return all(p.is_done(actor) for actor in instance if actor.place.wg == caller.place.wg)


def asked(p: Progress) -> list[Place]:
    """The queries that are made."""
    return [place for place in p.places() if isinstance(p.step(place), Query) and p.happens(place)]
