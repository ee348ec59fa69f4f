"""What updates of one location leave that come in any order, by the numbers that they can come to."""

from __future__ import annotations

from itertools import combinations, groupby
from typing import TYPE_CHECKING, Final

from mcm.engine.explicit.settled.commuting import UPDATE, are_exact, in_any_order
from mcm.execution.evaluate import choices_of, evaluate
from mcm.execution.event import EventKind
from mcm.execution.expression import Constant, ReadValue
from mcm.execution.substitution import Substitution

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Sequence

    from mcm.execution.event import Event
    from mcm.execution.expression import Expression

    # What a function makes of values.
    Table = dict[Constant, Constant]

# What stands for what is read: no event has this number.
_READ: Final = ReadValue(-1)

# So many values are computed, and so many are compared, before it is left open; and so many for the highest of them.
_MOST_VALUES: Final = 100_000
_MOST_COMPARED: Final = 20_000_000
_MOST_RANKED: Final = 1_500_000


def leave_the_same(layers: Sequence[Sequence[Event]], known: Substitution) -> bool:
    """Whether what the writes of a location leave does not depend on which comes first of those in one layer.

    By what is written alone: sums of floats have to be exact, and where no rule says that updates commute, they have to
    on each value that they can come to. `known` is what reads return.
    """
    if all(len(layer) == 1 for layer in layers):
        return True
    return are_exact([event for layer in layers for event in layer], known) and _come_to_the_same(layers, known)


def _come_to_the_same(layers: Sequence[Sequence[Event]], known: Substitution) -> bool:
    """Whether updates of which no rule says that they commute do so.

    Each two of one layer have to commute on every value that all updates can make of those that are written otherwise,
    or all make the same of what they read. False where a value depends on something that is not known, and where too
    many are possible.
    """
    several = [_made(layer, known) for layer in layers if len(layer) > 1 and in_any_order(layer[0]) == UPDATE]
    if all(made is not None and len(made) == 1 for made in several):
        return True
    writes = [event for layer in layers for event in layer]
    others = [known.optional(event.value) for event in writes if event.kind is not EventKind.UPDATE]
    first = [value for value in others if isinstance(value, Constant)]
    every = _made((event for event in writes if event.kind is EventKind.UPDATE), known)
    if every is None or len(first) < len(others):
        return False
    if _keep_the_highest(first, [*every]):
        return True
    tables = _tables(first, every)
    return tables is not None and all(made and _commute([tables[one] for one in made]) for made in several)


def _made(updates: Iterable[Event], known: Substitution) -> set[Expression] | None:
    """What updates make of what they read, with one name for that; None where one makes a choice."""
    found: set[Expression] = set()
    for event in updates:
        value = known.optional(event.value)
        assert value is not None, "an update writes a value"
        if choices_of(value):
            return None
        found.add(Substitution({ReadValue(event.identifier): _READ}).apply(value))
    return found


def _keep_the_highest(first: Collection[Constant], made: Sequence[Expression]) -> bool:
    """Whether each keeps the higher of what it reads and a value of its own, by one rank of all values.

    The highest is left then, whoever comes first. How many keep a value is its rank.
    """
    own: dict[int, Constant] = {}
    # Who keeps a value, a bit each.
    keepers: dict[Constant, int] = {}
    new = [*first]
    while new:
        value = new.pop()
        if value in keepers:
            continue
        if (len(keepers) + 1) * len(made) > _MOST_RANKED:
            return False
        keepers[value] = 0
        for number, one in enumerate(made):
            result = _made_of(value, one)
            if result is value:
                keepers[value] |= 1 << number
            elif result is None or own.setdefault(number, result) is not result:
                return False
            else:
                new.append(result)
    ranks = {value: having.bit_count() for value, having in keepers.items()}
    owned = {*own.values()}
    if len({ranks[value] for value in owned}) < len(owned):
        return False
    # From the lowest: a value is kept by those whose own is not higher.
    lower = sum(1 << number for number in range(len(made)) if number not in own)
    by_own: dict[Constant, int] = {}
    for number, value in own.items():
        by_own[value] = by_own.get(value, 0) | 1 << number
    for _, values in groupby(sorted(keepers, key=ranks.__getitem__), key=ranks.__getitem__):
        here = [*values]
        lower |= sum(by_own.get(value, 0) for value in here)
        if any(keepers[value] != lower for value in here):
            return False
    return True


def _made_of(value: Constant, function: Expression) -> Constant | None:
    """What a function makes of a value; None where something that is not known decides."""
    result = evaluate(function, {_READ.event: value.value}, ())
    return None if result is None else Constant(result)


def _tables(first: Collection[Constant], made: Collection[Expression]) -> dict[Expression, Table] | None:
    """What each makes of all values that they can come to, in any order; None where these are too many."""
    tables: dict[Expression, Table] = {one: {} for one in made}
    new = set(first)
    met = set(new)
    while new:
        if len(met) * len(made) > _MOST_VALUES:
            return None
        for one, table in tables.items():
            for value in new:
                result = _made_of(value, one)
                if result is None:
                    return None
                table[value] = result
        new = {table[value] for table in tables.values() for value in new} - met
        met |= new
    return tables


def _commute(tables: Sequence[Table]) -> bool:
    """Whether each two of some tables come to the same in either order."""
    if len(tables) ** 2 * len(tables[0]) > 2 * _MOST_COMPARED:
        return False
    # In the order of the first: all have the same keys.
    values = [*tables[0]]
    results = [[table[value] for value in values] for table in tables]
    return all(
        [one[value] for value in of_other] == [other[value] for value in of_one]
        for (one, of_one), (other, of_other) in combinations(zip(tables, results, strict=True), 2)
    )
