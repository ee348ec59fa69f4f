"""Random structured programs: a few units that wait for each other, race, retry, leave loops early or never."""

from collections.abc import Sequence
from random import Random
from typing import Final

from oracle.loops import (
    Access,
    Assign,
    Body,
    Break,
    DoWhile,
    Fence,
    If,
    Increment,
    Kind,
    Looping,
    LoopProgram,
    Meet,
    Repeat,
    Return,
    Run,
    Statement,
    Test,
    While,
    statements,
    tested,
)
from oracle.program import GL, LOAD_ORDERS, STORE_ORDERS, G, L, Location, Order, Scope

ATOMIC: Final = ("x", "y")
PLAIN: Final = "d"
FENCE_ORDERS: Final = (Order.ACQUIRE, Order.ACQUIRE, Order.RELEASE, Order.ACQ_REL, Order.SEQ_CST)
UPDATE_ORDERS: Final = (Order.RELAXED, Order.ACQUIRE, Order.RELEASE, Order.ACQ_REL, Order.SEQ_CST)


def loops_from_seed(seed: str, number: int) -> LoopProgram:
    """Return the program of this number in the sequence that the seed names."""
    random = Random(f"{seed}/loops/{number}")  # noqa: S311 (nothing secret)
    return _Writer(random).program(f"loops-{seed}-{number}")


def _named(body: Body) -> frozenset[str]:
    """Return the registers that a body names."""
    found = set()
    for statement in statements(body):
        match statement:
            case Run(access, register):
                found |= {register, access.expected}
            case Assign(register) | Increment(register) | If(Test(str() as register)):
                found.add(register)
            case DoWhile(_, _, Test(str() as register)):
                found.add(register)
            case _:
                pass
        found |= {access.expected for access in tested(statement)}
    return frozenset(name for name in found if name is not None)


