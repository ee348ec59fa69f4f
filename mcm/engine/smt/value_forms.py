"""Expressions under an exchange of values: what they say for each value that the reads in them may return.

A program that keeps numbers of threads in memory, such as a queue of those that wait for a lock, computes from them
whose element it accesses. If threads, elements and numbers are all exchanged, an expression over such a number becomes
another one that says the same of the other number; how it is written need not be the same.
"""

from __future__ import annotations

from itertools import product
from math import prod
from typing import TYPE_CHECKING, Final, TypeAlias

from msgspec import Struct

from mcm.execution.evaluate import evaluate, reads_of, subexpressions
from mcm.execution.expression import BinaryValue, Constant, ReadValue, Select, UnaryValue, operands, parts

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from mcm.execution.event import Event
    from mcm.execution.expression import Expression
    from mcm.execution.renaming import Renaming
    from mcm.program.types import Location, Value

    Returned = tuple[Value | None, ...]
    Row = tuple[Returned, Value | None]

# A table has so many rows at most; what needs more is looked at part by part.
_MOST_ROWS: Final = 512
# What is nested deeper is looked at as it is written.
_DEEPEST: Final = 100
# What is longer, written out, is not made a choice between results.
_LONGEST: Final = 1024
_CONNECTIVES: Final = frozenset({"&&", "||"})
_KEPT: Final[Mapping[Value, Value]] = {}


class Table(Struct, frozen=True):
    """What an expression gives for each combination of what its reads return; None stands for no value."""

    reads: tuple[int, ...]
    rows: frozenset[Row]


class Joined(Struct, frozen=True):
    """A condition made of conditions, or a choice between two expressions."""

    symbol: str
    below: tuple[Form, ...] | frozenset[Form]
    depth: int


Form: TypeAlias = "Table | Joined | Expression"


