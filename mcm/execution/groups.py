"""What concerns a whole group: barrier divergence (BAR-DIV) and the results of group functions (COLL-1)."""

from __future__ import annotations

from itertools import accumulate
from typing import TYPE_CHECKING, Final

from mcm.execution.algebra import FALSE, TRUE, binary, conjunction, disjunction, is_never, negation, select, truth
from mcm.execution.event import iteration_numbers
from mcm.execution.expression import Constant, GroupResult, parts
from mcm.execution.missing import missing_members
from mcm.execution.shared import GroupCall
from mcm.execution.skeleton import Fault
from mcm.program.collectives import EXCLUSIVE_SCANS, INCLUSIVE_SCANS, REDUCTIONS, identity
from mcm.program.operators import RELATIVE_SHUFFLES, SAME_FOR_ALL, SHUFFLES, CollectiveOperator, Level
from mcm.program.types import Scalar

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from mcm.execution.active import Active
    from mcm.execution.event import BarrierInstance
    from mcm.execution.expression import Expression
    from mcm.execution.shared import Arrival, Shared
    from mcm.execution.skeleton import Stop
    from mcm.execution.substitution import Substitution
    from mcm.execution.undetermined import Undetermined
    from mcm.program.types import Type


_ALIKE: Final = frozenset({CollectiveOperator.ALL, CollectiveOperator.ANY, CollectiveOperator.BROADCAST})


def named(level: Level) -> str:
    """The level in words."""
    return "work-group" if level is Level.WORK_GROUP else "sub-group"


def shown(instance: BarrierInstance) -> str:
    """The instance as messages call it: `barrier #1, iteration 2`, of a group function `reduce_add#1`."""
    times = f", iteration {iteration_numbers(instance.iteration)}" if instance.iteration else ""
    return f"{shown_site(instance.site)}{times}"


def shown_site(site: str) -> str:
    """A barrier or group function as messages call it, without the iteration.

    Barriers are numbered, or have a name; numbers of group functions stand behind what they are called.

    >>> shown_site("#1"), shown_site("A"), shown_site("reduce_add#1")
    ('barrier #1', 'barrier A', 'reduce_add#1')
    """
    is_function = "#" in site[1:]
    return site if is_function else f"barrier {site}"


def divergence(shared: Shared) -> list[Fault]:
    """BAR-DIV: all or none of a group reach an instance, and with the same flags and scope.

    A member who has stopped may still come, unless it waits elsewhere for somebody who waits at the instance for it.
    """
    faults = []
    stops: dict[int, list[Stop]] = {}
    for stop in shared.stops:
        stops.setdefault(stop.thread, []).append(stop)
    calls = (one for one in shared.collected if isinstance(one, GroupCall))
    alike = {call.instance: SAME_FOR_ALL[call.operator] for call in calls if call.operator in SAME_FOR_ALL}
    for instance, arrivals in shared.arrivals.items():
        # Where those take part who come, nobody is missed.
        for thread, missing in () if instance.of_active else missing_members(shared, instance):
            own = stops.get(thread.index)
            condition = missing if own is None else conjunction(missing, _comes_never(own, instance, shared))
            # Who waits in a loop has a condition for each way through it; that these are all is seen by cases.
            if condition is not FALSE and not (own and is_never(condition)):
                faults.append(_divergence(condition, f"{thread.name} does not reach it", instance, arrivals))
        faults += (
            _divergence(differs, "it is called with different flags or scopes", instance, arrivals)
            for differs in _different_calls(arrivals)
        )
        if instance in alike:
            different = _different_lanes(arrivals, is_first=not instance.of_active)
            reason = f"they name {alike[instance]}"
            faults += (_divergence(differs, reason, instance, arrivals) for differs in different)
    return faults


def _different_calls(arrivals: list[Arrival]) -> Iterator[Expression]:
    """For each arrival that differs from earlier ones in flags or scope: the condition that it meets one of these."""
    if len({(arrival.flags, arrival.scope) for arrival in arrivals}) == 1:
        return
    for number, other in enumerate(arrivals):
        earlier = [a.guard for a in arrivals[:number] if (a.flags, a.scope) != (other.flags, other.scope)]
        if earlier:
            yield conjunction(other.guard, disjunction(*earlier))


