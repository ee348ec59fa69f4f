"""Structured programs: loops that wait, count, are left early or never, around the accesses of `oracle.program`."""

from collections.abc import Iterator
from dataclasses import dataclass
from enum import Enum
from typing import TypeAlias

from oracle.program import Location, Order, Region, Scope


class Kind(Enum):
    LOAD = "load"
    STORE = "store"
    EXCHANGE = "exchange"
    ADD = "fetch_add"
    COMPARE = "compare_exchange"


@dataclass(frozen=True, slots=True)
class Access:
    """One access; its result is what was read, for a compare-exchange 1 or 0. `order` is None for a plain access.

    `site` identifies it in its program. `value` is what is stored, exchanged or added; `expected` is the register of a
    compare-exchange.
    """

    site: int
    kind: Kind
    location: str
    value: int = 0
    order: Order | None = None
    scope: Scope | None = None
    expected: str | None = None
    weak: bool = False


@dataclass(frozen=True, slots=True)
class Run:
    """`register = access;`, or the access alone."""

    access: Access
    register: str | None = None


@dataclass(frozen=True, slots=True)
class Assign:
    """`register = value;`."""

    register: str
    value: int


@dataclass(frozen=True, slots=True)
class Increment:
    """`register = register + 1;`."""

    register: str


@dataclass(frozen=True, slots=True)
class Test:
    """Whether the result of an access, or a register, equals `value` (or does not)."""

    of: Access | str
    equal: bool
    value: int


@dataclass(frozen=True, slots=True)
class If:
    test: Test
    then: "Body"
    otherwise: "Body" = ()


@dataclass(frozen=True, slots=True)
class Repeat:
    """`for (int i = 0; i < times; i++)`."""

    times: int
    body: "Body"


@dataclass(frozen=True, slots=True)
class While:
    """`while (test)`, or `while (1)`."""

    site: int
    test: Test | None
    body: "Body" = ()


@dataclass(frozen=True, slots=True)
class DoWhile:
    site: int
    body: "Body"
    test: Test


@dataclass(frozen=True, slots=True)
class Break:
    pass


@dataclass(frozen=True, slots=True)
class Return:
    pass


@dataclass(frozen=True, slots=True)
class Meet:
    """A work-group barrier. `label` is its call site, the same in all units that meet there."""

    site: int
    label: str
    flags: frozenset[Region]


@dataclass(frozen=True, slots=True)
class Fence:
    """A fence for global memory."""

    site: int
    order: Order
    scope: Scope


Statement: TypeAlias = Run | Assign | Increment | If | Repeat | While | DoWhile | Break | Return | Meet | Fence
Body: TypeAlias = tuple[Statement, ...]


@dataclass(frozen=True, slots=True)
class Looping:
    """A unit in a work-group. All registers begin as -1; `observed` are those that belong to a final state."""

    body: Body
    wg: int
    registers: tuple[str, ...]
    observed: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class LoopProgram:
    locations: tuple[Location, ...]
    units: tuple[Looping, ...]
    name: str = "loops"


def statements(body: Body) -> Iterator[Statement]:
    """Yield every statement of a body, those inside others as well."""
    for statement in body:
        yield statement
        match statement:
            case If(_, then, otherwise):
                yield from statements(then)
                yield from statements(otherwise)
            case Repeat(_, inner) | While(_, _, inner) | DoWhile(_, inner, _):
                yield from statements(inner)
            case _:
                pass


def deciding(unit: Looping) -> frozenset[str]:
    """Return the registers whose values matter: those that are observed, tested or expected by a compare-exchange."""
    found = set(unit.observed)
    for statement in statements(unit.body):
        match statement:
            case If(Test(str() as register)) | DoWhile(_, _, Test(str() as register)):
                found.add(register)
            case Run(Access(expected=str() as register)):
                found.add(register)
            case _:
                found |= {access.expected for access in tested(statement) if access.expected is not None}
    return frozenset(found)


def tested(statement: Statement) -> Iterator[Access]:
    """Yield the access that a statement tests, if it does."""
    match statement:
        case (
            If(Test(Access() as access)) | While(_, Test(Access() as access)) | DoWhile(_, _, Test(Access() as access))
        ):
            yield access
        case _:
            pass
