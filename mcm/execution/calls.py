"""Symbolic execution of atomic operations and group functions."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, assert_never

from mcm.execution.algebra import FALSE, binary, conjunction, disjunction, facts, negation, select, under
from mcm.execution.event import BarrierInstance, EventKind
from mcm.execution.expression import Choice, Constant, ReadValue
from mcm.execution.operands import Call, Operands
from mcm.execution.sequencing import Effects, mask
from mcm.execution.shared import Arrival
from mcm.program import instruction as hir
from mcm.program.topology import WorkItem
from mcm.program.types import Order, Scalar

if TYPE_CHECKING:
    from mcm.execution.expression import Expression

_UPDATES: Final[dict[hir.UpdateOperator, str]] = {
    hir.UpdateOperator.ADD: "+",
    hir.UpdateOperator.SUB: "-",
    hir.UpdateOperator.OR: "|",
    hir.UpdateOperator.XOR: "^",
    hir.UpdateOperator.AND: "&",
    hir.UpdateOperator.MIN: "min",
    hir.UpdateOperator.MAX: "max",
}


class Calls(Operands):
    """Evaluates operations. Their arguments are complete before they begin, they are complete when they return."""

    def instance(self, level: hir.Level, site: str) -> BarrierInstance | None:
        """The dynamic instance that a call at a site belongs to; None for host threads."""
        placement = self.thread.placement
        if not isinstance(placement, WorkItem):
            return None
        group = placement.group_key if level is hir.Level.WORK_GROUP else placement.sub_group_key
        return BarrierInstance(level, group, site, self.iteration)

    def called(self, events: list[int], arguments: Effects) -> Effects:
        """The effects of a call with these events."""
        values = mask(events)
        if events:
            self.full.calls.append(values)
        return arguments.completed() | Effects(values)

    def call(self, node: Call, guard: Expression, after: int) -> tuple[Expression, Effects]:
        """The value and the effects of an operation."""
        match node:
            case hir.AtomicLoad():
                return self._load(node, guard, after)
            case hir.AtomicStore() | hir.AtomicInit():
                return self._store(node, guard, after)
            case hir.AtomicUpdate():
                return self._update(node, guard, after)
            case hir.CompareExchange():
                return self._compare_exchange(node, guard, after)
            case hir.LegacyCompareExchange():
                return self._legacy_compare_exchange(node, guard, after)
            case hir.Collective():
                return self._collective(node, guard, after)
            case _:
                assert_never(node)

    def _load(self, node: hir.AtomicLoad, guard: Expression, after: int) -> tuple[Expression, Effects]:
        pointer, effects = self.expression(node.address, guard, after)
        case = self.checked(pointer, guard, node.span)
        if case is FALSE:
            return Constant(0), effects
        begin = after | effects.values | effects.pending
        event = self.event(EventKind.READ, case, begin, node.span, address=pointer, order=node.order, scope=node.scope)
        return self._read_by(event, guard), self.called([event], effects)

    def _store(
        self, node: hir.AtomicStore | hir.AtomicInit, guard: Expression, after: int
    ) -> tuple[Expression, Effects]:
        pointer, value, effects = self.unsequenced(node.address, node.value, guard, after)
        case = self.checked(pointer, guard, node.span)
        if case is FALSE:
            return value, effects
        order, scope = (node.order, node.scope) if isinstance(node, hir.AtomicStore) else (None, None)
        event = self.event(
            EventKind.WRITE,
            case,
            after | effects.values | effects.pending,
            node.span,
            address=pointer,
            value=value,
            order=order,
            scope=scope,
        )
        return value, self.called([event], effects)

    def _read_by(self, event: int, guard: Expression) -> Expression:
        """What an event reads, or 0 where its address is not valid."""
        executed = under(self.shared.events[event].guard, facts(guard))
        return select(executed, ReadValue(event), Constant(0))

    def _update(self, node: hir.AtomicUpdate, guard: Expression, after: int) -> tuple[Expression, Effects]:
        pointer, operand, effects = self.unsequenced(node.address, node.operand, guard, after)
        case = self.checked(pointer, guard, node.span)
        if case is FALSE:
            return Constant(0), effects
        old = ReadValue(len(self.shared.events))
        exchange = node.operator is hir.UpdateOperator.EXCHANGE
        event = self.event(
            EventKind.UPDATE,
            case,
            after | effects.values | effects.pending,
            node.span,
            address=pointer,
            value=operand if exchange else binary(_UPDATES[node.operator], old, operand, node.type),
            order=node.order,
            scope=node.scope,
        )
        return self._read_by(event, guard), self.called([event], effects)

    def _compare_exchange(self, node: hir.CompareExchange, guard: Expression, after: int) -> tuple[Expression, Effects]:
        """C11 form: `expected` is read before, and written with what was read if the exchange fails."""
        pointer, desired, effects = self.unsequenced(node.address, node.desired, guard, after)
        place = node.expected
        if isinstance(place, hir.MemoryPlace):
            where, found = self.expression(place.address, guard, after)
        else:
            cases, found = self.private_place(place, guard, after)
        effects = self.beside(effects, found)
        begin = after | effects.values | effects.pending
        first = len(self.shared.events)
        if isinstance(place, hir.MemoryPlace):
            expected, compared = self.load(where, guard, begin, place.span)
        else:
            expected, compared = self.read_private(cases, guard, place.span)
        events = list(range(first, len(self.shared.events)))
        case = self.checked(pointer, guard, node.span)
        if case is FALSE:
            return Constant(0), self.called(events, effects)
        chosen, success, failure = self._attempt(
            node, case, begin | mask(events), pointer, desired, (node.success, node.failure)
        )
        self._constrain(chosen, case, success, failure, expected, weak=node.weak)
        events += [success, failure]
        failed, read, last = conjunction(case, negation(chosen)), ReadValue(failure), begin | mask(events)
        first = len(self.shared.events)
        if isinstance(place, hir.MemoryPlace):
            stored = self.store(where, read, failed, last, place.span)
        else:
            stored = self.write_private(cases, failed, read, place.span)
        events += range(first, len(self.shared.events))
        # What belongs to the call is not sequenced as an access of its own.
        self.full.plain = [event for event in self.full.plain if event not in events]
        effects = self.called(events, effects) | (compared | stored).by_call()
        return conjunction(under(case, facts(guard)), chosen), effects

    def _legacy_compare_exchange(
        self, node: hir.LegacyCompareExchange, guard: Expression, after: int
    ) -> tuple[Expression, Effects]:
        """OpenCL 1.x form: relaxed, compares with a value and returns the old value."""
        pointer, desired, effects = self.unsequenced(node.address, node.desired, guard, after)
        expected, compared = self.expression(node.expected, guard, after)
        effects = self.beside(effects, compared)
        case = self.checked(pointer, guard, node.span)
        if case is FALSE:
            return Constant(0), effects
        begin = after | effects.values | effects.pending
        orders = (Order.RELAXED, Order.RELAXED)
        chosen, success, failure = self._attempt(node, case, begin, pointer, desired, orders)
        self._constrain(chosen, case, success, failure, expected, weak=False)
        old = select(chosen, ReadValue(success), ReadValue(failure))
        value = select(under(case, facts(guard)), old, Constant(0))
        return value, self.called([success, failure], effects)

    def _attempt(
        self,
        node: hir.CompareExchange | hir.LegacyCompareExchange,
        case: Expression,
        begin: int,
        pointer: Expression,
        desired: Expression,
        orders: tuple[Order, Order],
    ) -> tuple[Expression, int, int]:
        """Success as an UPDATE, failure as a READ with the failure order (RMW-2); a choice tells which happens."""
        number = self.shared.new_choice()
        chosen = Choice(number)
        success = self.event(
            EventKind.UPDATE,
            conjunction(case, chosen),
            begin,
            node.span,
            address=pointer,
            value=desired,
            order=orders[0],
            scope=node.scope,
        )
        failure = self.event(
            EventKind.READ,
            conjunction(case, negation(chosen)),
            begin,
            node.span,
            address=pointer,
            order=orders[1],
            scope=node.scope,
        )
        self.shared.choice_reads[number] = frozenset({success, failure})
        return chosen, success, failure

    def _constrain(
        self, chosen: Expression, case: Expression, success: int, failure: int, expected: Expression, *, weak: bool
    ) -> None:
        """Tie the choice to the comparison; a weak exchange may fail although the comparison holds."""
        succeeds, fails = conjunction(case, chosen), conjunction(case, negation(chosen))
        equal = binary("==", ReadValue(success), expected, Scalar.LONG)
        self.shared.constraints.append(disjunction(negation(succeeds), equal))
        if not weak:
            differs = binary("!=", ReadValue(failure), expected, Scalar.LONG)
            self.shared.constraints.append(disjunction(negation(fails), differs))
        # Where nothing is attempted the choice is fixed, so that executions are not counted twice.
        self.shared.constraints.append(disjunction(case, negation(chosen)))

    def _collective(self, node: hir.Collective, guard: Expression, after: int) -> tuple[Expression, Effects]:
        """COLL-1: the result depends on the operands of the whole group; what the call orders is left to the model."""
        operand, effects = self.expression(node.operand, guard, after)
        lane: Expression | None = None
        if node.lane is not None:
            lane, more = self.expression(node.lane, guard, after)
            effects = self.beside(effects, more)
        instance = self.instance(node.level, node.site)
        if instance is None:
            return operand, effects.completed()
        arrival = Arrival(self.thread.index, guard, node.span, operand=operand, lane=lane)
        self.shared.arrivals.setdefault(instance, []).append(arrival)
        # The other members' operands may not be known yet: a read of a negative event stands for the result.
        placeholder = ReadValue(-1 - len(self.shared.collected))
        self.shared.collected[placeholder.event] = (instance, node.operator)
        begin = after | effects.values | effects.pending
        event = self.event(EventKind.CALL, guard, begin, node.span, barrier=instance)
        return placeholder, self.called([event], effects)
