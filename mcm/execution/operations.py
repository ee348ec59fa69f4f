"""Atomic operations and group functions of one thread, on operands that have been evaluated.

Their arguments are complete before they begin, they are complete when they return.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from mcm.execution.algebra import (
    FALSE,
    TRUE,
    ZERO,
    as_bits,
    binary,
    conjunction,
    disjunction,
    held_bits,
    negation,
    select,
    truth,
)
from mcm.execution.event import EventKind
from mcm.execution.expression import Choice, Constant, GroupResult, ReadValue
from mcm.execution.groups import named
from mcm.execution.sequencing import mask
from mcm.execution.shared import Arrival, GroupCall
from mcm.execution.supposition import RunCounter
from mcm.program import instruction as hir
from mcm.program.operators import OPERATOR_OF_UPDATE, RELATIVE_SHUFFLES, CollectiveOperator, UpdateOperator
from mcm.program.types import Order, Scalar

if TYPE_CHECKING:
    from mcm.execution.accesses import Accesses, Target
    from mcm.execution.expression import Expression
    from mcm.execution.path import Path
    from mcm.execution.recorder import Recorder
    from mcm.execution.sequencing import Effects
    from mcm.program.types import Type

# The updates that write back what they read with zero as operand, and change it with any other.
_NEUTRAL_WITH_ZERO: Final = frozenset({UpdateOperator.ADD, UpdateOperator.SUB, UpdateOperator.XOR})


class Operations:
    """Executes operations; each returns its value, and the effects of the call with those of its arguments."""

    def __init__(self, recorder: Recorder, accesses: Accesses) -> None:
        self._recorder: Final = recorder
        self._shared: Final = recorder.shared
        self._accesses: Final = accesses
        supposed = recorder.shared.foreknown.supposed
        self._calls: Final = RunCounter(supposed, recorder.thread.index) if supposed else None

    def load(
        self, node: hir.AtomicLoad, pointer: Expression, effects: Effects, path: Path, after: int
    ) -> tuple[Expression, Effects]:
        """An atomic load."""
        case = self._accesses.valid(pointer, path, node.span, EventKind.READ)
        guard = path.guarded(case)
        if guard is FALSE:
            return ZERO, effects
        begin = after | effects.values | effects.pending
        event = self._recorder.event(
            EventKind.READ, guard, begin, node.span, address=pointer, order=node.order, scope=node.scope
        )
        value = self._accesses.loaded_by(event, pointer, guard, node.span)
        return select(case, value, ZERO), self._recorder.called([event], effects)

    def store(
        self,
        node: hir.AtomicStore | hir.AtomicInit,
        pointer: Expression,
        value: Expression,
        effects: Effects,
        path: Path,
        after: int,
    ) -> tuple[Expression, Effects]:
        """An atomic store, or an initialisation, which is not atomic."""
        case = self._accesses.valid(pointer, path, node.span, EventKind.WRITE)
        guard = path.guarded(case)
        if guard is FALSE:
            return value, effects
        order, scope = (node.order, node.scope) if isinstance(node, hir.AtomicStore) else (None, None)
        event = self._recorder.event(
            EventKind.WRITE,
            guard,
            after | effects.values | effects.pending,
            node.span,
            address=pointer,
            value=value,
            order=order,
            scope=scope,
        )
        path.state.have_effect(case)
        return value, self._recorder.called([event], effects)

    def update(
        self,
        node: hir.AtomicUpdate,
        pointer: Expression,
        operand: Expression,
        effects: Effects,
        path: Path,
        after: int,
    ) -> tuple[Expression, Effects]:
        """A read-modify-write; it has an effect unless it writes back what it read."""
        case = self._accesses.valid(pointer, path, node.span, EventKind.UPDATE)
        guard = path.guarded(case)
        if guard is FALSE:
            return ZERO, effects
        old = ReadValue(len(self._shared.events))
        value = operand
        if node.operator is not UpdateOperator.EXCHANGE:
            value = _updated(node, old, operand)
        event = self._recorder.event(
            EventKind.UPDATE,
            guard,
            after | effects.values | effects.pending,
            node.span,
            address=pointer,
            value=value,
            order=node.order,
            scope=node.scope,
        )
        self._accesses.ask(event, old)
        if node.operator in _NEUTRAL_WITH_ZERO and isinstance(operand, Constant):
            self._note_change(case, operand, ZERO, node.type, path)
        else:
            self._note_change(case, old, value, node.type, path)
        return select(case, self._taken(pointer, old), ZERO), self._recorder.called([event], effects)

    def _taken(self, pointer: Expression, old: ReadValue) -> Expression:
        """What an update has read: a number that is known, if it is one of those that groups take one each."""
        tickets = self._shared.foreknown.tickets
        if tickets is None or not isinstance(pointer, Constant) or pointer.value != tickets.counter:
            return old
        number = tickets.by_thread[self._recorder.thread.index]
        self._shared.constraints += (binary("==", old, number, Scalar.LONG),)
        return number

    def compare_exchange(
        self,
        node: hir.CompareExchange,
        pointer: Expression,
        target: Target,
        desired: Expression,
        effects: Effects,
        path: Path,
        after: int,
    ) -> tuple[Expression, Effects]:
        """C11 form: `expected` is read before, and written with what was read if the exchange fails."""
        span = node.expected.span
        begin = after | effects.values | effects.pending
        first = len(self._shared.events)
        expected, compared = self._accesses.read(target, path, begin, span)
        events = list(range(first, len(self._shared.events)))
        case = self._accesses.valid(pointer, path, node.span, EventKind.UPDATE)
        if path.guarded(case) is FALSE:
            return ZERO, self._recorder.called(events, effects)
        orders = (node.success, node.failure)
        chosen, success, failure = self._attempt(node, case, path, begin | mask(events), pointer, desired, orders)
        if node.seen is not None:
            expected = as_bits(expected, node.seen, node.object_type)
        self._constrain(success, failure, chosen, expected, node.object_type, path.guarded(case), is_weak=node.weak)
        events += [success, failure]
        failed, last = conjunction(case, negation(chosen)), begin | mask(events)
        first = len(self._shared.events)
        found: Expression = ReadValue(failure)
        if node.seen is not None:
            found = as_bits(found, node.object_type, node.seen)
        stored = self._accesses.write(target, found, path, last, span, failed)
        events += range(first, len(self._shared.events))
        # What belongs to the call is not sequenced as an access of its own.
        full = self._recorder.full
        full.plain = [event for event in full.plain if event not in events]
        effects = self._recorder.called(events, effects) | (compared | stored).by_call()
        return conjunction(case, chosen), effects

    def legacy_compare_exchange(
        self,
        node: hir.LegacyCompareExchange,
        pointer: Expression,
        expected: Expression,
        desired: Expression,
        effects: Effects,
        path: Path,
        after: int,
    ) -> tuple[Expression, Effects]:
        """OpenCL 1.x form: relaxed, compares with a value and returns the old value."""
        case = self._accesses.valid(pointer, path, node.span, EventKind.UPDATE)
        if path.guarded(case) is FALSE:
            return ZERO, effects
        begin = after | effects.values | effects.pending
        orders = (Order.RELAXED, Order.RELAXED)
        chosen, success, failure = self._attempt(node, case, path, begin, pointer, desired, orders)
        self._constrain(success, failure, chosen, expected, node.type, path.guarded(case))
        # What succeeds has read what it expects.
        old = select(chosen, expected, ReadValue(failure))
        return select(case, old, ZERO), self._recorder.called([success, failure], effects)

    def _attempt(
        self,
        node: hir.CompareExchange | hir.LegacyCompareExchange,
        case: Expression,
        path: Path,
        begin: int,
        pointer: Expression,
        desired: Expression,
        orders: tuple[Order, Order],
    ) -> tuple[Choice, int, int]:
        """Success as an UPDATE, failure as a READ with the failure order (RMW-2); a choice tells which happens."""
        number = self._shared.new_choice()
        chosen = Choice(number)
        success = self._recorder.event(
            EventKind.UPDATE,
            path.guarded(conjunction(case, chosen)),
            begin,
            node.span,
            address=pointer,
            value=desired,
            order=orders[0],
            scope=node.scope,
        )
        failure = self._recorder.event(
            EventKind.READ,
            path.guarded(conjunction(case, negation(chosen))),
            begin,
            node.span,
            address=pointer,
            order=orders[1],
            scope=node.scope,
        )
        self._shared.choice_reads[number] = frozenset({success, failure})
        for event in (success, failure):
            self._accesses.ask(event, ReadValue(event))
        type_ = node.object_type if isinstance(node, hir.CompareExchange) else node.type
        self._note_change(conjunction(case, chosen), ReadValue(success), desired, type_, path)
        return chosen, success, failure

    def _note_change(self, case: Expression, old: Expression, new: Expression, type_: Type, path: Path) -> None:
        """A read-modify-write has an effect where it does not write back what it read; only loops need to know."""
        if self._recorder.iteration and path.state.effect is not TRUE:
            # Equal floats need not be the same: 0.0 and -0.0.
            changes = TRUE if type_.is_floating else binary("!=", old, new, type_)
            path.state.have_effect(conjunction(case, changes))

    def _constrain(
        self,
        success: int,
        failure: int,
        chosen: Choice,
        expected: Expression,
        type_: Type,
        guard: Expression,
        *,
        is_weak: bool = False,
    ) -> None:
        """Tie the choice to the comparison, of values of a type; a weak exchange may fail where it holds."""
        events, constraints = self._shared.events, self._shared.constraints
        self._shared.expected[chosen.index] = expected
        read, found = (held_bits(ReadValue(event), type_) for event in (success, failure))
        expected = held_bits(expected, type_)
        constraints.append(disjunction(negation(events[success].guard), binary("==", read, expected, Scalar.LONG)))
        # Loops that ask whether it fails again compare variables, which have a type.
        types = (Scalar.LONG, type_ if isinstance(type_, Scalar) and not type_.is_floating else Scalar.LONG)
        exact, typed = (disjunction(negation(events[failure].guard), binary("!=", found, expected, of)) for of in types)
        if is_weak:
            self._recorder.not_spurious.append(typed)
        else:
            constraints.append(exact)
            self._shared.failures[failure] = typed
        # Where nothing is attempted the choice is fixed, so that executions are not counted twice.
        constraints.append(disjunction(guard, negation(chosen)))

    def collective(
        self,
        node: hir.Collective,
        operand: Expression,
        lane: Expression | None,
        effects: Effects,
        path: Path,
        after: int,
    ) -> tuple[Expression, Effects]:
        """COLL-1: the result depends on the operands of the whole group; what the call orders is left to the model."""
        recorder, shared = self._recorder, self._shared
        instance = recorder.instance(node.level, node.site, of_active=node.of_active)
        if instance is None:
            return operand, effects.completed()
        if node.operator is CollectiveOperator.DETERMINED:
            return self._determined(node, operand, lane, path), effects
        if lane is not None and not node.of_active and node.operator not in RELATIVE_SHUFFLES:
            size = len(shared.members(instance))
            inside = disjunction(*(binary("==", lane, Constant(rank), Scalar.INT) for rank in range(size)))
            why = f"there is no such work-item in the {named(node.level)}, which has {size}"
            recorder.fault("out-of-bounds", "MEM-BOUNDS", path.guarded(negation(inside)), why, node.span, operand=lane)
        arrival = Arrival(recorder.thread.index, path.guard, node.span, operand=operand, lane=lane)
        shared.arrive(instance, arrival)
        path.narrow(shared.opening(instance))
        following = None if self._calls is None else self._calls.following(node.span.start)
        supposed = following.value if following is not None and path.guard is TRUE else None
        # The other members' operands may not be known yet.
        result = GroupResult(len(shared.collected)) if supposed is None else supposed
        call = GroupCall(instance, node.operator, recorder.thread.index, node.type, supposed, node.cluster)
        shared.collected.append(call)
        begin = after | effects.values | effects.pending
        event = recorder.event(EventKind.CALL, path.guard, begin, node.span, barrier=instance)
        if supposed is not None:
            shared.foreseen.add(event)
        path.state.effect = TRUE
        return result, recorder.called([event], effects)

    def _determined(
        self, node: hir.Collective, value: Expression, condition: Expression | None, path: Path
    ) -> Expression:
        """A value, and in its place what nothing determines where a condition does not hold (COLL-2)."""
        # Imported here: few programs ask for the lowest bit of a ballot.
        from mcm.execution.undetermined import Undetermined  # noqa: PLC0415

        assert condition is not None
        inside = truth(condition)
        if inside is TRUE:
            return value
        unknown = self._shared.undetermined
        placeholder = GroupResult(-1 - len(unknown))
        arrival = Arrival(self._recorder.thread.index, path.guard, node.span)
        unknown.append(Undetermined(placeholder, arrival, negation(inside)))
        return select(inside, value, placeholder)


def _updated(node: hir.AtomicUpdate, old: Expression, operand: Expression) -> Expression:
    """What an update writes that is no exchange."""
    symbol = OPERATOR_OF_UPDATE[node.operator]
    if node.seen is None:
        return binary(symbol, old, operand, node.type)
    new = binary(symbol, as_bits(old, node.type, node.seen), operand, node.seen)
    return as_bits(new, node.seen, node.type)
