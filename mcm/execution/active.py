"""What functions of sub-groups return that take together the work-items that come to a call (COLL-3).

Those are the members of the sub-group that reach the same call site in the same iterations of the loops around it. Who
does is a condition for each of them; that it does not rest on what somebody does behind the call is looked at last.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from mcm.base.diagnostic import Diagnostic, InputError
from mcm.execution.algebra import FALSE, TRUE, binary, conjunction, disjunction, is_never, negation, select, truth
from mcm.execution.event import iteration_numbers
from mcm.execution.expression import Constant
from mcm.execution.missing import Sources, missing_of
from mcm.program.collectives import EXCLUSIVE_SCANS, INCLUSIVE_SCANS, REDUCTIONS, identity
from mcm.program.operators import CollectiveOperator
from mcm.program.types import Scalar

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from mcm.execution.event import BarrierInstance
    from mcm.execution.expression import Expression
    from mcm.execution.shared import Arrival, GroupCall, Shared
    from mcm.execution.substitution import Substitution
    from mcm.program.types import Type

    # What has been combined so far, and whether that is anything.
    _Combined = tuple[Expression, Expression]


class Active:
    """The members of a sub-group at one instance, by their numbers: whether they come, and what they pass."""

    def __init__(self, arrivals: Sequence[Arrival], members: Sequence[int]) -> None:
        ranks = {thread: rank for rank, thread in enumerate(members)}
        self.comes: Final[list[Expression]] = [FALSE] * len(members)
        self.operands: Final[list[Expression]] = [Constant(0)] * len(members)
        self._lanes: Final[list[Expression | None]] = [None] * len(members)
        self._ranks: Final = ranks
        self._folded: Final[dict[tuple[str, Type, int], list[_Combined]]] = {}
        for arrival in arrivals:
            rank = ranks[arrival.thread]
            assert arrival.operand is not None
            if self.comes[rank] is FALSE:
                self.operands[rank], self._lanes[rank] = arrival.operand, arrival.lane
            else:
                self.operands[rank] = select(arrival.guard, arrival.operand, self.operands[rank])
                lane = self._lanes[rank]
                if lane is not None and arrival.lane is not None:
                    self._lanes[rank] = select(arrival.guard, arrival.lane, lane)
            self.comes[rank] = disjunction(self.comes[rank], arrival.guard)

    def result(self, call: GroupCall) -> tuple[Expression, Expression]:
        """What a call returns, and where that is determined."""
        rank, operator = self._ranks[call.thread], call.operator
        match operator:
            case CollectiveOperator.ALL:
                return conjunction(*(disjunction(negation(c), truth(v)) for c, v in self._all())), TRUE
            case CollectiveOperator.ANY:
                return disjunction(*(conjunction(c, truth(v)) for c, v in self._all())), TRUE
            case CollectiveOperator.ELECT:
                return conjunction(*(negation(c) for c in self.comes[:rank])), TRUE
            case CollectiveOperator.BROADCAST_FIRST:
                return self._first(), TRUE
            case CollectiveOperator.ALL_EQUAL:
                return self._equal(call.type), TRUE
            case CollectiveOperator.BALLOT:
                return self._ballot(), TRUE
            case CollectiveOperator.INVERSE_BALLOT:
                return self.operands[rank], TRUE
        if operator in REDUCTIONS:
            # Those of its own cluster, or of the whole sub-group.
            cluster = call.cluster or len(self.comes)
            start = rank - rank % cluster
            return self._prefixes(REDUCTIONS[operator], call.type, start)[:cluster][-1][0], TRUE
        if operator in INCLUSIVE_SCANS:
            return self._prefixes(INCLUSIVE_SCANS[operator], call.type, 0)[rank][0], TRUE
        if operator in EXCLUSIVE_SCANS:
            symbol = EXCLUSIVE_SCANS[operator]
            nothing = Constant(identity(symbol, call.type))
            if not rank:
                return nothing, TRUE
            before, is_any = self._prefixes(symbol, call.type, 0)[rank - 1]
            return select(is_any, before, nothing), TRUE
        return self._taken(self._sources(call, rank))

    def _all(self) -> Iterator[tuple[Expression, Expression]]:
        return zip(self.comes, self.operands, strict=True)

    def _first(self) -> Expression:
        """The operand of the first one that comes."""
        found: Expression = Constant(0)
        for comes, operand in reversed(list(self._all())):
            found = select(comes, operand, found)
        return found

    def _equal(self, type_: Type) -> Expression:
        first = self._first()
        same = conjunction(
            *(disjunction(negation(c), binary("==", operand, first, type_)) for c, operand in self._all())
        )
        return select(same, Constant(1.0), Constant(0.0)) if type_.is_floating else same

    def _ballot(self) -> Expression:
        found: Expression = Constant(0)
        for rank, (comes, operand) in enumerate(self._all()):
            bit = select(conjunction(comes, truth(operand)), Constant(1 << rank), Constant(0))
            found = binary("|", found, bit, Scalar.UINT)
        return found

    def _prefixes(self, symbol: str, type_: Type, start: int) -> list[_Combined]:
        """Of one, two, three … members from a number on: those combined that come, and whether any does."""
        key = symbol, type_, start
        if key not in self._folded:
            found: list[_Combined] = []
            combined: Expression = Constant(identity(symbol, type_))
            is_any: Expression = FALSE
            for comes, operand in list(self._all())[start:]:
                more = select(is_any, binary(symbol, combined, operand, type_), operand)
                combined, is_any = select(comes, more, combined), disjunction(is_any, comes)
                found.append((combined, is_any))
            self._folded[key] = found
        return self._folded[key]

    def _sources(self, call: GroupCall, rank: int) -> Iterator[tuple[Expression, int]]:
        """Each member that a call may name, and the condition that it does."""
        lane = self._lanes[rank]
        assert lane is not None
        if call.operator is not CollectiveOperator.ROTATE:
            for other in range(len(self.comes)):
                yield binary("==", lane, Constant(other), Scalar.INT), other
            return
        size = Constant(call.cluster)
        rest = binary("%", lane, size, Scalar.LONG)
        distance = binary("%", binary("+", rest, size, Scalar.LONG), size, Scalar.LONG)
        first = rank - rank % call.cluster
        for step in range(call.cluster):
            other = first + (rank - first + step) % call.cluster
            if other < len(self.comes):
                yield binary("==", distance, Constant(step), Scalar.INT), other

    def _taken(self, sources: Iterator[tuple[Expression, int]]) -> tuple[Expression, Expression]:
        """The operand of the member that is named, and the condition that there is one that comes."""
        found: Expression = Constant(0)
        inside: list[Expression] = []
        for names, other in sources:
            found = select(names, self.operands[other], found)
            inside.append(conjunction(names, self.comes[other]))
        return found, disjunction(*inside)


def check_who_comes(shared: Shared, filling: Substitution) -> None:
    """Raise InputError where who comes to a call may rest on what is done behind it: nobody can tell who takes part.

    Whoever comes goes on with the others when no more can come. Where a member comes only because, or does not come
    because, somebody has gone on already, that says nothing; implementations differ there.
    """
    sources: Sources | None = None
    for instance, arrivals in shared.arrivals.items():
        if not instance.of_active:
            continue
        guards = [(arrival.thread, filling.apply(arrival.guard)) for arrival in arrivals]
        members = [thread.index for thread in shared.members(instance)]
        conditions = [missing for _, missing in missing_of(guards, members) if not is_never(missing)]
        if not conditions:
            continue
        sources = sources or Sources(shared)
        if sources.are_behind(instance, conditions):
            raise InputError(_unknown(instance, arrivals[0]))


def _unknown(instance: BarrierInstance, arrival: Arrival) -> Diagnostic:
    name = arrival.span.text.partition("(")[0].strip()
    times = f" (iteration {iteration_numbers(instance.iteration)})" if instance.iteration else ""
    message = f"not yet supported: which work-items come to '{name}'{times} may depend on what others do behind it"
    return Diagnostic("E100", message, arrival.span)
