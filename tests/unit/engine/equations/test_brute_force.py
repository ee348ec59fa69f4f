"""The equations against all 256 values of a char: what is solvable, what is nearest to zero, what may be anything."""

from __future__ import annotations

from itertools import product
from random import Random
from typing import TYPE_CHECKING, Final

import pytest

from mcm.answer.answer import Varying
from mcm.answer.query import Limits
from mcm.base.dialect import C
from mcm.base.source import Source, Span
from mcm.engine.equations.circles import has_no_solution
from mcm.engine.equations.decided import DecidedExecution
from mcm.engine.equations.errors import UndecidedEquationsError
from mcm.engine.equations.family import family_of
from mcm.engine.equations.system import Equations
from mcm.engine.explicit.budget import NodeBudget
from mcm.execution.evaluate import evaluate
from mcm.execution.event import Event, EventKind
from mcm.execution.expression import BinaryValue, Constant, Expression, ReadValue, Select, UnaryValue
from mcm.execution.skeleton import Skeleton
from mcm.program.program import MemoryObject, Program
from mcm.program.types import AllocationKind, Location, PointerType, Region, Scalar
from mcm.program.value_arithmetic import is_true

if TYPE_CHECKING:
    from mcm.program.types import Type

pytestmark = pytest.mark.slow

SPAN: Final = Span(Source("test", "x"), 0, 1)
BINARY: Final = ("+", "-", "*", "&", "|", "^", "<<", ">>", "/", "%", "min", "max", "==", "<", "<=", "&&", "||")
# Operands are of the type of the operation, or of a wider one that is converted.
TYPES: Final = (Scalar.CHAR, Scalar.UCHAR, Scalar.SHORT, Scalar.INT, Scalar.BOOL)
VALUES: Final = {Scalar.CHAR: range(-128, 128), Scalar.UCHAR: range(256), Scalar.BOOL: range(2)}


def equations(types: list[Type], written: list[Expression], guard: Expression | None = None) -> Equations:
    """Read `i` (event `i`) returns what `written[i]` (event `i + n`) says; a further event is executed if `guard`."""
    number = len(types)
    objects = [
        MemoryObject(f"x{i}", type_, Region.GLOBAL, AllocationKind.BUFFER, (0,), True, False, SPAN)  # noqa: FBT003
        for i, type_ in enumerate(types)
    ]
    program = Program(Source("test", "x"), C, "test", (), tuple(objects), (), None, None, ())

    def access(identifier: int, kind: EventKind, place: int, value: Expression | None, test: Expression) -> Event:
        location = Location(place)
        return Event(
            identifier=identifier,
            kind=kind,
            thread=0,
            guard=test,
            address=Constant(location),
            locations=(location,),
            value=value,
            order=None,
            scope=None,
            flags=frozenset(),
            atomic=False,
            barrier=None,
            span=SPAN,
        )

    events = [access(i, EventKind.READ, i, None, Constant(1)) for i in range(number)]
    events += [access(number + i, EventKind.WRITE, i, value, Constant(1)) for i, value in enumerate(written)]
    events.append(access(2 * number, EventKind.WRITE, 0, Constant(0), guard or Constant(1)))
    skeleton = Skeleton(
        program=program,
        events=tuple(events),
        sets={},
        relations={},
        registers={},
        constraints=(),
        choices=0,
        faults=(),
        stops=(),
        constants=frozenset(),
    )
    decided = DecidedExecution(
        skeleton=skeleton,
        executed=(1 << len(events)) - 1,
        skipped=0,
        sources={i: number + i for i in range(number)},
        locations={event.identifier: event.locations[0] for event in events},
        known={},
        choices=(),
        supposed={},
    )
    return Equations(decided, NodeBudget(Limits()))


def solutions(types: list[Scalar], written: list[Expression], guard: Expression) -> list[tuple[int, ...]]:
    """All values that solve the equations, found by trying each."""
    found = []
    for values in product(*(VALUES[type_] for type_ in types)):
        reads = dict(enumerate(values))
        if all(evaluate(each, reads, ()) == value for each, value in zip(written, values, strict=True)):
            test = evaluate(guard, reads, ())
            if test is not None and is_true(test):
                found.append(values)
    return found


def expression(random: Random, reads: int, depth: int) -> Expression:
    """An expression over reads and small constants."""
    if depth == 0 or random.random() < 0.2:
        return ReadValue(random.randrange(reads)) if random.random() < 0.7 else Constant(random.randint(-3, 130))
    type_ = random.choice(TYPES)
    if random.random() < 0.2:
        return UnaryValue(random.choice("-~!"), expression(random, reads, depth - 1), type_)
    if random.random() < 0.1:
        return Select(*(expression(random, reads, depth - 1) for _ in range(3)))
    left, right = (expression(random, reads, depth - 1) for _ in range(2))
    return BinaryValue(random.choice(BINARY), left, right, type_)