class _Writer:
    def __init__(self, random: Random) -> None:
        self._random = random
        self._sites = 0
        self._registers: list[str] = []
        self._unobserved: list[str] = []

    def program(self, name: str) -> LoopProgram:
        count = self._random.choice((2, 2, 2, 2, 3))
        groups = [0] * count if self._random.random() < 0.4 else list(range(count))
        barrier = groups[0] == groups[1] and self._random.random() < 0.5
        if self._random.random() < 0.4:
            shapes = (
                self._passing,
                self._locking,
                self._looking,
                self._answering,
                self._telling,
                self._checking,
                self._going_round,
            )
            shape = self._random.choice(shapes)
            groups = [0, 0] if shape == self._going_round else groups[:2]
            units = tuple(self._given(body, wg) for body, wg in zip(shape(), groups, strict=True))
        else:
            units = tuple(self._unit(wg, count, barrier=barrier) for wg in groups)
        locations = tuple(Location(place, atomic=place in ATOMIC) for place in (*ATOMIC, PLAIN))
        return LoopProgram(locations, units, name)

    def _unit(self, wg: int, units: int, *, barrier: bool) -> Looping:
        self._registers, self._unobserved = [], []
        body = list(self._body(self._random.choice((1, 2, 2, 3) if units == 2 else (1, 1, 2)), 0))
        if barrier and self._random.random() < 0.9:
            labels = ["A"] if self._random.random() < 0.7 else self._random.sample(["A", "B"], 2)
            for label in labels:
                meet = Meet(self._site(), label, self._random.choice((G, G, L, GL)))
                at = self._random.randrange(len(body) + 1)
                body.insert(at, meet if self._random.random() < 0.85 else If(self._test(), (meet,)))
        return Looping(tuple(body), wg, (*self._registers, *self._unobserved), tuple(self._registers))

    def _given(self, body: list[Statement], wg: int) -> Looping:
        """Return a unit of a known shape, with a statement more or less now and then."""
        if self._random.random() < 0.5:
            body.insert(self._random.randrange(len(body) + 1), self._statement(1))
        if self._random.random() < 0.2:
            del body[self._random.randrange(len(body))]
        registers = tuple(name for name in self._names() if name in _named(tuple(body)))
        return Looping(tuple(body), wg, registers, tuple(name for name in registers if name in self._registers))

    def _names(self) -> list[str]:
        return [*self._registers, *self._unobserved]

    def _on(self, kind: Kind, place: str, orders: Sequence[Order], value: int = 0) -> Access:
        scope = self._random.choice((Scope.DEVICE,) * 9 + (Scope.WORK_GROUP,))
        return Access(self._site(), kind, place, value, self._random.choice(orders), scope)

    def _until(self, place: str, inside: Body = ()) -> While:
        """Return a loop that waits until a location is not zero."""
        return While(self._site(), Test(self._on(Kind.LOAD, place, LOAD_ORDERS), equal=True, value=0), inside)

    def _set(self, place: str, value: int = 1) -> Run:
        return Run(self._on(Kind.STORE, place, STORE_ORDERS, value))

    def _write(self) -> Run:
        return Run(Access(self._site(), Kind.STORE, PLAIN, 1))

    def _read(self) -> Run:
        return Run(Access(self._site(), Kind.LOAD, PLAIN), self._register())

    def _passing(self) -> tuple[list[Statement], ...]:
        """Return message passing to a unit that waits."""
        return [self._write(), self._set("x")], [self._until("x"), self._read()]

    def _locking(self) -> tuple[list[Statement], ...]:
        """Return two units that take a lock and, mostly, give it back."""

        def unit() -> list[Statement]:
            taking = Test(self._on(Kind.EXCHANGE, "x", UPDATE_ORDERS, 1), equal=True, value=1)
            return [While(self._site(), taking), self._random.choice((self._read, self._write))(), self._set("x", 0)]

        return unit(), unit()

    def _looking(self) -> tuple[list[Statement], ...]:
        """Return a unit that looks at the data while it waits, and one that changes it when it has an answer."""
        load = self._on(Kind.LOAD, "y", LOAD_ORDERS)
        change = If(Test(load, equal=True, value=1), (self._write(),))
        return [self._until("x", (self._read(),)), self._set("y")], [self._set("x"), change]

    def _answering(self) -> tuple[list[Statement], ...]:
        """Return two units that wait for each other in turn."""
        one: list[Statement] = [self._write(), self._set("x"), self._until("y"), self._read()]
        return one, [self._until("x"), self._read(), self._write(), self._set("y")]

    def _telling(self) -> tuple[list[Statement], ...]:
        """Return a unit that looks at the data, or tells once that it need not, and one that waits for that."""
        told, seen = self._register(), self._register()
        tell = If(Test(told, equal=True, value=0), (Assign(told, 1), self._set("y")))
        look: Body = (
            Run(Access(self._site(), Kind.LOAD, PLAIN), seen),
            If(Test(seen, equal=True, value=1), (Break(),)),
        )
        load = self._on(Kind.LOAD, "x", LOAD_ORDERS)
        round_ = While(self._site(), None, (If(Test(load, equal=True, value=2), (tell,), look),))
        return (
            [Assign(told, 0), round_],
            [self._set("x", 2), self._until("y"), self._write(), self._set("x", 3)],
        )

    def _site(self) -> int:
        self._sites += 1
        return self._sites

    def _body(self, length: int, depth: int) -> Body:
        return tuple(self._statement(depth) for _ in range(length))

    def _statement(self, depth: int) -> Statement:
        kinds = [self._store, self._store, self._load, self._plain, self._plain, self._wait, self._wait, self._fence]
        if depth == 0:
            kinds += [self._poll, self._retry, self._update, self._ever, self._repeat, self._count, self._branch]
            kinds += [self._wait, self._wait_inside]
        if depth == 1:
            kinds += [self._branch]
        return self._random.choice(kinds)(depth)

    def _register(self) -> str:
        """Return a new register, observed at the end or not."""
        name = f"r{len(self._registers) + len(self._unobserved)}"
        (self._registers if self._random.random() < 0.7 else self._unobserved).append(name)
        return name

    def _access(self, kind: Kind, orders: Sequence[Order], *, value: int = 0, expected: str | None = None) -> Access:
        scope = self._random.choice((Scope.DEVICE,) * 9 + (Scope.WORK_GROUP,))
        weak = kind is Kind.COMPARE and self._random.random() < 0.3
        place = self._random.choice(ATOMIC)
        order = self._random.choice(orders)
        return Access(self._site(), kind, place, value, order, scope, expected, weak)

    def _value(self) -> int:
        return self._random.choice((1, 1, 2))

    def _test(self) -> Test:
        """Return a test of an atomic location, rarely of the plain one."""
        if self._random.random() < 0.12:
            return Test(Access(self._site(), Kind.LOAD, PLAIN), self._random.random() < 0.7, 0)
        load = self._access(Kind.LOAD, LOAD_ORDERS)
        return Test(load, self._random.random() < 0.6, self._random.choice((0, 0, 0, 1)))

    def _store(self, _: int) -> Statement:
        return Run(self._access(Kind.STORE, STORE_ORDERS, value=self._value()))

    def _load(self, _: int) -> Statement:
        return Run(self._access(Kind.LOAD, LOAD_ORDERS), self._register())

    def _plain(self, _: int) -> Statement:
        if self._random.random() < 0.5:
            return Run(Access(self._site(), Kind.STORE, PLAIN, self._value()))
        return Run(Access(self._site(), Kind.LOAD, PLAIN), self._register())

    def _update(self, _: int) -> Statement:
        return Run(self._access(Kind.ADD, UPDATE_ORDERS, value=1), self._register())

    def _wait(self, _: int) -> Statement:
        if self._random.random() < 0.3:
            lock = self._access(Kind.EXCHANGE, UPDATE_ORDERS, value=1)
            return While(self._site(), Test(lock, equal=True, value=1))
        return While(self._site(), self._test())

    def _wait_inside(self, depth: int) -> Statement:
        """Return a loop that does something while it waits."""
        inside = self._random.choice((self._plain, self._load, self._store, self._count, self._fence))(depth + 1)
        return While(self._site(), self._test(), (inside,))

    def _poll(self, _: int) -> Statement:
        register = self._register()
        load = Run(self._access(Kind.LOAD, LOAD_ORDERS), register)
        return DoWhile(
            self._site(), (load,), Test(register, self._random.random() < 0.7, self._random.choice((0, 0, 1)))
        )

    def _retry(self, _: int) -> Statement:
        register = self._register()
        call = self._access(Kind.COMPARE, UPDATE_ORDERS, value=self._value(), expected=register)
        again: Body = (Assign(register, 0),) if self._random.random() < 0.6 else ()
        loop = While(self._site(), Test(call, equal=True, value=0), again)
        # The register begins as -1: the first attempt fails, and so does every one without the assignment.
        return Repeat(1, (Assign(register, 0), loop))

    def _ever(self, depth: int) -> Statement:
        """Return `while (1)` that is left by a break or a return, in the middle or at an end."""
        leave: Statement = Break() if self._random.random() < 0.7 else Return()
        body: list[Statement] = [If(self._test(), (leave,))]
        if self._random.random() < 0.5:
            inside = self._random.choice((self._plain, self._load, self._wait, self._count, self._fence))(depth + 1)
            body.insert(self._random.randrange(2), inside)
        return While(self._site(), None, tuple(body))

    def _repeat(self, depth: int) -> Statement:
        body = list(self._body(1, depth + 1))
        if self._random.random() < 0.4:
            body.insert(self._random.randrange(2), If(self._test(), (Break(),)))
        return Repeat(2, tuple(body))

    def _fence(self, _: int) -> Statement:
        scope = self._random.choice((Scope.DEVICE,) * 9 + (Scope.WORK_GROUP,))
        return Fence(self._site(), self._random.choice(FENCE_ORDERS), scope)

    def _checking(self) -> tuple[list[Statement], ...]:
        """Return a unit that reads two words until a count is even and as before, and one that changes both."""
        first, second = self._register(), self._register()
        reads: Body = (
            Run(self._on(Kind.LOAD, "x", LOAD_ORDERS), first),
            self._fence(0),
            self._read(),
            self._fence(0),
            Run(self._on(Kind.LOAD, "x", LOAD_ORDERS), second),
        )
        loop = DoWhile(self._site(), reads, Test(self._random.choice((first, second)), equal=True, value=1))
        return [loop], [self._set("x", 1), self._fence(0), self._write(), self._fence(0), self._set("x", 2)]

    def _going_round(self) -> tuple[list[Statement], ...]:
        """Return a unit that goes round a barrier if it reads what the other one writes, most often, behind it."""
        load = self._on(Kind.LOAD, "x", LOAD_ORDERS)
        comes = If(Test(load, equal=True, value=0), (Meet(self._site(), "A", G),))
        other: list[Statement] = [Meet(self._site(), "A", G)]
        other.insert(self._random.random() < 0.8, self._set("x"))
        other.insert(self._random.randrange(3), self._random.choice((self._read, self._write))())
        return [comes, self._random.choice((self._read, self._write))()], other

    def _count(self, _: int) -> Statement:
        return Increment(self._register())

    def _branch(self, depth: int) -> Statement:
        otherwise = self._body(1, depth + 1) if self._random.random() < 0.3 else ()
        return If(self._test(), self._body(1, depth + 1), otherwise)
