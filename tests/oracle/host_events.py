"""The events of a host program: accesses and calls of threads; start, end and completion of commands."""

from collections.abc import Iterator
from dataclasses import dataclass, field, replace

from oracle.candidates import Event
from oracle.host_program import Access, Enqueue, Finish, Launch, SetStatus, WaitFor
from oracle.host_progress import Place, Progress
from oracle.program import Exchange, FetchAdd, G, Load, Location, Scope, Store


@dataclass(slots=True)
class Events:
    """All events by number, and what each is."""

    progress: Progress
    all: list[Event] = field(default_factory=list)
    accesses: dict[Place, Event] = field(default_factory=dict)
    calls: dict[Place, Event] = field(default_factory=dict)
    returns: dict[Place, Event] = field(default_factory=dict)
    queries: dict[Place, Event] = field(default_factory=dict)
    starts: dict[str, Event] = field(default_factory=dict)
    ends: dict[str, Event] = field(default_factory=dict)
    completions: dict[str, Event] = field(default_factory=dict)
    """Of commands only: what completes a user event is a call."""

    def add(self, unit: int | None, event: Event | None = None) -> Event:
        # A pseudo-event is a global action: it accesses nothing, and has the global flag as a fence has.
        found = replace(event or Event(0, None, flags=G), number=len(self.all), unit=unit)
        self.all.append(found)
        return found

    def of_actor(self, number: int) -> list[Event]:
        """Every operation of an actor, calls included."""
        return [event for event in self.all if event.unit == number]

    def sets(self, user_event: str) -> list[Event]:
        """The call that sets a user event: the first one that is made."""
        order = self.progress.orders.get(user_event, ())
        return [self.calls[place] for place in order if place in self.calls][:1]

    def call_of(self, command: str) -> Event | None:
        """The call that enqueues a command, where it is made."""
        for place, event in self.calls.items():
            step = self.progress.step(place)
            if isinstance(step, Enqueue | Launch) and step.event == command:
                return event
        return None


def events_of(progress: Progress) -> Events:
    """The events of a course, with no values yet."""
    found = Events(progress)
    for location in progress.cast.program.locations():
        found.add(None, Event(0, None, location, writes=True))
    locations = {location.name: location for location in progress.cast.program.locations()}
    for actor in progress.cast.actors:
        for place in ((actor.number, index) for index in range(len(actor.steps))):
            _of_step(found, place, locations, is_host=actor.place.host)
    # Commands sequence nothing: each of their events is a unit of its own.
    unit = len(progress.cast.actors)
    stages = ((progress.started, found.starts), (progress.ended, found.ends), (progress.completed, found.completions))
    for stage, events in stages:
        for command in progress.cast.commands:
            if command in stage:
                events[command] = found.add(unit)
                unit += 1
    return found


def _of_step(found: Events, place: Place, locations: dict[str, Location], *, is_host: bool) -> None:
    progress, step, unit = found.progress, found.progress.step(place), place[0]
    is_made = progress.happens(place)
    match step:
        case Store() | Load() | Exchange() | FetchAdd():
            if is_made:
                found.accesses[place] = found.add(unit, _access(step, locations[step.location], is_host=is_host))
        case WaitFor():
            if is_made:
                found.returns[place] = found.add(unit)
        case Finish() | Enqueue() | Launch() | SetStatus():
            if place in progress.called:
                found.calls[place] = found.add(unit)
            if is_made and (isinstance(step, Finish) or (isinstance(step, Enqueue) and step.blocking)):
                found.returns[place] = found.add(unit)
        case _:
            if is_made:
                found.queries[place] = found.add(unit)


def _access(step: Access, location: Location, *, is_host: bool) -> Event:
    # HOST-SVM-3: the atomics of the host act at the widest scope.
    scope = step.scope if step.scope is None or not is_host else Scope.ALL
    event = Event(0, None, location, order=step.order, scope=scope, atomic=step.order is not None)
    return replace(event, reads=not isinstance(step, Store), writes=not isinstance(step, Load))


def queued(events: Events) -> Iterator[tuple[int, int]]:
    """Calls to a queue, each with those that come later."""
    for order in events.progress.orders.values():
        calls = [events.calls[place].number for place in order if place in events.calls]
        yield from ((a, b) for index, a in enumerate(calls) for b in calls[index + 1 :])
