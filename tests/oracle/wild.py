"""Programs written at random over the skeletons of the field, or over none."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from random import Random
from typing import Final

from oracle.program import (
    FAILURE_ORDERS,
    GL,
    LOAD_ORDERS,
    NO_FLAGS,
    STORE_ORDERS,
    Allocation,
    Barrier,
    CompareExchange,
    Exchange,
    Fence,
    FetchAdd,
    G,
    Guard,
    Instruction,
    L,
    Load,
    Location,
    Order,
    Program,
    Region,
    Scope,
    Store,
    Unit,
    same_sub_group,
    same_work_group,
)

SKELETONS: Final[tuple[tuple[str, ...], ...]] = (
    ("Wx Wy", "Ry Rx"),  # message passing
    ("Wx Ry", "Wy Rx"),  # store buffering
    ("Rx Wy", "Ry Wx"),  # load buffering
    ("Wx Wy", "Wy Wx"),  # 2+2W
    ("Wx Wy", "Wy Rx"),  # R
    ("Wx Wy", "Ry Wx"),  # S
    ("Wx", "Wy", "Rx Ry", "Ry Rx"),  # IRIW
    ("Wx", "Rx Wy", "Ry Rx"),  # WRC
    ("Wx", "Rx Ry", "Wy Rx"),  # RWC
    ("Wx Wy", "Ry Wz", "Rz Rx"),  # ISA2
    ("Wx Wy", "Uy", "Ry Rx"),  # release sequences
    ("Wx Wy Wy", "Wy", "Ry Rx"),
    ("Wx Wy", "Uy Ry", "Wy Rx"),  # Z6.U
    ("Wx Ry", "Wy Wx", "Rx"),
    ("Wx", "Wx", "Rx Rx", "Rx Rx"),
    ("Ux", "Ux", "Rx"),
    ("Wx Rx", "Wx Rx"),
)


@dataclass(frozen=True, slots=True)
class Mood:
    """What one program prefers: one scope, and orders of one kind, now and then crossed by something else."""

    scope: Scope
    steady: float
    atomics: tuple[Order, ...]
    fences: tuple[Order, ...]
    fence_rate: float
    flags: frozenset[Region]


def written(random: Random) -> Program:
    """Return a program that may be ill-formed or too big."""
    mood = _mood(random)
    shape = random.choice(SKELETONS) if random.random() < 0.7 else _soup(random)
    places = _places(random, len(shape))
    locations = tuple(
        _location(random, letter, places) for letter in sorted({token[1] for row in shape for token in row.split()})
    )
    writer = _Writer(random, mood, {location.name: location for location in locations})
    units = [
        replace(place, body=writer.body(row.split(), host=place.host)) for place, row in zip(places, shape, strict=True)
    ]
    if random.random() < 0.3:
        units = _with_barrier(random, units, "B0")
        if random.random() < 0.3:
            units = _with_barrier(random, units, "B1")
    return Program(locations, tuple(units))


def _soup(random: Random) -> tuple[str, ...]:
    letters = random.choice(("x", "xy", "xy", "xy", "xyz"))
    return tuple(
        " ".join(random.choice("WWRRRU") + random.choice(letters) for _ in range(random.randint(1, 4)))
        for _ in range(random.choice((2, 2, 3)))
    )


def _mood(random: Random) -> Mood:
    atomics, fences, rate = random.choice(
        (
            ((Order.ACQ_REL,), (Order.ACQ_REL, Order.RELEASE, Order.ACQUIRE), 0.1),
            ((Order.SEQ_CST,), (Order.SEQ_CST,), 0.1),
            ((Order.SEQ_CST, Order.SEQ_CST, Order.RELAXED, Order.ACQ_REL), (Order.SEQ_CST,), 0.3),
            ((Order.RELAXED,), (Order.SEQ_CST,), 0.5),
            ((Order.RELAXED,), (Order.ACQ_REL, Order.ACQ_REL, Order.RELEASE, Order.ACQUIRE, Order.SEQ_CST), 0.5),
            ((Order.RELAXED, Order.ACQ_REL, Order.SEQ_CST), tuple(Order), 0.25),
        )
    )
    return Mood(
        scope=random.choice((Scope.SUB_GROUP, Scope.WORK_GROUP, Scope.DEVICE, Scope.DEVICE, Scope.ALL)),
        steady=random.choice((1.0, 0.9, 0.7)),
        atomics=atomics,
        fences=fences,
        fence_rate=rate,
        flags=random.choice((G, L, GL, GL)),
    )


def _places(random: Random, count: int) -> tuple[Unit, ...]:
    kind = random.choice(("group", "group", "sub-groups", "groups", "kernels", "devices", "mixed", "host"))
    places = []
    for number in range(count):
        place = Unit(())
        far = random.randint(0, 1) if count > 2 else number
        match kind:
            case "sub-groups":
                place = replace(place, sg=far)
            case "groups":
                place = replace(place, wg=far)
            case "kernels":
                place = replace(place, ki=far)
            case "devices":
                place = replace(place, dev=far)
            case "mixed":
                for part in random.sample(("sg", "wg", "ki", "dev"), 2):
                    place = place.moved(part, random.randint(0, 1))
            case "host":
                place = replace(place, host=number == 0 or random.random() < 0.15)
            case _:
                pass
        places.append(place)
    random.shuffle(places)
    return tuple(places)


def _location(random: Random, name: str, places: Sequence[Unit]) -> Location:
    host = any(place.host for place in places)
    one_device = not host and len({place.dev for place in places}) == 1
    atomic = random.random() < 0.7
    if random.random() < 0.35 and not host:
        initial = None if random.random() < 0.02 else 0
        return Location(name, Region.LOCAL, None, atomic, initial)
    kinds = [Allocation.BUFFER] * 4 + [Allocation.FINE_SVM_ATOMICS] * (6 if host else 3)
    kinds += [kind for kind in Allocation if kind is not Allocation.PROGRAM_SCOPE or one_device]
    return Location(name, Region.GLOBAL, random.choice(kinds), atomic, random.choice((0, 0, 0, 0, 0, 0, 0, 3)))


class _Writer:
    """Writes the bodies of the units of one program."""

    def __init__(self, random: Random, mood: Mood, locations: dict[str, Location]) -> None:
        self.random = random
        self.mood = mood
        self.locations = locations
        self.values = dict.fromkeys(locations, 0)

    def body(self, tokens: Sequence[str], *, host: bool) -> tuple[Instruction, ...]:
        body: list[Instruction] = []
        loaded: list[tuple[str, str]] = []
        for token in tokens:
            if body and self.random.random() < self.mood.fence_rate:
                body.append(self._fence(host=host))
            guard = None
            if loaded and self.random.random() < 0.4:
                register, location = self.random.choice(loaded)
                guard = Guard(register, self.random.choice((0, 1, 1, 1, max(1, self.values[location]))))
            instruction = self._access(token[0], self.locations[token[1]], f"r{len(loaded)}", loaded)
            body.append(replace(instruction, guard=guard))
            if not isinstance(instruction, Store):
                loaded.append((f"r{len(loaded)}", token[1]))
        return tuple(body)

    def _access(
        self, letter: str, location: Location, register: str, loaded: Sequence[tuple[str, str]]
    ) -> Store | Load | Exchange | FetchAdd | CompareExchange:
        plain = not location.atomic or self.random.random() < 0.04
        if letter == "R":
            if plain:
                return Load(register, location.name)
            return Load(register, location.name, self._order(LOAD_ORDERS), self._scope())
        if letter == "U" and location.atomic:
            return self._update(location, register)
        value = self._value(location)
        operand = self.random.choice(loaded)[0] if loaded and self.random.random() < 0.06 else value
        if plain:
            return Store(location.name, operand)
        return Store(location.name, operand, self._order(STORE_ORDERS), self._scope())

    def _update(self, location: Location, register: str) -> Exchange | FetchAdd | CompareExchange:
        order = self._order(tuple(Order))
        match self.random.choice(("exchange", "add", "add", "compare")):
            case "exchange":
                return Exchange(register, location.name, self._value(location), order, self._scope())
            case "add":
                return FetchAdd(register, location.name, 1, order, self._scope())
            case _:
                expected = self.random.choice((0, 1, 1, 2))
                failure = self.random.choice(FAILURE_ORDERS[order])
                weak = self.random.random() < 0.25
                return CompareExchange(
                    register,
                    f"e{register}",
                    location.name,
                    expected,
                    self._value(location),
                    order,
                    failure,
                    self._scope(),
                    weak,
                )

    def _value(self, location: Location) -> int:
        if self.values[location.name] == 0 or self.random.random() < 0.9:
            self.values[location.name] += 1
        return self.values[location.name]

    def _scope(self) -> Scope:
        return self.mood.scope if self.random.random() < self.mood.steady else self.random.choice(tuple(Scope))

    def _order(self, possible: tuple[Order, ...]) -> Order:
        if self.random.random() < 0.12:
            return self.random.choice(possible)
        wanted = self.random.choice(self.mood.atomics)
        if wanted is Order.ACQ_REL and wanted not in possible:
            return possible[1]
        return wanted

    def _fence(self, *, host: bool) -> Fence:
        flags = self.mood.flags if self.random.random() < self.mood.steady else self.random.choice((G, L, GL))
        order = self.random.choice(self.mood.fences)
        return Fence(G if host else flags, order, self._scope())


def _with_barrier(random: Random, units: list[Unit], label: str) -> list[Unit]:
    """Put one barrier into every unit of the largest group, rarely into only some of them."""
    sub_group = random.random() < 0.2
    same: Callable[[Unit, Unit], bool] = same_sub_group if sub_group else same_work_group
    groups = [[n for n, other in enumerate(units) if same(unit, other)] for unit in units]
    members = max(groups, key=len)
    if not members:
        return units
    usual = Scope.SUB_GROUP if sub_group else Scope.WORK_GROUP
    scope = random.choice((usual, usual, Scope.DEVICE, random.choice(tuple(Scope))))
    barrier = Barrier(label, random.choice((G, L, GL, GL, G, NO_FLAGS)), scope, sub_group)
    changed = list(units)
    for number in members:
        body = list(units[number].body)
        mine = barrier
        if random.random() < 0.02:
            mine = replace(barrier, flags=random.choice((G, L, GL)))
        if random.random() < 0.02:
            continue
        place = random.randint(0, len(body))
        registers = [i.register for i in body[:place] if isinstance(i, Load)]
        if registers and random.random() < 0.03:
            mine = replace(mine, guard=Guard(random.choice(registers), 1))
        body.insert(place, mine)
        changed[number] = replace(units[number], body=tuple(body))
    return changed