def sum_of(random: Random, read: int, symbols: str) -> Expression:
    """What a read returns, changed by constants one after the other, in types of several widths."""
    changed: Expression = ReadValue(read)
    for _ in range(random.randrange(4)):
        type_ = random.choice((Scalar.CHAR, Scalar.UCHAR, Scalar.SHORT, Scalar.INT))
        symbol, constant = random.choice(symbols), Constant(random.choice((0, 1, -1, 2, 254, 256, 257)))
        sides = (constant, changed) if symbol != "-" and random.random() < 0.5 else (changed, constant)
        changed = BinaryValue(symbol, *sides, type_)
        if random.random() < 0.2:
            one, other = random.sample((changed, Constant(7)), 2)
            changed = Select(Constant(int(one is changed)), one, other)
    return changed


@pytest.mark.parametrize("symbols", ["+-", "^"])
def test_a_circle_of_sums_is_solved_by_all_values_or_by_none(symbols: str) -> None:
    random, found = Random(symbols), {False: 0, True: 0}  # noqa: S311 - nothing secret
    for _ in range(36):
        number = random.choice((1, 2, 3))
        types = [random.choice((Scalar.CHAR, Scalar.UCHAR)) for _ in range(number)]
        turn = random.sample(range(number), number)
        written = [UnaryValue("convert", sum_of(random, turn[i], symbols), types[i]) for i in range(number)]
        system = equations([*types], [*written])
        is_possible = system.is_possible()
        assert has_no_solution(system.decided) is not is_possible
        found[is_possible] += 1
    assert min(found.values()) > 5


@pytest.mark.parametrize("seed", range(3))
def test_what_is_said_of_mixed_circles_is_true(seed: int) -> None:
    random, found = Random(seed), 0  # noqa: S311 - nothing secret
    for _ in range(4):
        types = [random.choice((Scalar.CHAR, Scalar.UCHAR)) for _ in range(2)]
        written = [
            UnaryValue("convert", sum_of(random, random.randrange(2), random.choice(("+-", "^", "+^"))), type_)
            for type_ in types
        ]
        guard = BinaryValue("!=", ReadValue(0), Constant(random.randint(0, 3)), Scalar.INT)
        if has_no_solution(equations([*types], [*written], guard).decided):
            assert not solutions(types, written, guard)
            found += 1
    assert found


def nearest(values: list[int]) -> int:
    """The least value that is not negative, else the greatest."""
    positive = [value for value in values if value >= 0]
    return min(positive) if positive else max(values)


@pytest.mark.parametrize("seed", range(60))
def test_solutions_are_those_of_trying_all_values(seed: int) -> None:
    random = Random(seed)  # noqa: S311 - nothing secret
    number = 1 if seed % 4 else 2
    types = [random.choice((Scalar.CHAR, Scalar.UCHAR, Scalar.BOOL)) for _ in range(number)]
    types[1:] = [Scalar.BOOL] * (number - 1)
    written = [UnaryValue("convert", expression(random, number, 2), type_) for type_ in types]
    guard = expression(random, number, 2) if seed % 3 == 0 else Constant(1)
    all_of_them = solutions(types, written, guard)
    system = equations([*types], [*written], guard)
    assert system.is_possible() == bool(all_of_them)
    assert not (all_of_them and has_no_solution(system.decided))
    finals = [ReadValue(i) for i in range(number)]
    least = system.least(finals)
    if not all_of_them:
        assert least is None
        return
    wanted: list[int] = []
    for index in range(number):
        wanted.append(nearest([each[index] for each in all_of_them if [*each[:index]] == wanted]))
    assert least == dict(enumerate(wanted))
    for each in family_of(system, finals):
        values = {solution[each.index] for solution in all_of_them}
        assert len(values) > 1
        if each.base is not None:
            shift = [(solution[each.index] - solution[each.base] - each.offset) for solution in all_of_them]
            assert all(distance % (1 << types[each.index].bits) == 0 for distance in shift)
        if each.type is not None:
            assert values == set(VALUES[types[each.index]])
    varying = {each.index for each in family_of(system, finals)}
    assert varying == {i for i in range(number) if len({solution[i] for solution in all_of_them}) > 1}


ADDRESSED: Final = (*range(-2, 5), *(Location(which, offset) for which in (0, 1) for offset in (-1, 0, 1)))
ON_ADDRESSES: Final = ("+", "-", "==", "!=", "<", ">=", "*", "&", "min", "&&")


def about_addresses(random: Random, depth: int) -> Expression:
    """An expression over a read, small constants, and addresses of two objects."""
    if depth == 0:
        return ReadValue(0) if random.random() < 0.6 else Constant(random.choice(ADDRESSED))
    if random.random() < 0.3:
        return UnaryValue(random.choice(("-", "~", "!", "convert")), about_addresses(random, depth - 1), Scalar.LONG)
    if random.random() < 0.2:
        return Select(*(about_addresses(random, depth - 1) for _ in range(3)))
    left, right = (about_addresses(random, depth - 1) for _ in range(2))
    return BinaryValue(random.choice(ON_ADDRESSES), left, right, Scalar.LONG)


