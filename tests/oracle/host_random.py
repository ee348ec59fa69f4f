"""Random host programs for the oracle of the host: queues, wait lists, events, maps, children, and several threads."""

from collections.abc import Iterator
from dataclasses import replace
from random import Random
from typing import Final

from oracle.host_program import (
    Access,
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
from oracle.host_rules import NEEDS_MAP
from oracle.program import Allocation, Exchange, FetchAdd, Guard, Load, Order, Scope, Store

MOST_ACCESSES: Final = 9
ALLOCATIONS: Final = (*[Allocation.BUFFER] * 4, *(one for one in Allocation if one is not Allocation.PROGRAM_SCOPE))
DATA: Final = (Kind.READ, Kind.WRITE, Kind.FILL, Kind.COPY, Kind.MAP, Kind.MAP)


class _Writer:
    """A program as it grows."""

    def __init__(self, random: Random) -> None:
        self.random = random
        self.accesses = 0
        self._count = 0
        x, y, f = (random.choice(ALLOCATIONS) for _ in "xyf")
        size = random.choice((None, None, 2))
        self.has_part = random.random() < 0.25
        if self.has_part:
            x, size = Allocation.BUFFER, 2
        self.objects = (
            Object("x", x, size),
            Object("y", y, size),
            Object("f", f, random.choice((None, 2)), atomic=True),
        )
        names = ("q", "p")[: random.choice((1, 1, 2))]
        self.queues = tuple(Queue(name, random.random() < 0.4, random.randrange(2)) for name in names)
        self.has_pipe = random.random() < 0.25
        self.callbacks: list[Callback] = []
        self.is_set = False

    def fresh(self, letter: str) -> str:
        self._count += 1
        return f"{letter}{self._count}"

    def location(self, *, atomic: bool, is_host: bool) -> str:
        locations = [place for one in self.objects for place in one.locations() if one.atomic is atomic]
        if is_host and self.random.random() < 0.8:
            # Most accesses of the host are of what it may access without a map.
            locations = [place for place in locations if place.allocation not in NEEDS_MAP] or locations
        return self.random.choice(locations).name

    def access(self, before: list[Access], *, is_host: bool = False) -> Access:
        """A random access; `before` are those of the same thread that may be asked for their values."""
        random = self.random
        self.accesses += 1
        guard = None
        asked = [one.register for one in before if isinstance(one, Load | FetchAdd)]
        if asked and random.random() < 0.4:
            guard = Guard(random.choice(asked), random.choice((0, 1, 1)))
        if random.random() < 0.65:
            name = self.location(atomic=False, is_host=is_host)
            if random.random() < 0.5:
                return Load(self.fresh("r"), name, guard=guard)
            value = random.choice(asked) if asked and random.random() < 0.2 else random.choice((1, 1, 2))
            return Store(name, value, guard=guard)
        name = self.location(atomic=True, is_host=is_host)
        scope = random.choice((Scope.DEVICE, Scope.ALL, Scope.ALL))
        match random.randrange(5):
            case 0 | 1:
                return Load(self.fresh("r"), name, random.choice((Order.ACQUIRE, Order.RELAXED)), scope, guard)
            case 2 | 3:
                return Store(name, 1, random.choice((Order.RELEASE, Order.RELAXED)), scope, guard)
            case _:
                return FetchAdd(self.fresh("r"), name, 1, random.choice((Order.ACQ_REL, Order.RELAXED)), scope, guard)

    def accesses_of(self, most: int) -> tuple[Access, ...]:
        found: list[Access] = []
        for _ in range(self.random.randint(1, most)):
            found.append(self.access(found))
        return tuple(found)

    def kernel(self, depth: int = 0) -> Kernel:
        random = self.random
        items: list[tuple[Step, ...]] = [self.accesses_of(2) for _ in range(random.choice((1, 1, 1, 2)))]
        if depth < 2 and random.random() < 0.3:
            child = Launch(self.fresh("c"), random.choice(tuple(Flag)), self.kernel(depth + 1))
            place = random.randrange(len(items))
            items[place] = (
                (*items[place], child, *self.accesses_of(1)) if random.random() < 0.3 else (*items[place], child)
            )
        local = random.choice((1, len(items)))
        if self.has_part and random.random() < 0.4:
            return Kernel(tuple(tuple(map(_in_part, steps)) for steps in items), local, by_part=True)
        return Kernel(tuple(items), local)


def _in_part(step: Step) -> Step:
    """The same step, of the element that the sub-buffer has."""
    is_access = isinstance(step, Store | Load | Exchange | FetchAdd)
    return replace(step, location="x[1]") if is_access and step.location == "x[0]" else step


def host_from_seed(seed: str, number: int) -> HostProgram:
    """The program of this number in the sequence that the seed names."""
    random = Random(f"{seed}/host-oracle/{number}")  # noqa: S311 (nothing secret)
    while True:
        writer = _Writer(random)
        amounts = random.choice(((2,), (3,), (4,), (4,), (2, 2), (3, 2)))
        threads = tuple(tuple(_thread(writer, amount)) for amount in amounts)
        if 2 <= writer.accesses <= MOST_ACCESSES:
            name = f"host-{seed}-{number}"
            callbacks = tuple(writer.callbacks)
            return HostProgram(writer.objects, writer.queues, threads, ("u",), callbacks, name, writer.has_part)


def _thread(writer: _Writer, amount: int) -> Iterator[Step]:
    own: list[str] = []
    made: list[Access] = []
    for _ in range(amount):
        yield from _statements(writer, own, made)
    if writer.random.random() < (0.5 if not writer.is_set else 0.25):
        # The first call that is made sets it, the second one does not.
        register = writer.fresh("s") if writer.is_set else None
        writer.is_set = True
        yield SetStatus("u", writer.random.choice((0, 0, 0, 0, 0, -1)), _guard(writer, made), register)


def _statements(writer: _Writer, own: list[str], made: list[Access]) -> Iterator[Step]:
    random = writer.random
    queue = random.choice(writer.queues).name
    kind = random.choices(
        ("kernel", "data", "order", "wait", "finish", "access", "callback", "query"), (9, 5, 3, 3, 2, 3, 1, 1)
    )[0]
    match kind:
        case "kernel":
            guard = _guard(writer, made)
            kernel = writer.kernel()
            if writer.has_pipe and random.random() < 0.7:
                kernel = replace(kernel, end=random.choice(("write", "write", "read")))
            call = Enqueue("", Kind.KERNEL, queue, _waits(writer, own), kernel=kernel, guard=guard)
            # Behind a condition, the event has a name in its block only.
            yield _named(writer, own if guard is None else [], call)
        case "data":
            yield from _data(writer, own, queue)
        case "order":
            yield _named(
                writer, own, Enqueue("", random.choice((Kind.MARKER, Kind.BARRIER)), queue, _waits(writer, own))
            )
        case "wait" if own:
            register = writer.fresh("s") if random.random() < 0.2 else None
            yield WaitFor((random.choice((*own, "u") if random.random() < 0.3 else own),), register=register)
        case "callback" if own and not writer.callbacks:
            writer.callbacks.append(Callback("CB", writer.accesses_of(1)))
            yield Register(random.choice((*own, "u")), "CB")
        case "query" if own:
            yield Query(writer.fresh("s"), random.choice(own))
        case "finish":
            yield Finish(queue)
        case _:
            made.append(writer.access(made, is_host=True))
            yield made[-1]


def _guard(writer: _Writer, made: list[Access]) -> Guard | None:
    """A condition on what the thread has read, now and then."""
    asked = [one.register for one in made if isinstance(one, Load | FetchAdd)]
    return Guard(writer.random.choice(asked), 1) if asked and writer.random.random() < 0.5 else None


def _data(writer: _Writer, own: list[str], queue: str) -> Iterator[Step]:
    """A command on memory; between a map and its unmap stands an access."""
    random = writer.random
    plain = [one for one in writer.objects if not one.atomic]
    target, other = random.sample(plain, 2)
    # What is written to an array, or read from one, would have to be an array.
    kinds = DATA if target.size is None else tuple(one for one in DATA if one not in (Kind.WRITE, Kind.READ))
    call = Enqueue("", random.choice(kinds), queue, _waits(writer, own), random.random() < 0.5, target=target.name)
    by_part = writer.has_part and target.name == "x" and call.kind is not Kind.COPY and random.random() < 0.4
    call = replace(call, by_part=by_part)
    writer.accesses += target.size or 1
    match call.kind:
        case Kind.READ:
            call = replace(call, blocking=True, register=writer.fresh("r"))
        case Kind.WRITE | Kind.FILL:
            call = replace(call, value=random.choice((1, 2)), blocking=call.blocking and call.kind is Kind.WRITE)
        case Kind.COPY:
            writer.accesses += target.size or 1
            call = replace(call, copied_to=other.name, blocking=False)
        case _:
            writer.accesses += (target.size or 1) + 1
            call = replace(call, blocking=random.random() < 0.8, for_writing=random.random() < 0.5)
            yield _named(writer, own, call)
            name = random.choice(target.locations()[by_part:]).name
            yield Store(name, 2) if call.for_writing else Load(writer.fresh("r"), name)
            if random.random() < 0.8:
                yield _named(writer, own, replace(call, kind=Kind.UNMAP, waits=_waits(writer, own), blocking=False))
            return
    # What gives its value has an event too, but no name for it in the text.
    yield _named(writer, own if call.register is None else [], call)


def _named(writer: _Writer, own: list[str], call: Enqueue) -> Enqueue:
    own.append(writer.fresh("e"))
    return replace(call, event=own[-1])


def _waits(writer: _Writer, own: list[str]) -> tuple[str, ...]:
    return tuple(one for one in (*own, "u") if writer.random.random() < (0.3 if one != "u" else 0.12))