class Forms:
    """The forms of the expressions of a skeleton: two of the same form say the same.

    A form is a table, where all values are known that its reads may return; what connectives make of forms; or else
    the expression itself. Reads return constants that some write writes, or what `domains` says.
    """

    def __init__(self, events: Iterable[Event], domains: Mapping[int, tuple[Value, ...]] | None = None) -> None:
        self._domains: Final = _domains(events) if domains is None else domains
        self._known: Final[dict[Expression, Form]] = {}
        self._selects: Final[dict[Expression, Select]] = {}
        self._results: Final[dict[Expression, dict[Returned, Value | None]]] = {}
        self._rows_with: Final[dict[Table, dict[tuple[int, Value | None], list[Row]]]] = {}
        self._mentioned: Final[dict[Expression, tuple[frozenset[int], frozenset[Value]]]] = {}

    def mentioned(self, expression: Expression) -> tuple[frozenset[int], frozenset[Value]]:
        """The reads and the constants in an expression: those of a skeleton are asked about for each exchange."""
        found = self._mentioned.get(expression)
        if found is None:
            constants = frozenset(part.value for part in subexpressions(expression) if isinstance(part, Constant))
            found = self._mentioned[expression] = reads_of(expression), constants
        return found

    def are_known(self, read: int) -> bool:
        """Whether all values that a read may return are known."""
        return read in self._domains

    def rows_with(self, table: Table) -> Mapping[tuple[int, Value | None], list[Row]]:
        """The rows of a table that have a value at a place: that of a read, or the last one, which is the result."""
        found = self._rows_with.get(table)
        if found is None:
            found = self._rows_with[table] = {}
            for row in table.rows:
                for place, value in enumerate((*row[0], row[1])):
                    found.setdefault((place, value), []).append(row)
        return found

    def of(self, expression: Expression) -> Form:
        """The form of an expression."""
        known = self._known
        for part in parts(expression, lambda part: part not in known):
            if part not in known:
                known[part] = self._found(part)
        return known[expression]

    def _found(self, expression: Expression) -> Form:
        table = self._table(expression)
        if table is not None:
            return table
        below = tuple(self._known[part] for part in operands(expression))
        depth = 1 + max((form.depth for form in below if isinstance(form, Joined)), default=0)
        match expression:
            case _ if depth > _DEEPEST:
                return expression
            case UnaryValue("!" as symbol, _, _):
                return Joined(symbol, below, depth)
            case BinaryValue(symbol, _, _, _) if symbol in _CONNECTIVES:
                return Joined(symbol, _flattened(symbol, below), depth)
            case Select():
                self._selects[expression] = expression
                return Joined("?", below, depth)
            case UnaryValue() | BinaryValue() if (select := self._selected(expression)) is not None:
                self._selects[expression] = select
                return self.of(select)
            case _:
                return expression

    def _selected(self, expression: UnaryValue | BinaryValue) -> Select | None:
        """What says the same as an operator on a choice between two expressions, as a choice between two results."""
        below = operands(expression)
        chosen = [part for part in below if part in self._selects]
        if len(chosen) != 1 or expression.size > _LONGEST:
            return None
        select = self._selects[chosen[0]]
        first, second = (
            with_operands(expression, tuple(branch if part is chosen[0] else part for part in below))
            for branch in (select.then, select.otherwise)
        )
        return Select(select.condition, first, second)

    def _table(self, expression: Expression) -> Table | None:
        """The table of an expression; None if it would be large, or if it needs something that is not known."""
        reads = tuple(sorted(reads_of(expression)))
        results: dict[Returned, Value | None]
        match expression:
            case Constant(value):
                results = {(): value}
            case ReadValue(read) if read in self._domains:
                results = {(value,): value for value in (None, *self._domains[read])}
            case UnaryValue() | BinaryValue() | Select() if all(part in self._results for part in operands(expression)):
                if prod(len(self._domains[read]) + 1 for read in reads) > _MOST_ROWS:
                    return None
                results = self._combined(expression, reads)
            case _:
                return None
        if any(isinstance(result, float) for result in results.values()):
            # Equal floats need not be the same.
            return None
        self._results[expression] = results
        return Table(reads, frozenset(results.items()))

    def _combined(self, expression: Expression, reads: tuple[int, ...]) -> dict[Returned, Value | None]:
        """The results of an expression, from those of its operands."""
        below = [self._results[part] for part in operands(expression)]
        places = [[reads.index(read) for read in sorted(reads_of(part))] for part in operands(expression)]
        operation = with_operands(expression, [ReadValue(-1 - i) for i in range(len(below))])
        results: dict[Returned, Value | None] = {}
        for returned in product(*((None, *self._domains[read]) for read in reads)):
            values = [rows[tuple(returned[i] for i in at)] for rows, at in zip(below, places, strict=True)]
            results[returned] = evaluate(operation, {-1 - i: v for i, v in enumerate(values) if v is not None}, ())
        return results


