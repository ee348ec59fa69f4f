"""Which conflicting accesses of a full expression are unsequenced, by its syntax (C11 6.5p2, SB-2, DR-3).

Only pairs that may access the same object are given, so that most expressions have none and need no check at run time.
An atomic operation is a call, which is indeterminately sequenced and so no conflict; its arguments may conflict.
"""

from __future__ import annotations

from itertools import product
from typing import TYPE_CHECKING, Final, assert_never

from msgspec import Struct

from mcm.program import instruction as hir
from mcm.program.operators import SHIFTS
from mcm.program.walk import walk

if TYPE_CHECKING:
    from mcm.base.dialect import Dialect
    from mcm.program.program import Thread


class PlainAccess(Struct, frozen=True, eq=False):
    """A plain access of an lvalue: a read of it, or a write by the assignment `node`."""

    node: hir.Place | hir.Assign | hir.Modify
    place: hir.Place
    writes: bool


class _Evaluation(Struct, frozen=True):
    """The accesses of an evaluation; `pending` are the side effects among them that no sequence point follows."""

    accesses: tuple[PlainAccess, ...] = ()
    pending: tuple[PlainAccess, ...] = ()

    def __or__(self, other: _Evaluation) -> _Evaluation:
        """Both evaluations, without a sequence point between them."""
        return _Evaluation(self.accesses + other.accesses, self.pending + other.pending)

    def completed(self) -> _Evaluation:
        """The evaluation, followed by a sequence point."""
        return _Evaluation(self.accesses)


_NOTHING = _Evaluation()