def _different_lanes(arrivals: list[Arrival], *, is_first: bool) -> Iterator[Expression]:
    """For each arrival but the first: the condition that it names another member, or distance, than earlier ones do.

    `is_first`: the first one is there whenever others are.
    """
    for number, other in enumerate(arrivals):
        differ = []
        for one in arrivals[: 1 if is_first else number] if number else ():
            if one.lane is not None and other.lane is not None:
                differs = binary("!=", other.lane, one.lane, Scalar.LONG)
                differ.append(conjunction(one.guard, differs))
        if differ:
            yield conjunction(other.guard, disjunction(*differ))


def _comes_never(stops: list[Stop], instance: BarrierInstance, shared: Shared) -> Expression:
    """The condition that a thread has not stopped, or elsewhere, where somebody is missed who waits at the instance."""
    conditions = [negation(disjunction(*(stop.condition for stop in stops)))]
    for stop in stops:
        if stop.barrier is not None and stop.barrier != instance:
            missed = {thread.index for thread in shared.members(stop.barrier)}
            waiting = [s.condition for s in shared.stops if s.barrier == instance and s.thread in missed]
            conditions.append(conjunction(stop.condition, disjunction(*waiting)))
    return disjunction(*conditions)


def _divergence(condition: Expression, reason: str, instance: BarrierInstance, arrivals: list[Arrival]) -> Fault:
    why = f"not all work-items of the {named(instance.level)} execute {shown(instance)}: {reason}"
    return Fault(
        "barrier-divergence",
        "BAR-DIV",
        condition,
        why,
        (),
        tuple(a.span for a in arrivals),
        iteration=instance.iteration,
    )


def solved(definitions: Sequence[Expression]) -> tuple[list[Expression], list[Expression]]:
    """What placeholders stand for, given what defines each in terms of others; and constraints that must hold.

    Where they depend on each other in a circle, the least solution is taken: that is reached from FALSE in as many
    steps as there are placeholders. The constraints say that it is a solution.
    """
    # Imported here: few programs have group functions.
    from mcm.execution.substitution import Substitution  # noqa: PLC0415

    found = list(definitions)
    # The placeholders whose definitions mention some, with these; and those that have become known.
    open_ = {number: named for number, one in enumerate(found) if (named := _mentioned(one))}
    closed = [number for number in range(len(found)) if number not in open_]
    while closed and open_:
        known = Substitution({GroupResult(number): found[number] for number in closed})
        for number in [number for number, named in open_.items() if not named.isdisjoint(closed)]:
            found[number] = known.apply(found[number])
            open_[number] = _mentioned(found[number])
        closed = [number for number, named in open_.items() if not named]
        for number in closed:
            del open_[number]
    if not open_:
        return found, []
    definitions = list(found)
    for number in open_:
        found[number] = FALSE
    for _ in range(len(open_) + 1):
        step = results_filled(list(found))
        following = {number: step.apply(definitions[number]) for number in open_}
        if all(found[number] is value for number, value in following.items()):
            return found, []
        for number, value in following.items():
            found[number] = value
    step = results_filled(list(found))
    again = [(found[number], step.apply(definitions[number])) for number in sorted(open_)]
    return found, [disjunction(conjunction(a, b), conjunction(negation(a), negation(b))) for a, b in again]


def results_filled(results: Sequence[Expression]) -> Substitution:
    """Puts what group functions return, by their numbers, in the place of their results."""
    # Imported here: few programs have group functions.
    from mcm.execution.substitution import Substitution  # noqa: PLC0415

    return Substitution({GroupResult(number): value for number, value in enumerate(results)})


def _mentioned(expression: Expression) -> set[int]:
    """The numbers of the placeholders in an expression, but for those of undetermined values."""
    return {part.number for part in parts(expression) if type(part) is GroupResult and part.number >= 0}