@pytest.mark.parametrize("seed", range(40))
def test_an_integer_may_hold_an_address(seed: int) -> None:
    random = Random(seed)  # noqa: S311 - nothing secret
    written = UnaryValue("convert", about_addresses(random, 2), Scalar.LONG)
    # That both objects are mentioned makes their addresses values of the program.
    guard = Select(
        about_addresses(random, 2), Constant(1), BinaryValue("!=", ReadValue(0), Constant(Location(1)), Scalar.INT)
    )
    system = equations([Scalar.LONG], [written], guard)
    for value in ADDRESSED:
        test = evaluate(guard, {0: value}, ())
        solves = evaluate(written, {0: value}, ()) == value and test is not None and is_true(test)
        is_mentioned = isinstance(value, int) or any(
            value.object == one.object for one in system.decided.skeleton.addresses
        )
        assert system.is_possible(system.equals(ReadValue(0), value)) == (solves and is_mentioned), (
            written,
            guard,
            value,
        )


def test_the_least_solution_may_be_an_address() -> None:
    cell = Constant(Location(1, 2))
    system = equations([Scalar.LONG], [Select(BinaryValue("==", ReadValue(0), cell, Scalar.LONG), cell, Constant(7))])
    read = ReadValue(0)
    assert system.least([read]) == {0: 7}
    assert system.least([read], system.equals(read, Location(1, 2))) == {0: Location(1, 2)}
    assert family_of(system, [read]) == (Varying(0),)


def test_two_copies_may_be_anything_together() -> None:
    one, other = ReadValue(0), ReadValue(1)
    plus = UnaryValue("convert", BinaryValue("+", other, Constant(1), Scalar.INT), Scalar.CHAR)
    minus = UnaryValue("convert", BinaryValue("-", one, Constant(1), Scalar.INT), Scalar.CHAR)
    system = equations([Scalar.CHAR, Scalar.CHAR], [plus, minus])
    assert family_of(system, [one, other]) == (Varying(0, base=1, offset=1), Varying(1, type=Scalar.CHAR))


@pytest.mark.parametrize("type_", [Scalar.LONG, Scalar.ULONG, Scalar.UINT])
def test_the_ends_of_wide_types_are_reached(type_: Scalar) -> None:
    read = ReadValue(0)
    top = (1 << type_.bits - type_.signed) - 1
    at_top = BinaryValue("==", read, Constant(top), type_)
    assert equations([type_], [read], at_top).least([read]) == {0: top}
    beyond = BinaryValue(">", read, Constant(top), type_)
    assert not equations([type_], [read], beyond).is_possible()


def test_a_pointer_may_be_null_an_integer_or_a_named_address() -> None:
    pointer, read = PointerType(Scalar.INT, Region.GLOBAL), ReadValue(0)
    cell = Constant(Location(1, 2))
    named = Select(BinaryValue("==", read, cell, pointer), cell, read)
    system = equations([pointer], [named])
    assert system.least([read]) == {0: 0}
    assert system.least([read], system.equals(read, -7)) == {0: -7}
    assert system.least([read], system.equals(read, Location(1, 3))) == {0: Location(1, 3)}
    assert not system.is_possible(system.equals(read, Location(2, 0)))


def test_a_pointer_without_addresses_is_an_integer_of_its_size() -> None:
    pointer, read = PointerType(Scalar.INT, Region.GLOBAL), ReadValue(0)
    system = equations([pointer], [read])
    for value, is_one in [(-(1 << 63), True), ((1 << 64) - 1, True), (1 << 64, False), (-(1 << 63) - 1, False)]:
        assert system.is_possible(system.equals(read, value)) is is_one


def test_a_float_that_depends_on_itself_is_undecided() -> None:
    with pytest.raises(UndecidedEquationsError, match="floats that depend on themselves"):
        equations([Scalar.FLOAT], [ReadValue(0)])


class LittleMemory:
    """Time enough, and no more memory than there is."""

    milliseconds = 60_000
    megabytes = 1


def test_a_limit_on_memory_ends_the_solver(monkeypatch: pytest.MonkeyPatch) -> None:
    """A product of unknowns of 64 bits: which are its factors takes more than a megabyte to find out.

    What earlier tests have made the solver allocate is not taken into account, so that there is little.
    """
    monkeypatch.setattr("mcm.engine.equations.solving.z3core.Z3_get_estimated_alloc_size", lambda: 0)
    read = [ReadValue(i) for i in range(2)]
    product_of_both = BinaryValue("*", read[0], read[1], Scalar.ULONG)
    is_that = BinaryValue("==", product_of_both, Constant(18446743721522234449), Scalar.INT)
    asked = equations([Scalar.ULONG, Scalar.ULONG], [read[0], read[1]], is_that)
    with pytest.raises(UndecidedEquationsError, match="memory"):
        Equations(asked.decided, LittleMemory()).is_possible()
    assert equations([Scalar.INT], [ReadValue(0)]).is_possible()
