"""Asynchronous copies of one work-item's group: their accesses, and the waits for them.

A copy is performed by work-items of the group that nobody knows, each after its own call. So what comes before the
calls of some work-items only is not ordered with it. All copies of a group may be performed by the same work-item, and
one choice for each group finds all races: who performs is chosen, and the copies are accesses of units of their own,
which come after what is sequenced before the call of that work-item, and happen before what follows the waits for them.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from msgspec import Struct

from mcm.execution.algebra import FALSE, TRUE, ZERO, binary, conjunction, disjunction, negation, select, truth
from mcm.execution.event import EventKind
from mcm.execution.expression import Choice, Constant, ReadValue
from mcm.execution.shared import Arrival, CopyCall
from mcm.execution.skeleton import Fault
from mcm.program.operators import Level
from mcm.program.types import Flag, PointerType, Region, Scalar

if TYPE_CHECKING:
    from collections.abc import Sequence

    from mcm.base.source import Span
    from mcm.execution.accesses import Accesses
    from mcm.execution.event import BarrierInstance
    from mcm.execution.expression import Expression
    from mcm.execution.path import Path
    from mcm.execution.recorder import Recorder
    from mcm.execution.sequencing import Effects
    from mcm.execution.shared import Shared
    from mcm.program import instruction as hir
    from mcm.program.types import Type

_BOTH: Final = frozenset({Flag.GLOBAL, Flag.LOCAL})

MISUSE: Final = "copy-misuse"


class _Copy(Struct):
    """A copy that a work-item has called: `event` is its value, `awaited` are the conditions of the waits for it."""

    instance: BarrierInstance
    guard: Expression
    event: Expression
    awaited: list[Expression]
    span: Span


class Copies:
    """The copies and waits of one thread."""

    def __init__(self, recorder: Recorder, accesses: Accesses) -> None:
        self._recorder: Final = recorder
        self._shared: Final = recorder.shared
        self._accesses: Final = accesses
        self._called: Final[list[_Copy]] = []

    def copy(
        self, node: hir.AsyncCopy, arguments: Sequence[Expression], effects: Effects, path: Path, after: int
    ) -> tuple[Expression, Effects]:
        """A copy: its event, and what the call does, which is no access."""
        target, source, count, *_, given = arguments
        target_stride, source_stride = _strides(node, arguments)
        instance = self._arrive(node.site, arguments, path, node.span)
        path.state.effect = TRUE
        new = Constant(self._shared.copy_number(instance))
        event = select(truth(given), given, new)
        call = CopyCall(self._recorder.thread.index, path.guard, len(self._shared.events))
        self._shared.copy_calls.setdefault(instance, []).append(call)
        performs = path.fork(self._shared.performs(instance, self._recorder.thread.index))
        if performs is not None:
            base = after | effects.values | effects.pending
            run = _Performance(self._recorder, self._accesses, node, len(self._called), base)
            for i in range(_most(count, self._shared)):
                here = conjunction(binary(">", count, Constant(i), Scalar.ULONG))
                one = _element(target, target_stride, i, node.element)
                other = _element(source, source_stride, i, node.element)
                run.element(one, other, performs, here)
            run.end(instance, performs)
        self._called.append(_Copy(instance, path.guard, event, [], node.span))
        return event, self._recorder.called([], effects)

    def wait(
        self, node: hir.AwaitCopies, events: Sequence[Expression], effects: Effects, path: Path, after: int
    ) -> tuple[Expression, Effects]:
        """The work-item goes on when the copies with these events are complete."""
        instance = self._arrive(node.site, events, path, node.span)
        path.narrow(self._shared.opening(instance))
        path.state.effect = TRUE
        begin = after | effects.values | effects.pending
        returned: list[int] = []
        known: list[list[Expression]] = [[] for _ in events]
        for copy in self._called:
            meant = [binary("==", event, copy.event, Scalar.ULONG) for event in events]
            for number, condition in enumerate(meant):
                known[number].append(conjunction(copy.guard, condition))
            guard = path.guarded(conjunction(copy.guard, disjunction(*meant)))
            if guard is FALSE:
                continue
            copy.awaited.append(guard)
            returned.append(
                self._recorder.event(EventKind.AWAITED, guard, begin, node.span, flags=_BOTH, barrier=copy.instance)
            )
        for conditions in known:
            none = path.guarded(negation(disjunction(*conditions)))
            self._recorder.fault(MISUSE, "ASYNC-1", none, "this is the event of no copy", node.span)
        return ZERO, self._recorder.called(returned, effects)

    def finish(self, ends: Expression) -> None:
        """ASYNC-3: no work-item ends before it has waited for each copy; `ends` is the condition that it does."""
        for copy in self._called:
            left = conjunction(ends, copy.guard, negation(disjunction(*copy.awaited)))
            why = "the work-item ends without having waited for this copy"
            self._recorder.fault(MISUSE, "ASYNC-3", left, why, copy.span)

    def _arrive(self, site: str, arguments: Sequence[Expression], path: Path, span: Span) -> BarrierInstance:
        instance = self._recorder.instance(Level.WORK_GROUP, site)
        assert instance is not None, "host threads call no functions of kernels"
        self._shared.arrive(instance, Arrival(self._recorder.thread.index, path.guard, span))
        self._shared.group_arguments.setdefault(instance, []).append((path.guard, tuple(arguments), span))
        return instance


class _Performance:
    """The accesses of one copy, by the work-item that performs it."""

    def __init__(self, recorder: Recorder, accesses: Accesses, node: hir.AsyncCopy, number: int, after: int) -> None:
        self._recorder: Final = recorder
        self._accesses: Final = accesses
        self._node: Final = node
        self._number: Final = number
        self._after = after

    def element(self, target: Expression, source: Expression, path: Path, condition: Expression) -> None:
        """Copy one element where a condition holds; addresses outside are faults."""
        span = self._node.span
        case = self._accesses.valid(source, path, span, EventKind.READ, condition)
        guard = path.guarded(case)
        if guard is FALSE:
            return
        read = self._event(EventKind.READ, guard, address=source)
        self._accesses.ask(read, ReadValue(read))
        case = self._accesses.valid(target, path, span, EventKind.WRITE, case)
        guard = path.guarded(case)
        if guard is not FALSE:
            self._event(EventKind.WRITE, guard, address=target, value=ReadValue(read))

    def end(self, instance: BarrierInstance, path: Path) -> None:
        """The copy is complete."""
        self._event(EventKind.COPIED, path.guard, barrier=instance)

    def _event(
        self,
        kind: EventKind,
        guard: Expression,
        *,
        address: Expression | None = None,
        value: Expression | None = None,
        barrier: BarrierInstance | None = None,
    ) -> int:
        identifier = self._recorder.event(
            kind,
            guard,
            self._after,
            self._node.span,
            address=address,
            value=value,
            flags=_BOTH if kind is EventKind.COPIED else frozenset(),
            barrier=barrier,
            asynchronous=self._number,
        )
        self._after |= 1 << identifier
        return identifier


def different_arguments(shared: Shared) -> list[Fault]:
    """ASYNC-2: the work-items of a group pass the same arguments to a copy, and wait for the same events."""
    faults = []
    for calls in shared.group_arguments.values():
        (guard, first, span), *others = calls
        for other_guard, arguments, other_span in others:
            pairs = zip(first, arguments, strict=True)
            differs = disjunction(*(binary("!=", one, other, Scalar.LONG) for one, other in pairs))
            condition = conjunction(guard, other_guard, differs)
            if condition is not FALSE:
                why = "not all work-items of the work-group pass the same arguments"
                faults.append(Fault(MISUSE, "ASYNC-2", condition, why, (), (span, other_span)))
    return faults


def performer(shared: Shared, instance: BarrierInstance) -> dict[int, Expression]:
    """For each member of a group the condition that it performs the copies of the group: one of them does."""
    members = shared.members(instance)
    found: dict[int, Expression] = {}
    nobody: Expression = TRUE
    for member in members[:-1]:
        chosen = Choice(shared.new_choice())
        found[member.index] = conjunction(nobody, chosen)
        # Choices that do not matter are fixed, so that executions are not counted twice.
        shared.constraints.append(disjunction(negation(chosen), nobody))
        nobody = conjunction(nobody, negation(chosen))
    found[members[-1].index] = nobody
    return found


def _strides(node: hir.AsyncCopy, arguments: Sequence[Expression]) -> tuple[Expression | None, Expression | None]:
    strides = iter(arguments[3:-1])
    target = None if node.target_stride is None else next(strides)
    return target, None if node.source_stride is None else next(strides)


def _most(count: Expression, shared: Shared) -> int:
    """How many elements may be copied at most: no more than the largest object has, but for one that is outside."""
    if isinstance(count, Constant) and isinstance(count.value, int):
        return count.value
    return 1 + max((len(item.initial) for item in shared.program.objects), default=0)


def _element(pointer: Expression, stride: Expression | None, number: int, element: Type) -> Expression:
    """The address of an element."""
    offset: Expression = Constant(number)
    if stride is not None:
        offset = binary("*", stride, offset, Scalar.ULONG)
    return binary("+", pointer, offset, PointerType(element, Region.NONE))
