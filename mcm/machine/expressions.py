"""Expressions to code: a pure expression becomes a closure, each operation on memory an instruction before it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, assert_never

from mcm.execution.evaluate import apply_binary, apply_unary, is_true
from mcm.machine.code import (
    Branch,
    Collective,
    CompareExchange,
    Compute,
    Fork,
    Jump,
    Load,
    Require,
    Select,
    Store,
    Update,
)
from mcm.program import instruction as hir
from mcm.program.topology import HostThread
from mcm.program.types import Order, RegisterPointer, Scalar
from mcm.program.walk import walk

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from mcm.base.source import Span
    from mcm.machine.code import Instruction, Operand
    from mcm.program.program import Thread
    from mcm.program.types import Type, Value

_UPDATES: Final[dict[hir.UpdateOperator, str]] = {
    hir.UpdateOperator.ADD: "+",
    hir.UpdateOperator.SUB: "-",
    hir.UpdateOperator.OR: "|",
    hir.UpdateOperator.XOR: "^",
    hir.UpdateOperator.AND: "&",
    hir.UpdateOperator.MIN: "min",
    hir.UpdateOperator.MAX: "max",
}
_CALLS: Final = (
    hir.AtomicLoad,
    hir.AtomicStore,
    hir.AtomicInit,
    hir.AtomicUpdate,
    hir.CompareExchange,
    hir.LegacyCompareExchange,
)


def constant(value: Value) -> Operand:
    """The operand that is always this value."""
    return lambda _: value


def slot_value(slot: int) -> Operand:
    """What a slot holds."""
    return lambda slots: slots[slot]


def operates(node: hir.Written) -> bool:
    """Whether evaluating this accesses memory, or calls a group function."""
    return any(isinstance(part, (*_CALLS, hir.MemoryPlace, hir.Collective)) for part in walk(node))


class Expressions:
    """The code of one thread while it grows."""

    def __init__(self, thread: Thread) -> None:
        self.thread = thread
        self.code: list[Instruction] = []
        self.initial: list[Value] = []
        self.registers: dict[str, int] = {}
        self.defined: dict[str, int] = {}
        self.counters: list[int] = []
        for register in thread.registers:
            self.registers[register.name] = self.slot(register.initial or 0)
        doubtful = _sometimes_indeterminate(thread)
        for register in thread.registers:
            if register.name in doubtful:
                self.defined[register.name] = self.slot(int(register.initial is not None))

    def slot(self, initial: Value = 0) -> int:
        """A new slot."""
        self.initial.append(initial)
        return len(self.initial) - 1

    def emit(self, instruction: Instruction) -> int:
        """Add an instruction; its place in the code."""
        self.code.append(instruction)
        return len(self.code) - 1

    def held(self, operand: Operand) -> Operand:
        """The value that an operand has now, whatever happens to the slots later."""
        target = self.slot()
        self.emit(Compute(target, operand))
        return slot_value(target)

    def choose(self, condition: Operand, then: Callable[[], None], otherwise: Callable[[], None]) -> None:
        """Code for two ways, of which the condition takes one."""
        branch = self.emit(Branch(condition, -1))
        then()
        jump = self.emit(Jump(-1))
        self.code[branch] = Branch(condition, len(self.code))
        otherwise()
        self.code[jump] = Jump(len(self.code))

    def either(self, one: Callable[[], None], other: Callable[[], None]) -> None:
        """Code for two evaluations whose order is open."""
        fork = self.emit(Fork(-1, -1))
        one()
        other()
        jump = self.emit(Jump(-1))
        self.code[fork] = Fork(fork + 1, len(self.code))
        other()
        one()
        self.code[jump] = Jump(len(self.code))

    def assign(self, name: str, value: Operand) -> None:
        """Give a private variable a value."""
        self.emit(Compute(self.registers[name], value))
        if name in self.defined:
            self.emit(Compute(self.defined[name], constant(1)))

    # --- expressions --------------------------------------------------------------------------------------------------

    def converted(self, node: hir.Expression, to: Type) -> Operand:
        """The value of an expression in another type."""
        value = self.expression(node)
        return value if node.type == to else _unary("convert", value, to)

    def pair(self, left: hir.Expression, right: hir.Expression) -> tuple[Operand, Operand]:
        """Two operands without a sequence point between them."""
        if not operates(right):
            return self.expression(left), self.expression(right)
        if not operates(left):
            # A private variable is not changed by the other operand: that would be undefined.
            return self.expression(left), self.expression(right)
        one, other = self.slot(), self.slot()

        def evaluate_left() -> None:
            self.emit(Compute(one, self.expression(left)))

        def evaluate_right() -> None:
            self.emit(Compute(other, self.expression(right)))

        self.either(evaluate_left, evaluate_right)
        return slot_value(one), slot_value(other)

    def expression(self, node: hir.Expression) -> Operand:
        """The value of an expression; what it does is emitted."""
        match node:
            case hir.Literal(value, _):
                return constant(value)
            case hir.Read(place, _):
                return self._read(place)
            case hir.AddressOfRegister(place, type_):
                return self._address(place, type_)
            case hir.Unary(operator, operand, type_):
                return _unary(operator, self.expression(operand), type_)
            case hir.Binary(operator, left, right, operands, _):
                first, second = self.pair(left, right)
                if operator in {"/", "%"} and operands is not Scalar.FLOAT:
                    self.emit(Require(second, "division-by-zero", "C-DIV", "the divisor is zero", node.span))
                return _binary(operator, first, second, operands)
            case hir.Logical():
                return self._logical(node)
            case hir.Conditional(condition, then, otherwise, _):
                result = self.slot()
                self.choose(
                    self.expression(condition),
                    lambda: self.put(result, then),
                    lambda: self.put(result, otherwise),
                )
                return slot_value(result)
            case hir.Sequence(left, right, _):
                self.expression(left)
                return self.expression(right)
            case hir.Convert(operand, type_):
                return self.converted(operand, type_)
            case hir.Assign(place, value_node, _):
                return self._assign(place, value_node, node.span)
            case hir.Modify():
                return self._modify(node)
            case _:
                return self._call(node)

    def put(self, target: int, node: hir.Expression) -> None:
        """Evaluate an expression into a slot."""
        self.emit(Compute(target, self.expression(node)))

    def _address(self, place: hir.RegisterPlace | hir.ElementPlace, type_: Type) -> Operand:
        if isinstance(place, hir.RegisterPlace):
            return constant(RegisterPointer(self.thread.index, place.register))
        offset = self.expression(place.index)
        return _binary("+", constant(RegisterPointer(self.thread.index, place.array)), offset, type_)

    def _logical(self, node: hir.Logical) -> Operand:
        """`&&` and `||`: the right side is evaluated only where the left one does not decide."""
        result = self.slot()
        decided = int(node.operator == "||")

        def other() -> None:
            value = self.expression(node.right)
            self.emit(Compute(result, lambda slots: int(is_true(value(slots)))))

        def decide() -> None:
            self.emit(Compute(result, constant(decided)))

        first = self.expression(node.left)
        if decided:
            self.choose(first, decide, other)
        else:
            self.choose(first, other, decide)
        return slot_value(result)

    # --- places -------------------------------------------------------------------------------------------------------

    def require_value(self, name: str, span: Span) -> None:
        """INIT-2: a private variable is not read before it has a value."""
        if name in self.defined:
            why = f"'{name}' is read before it has been given a value"
            self.emit(Require(slot_value(self.defined[name]), "uninitialised-read", "INIT-2", why, span))

    def _read(self, place: hir.Place) -> Operand:
        match place:
            case hir.RegisterPlace(register, _):
                self.require_value(register, place.span)
                return slot_value(self.registers[register])
            case hir.ElementPlace(_, _, index, _):
                return self._element(place, self.expression(index), self.slot(), writes=False)
            case hir.MemoryPlace(address, _):
                return self._load(self.expression(address), None, place.span)
            case _:
                assert_never(place)

    def _element(self, place: hir.ElementPlace, index: Operand, target: int, *, writes: bool) -> Operand:
        first = f"{place.array}[0]"
        defined = self.defined.get(first)
        base = self.registers[first]
        self.emit(Select(base, place.length, index, target, writes, defined, place.array, place.span))
        return slot_value(target)

    def _load(self, address: Operand, call: hir.AtomicLoad | None, span: Span) -> Operand:
        target = self.slot()
        order, scope = (None, None) if call is None else (call.order, call.scope)
        self.emit(Load(target, address, order, scope, span))
        return slot_value(target)

    def _assign(self, place: hir.Place, node: hir.Expression, span: Span) -> Operand:
        match place:
            case hir.RegisterPlace(register, _):
                value = self.held(self.expression(node))
                self.assign(register, value)
                return value
            case hir.ElementPlace(_, _, index, _):
                value, number = self.pair(node, index)
                target = self.slot()
                self.emit(Compute(target, value))
                return self._element(place, number, target, writes=True)
            case hir.MemoryPlace(address, _):
                where, value = self.pair(address, node)
                value = self.held(value)
                self.emit(Store(where, value, None, None, span))
                return value
            case _:
                assert_never(place)

    def _modify(self, node: hir.Modify) -> Operand:
        """Compound assignment, increment and decrement: the place is evaluated once."""
        place = node.place
        index: Operand | None = None
        match place:
            case hir.RegisterPlace():
                operand = self.expression(node.value)
                old = self.held(self._read(place))
            case hir.ElementPlace(_, _, inner, _):
                index, operand = self.pair(inner, node.value)
                index = self.held(index)
                old = self._element(place, index, self.slot(), writes=False)
            case hir.MemoryPlace(address, _):
                operand, index, old = self._loaded_with(address, node)
            case _:
                assert_never(place)
        left = _unary("convert", old, node.operands)
        right = _unary("convert", operand, node.operands)
        new = self.held(_unary("convert", _binary(node.operator, left, right, node.operands), place.type))
        self._write_back(place, index, new, node.span)
        return old if node.returns_old else new

    def _loaded_with(self, address: hir.Expression, node: hir.Modify) -> tuple[Operand, Operand, Operand]:
        """Operand, address and old value of `*address op= operand`; the load may come before or after the operand."""
        pointer, old, operand = self.slot(), self.slot(), self.slot()

        def load() -> None:
            self.put(pointer, address)
            self.emit(Load(old, slot_value(pointer), None, None, node.place.span))

        if operates(node.value):
            self.either(load, lambda: self.put(operand, node.value))
        else:
            self.put(operand, node.value)
            load()
        return slot_value(operand), slot_value(pointer), slot_value(old)

    def _write_back(self, place: hir.Place, where: Operand | None, new: Operand, span: Span) -> None:
        match place:
            case hir.RegisterPlace(register, _):
                self.assign(register, new)
            case hir.ElementPlace():
                assert where is not None
                target = self.slot()
                self.emit(Compute(target, new))
                self._element(place, where, target, writes=True)
            case hir.MemoryPlace():
                assert where is not None
                self.emit(Store(where, new, None, None, span))
            case _:
                assert_never(place)

    # --- calls --------------------------------------------------------------------------------------------------------

    def _call(
        self,
        node: hir.AtomicLoad
        | hir.AtomicStore
        | hir.AtomicInit
        | hir.AtomicUpdate
        | hir.CompareExchange
        | hir.LegacyCompareExchange
        | hir.Collective,
    ) -> Operand:
        match node:
            case hir.AtomicLoad(address):
                return self._load(self.expression(address), node, node.span)
            case hir.AtomicStore(address, value_node, order, scope, _):
                where, value = self.pair(address, value_node)
                self.emit(Store(where, value, order, scope, node.span, is_call=True))
                return value
            case hir.AtomicInit(address, value_node, _):
                where, value = self.pair(address, value_node)
                self.emit(Store(where, value, None, None, node.span, is_call=True))
                return value
            case hir.AtomicUpdate(operator, address, operand_node, order, scope, type_):
                where, operand = self.pair(address, operand_node)
                target = self.slot()
                self.emit(Update(target, where, operand, _combination(operator, type_), order, scope, node.span))
                return slot_value(target)
            case hir.CompareExchange():
                return self._compare_exchange(node)
            case hir.LegacyCompareExchange(address, expected_node, desired_node):
                where, desired = self.pair(address, desired_node)
                expected = self.expression(expected_node)
                return slot_value(self._attempt(where, expected, desired, node)[1])
            case hir.Collective():
                return self._collective(node)
            case _:
                assert_never(node)

    def _compare_exchange(self, node: hir.CompareExchange) -> Operand:
        """C11 form: a failure writes what was found to the place of the expected value."""
        place = node.expected
        where, desired = self.pair(node.address, node.desired)
        index: Operand | None = None
        match place:
            case hir.RegisterPlace():
                expected = self._read(place)
            case hir.ElementPlace(_, _, inner, _):
                index = self.held(self.expression(inner))
                expected = self._element(place, index, self.slot(), writes=False)
            case hir.MemoryPlace(address, _):
                index = self.held(self.expression(address))
                expected = self._load(index, None, place.span)
            case _:
                assert_never(place)
        succeeded, found = self._attempt(where, expected, desired, node)
        self.choose(
            slot_value(succeeded),
            lambda: None,
            lambda: self._write_back(place, index, slot_value(found), place.span),
        )
        return slot_value(succeeded)

    def _attempt(
        self,
        where: Operand,
        expected: Operand,
        desired: Operand,
        node: hir.CompareExchange | hir.LegacyCompareExchange,
    ) -> tuple[int, int]:
        """The slots of success and of the value found."""
        succeeded, found = self.slot(), self.slot()
        success, failure, weak = Order.RELAXED, Order.RELAXED, False
        if isinstance(node, hir.CompareExchange):
            success, failure, weak = node.success, node.failure, node.weak
        self.emit(
            CompareExchange(succeeded, found, where, expected, desired, success, failure, node.scope, weak, node.span)
        )
        return succeeded, found

    def _collective(self, node: hir.Collective) -> Operand:
        operand = self.held(self.expression(node.operand))
        lane = None if node.lane is None else self.held(self.expression(node.lane))
        if isinstance(self.thread.placement, HostThread):
            return operand
        target, counters = self.slot(), tuple(self.counters)
        self.emit(Collective(target, node.operator, node.level, operand, lane, node.site, counters, node.span))
        return slot_value(target)


def _unary(symbol: str, operand: Operand, type_: Type) -> Operand:
    return lambda slots: apply_unary(symbol, operand(slots), type_)


def _binary(symbol: str, left: Operand, right: Operand, type_: Type) -> Operand:
    def value(slots: Sequence[Value]) -> Value:
        return apply_binary(symbol, left(slots), right(slots), type_)

    return value


def _combination(operator: hir.UpdateOperator, type_: Type) -> Callable[[Value, Value], Value]:
    """What an update writes, from the old value and its operand."""
    if operator is hir.UpdateOperator.EXCHANGE:
        return lambda _, operand: operand
    symbol = _UPDATES[operator]
    return lambda old, operand: apply_binary(symbol, old, operand, type_)


def _sometimes_indeterminate(thread: Thread) -> frozenset[str]:
    """The private variables that may be without a value while they are in scope."""
    bare: set[str] = set()
    valued: set[str] = set()
    for node in walk(thread.body):
        if isinstance(node, hir.Declare):
            names = [node.register] if node.length is None else [f"{node.register}[{i}]" for i in range(node.length)]
            (bare if node.initializer is None else valued).update(names)
    unset = {register.name for register in thread.registers if register.initial is None}
    return frozenset(bare | (unset - valued))