class Results:
    """What calls return, of the operands of all members in the order of their numbers in the group.

    These are the same for all members of an instance, so they are looked for once.
    """

    def __init__(self, shared: Shared) -> None:
        self._shared: Final = shared
        self._ranks: Final[dict[BarrierInstance, dict[int, int]]] = {}
        self._operands: Final[dict[BarrierInstance, list[Expression]]] = {}
        self._lanes: Final[dict[BarrierInstance, dict[int, Expression | None]]] = {}
        # What relative shuffles return where they find no work-item.
        self.undetermined: Final[list[Undetermined]] = list(shared.undetermined)
        self._active: Final[dict[BarrierInstance, Active]] = {}
        self._same: Final[dict[tuple[BarrierInstance, CollectiveOperator], Expression]] = {}
        self._folded: Final[dict[tuple[BarrierInstance, str, Type], list[Expression]]] = {}

    def of(self, call: GroupCall) -> Expression:
        """What a call returns."""
        instance, operator, type_ = call.instance, call.operator, call.type
        if instance.of_active:
            return self._of_active(call)
        if instance not in self._operands:
            self._look_at(instance)
        operands, rank = self._operands[instance], self._ranks[instance][call.thread]
        if operator in _ALIKE:
            return self._alike(instance, operator)
        if operator in SHUFFLES:
            return self._shuffled(call, operands)
        if operator in REDUCTIONS:
            return self._prefixes(instance, REDUCTIONS[operator], type_)[-1]
        if operator in INCLUSIVE_SCANS:
            return self._prefixes(instance, INCLUSIVE_SCANS[operator], type_)[rank]
        symbol = EXCLUSIVE_SCANS[operator]
        return self._prefixes(instance, symbol, type_)[rank - 1] if rank else Constant(identity(symbol, type_))

    def _of_active(self, call: GroupCall) -> Expression:
        """What a call returns that takes together those that come."""
        # Imported here: few programs ask those only that come.
        from mcm.execution.active import Active  # noqa: PLC0415

        instance = call.instance
        if instance not in self._active:
            members = [thread.index for thread in self._shared.members(instance)]
            self._active[instance] = Active(self._shared.arrivals[instance], members)
        found, inside = self._active[instance].result(call)
        return self._where(inside, found, call)

    def _shuffled(self, call: GroupCall, operands: Sequence[Expression]) -> Expression:
        """The operand of the member that a call names; what a relative shuffle finds outside is undetermined."""
        lane = self._lanes[call.instance][call.thread]
        found = _taken(lane, operands)
        if call.operator not in RELATIVE_SHUFFLES or lane is None:
            return found
        inside = disjunction(*(binary("==", lane, Constant(rank), Scalar.INT) for rank in range(len(operands))))
        return self._where(inside, found, call)

    def _where(self, inside: Expression, found: Expression, call: GroupCall) -> Expression:
        """A value, and in its place what nothing determines where a condition does not hold."""
        if inside is TRUE:
            return found
        # Imported here: few programs shuffle.
        from mcm.execution.undetermined import Undetermined  # noqa: PLC0415

        placeholder = GroupResult(-1 - len(self.undetermined))
        arrival = next(one for one in self._shared.arrivals[call.instance] if one.thread == call.thread)
        self.undetermined.append(Undetermined(placeholder, arrival, negation(inside)))
        return select(inside, found, placeholder)

    def _look_at(self, instance: BarrierInstance) -> None:
        """Note what the members pass; a member that does not come passes 0, and the program is undefined."""
        ranks = {thread.index: rank for rank, thread in enumerate(self._shared.members(instance))}
        operands: list[Expression] = [Constant(0)] * len(ranks)
        lanes: dict[int, Expression | None] = {}
        # What they would pass may be computed from reads that are not executed then.
        absent = {member.index for member, _ in missing_members(self._shared, instance)}
        for arrival in self._shared.arrivals[instance]:
            lanes.setdefault(arrival.thread, arrival.lane)
            if arrival.operand is not None:
                is_there = arrival.guard if arrival.thread in absent else TRUE
                operands[ranks[arrival.thread]] = select(is_there, arrival.operand, Constant(0))
        self._ranks[instance], self._operands[instance], self._lanes[instance] = ranks, operands, lanes

    def _alike(self, instance: BarrierInstance, operator: CollectiveOperator) -> Expression:
        """What all members get that call `all`, `any` or a broadcast."""
        key = instance, operator
        if key not in self._same:
            operands = self._operands[instance]
            if operator is CollectiveOperator.BROADCAST:
                self._same[key] = _taken(self._shared.arrivals[instance][0].lane, operands)
            else:
                combine = conjunction if operator is CollectiveOperator.ALL else disjunction
                self._same[key] = combine(*map(truth, operands))
        return self._same[key]

    def _prefixes(self, instance: BarrierInstance, symbol: str, type_: Type) -> list[Expression]:
        """The operands of the first one, two, three … members combined, from left to right."""
        key = instance, symbol, type_
        if key not in self._folded:
            results = accumulate(self._operands[instance], lambda one, other: binary(symbol, one, other, type_))
            self._folded[key] = list(results)
        return self._folded[key]


def _taken(lane: Expression | None, operands: Sequence[Expression]) -> Expression:
    """The operand of one member."""
    result: Expression = Constant(0)
    for rank, operand in enumerate(operands):
        if lane is not None:
            result = select(binary("==", lane, Constant(rank), Scalar.INT), operand, result)
    return result
