"""Symbolic execution of expressions: their values, and how what they do is sequenced."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, assert_never

from mcm.execution.accesses import Pointed, Variables
from mcm.execution.addresses import points_into
from mcm.execution.algebra import TRUE, ZERO, as_bits, binary, conjunction, disjunction, negation, select, truth, unary
from mcm.execution.comparison import compared
from mcm.execution.expression import Constant
from mcm.execution.known import Known, keeps_values, leaves_private_alone
from mcm.execution.links import member_address
from mcm.execution.sequencing import NOTHING
from mcm.program import division
from mcm.program import instruction as hir
from mcm.program.apart import KIND, RULE, WHY, asks_for_order
from mcm.program.operators import SHIFTS
from mcm.program.types import RegisterPointer, Scalar
from mcm.program.value_arithmetic import divides

if TYPE_CHECKING:
    from mcm.execution.accesses import Accesses, Target
    from mcm.execution.commands import HostCalls
    from mcm.execution.copies import Copies
    from mcm.execution.expression import Expression
    from mcm.execution.operations import Operations
    from mcm.execution.path import Path
    from mcm.execution.pipes import Pipes
    from mcm.execution.recorder import Recorder
    from mcm.execution.sequencing import Effects
    from mcm.program.types import Type


def converted(value: Expression, source: Type, target: Type) -> Expression:
    """A value of one type converted to another; nothing where every value of the first is one of the second."""
    return value if keeps_values(source, target) else unary("convert", value, target)


def _modified(node: hir.Modify, old: Expression, operand: Expression) -> tuple[Expression, Expression]:
    """What a compound assignment writes, and its own value, given what it reads in its own type."""
    left = converted(old, node.type, node.operands)
    right = converted(operand, node.value.type, node.operands)
    new = converted(binary(node.operator, left, right, node.operands), node.operands, node.type)
    written = new if node.seen is None else as_bits(new, node.seen, node.place.type)
    return written, old if node.returns_old else new


class Operands:
    """Evaluates the expressions of one thread.

    Methods take the path on which an expression is evaluated, whose variables they change, and the mask `after` of
    events that are sequenced before it.
    """

    def __init__(self, recorder: Recorder, accesses: Accesses, operations: Operations) -> None:
        self._recorder: Final = recorder
        self._accesses: Final = accesses
        self._operations: Final = operations
        self._host: HostCalls | None = None
        self.copies: Copies | None = None
        self.pipes: Pipes | None = None
        # Private variables as places.
        self._whole: Final[dict[str, Variables]] = {}
        # The full expression at hand, and whether anything may point at private variables.
        self._full: hir.Expression | None = None
        self._known: Final = Known(recorder.shared.constants)
        self._has_pointers = False
        self._orders_assignments: Final = recorder.shared.program.dialect.orders_assignments
        self._orders_shifts: Final = recorder.shared.program.dialect.orders_shifts

    def full(self, node: hir.Expression, path: Path, after: int) -> Expression:
        """The value of a full expression."""
        self._full = node
        value, _ = self.expression(node, path, after)
        self._full = None
        return value

    def private(self, node: hir.Expression, path: Path) -> Expression | None:
        """The value of a full expression that is private computation, where that is known; it is performed then."""
        known = self._known
        known.variables = path.state.variables
        match node:
            case hir.Assign(hir.RegisterPlace(register), assigned, _):
                value = known.value(assigned)
                if value is None:
                    return None
                path.state.assign(register, Constant(value))
            case hir.Modify(_, hir.RegisterPlace(register)):
                old, operand = known.of_variable(register), known.value(node.value)
                if old is None or operand is None or node.seen is not None:
                    return None
                if not divides(node.operator, old, operand, node.operands):
                    return None
                new, found = _modified(node, Constant(old), Constant(operand))
                path.state.assign(register, new)
                return found
            case _:
                value = known.value(node)
        return None if value is None else Constant(value)

    def expression(self, node: hir.Expression, path: Path, after: int) -> tuple[Expression, Effects]:
        """The value and the effects of an expression."""
        match node:
            case hir.Literal():
                self._recorder.shared.constants.add(node.value)
                return Constant(node.value), NOTHING
            case hir.Read(place, _):
                target, effects = self._target(place, path, after)
                value, read = self._accesses.read(target, path, after | effects.values, place.span)
                return value, self._accesses.following(effects, read)
            case hir.AtomicLoad() | hir.AtomicStore() | hir.AtomicUpdate():
                # So far that is nearly all there is in a litmus test.
                return self._call(node, path, after)
            case hir.Assign():
                return self._assign(node, path, after)
            case hir.AddressOfRegister(place, type_):
                thread = self._recorder.thread.index
                self._has_pointers = True
                if isinstance(place, hir.RegisterPlace):
                    return Constant(RegisterPointer(thread, place.register)), NOTHING
                offset, effects = self.expression(place.index, path, after)
                return binary("+", Constant(RegisterPointer(thread, place.array)), offset, type_), effects
            case hir.Unary(operator, operand, type_):
                value, effects = self.expression(operand, path, after)
                return (negation(truth(value)) if operator == "!" else unary(operator, value, type_)), effects
            case hir.Binary(operator, left, right, operands, _):
                is_ordered = self._orders_shifts and operator in SHIFTS
                pair = self._one_by_one if is_ordered else self._unsequenced
                first, second, effects = pair(left, right, path, after)
                self._check_divisor(node, first, second, path)
                if asks_for_order(node):
                    self._check_order(node, first, second, path)
                return compared(operator, first, second, operands, self._recorder.shared), effects
            case hir.Logical() | hir.Conditional() | hir.Sequence():
                return self._sequenced(node, path, after)
            case hir.Convert(operand, type_):
                value, effects = self.expression(operand, path, after)
                return converted(value, operand.type, type_), effects
            case hir.InRegion(operand, objects, private, _):
                value, effects = self.expression(operand, path, after)
                return points_into(value, objects, self._recorder.shared, private=private), effects
            case hir.MemberAddress(operand, places, type_):
                value, effects = self.expression(operand, path, after)
                return member_address(value, places, type_, self._recorder.shared), effects
            case hir.Inside(operand):
                value, effects = self.expression(operand, path, after)
                self._accesses.check_index(node, value, path)
                return value, effects
            case hir.Modify():
                return self._modify(node, path, after)
            case _:
                return self._call(node, path, after)

    def _unsequenced(
        self, left: hir.Expression, right: hir.Expression, path: Path, after: int
    ) -> tuple[Expression, Expression, Effects]:
        """Two operands without a sequence point between them."""
        first, one = self.expression(left, path, after)
        second, other = self.expression(right, path, after)
        return first, second, self._accesses.unsequenced(one, other)

    def _argument(self, call: hir.AtomicLoad, path: Path, after: int) -> tuple[Expression, Effects]:
        """The argument of a load, as those of a store (`_arguments`)."""
        known = self._known.value(call.address) if self._is_alone(call, path) else None
        return self.expression(call.address, path, after) if known is None else (Constant(known), NOTHING)

    def _arguments(
        self, call: hir.AtomicStore | hir.AtomicInit, path: Path, after: int
    ) -> tuple[Expression, Expression, Effects]:
        """The arguments of a store; mostly they are known, as of a literal that is stored where a parameter points."""
        if self._is_alone(call, path):
            pointer, value = self._known.value(call.address), self._known.value(call.value)
            if pointer is not None and value is not None:
                return Constant(pointer), Constant(value), NOTHING
        return self._unsequenced(call.address, call.value, path, after)

    def _is_alone(self, call: hir.Expression, path: Path) -> bool:
        """Whether a call is all there is in a full expression, but for a private variable that keeps its result.

        Then nothing can clash with what it takes to evaluate arguments that are known on this path.
        """
        self._known.variables = path.state.variables
        match self._full:
            case hir.Assign(hir.RegisterPlace(), kept):
                return kept is call
            case full:
                return full is call

    def _one_by_one(
        self, left: hir.Expression, right: hir.Expression, path: Path, after: int
    ) -> tuple[Expression, Expression, Effects]:
        """Two operands of which the left one is evaluated first."""
        first, one = self.expression(left, path, after)
        second, other = self.expression(right, path, after | one.values | one.pending)
        return first, second, one.completed() | other

    def _sequenced(
        self, node: hir.Logical | hir.Conditional | hir.Sequence, path: Path, after: int
    ) -> tuple[Expression, Effects]:
        """The operators with a sequence point after their first operand."""
        match node:
            case hir.Logical(operator, left, right, _):
                first, one = self.expression(left, path, after)
                test = truth(first)
                goes_on = test if operator == "&&" else negation(test)
                second, other = self._where(goes_on, right, path, after | one.values | one.pending)
                both = conjunction(test, truth(second)) if operator == "&&" else disjunction(test, truth(second))
                return both, one.completed() | other
            case hir.Conditional(condition, then, otherwise, _):
                first, one = self.expression(condition, path, after)
                test = truth(first)
                later = after | one.values | one.pending
                second, taken = self._where(test, then, path, later)
                third, skipped = self._where(negation(test), otherwise, path, later)
                return select(test, second, third), one.completed() | taken | skipped
            case hir.Sequence(left, right, _):
                _, value, effects = self._one_by_one(left, right, path, after)
                return value, effects
            case _:
                assert_never(node)

    def _where(self, condition: Expression, node: hir.Expression, path: Path, after: int) -> tuple[Expression, Effects]:
        """The value and the effects of an expression that is evaluated only where a condition holds."""
        inside = path.fork(condition)
        if inside is None:
            return ZERO, NOTHING
        value, effects = self.expression(node, inside, after)
        path.rejoin(condition, inside)
        return value, effects

    def _target(self, place: hir.Place, path: Path, after: int) -> tuple[Target, Effects]:
        """The place that is accessed: its index or address is evaluated, once."""
        match place:
            case hir.RegisterPlace(register, _):
                if register not in self._whole:
                    self._whole[register] = Variables(((TRUE, register),))
                return self._whole[register], NOTHING
            case hir.ElementPlace():
                index, effects = self.expression(place.index, path, after)
                return self._accesses.element(place, index, path), effects
            case hir.MemoryPlace(address, _):
                if self._is_plain():
                    self._known.variables = path.state.variables
                    value = self._known.value(address)
                    if value is not None:
                        return Pointed(Constant(value)), NOTHING
                pointer, effects = self.expression(address, path, after)
                return Pointed(pointer), effects
            case _:
                assert_never(place)

    def _is_plain(self) -> bool:
        """Whether reads of private variables need no care in the full expression at hand (`known`)."""
        node, plain = self._full, self._recorder.shared.plain
        if node is None or self._has_pointers:
            return False
        is_plain = plain.get(id(node))
        if is_plain is None:
            is_plain = plain[id(node)] = leaves_private_alone(node)
        return is_plain

    def initial(self, node: hir.Expression, path: Path, after: int) -> tuple[Expression, Expression]:
        """What a variable begins with, a full expression, and where that is a value."""
        self._full = node
        value, defined, _ = self._copied(node, path, after)
        self._full = None
        return value, defined

    def _copied(self, node: hir.Expression, path: Path, after: int) -> tuple[Expression, Expression, Effects]:
        """What is assigned, and where that is a value: a member of a structure that is copied may have none."""
        if isinstance(node, hir.Read) and node.is_copied:
            target, effects = self._target(node.place, path, after)
            value, defined, found = self._accesses.copied(target, path, after | effects.values, node.place.span)
            return value, defined, self._accesses.following(effects, found)
        value, effects = self.expression(node, path, after)
        return value, TRUE, effects

    def _assign(self, node: hir.Assign, path: Path, after: int) -> tuple[Expression, Effects]:
        value, defined, effects = self._copied(node.value, path, after)
        target, effects = self._assigned_to(node.place, effects, path, after)
        stored = self._accesses.write(target, value, path, after | effects.values, node.span, defined=defined)
        return value, self._accesses.following(effects, stored)

    def _assigned_to(self, place: hir.Place, assigned: Effects, path: Path, after: int) -> tuple[Target, Effects]:
        """An lvalue, and the effects of both operands of an assignment."""
        if self._orders_assignments:
            assigned = assigned.completed()
            target, found = self._target(place, path, after | assigned.values)
            return target, assigned | found
        target, found = self._target(place, path, after)
        return target, self._accesses.unsequenced(assigned, found)

    def _changed(
        self, place: hir.Place, operand: Effects, path: Path, after: int
    ) -> tuple[Target, Expression, Effects]:
        """An lvalue that is read and then written, its old value, and the effects of both operands."""
        accesses = self._accesses
        if self._orders_assignments:
            target, effects = self._assigned_to(place, operand, path, after)
            old, read = accesses.read(target, path, after | effects.values, place.span)
            return target, old, accesses.following(effects, read)
        target, found = self._target(place, path, after)
        old, read = accesses.read(target, path, after | found.values, place.span)
        return target, old, accesses.unsequenced(operand, accesses.following(found, read))

    def _modify(self, node: hir.Modify, path: Path, after: int) -> tuple[Expression, Effects]:
        """Compound assignment, increment and decrement."""
        accesses, place = self._accesses, node.place
        operand, effects = self.expression(node.value, path, after)
        target, old, effects = self._changed(place, effects, path, after)
        if node.seen is not None:
            old = as_bits(old, place.type, node.seen)
        self._check_divisor(node, old, operand, path)
        new, value = _modified(node, old, operand)
        stored = accesses.write(target, new, path, after | effects.values, node.span)
        return value, accesses.following(effects, stored)

    def _check_divisor(
        self, node: hir.Binary | hir.Modify, divided: Expression, divisor: Expression, path: Path
    ) -> None:
        """C-DIV: integers are not divided by zero, and the quotient is one of the type."""
        type_ = node.operands
        if node.operator not in {"/", "%"} or type_.is_floating:
            return
        thread, dialect = self._recorder.thread, self._recorder.shared.program.dialect
        zero = path.guarded(negation(truth(divisor)))
        found = division.by_zero(thread, dialect)
        self._recorder.fault(found.kind, division.RULE, zero, found.why, node.span)
        if isinstance(type_, Scalar) and type_.signed:
            least, minus_one = Constant(type_.low), Constant(-1)
            beyond = conjunction(binary("==", divisor, minus_one, type_), binary("==", divided, least, type_))
            found = division.beyond(type_, thread, dialect)
            self._recorder.fault(found.kind, division.RULE, path.guarded(beyond), found.why, node.span)

    def _check_order(self, node: hir.Binary, left: Expression, right: Expression, path: Path) -> None:
        """C-PTR: pointers are ordered, or subtracted, inside one object."""
        # Imported here: few programs ask for the order of pointers.
        from mcm.execution.apart import apart  # noqa: PLC0415

        where = path.guarded(apart(left, right, self._recorder.shared))
        self._recorder.fault(KIND, RULE, where, WHY, node.span)

    def _copy(self, node: hir.AsyncCopy | hir.AwaitCopies, path: Path, after: int) -> tuple[Expression, Effects]:
        """A call about asynchronous copies."""
        arguments, effects = [], NOTHING
        for argument in node.arguments:
            value, more = self.expression(argument, path, after)
            arguments.append(value)
            effects = self._accesses.unsequenced(effects, more)
        if self.copies is None:
            # Imported here: most programs have no copies.
            from mcm.execution.copies import Copies  # noqa: PLC0415

            self.copies = Copies(self._recorder, self._accesses)
        if isinstance(node, hir.AsyncCopy):
            return self.copies.copy(node, arguments, effects, path, after)
        return self.copies.wait(node, arguments, effects, path, after)

    def _pipe(self, node: hir.PipeAction, path: Path, after: int) -> tuple[Expression, Effects]:
        """A call about a pipe."""
        arguments, effects = [], NOTHING
        for argument in node.arguments:
            value, more = self.expression(argument, path, after)
            arguments.append(value)
            effects = self._accesses.unsequenced(effects, more)
        target: Target | None = None
        if node.place is not None:
            target, found = self._target(node.place, path, after)
            effects = self._accesses.unsequenced(effects, found)
        if self.pipes is None:
            # Imported here: most programs have no pipes.
            from mcm.execution.pipes import Pipes  # noqa: PLC0415

            self.pipes = Pipes(self._recorder, self._accesses)
        return self.pipes.act(node, arguments, target, effects, path, after)

    @property
    def _host_calls(self) -> HostCalls:
        if self._host is None:
            # Imported here: most programs have no commands.
            from mcm.execution.commands import HostCalls  # noqa: PLC0415

            self._host = HostCalls(self._recorder)
        return self._host

    def _call(
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
        | hir.PipeAction
        | hir.HostCall,
        path: Path,
        after: int,
    ) -> tuple[Expression, Effects]:
        """The value and the effects of an operation that is a function call in the language."""
        accesses, operations = self._accesses, self._operations
        match node:
            case hir.AtomicLoad():
                pointer, effects = self._argument(node, path, after)
                return operations.load(node, pointer, effects, path, after)
            case hir.AtomicStore() | hir.AtomicInit():
                pointer, value, effects = self._arguments(node, path, after)
                return operations.store(node, pointer, value, effects, path, after)
            case hir.AtomicUpdate():
                pointer, operand, effects = self._unsequenced(node.address, node.operand, path, after)
                return operations.update(node, pointer, operand, effects, path, after)
            case hir.CompareExchange():
                pointer, desired, effects = self._unsequenced(node.address, node.desired, path, after)
                target, found = self._target(node.expected, path, after)
                effects = accesses.unsequenced(effects, found)
                return operations.compare_exchange(node, pointer, target, desired, effects, path, after)
            case hir.LegacyCompareExchange():
                pointer, desired, effects = self._unsequenced(node.address, node.desired, path, after)
                expected, compared = self.expression(node.expected, path, after)
                effects = accesses.unsequenced(effects, compared)
                return operations.legacy_compare_exchange(node, pointer, expected, desired, effects, path, after)
            case hir.Collective():
                operand, effects = self.expression(node.operand, path, after)
                lane: Expression | None = None
                if node.lane is not None:
                    lane, more = self.expression(node.lane, path, after)
                    effects = accesses.unsequenced(effects, more)
                return operations.collective(node, operand, lane, effects, path, after)
            case hir.AsyncCopy() | hir.AwaitCopies():
                return self._copy(node, path, after)
            case hir.PipeAction():
                return self._pipe(node, path, after)
            case hir.Enqueue(_, passed):
                values, effects = [], NOTHING
                for one in passed:
                    value, more = self.expression(one, path, after)
                    values.append(value)
                    effects = accesses.unsequenced(effects, more)
                return self._host_calls.call(node, tuple(values), effects, path, after)
            case hir.AboutCommands():
                return self._host_calls.call(node, (), NOTHING, path, after)
            case _:
                assert_never(node)
