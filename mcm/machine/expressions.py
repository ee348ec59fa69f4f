"""Expressions to code: a pure expression becomes a closure, each operation on memory an instruction before it."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import TYPE_CHECKING, Final, assert_never

from mcm.execution.evaluate import apply_binary, apply_unary, is_true
from mcm.machine.code import (
    Apart,
    Branch,
    Compute,
    Fork,
    Jump,
    Load,
    Note,
    Require,
    Select,
    Store,
)
from mcm.machine.sequencing import Sequencing
from mcm.program import instruction as hir
from mcm.program.types import RegisterPointer, Scalar
from mcm.program.walk import walk

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from mcm.base.source import Span
    from mcm.machine.code import Instruction, Operand, Slots
    from mcm.program.program import Thread
    from mcm.program.types import Type, Value

_CALLS: Final = (
    hir.AtomicLoad,
    hir.AtomicStore,
    hir.AtomicInit,
    hir.AtomicUpdate,
    hir.CompareExchange,
    hir.LegacyCompareExchange,
)


Call = (
    hir.AtomicLoad
    | hir.AtomicStore
    | hir.AtomicInit
    | hir.AtomicUpdate
    | hir.CompareExchange
    | hir.LegacyCompareExchange
    | hir.Collective
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


class Expressions(ABC):
    """The code of one thread while it grows."""

    def __init__(self, thread: Thread) -> None:
        self.thread = thread
        self.code: list[Instruction] = []
        self.initial: list[Value] = []
        self.registers: dict[str, int] = {}
        self.defined: dict[str, int] = {}
        self.counters: list[int] = []
        self._sequencing = Sequencing(thread)
        self._watched: dict[int, int] = {}
        self._next_slot = 0
        for register in thread.registers:
            self.registers[register.name] = self.slot(register.initial or 0)
        doubtful = _sometimes_indeterminate(thread)
        for register in thread.registers:
            if register.name in doubtful:
                self.defined[register.name] = self.slot(int(register.initial is not None))

    def slot(self, initial: Value = 0) -> int:
        """A new slot."""
        if self._next_slot == len(self.initial):
            self.initial.append(initial)
        self._next_slot += 1
        return self._next_slot - 1

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
        """Code for two evaluations whose order is open.

        Both orders use the same slots, so that afterwards it makes no difference which was taken.
        """
        start = self._next_slot
        fork = self.emit(Fork(-1, -1))
        one()
        middle = self._next_slot
        other()
        end = self._next_slot
        jump = self.emit(Jump(-1))
        self.code[fork] = Fork(fork + 1, len(self.code))
        self._next_slot = middle
        other()
        self._next_slot = start
        one()
        self._next_slot = end
        self.code[jump] = Jump(len(self.code))

    def full(self, node: hir.Expression) -> Operand:
        """The value of a full expression; accesses in it that are not sequenced are watched."""
        conflicts = self._sequencing.conflicts(node)
        if not conflicts:
            return self.expression(node)
        start = len(self.code)
        self._watched = {id(access.node): self.slot() for pair in conflicts for access in pair}
        value = self.expression(node)
        places = {note.target: place for place, note in self._notes_since(start)}
        first = [tuple(places[self._watched[id(access.node)]] for access in pair) for pair in conflicts]
        self.emit(Apart(tuple((one, other) for one, other in first)))
        for slot in self._watched.values():
            self.emit(Compute(slot, constant(0)))
        self._watched = {}
        return value

    def _notes_since(self, start: int) -> Iterator[tuple[int, Note]]:
        """The notes from a place on, last first: of those of one access, which is compiled twice, the first counts."""
        for place in range(len(self.code) - 1, start - 1, -1):
            instruction = self.code[place]
            if isinstance(instruction, Note):
                yield place, instruction

    def note(self, node: hir.Place | hir.Assign | hir.Modify, address: Operand, span: Span) -> None:
        """A plain access comes next: keep its address if it is watched."""
        slot = self._watched.get(id(node))
        if slot is not None:
            self.emit(Note(slot, address, span))

    def note_private(
        self,
        node: hir.Place | hir.Assign | hir.Modify,
        place: hir.RegisterPlace | hir.ElementPlace,
        index: Operand | None,
        span: Span,
    ) -> None:
        """A private variable is accessed next; `index` is that of an element."""
        if isinstance(place, hir.RegisterPlace):
            self.note(node, constant(RegisterPointer(self.thread.index, place.register)), span)
        else:
            assert index is not None
            base = constant(RegisterPointer(self.thread.index, place.array))
            self.note(node, _binary("+", base, index, Scalar.LONG), span)

    def assign(self, name: str, value: Operand) -> None:
        """Give a private variable a value."""
        self.emit(Compute(self.registers[name], value))
        if name in self.defined:
            self.emit(Compute(self.defined[name], constant(1)))

    @abstractmethod
    def call(self, node: Call) -> Operand:
        """The value of an operation that is a function call in the language."""

    # --- expressions --------------------------------------------------------------------------------------------------

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
                return self.read(place)
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
                return conversion(self.expression(operand), operand.type, type_)
            case hir.Assign():
                return self._assign(node)
            case hir.Modify():
                return self._modify(node)
            case _:
                return self.call(node)

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

    def read(self, place: hir.Place) -> Operand:
        """The value at a place."""
        match place:
            case hir.RegisterPlace(register, _):
                self.require_value(register, place.span)
                self.note_private(place, place, None, place.span)
                return slot_value(self.registers[register])
            case hir.ElementPlace(_, _, index, _):
                number = self.expression(index)
                self.note_private(place, place, number, place.span)
                return self.element(place, number, self.slot(), writes=False)
            case hir.MemoryPlace(address, _):
                where = self.expression(address)
                self.note(place, where, place.span)
                return self.load(where, None, place.span)
            case _:
                assert_never(place)

    def element(self, place: hir.ElementPlace, index: Operand, target: int, *, writes: bool) -> Operand:
        """Read an element of a private array into `target`, or write it from there."""
        first = f"{place.array}[0]"
        defined = self.defined.get(first)
        base = self.registers[first]
        self.emit(Select(base, place.length, index, target, writes, defined, place.array, place.span))
        return slot_value(target)

    def load(self, address: Operand, call: hir.AtomicLoad | None, span: Span) -> Operand:
        """Read memory, plainly unless a call says otherwise."""
        target = self.slot()
        order, scope = (None, None) if call is None else (call.order, call.scope)
        self.emit(Load(target, address, order, scope, span))
        return slot_value(target)

    def _assign(self, node: hir.Assign) -> Operand:
        place = node.place
        match place:
            case hir.RegisterPlace(register, _):
                value = self.held(self.expression(node.value))
                self.note_private(node, place, None, node.span)
                self.assign(register, value)
                return value
            case hir.ElementPlace(_, _, index, _):
                value, number = self.pair(node.value, index)
                target = self.slot()
                self.emit(Compute(target, value))
                self.note_private(node, place, number, node.span)
                return self.element(place, number, target, writes=True)
            case hir.MemoryPlace(address, _):
                where, value = self.pair(address, node.value)
                value = self.held(value)
                self.note(node, where, node.span)
                self.emit(Store(where, value, None, None, node.span))
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
                old = self.held(self.read(place))
            case hir.ElementPlace(_, _, inner, _):
                index, operand = self.pair(inner, node.value)
                index = self.held(index)
                self.note_private(place, place, index, place.span)
                old = self.element(place, index, self.slot(), writes=False)
            case hir.MemoryPlace(address, _):
                operand, index, old = self._loaded_with(address, node)
            case _:
                assert_never(place)
        left = _unary("convert", old, node.operands)
        right = _unary("convert", operand, node.operands)
        new = self.held(_unary("convert", _binary(node.operator, left, right, node.operands), place.type))
        if isinstance(place, hir.MemoryPlace):
            assert index is not None
            self.note(node, index, node.span)
        else:
            self.note_private(node, place, index, node.span)
        self.write_back(place, index, new, node.span)
        return old if node.returns_old else new

    def _loaded_with(self, address: hir.Expression, node: hir.Modify) -> tuple[Operand, Operand, Operand]:
        """Operand, address and old value of `*address op= operand`; the load may come before or after the operand."""
        pointer, old, operand = self.slot(), self.slot(), self.slot()

        def load() -> None:
            self.put(pointer, address)
            self.note(node.place, slot_value(pointer), node.place.span)
            self.emit(Load(old, slot_value(pointer), None, None, node.place.span))

        if operates(node.value):
            self.either(load, lambda: self.put(operand, node.value))
        else:
            self.put(operand, node.value)
            load()
        return slot_value(operand), slot_value(pointer), slot_value(old)

    def write_back(self, place: hir.Place, where: Operand | None, new: Operand, span: Span) -> None:
        """Assign to a place that has been read; `where` is its index or address."""
        match place:
            case hir.RegisterPlace(register, _):
                self.assign(register, new)
            case hir.ElementPlace():
                assert where is not None
                target = self.slot()
                self.emit(Compute(target, new))
                self.element(place, where, target, writes=True)
            case hir.MemoryPlace():
                assert where is not None
                self.emit(Store(where, new, None, None, span))
            case _:
                assert_never(place)


def conversion(value: Operand, source: Type, to: Type) -> Operand:
    """A value of one type in another."""
    return value if source == to else _unary("convert", value, to)


def _unary(symbol: str, operand: Operand, type_: Type) -> Operand:
    return lambda slots: apply_unary(symbol, operand(slots), type_)


def _binary(symbol: str, left: Operand, right: Operand, type_: Type) -> Operand:
    def value(slots: Slots) -> Value:
        return apply_binary(symbol, left(slots), right(slots), type_)

    return value


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