class Sequencing:
    """Finds the unsequenced accesses of the expressions of a thread."""

    def __init__(self, thread: Thread, dialect: Dialect) -> None:
        self._orders_assignments: Final = dialect.orders_assignments
        self._orders_shifts: Final = dialect.orders_shifts
        self._pointed_at = {
            node.place.register if isinstance(node.place, hir.RegisterPlace) else node.place.array
            for node in walk(thread.body)
            if isinstance(node, hir.AddressOfRegister)
        }
        self._found: list[tuple[PlainAccess, PlainAccess]] = []

    def conflicts(self, node: hir.Expression) -> list[tuple[PlainAccess, PlainAccess]]:
        """The pairs of accesses that are undefined if they access the same object; pairs of two writes come first."""
        self._found = []
        self._expression(node)
        return sorted(self._found, key=lambda pair: not (pair[0].writes and pair[1].writes))

    def _expression(self, node: hir.Expression) -> _Evaluation:
        match node:
            case hir.Literal():
                return _NOTHING
            case hir.Read(place, _):
                return self._read(place)
            case hir.AddressOfRegister(place, _):
                return self._located(place)
            case (
                hir.Unary(_, operand, _)
                | hir.Convert(operand, _)
                | hir.InRegion(operand)
                | hir.Inside(operand)
                | hir.MemberAddress(operand)
            ):
                return self._expression(operand)
            case hir.Binary(operator, left, right, _, _) if operator in SHIFTS and self._orders_shifts:
                return self._expression(left).completed() | self._expression(right)
            case hir.Binary(_, left, right, _, _):
                return self._unsequenced(self._expression(left), self._expression(right))
            case hir.Logical(_, left, right, _) | hir.Sequence(left, right, _):
                return self._expression(left).completed() | self._expression(right)
            case hir.Conditional(condition, then, otherwise, _):
                either = self._expression(then) | self._expression(otherwise)
                return self._expression(condition).completed() | either
            case hir.Assign(place, value, _):
                return self._stored(node, self._operands(self._expression(value), self._located(place)))
            case hir.Modify(_, place, value, _, _, _):
                return self._stored(node, self._operands(self._expression(value), self._read(place)))
            case hir.Enqueue(_, (first, *others)):
                effects = self._expression(first)
                for one in others:
                    effects = self._unsequenced(effects, self._expression(one))
                return effects.completed()
            case hir.AboutCommands():
                return _NOTHING
            case _:
                return self._arguments(node).completed()

    def _arguments(
        self,
        node: hir.AtomicLoad
        | hir.AtomicStore
        | hir.AtomicInit
        | hir.AtomicUpdate
        | hir.CompareExchange
        | hir.LegacyCompareExchange
        | hir.Collective
        | hir.AsyncCopy
        | hir.AwaitCopies
        | hir.PipeAction,
    ) -> _Evaluation:
        match node:
            case hir.AtomicLoad(address):
                return self._expression(address)
            case (
                hir.AtomicStore(one, other)
                | hir.AtomicInit(one, other)
                | hir.AtomicUpdate(_, one, other)
                | hir.Collective(_, _, one, hir.Written() as other)
            ):
                return self._unsequenced(self._expression(one), self._expression(other))
            case hir.CompareExchange(address, place, desired):
                both = self._unsequenced(self._expression(address), self._expression(desired))
                return self._unsequenced(both, self._located(place))
            case hir.LegacyCompareExchange(address, expected, desired):
                both = self._unsequenced(self._expression(address), self._expression(desired))
                return self._unsequenced(both, self._expression(expected))
            case hir.AsyncCopy() | hir.AwaitCopies():
                found = _NOTHING
                for argument in node.arguments:
                    found = self._unsequenced(found, self._expression(argument))
                return found
            case hir.PipeAction():
                found = _NOTHING if node.place is None else self._located(node.place)
                for argument in node.arguments:
                    found = self._unsequenced(found, self._expression(argument))
                return found
            case hir.Collective(_, _, operand):
                return self._expression(operand)
            case _:
                assert_never(node)

    # --- lvalues ------------------------------------------------------------------------------------------------------

    def _located(self, place: hir.Place) -> _Evaluation:
        """The evaluation that determines which object an lvalue designates."""
        match place:
            case hir.RegisterPlace():
                return _NOTHING
            case hir.ElementPlace(_, _, index, _):
                return self._expression(index)
            case hir.MemoryPlace(address, _):
                return self._expression(address)
            case _:
                assert_never(place)

    def _read(self, place: hir.Place) -> _Evaluation:
        return self._following(self._located(place), PlainAccess(place, place, writes=False))

    def _stored(self, node: hir.Assign | hir.Modify, before: _Evaluation) -> _Evaluation:
        return self._following(before, PlainAccess(node, node.place, writes=True))

    def _following(self, before: _Evaluation, access: PlainAccess) -> _Evaluation:
        """An access is sequenced after the values that it depends on, but not after their side effects."""
        self._compare(before.pending, (access,))
        return before | _Evaluation((access,), (access,) if access.writes else ())

    # --- pairs --------------------------------------------------------------------------------------------------------

    def _operands(self, value: _Evaluation, place: _Evaluation) -> _Evaluation:
        """What is assigned, and the lvalue that it is assigned to."""
        return value.completed() | place if self._orders_assignments else self._unsequenced(value, place)

    def _unsequenced(self, one: _Evaluation, other: _Evaluation) -> _Evaluation:
        """Two evaluations without a sequence point between them, whose accesses may conflict."""
        self._compare(one.accesses, other.accesses)
        return one | other

    def _compare(self, one: tuple[PlainAccess, ...], other: tuple[PlainAccess, ...]) -> None:
        if not any(access.writes for access in (*one, *other)):
            return
        for first, second in product(one, other):
            if (first.writes or second.writes) and self._may_alias(first.place, second.place):
                self._found.append((first, second))

    def _may_alias(self, one: hir.Place, other: hir.Place) -> bool:
        """Whether two lvalues may designate the same object."""
        match one, other:
            case hir.RegisterPlace(register), hir.RegisterPlace(same):
                return register == same
            case hir.ElementPlace(array), hir.ElementPlace(same):
                return array == same
            case hir.MemoryPlace(), hir.MemoryPlace():
                return True
            case (hir.RegisterPlace(name) | hir.ElementPlace(name), hir.MemoryPlace()) | (
                hir.MemoryPlace(),
                hir.RegisterPlace(name) | hir.ElementPlace(name),
            ):
                return name in self._pointed_at
            case _:
                return False