class FormImages:
    """What becomes of expressions when threads, locations and values are exchanged.

    `values` has for each read whose values change what they become, `moved` the same for locations.
    """

    def __init__(
        self,
        forms: Forms,
        renaming: Renaming,
        moved: Mapping[Location, Location],
        values: Mapping[int, Mapping[Value, Value]],
    ) -> None:
        self._forms: Final = forms
        self._renaming: Final = renaming
        self._moved: Final = moved
        self._values: Final = values
        # Many events have guards of the same parts.
        self._images: Final[dict[Table, Table]] = {}

    def form(self, expression: Expression) -> Form:
        """The form of an expression."""
        return self._forms.of(expression)

    def image(self, expression: Expression, results: Mapping[Value, Value] = _KEPT) -> Form | None:
        """The form of the image of an expression, whose `results` are exchanged too; None if it is not known."""
        return self._image(self._forms.of(expression), results)

    def _image(self, form: Form, results: Mapping[Value, Value] = _KEPT) -> Form | None:
        match form:
            case Table() if results:
                return self._table(form, results)
            case Table():
                image = self._images.get(form)
                if image is None:
                    image = self._images[form] = self._table(form, results)
                return image
            case Joined("?", (condition, *branches)):
                below = _all((self._image(condition), *(self._image(branch, results) for branch in branches)))
                return None if below is None else Joined("?", below, form.depth)
            case _ if results:
                return None
            case Joined(symbol, parts_):
                images = _all(map(self._image, parts_))
                ordered = isinstance(parts_, tuple)
                return None if images is None else Joined(symbol, images if ordered else frozenset(images), form.depth)
            case expression:
                return self._as_written(expression)

    def _table(self, table: Table, results: Mapping[Value, Value]) -> Table:
        renamed = [self._renaming.events[read] for read in table.reads]
        order = sorted(range(len(renamed)), key=renamed.__getitem__)
        rows = self._rows(table, results)
        if order != list(range(len(renamed))):
            rows = frozenset((tuple(returned[i] for i in order), result) for returned, result in rows)
        return Table(tuple(renamed[i] for i in order), rows)

    def _rows(self, table: Table, results: Mapping[Value, Value]) -> frozenset[Row]:
        """The rows with values exchanged: of many work-items two are, and most rows have neither number."""
        values = [self._values.get(read, _KEPT) for read in table.reads]
        rows_with = self._forms.rows_with(table)
        changing = {
            row
            for place, exchanged in enumerate((*values, results))
            for value in exchanged
            for row in rows_with.get((place, value), ())
        }
        images = {
            (tuple(map(_exchanged, values, returned)), _exchanged(results, result)) for returned, result in changing
        }
        return table.rows if images == changing else (table.rows - changing) | images

    def _as_written(self, expression: Expression) -> Expression | None:
        """The image of an expression in which nothing changes but the names of reads and choices; None if more does."""
        reads, constants = self._forms.mentioned(expression)
        if not (self._values.keys().isdisjoint(reads) and self._moved.keys().isdisjoint(constants)):
            return None
        return self._renaming.expression(expression)


def _all(images: Iterable[Form | None]) -> tuple[Form, ...] | None:
    """These forms, if all of them are known."""
    found = tuple(images)
    return None if None in found else tuple(image for image in found if image is not None)


def _flattened(symbol: str, below: Iterable[Form]) -> frozenset[Form]:
    """What a connective joins, whatever the order and the brackets: an operand that decides needs no other."""
    found: set[Form] = set()
    for form in below:
        found.update(form.below if isinstance(form, Joined) and form.symbol == symbol else (form,))
    return frozenset(found)


def _exchanged(values: Mapping[Value, Value], value: Value | None) -> Value | None:
    return None if value is None else values.get(value, value)


def with_operands(expression: Expression, given: Sequence[Expression]) -> Expression:
    """The outermost operator of an expression, with other operands."""
    match expression:
        case UnaryValue(symbol, _, type_):
            return UnaryValue(symbol, given[0], type_)
        case BinaryValue(symbol, _, _, type_):
            return BinaryValue(symbol, given[0], given[1], type_)
        case _:
            return Select(given[0], given[1], given[2])


def _domains(events: Iterable[Event]) -> dict[int, tuple[Value, ...]]:
    """The values that reads may return, of those whose possible sources all write constants."""
    written: dict[Location, set[Value] | None] = {}
    for event in events:
        for location in event.locations if event.kind.writes else ():
            known = written.setdefault(location, set())
            if not isinstance(event.value, Constant) or isinstance(event.value.value, float):
                written[location] = None
            elif known is not None:
                known.add(event.value.value)
    found: dict[int, tuple[Value, ...]] = {}
    for event in events:
        domains = [written.get(location) for location in event.locations] if event.kind.reads else [None]
        if domains and None not in domains:
            found[event.identifier] = tuple(dict.fromkeys(v for domain in domains if domain for v in domain))
    return found
