"""What shuffles bring from outside the sub-group (COLL-2): values that nothing determines, and what depends on them.

Most programs compute something with such values and leave it alone, as those that halve a distance until the first
work-item has the sum. So to get one is no fault, but to let memory, control or a final state depend on it is.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from msgspec import Struct
from msgspec.structs import replace

from mcm.execution.algebra import FALSE, TRUE, ZERO, conjunction, disjunction, negation, truth, unary
from mcm.execution.expression import BinaryValue, GroupResult, Select, UnaryValue, parts
from mcm.execution.liveness import observed_registers
from mcm.execution.skeleton import Fault
from mcm.execution.substitution import Substitution, substituted

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from mcm.base.source import Span
    from mcm.execution.expression import Expression
    from mcm.execution.shared import Arrival, Shared
    from mcm.program.condition import RegisterName
    from mcm.program.types import Type

    # The placeholders in expressions, the condition under which these matter, and the place.
    _Use = tuple[set[Expression], Sequence[Expression], Expression, Span | None]

_WHY = (
    "the work-item that the value comes from is not in the sub-group, or not active there, "
    "and what the program does depends on it"
)


class Undetermined(Struct, frozen=True):
    """What a shuffle returns where `outside` holds: no member of the sub-group is at that distance from the caller.

    The numbers of such placeholders are below 0. They go through everything that is computed, to where it matters.
    """

    placeholder: GroupResult
    arrival: Arrival
    outside: Expression


class Uses:
    """Where a program depends on undetermined values; `filling` puts in what other placeholders stand for."""

    def __init__(self, undetermined: Sequence[Undetermined], filling: Substitution) -> None:
        self._undetermined: Final = undetermined
        self._filling: Final = filling
        self._zeros: Final = Substitution({one.placeholder: ZERO for one in undetermined})

    def settle(self, shared: Shared, registers: dict[RegisterName, Expression]) -> dict[RegisterName, Expression]:
        """Note the faults, and put 0 in the place of each value: what registers hold then."""
        zeros = self._zeros
        shared.faults = [
            *(replace(f, condition=zeros.apply(f.condition), operand=zeros.optional(f.operand)) for f in shared.faults),
            *self._faults(shared, registers),
        ]
        shared.events = [substituted(event, zeros) for event in shared.events]
        shared.constraints = [zeros.apply(one) for one in shared.constraints]
        shared.stops = [
            replace(s, condition=zeros.apply(s.condition), persists=zeros.apply(s.persists)) for s in shared.stops
        ]
        return {name: zeros.apply(value) for name, value in registers.items()}

    def _faults(self, shared: Shared, registers: dict[RegisterName, Expression]) -> Iterator[Fault]:
        """COLL-2: for each value, that it is undetermined where something depends on it."""
        uses = list(self._uses(shared, registers))
        for one in self._undetermined:
            called, outside = (
                self._zeros.apply(self._filling.apply(part)) for part in (one.arrival.guard, one.outside)
            )
            conditions, spans = [], []
            for mentioned, expressions, guard, span in uses:
                if one.placeholder not in mentioned:
                    continue
                depends = disjunction(*(self._depends(each, one.placeholder) for each in expressions))
                condition = conjunction(outside, called, guard, depends)
                if condition is not FALSE:
                    conditions.append(condition)
                    spans += [] if span is None else [span]
            condition = disjunction(*conditions)
            if condition is not FALSE:
                where = one.arrival.span, *spans[:1]
                yield Fault("undetermined-value", "COLL-2", condition, _WHY, (), where, one.arrival.thread)

    def _uses(self, shared: Shared, registers: dict[RegisterName, Expression]) -> Iterator[_Use]:
        """What mentions values, each with where it matters."""
        for event in shared.events:
            used = [part for part in (event.address, event.value) if part is not None]
            yield from self._use(used, self._zeros.apply(event.guard), event.span)
            yield from self._use([event.guard], TRUE, event.span)
        for stop in shared.stops:
            yield from self._use([stop.condition], TRUE, stop.span)
        for fault in shared.faults:
            yield from self._use([fault.condition], TRUE, None)
        observed = observed_registers(shared.program)
        for name, value in registers.items():
            if name.register in observed[name.thread]:
                yield from self._use([value], TRUE, None)

    def _use(self, expressions: Sequence[Expression], guard: Expression, span: Span | None) -> Iterator[_Use]:
        """Expressions with the placeholders in them, where there are any."""
        found: set[Expression] = set()
        for one in expressions:
            if self._zeros.apply(one) is not one:
                found |= {part for part in parts(one) if type(part) is GroupResult}
        if found:
            yield found, expressions, guard, span

    def _depends(self, expression: Expression, placeholder: GroupResult) -> Expression:
        """The condition that an expression depends on a value: it is not among what is left out of it."""
        zeros = self._zeros
        found: dict[Expression, Expression] = {}
        depends: Expression
        for part in parts(expression):
            match part:
                case GroupResult():
                    depends = TRUE if part is placeholder else FALSE
                case UnaryValue(_, operand):
                    depends = found[operand]
                case BinaryValue(operator, left, right, type_):
                    one, other = found[left], found[right]
                    if one is not FALSE or other is not FALSE:
                        first, second = (_leaves_open(operator, zeros.apply(side), type_) for side in (left, right))
                        one, other = (
                            conjunction(one, disjunction(second, other)),
                            conjunction(other, disjunction(first, one)),
                        )
                    depends = disjunction(one, other)
                case Select(condition, then, otherwise):
                    depends = disjunction(found[condition], found[then], found[otherwise])
                    if depends is not FALSE:
                        chosen = truth(zeros.apply(condition))
                        depends = disjunction(
                            found[condition],
                            conjunction(chosen, found[then]),
                            conjunction(negation(chosen), found[otherwise]),
                        )
                case _:
                    depends = FALSE
            found[part] = depends
        return found[expression]


def _leaves_open(operator: str, side: Expression, type_: Type) -> Expression:
    """The condition that one operand does not decide alone what the operator gives, whatever the other one is.

    A number times 0 is 0, but for floats: of them the other one may be infinite.
    """
    match operator:
        case "&&" | "&":
            return truth(side)
        case "*" if not type_.is_floating:
            return truth(side)
        case "||":
            return negation(truth(side))
        case "|":
            return truth(unary("~", side, type_))
        case _:
            return TRUE
