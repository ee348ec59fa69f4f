"""The code of one thread while it is compiled: instructions, slots, jumps."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from msgspec import Struct
from msgspec.structs import replace

from mcm.machine.code import (
    AccessElement,
    Branch,
    CheckUnsequenced,
    ChooseOrder,
    Compute,
    Jump,
    Load,
    RecordAccess,
    Require,
)
from mcm.program import division
from mcm.program import instruction as hir
from mcm.program.apart import KIND, RULE, WHY, are_apart, asks_for_order
from mcm.program.lacking_value import why_lacking
from mcm.program.types import RegisterPointer, Scalar
from mcm.program.value_arithmetic import apply_binary, apply_unary, bits_operator
from mcm.program.walk import walk

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

    from mcm.base.dialect import Dialect
    from mcm.base.source import Span
    from mcm.machine.code import Instruction, Operand, Slots, ThreadCode
    from mcm.machine.sequencing import PlainAccess
    from mcm.program.program import MemoryObject, Thread
    from mcm.program.types import Order, Scope, Type, Value


def constant(value: Value) -> Operand:
    """The operand that always has this value."""
    return lambda _: value


def slot_value(slot: int) -> Operand:
    """The operand that has the value of a slot."""
    return lambda slots: slots[slot]


def unary(symbol: str, operand: Operand, type_: Type) -> Operand:
    """The operand that applies a unary operator to another one."""
    return lambda slots: apply_unary(symbol, operand(slots), type_)


def binary(symbol: str, left: Operand, right: Operand, type_: Type) -> Operand:
    """The operand that applies a binary operator to two others."""

    def value(slots: Slots) -> Value:
        return apply_binary(symbol, left(slots), right(slots), type_)

    return value


def as_bits(value: Operand, source: Type, to: Type) -> Operand:
    """The number of another type of the same size that has the bits of a value of type `source`."""
    return unary(bits_operator(source, to), value, to)


def conversion(value: Operand, source: Type, to: Type) -> Operand:
    """A value of one type, converted to another."""
    return value if source == to else unary("convert", value, to)


class EitherOrder(Struct, frozen=True):
    """What is known of two evaluations in either order when their code is begun: `order` is the slot that tells it."""

    order: int
    one_first: Operand
    to_other: int


class BeforeOrAfter(Struct, frozen=True):
    """What is known of an evaluation that comes before or after another one: `begin` is the first of its slots."""

    order: int
    comes_after: Operand
    begin: int


# Which of two evaluations comes first.
_ONE_FIRST: Final = 1
_OTHER_FIRST: Final = 2


class CodeBuilder:
    """Instructions and slots of one thread.

    `registers` has the slot of each private variable, `defined` the slots that say whether a variable has a value,
    `iterations` the slots that count the iterations of the loops around the current statement, `all_iterations` those
    of all loops so far, `around` those around each instruction. `returned` are the slots of what calls that enqueue
    have read, and of their errors, by the numbers of commands. `performs`: the thread performs the asynchronous copies
    of its group. `varying` has the slots of literals, by identity, that have other values in other threads with the
    same code; None where nobody shares it. `objects` are those of the program.
    """

    def __init__(
        self,
        thread: Thread,
        dialect: Dialect,
        *,
        performs: bool = False,
        varying: Mapping[int, Value] | None = None,
        objects: Sequence[MemoryObject] = (),
    ) -> None:
        self.thread = thread
        self.dialect = dialect
        self.objects = objects
        self.performs = performs
        self.code: list[Instruction] = []
        self.initial: list[Value] = []
        self.registers: dict[str, int] = {}
        self.defined: dict[str, int] = {}
        self.iterations: tuple[int, ...] = ()
        self.around: list[tuple[int, ...]] = []
        self.all_iterations: set[int] = set()
        self.returned: dict[int, tuple[int, ...]] = {}
        self._recorded: dict[int, int] = {}
        self._next_slot = 0
        for register in thread.registers:
            self.registers[register.name] = self.slot(register.begins_with)
        sometimes_indeterminate = _sometimes_indeterminate(thread)
        for register in thread.registers:
            if register.name in sometimes_indeterminate:
                self.defined[register.name] = self.slot(int(register.initial is not None))
        self.varying = {literal: self.slot(value) for literal, value in (varying or {}).items()}
        self._own_index = None if varying is None else self.slot(thread.index)

    def code_of(self, thread: Thread, code: ThreadCode, literals: Mapping[int, Value]) -> ThreadCode:
        """The code of another thread, given that of this one and the values of the literals that differ."""
        initial = list(code.initial)
        for register in thread.registers:
            initial[self.registers[register.name]] = register.begins_with
        for literal, value in literals.items():
            initial[self.varying[literal]] = value
        if self._own_index is not None:
            initial[self._own_index] = thread.index
        return replace(code, index=thread.index, name=thread.name, placement=thread.placement, initial=tuple(initial))

    # --- instructions and jumps ---------------------------------------------------------------------------------------

    def slot(self, initial: Value = 0) -> int:
        """A new slot."""
        if self._next_slot == len(self.initial):
            self.initial.append(initial)
        self._next_slot += 1
        return self._next_slot - 1

    def emit(self, instruction: Instruction) -> int:
        """Append an instruction, and return its index."""
        self.code.append(instruction)
        self.around.append(self.iterations)
        return len(self.code) - 1

    def held(self, operand: Operand) -> Operand:
        """The value that an operand has at this point, kept in a slot of its own."""
        target = self.slot()
        self.emit(Compute(target, operand))
        return slot_value(target)

    def branch(self, condition: Operand, then: Callable[[], None], otherwise: Callable[[], None]) -> None:
        """Code for two alternatives, of which the condition selects one."""
        branch = self.begin_alternative(condition)
        then()
        jump = self.begin_otherwise(branch, condition)
        otherwise()
        self.end_alternatives(jump)

    def begin_alternative(self, condition: Operand) -> int:
        """Begin the code for what is done if a condition holds; returns where the code branches."""
        return self.emit(Branch(condition, -1))

    def begin_otherwise(self, branch: int, condition: Operand) -> int:
        """Begin the code for what is done if it does not; returns where the code for the other leaves."""
        jump = self.emit(Jump(-1))
        self.code[branch] = Branch(condition, len(self.code))
        return jump

    def end_alternatives(self, jump: int) -> None:
        """End the code for both."""
        self.code[jump] = Jump(len(self.code))

    def any_order(self, *evaluations: Callable[[], None]) -> None:
        """Code for evaluations in any order, each of which is there once for each order of those before it.

        All orders use the same slots, so that the configurations after them do not depend on the order.
        """
        begins: dict[int, int] = {}
        self._in_any_order(evaluations, tuple(range(len(evaluations))), begins)

    def _in_any_order(
        self, evaluations: Sequence[Callable[[], None]], left: tuple[int, ...], begins: dict[int, int]
    ) -> None:
        """Code for those that are left; `begins` has the first slots of those that are in the code."""
        jumps = []
        for first in left:
            choice = self.emit(ChooseOrder(-1, -1)) if first != left[-1] else None
            end = self._next_slot
            self._next_slot = begins.setdefault(first, end)
            evaluations[first]()
            self._next_slot = max(end, self._next_slot)
            self._in_any_order(evaluations, tuple(number for number in left if number != first), begins)
            if choice is not None:
                jumps.append(self.emit(Jump(-1)))
                self.code[choice] = ChooseOrder(choice + 1, len(self.code))
        for jump in jumps:
            self.code[jump] = Jump(len(self.code))

    def begin_in_either_order(self) -> EitherOrder:
        """Begin the code for two evaluations in either order, each of which is there once: the first one comes next.

        A slot says where to go on after each of them. Afterwards it is as it was before, so that the configurations do
        not depend on the order.
        """
        order = self.slot()
        one_first = binary("==", slot_value(order), constant(_ONE_FIRST), Scalar.INT)
        choice = self.emit(ChooseOrder(-1, -1))
        self.emit(Compute(order, constant(_ONE_FIRST)))
        to_one = self.emit(Jump(-1))
        self.code[choice] = ChooseOrder(choice + 1, len(self.code))
        self.emit(Compute(order, constant(_OTHER_FIRST)))
        to_other = self.emit(Jump(-1))
        self.code[to_one] = Jump(len(self.code))
        return EitherOrder(order, one_first, to_other)

    def begin_before_or_after(self, other: Callable[[], None]) -> BeforeOrAfter:
        """Begin the code for two evaluations in either order: the one that comes next is there once, the other twice.

        Nothing leads back to the one that is there once.
        """
        order = self.slot()
        comes_after = binary("==", slot_value(order), constant(_ONE_FIRST), Scalar.INT)
        choice = self.emit(ChooseOrder(-1, -1))
        begin = self._next_slot
        other()
        jump = self.emit(Jump(-1))
        self.code[choice] = ChooseOrder(choice + 1, len(self.code))
        self.emit(Compute(order, constant(_ONE_FIRST)))
        self.code[jump] = Jump(len(self.code))
        return BeforeOrAfter(order, comes_after, begin)

    def end_before_or_after(self, begun: BeforeOrAfter, other: Callable[[], None]) -> None:
        """End the code for two evaluations of which one is there once."""
        leave = self.emit(Branch(begun.comes_after, -1))
        end = self._next_slot
        self._next_slot = begun.begin
        other()
        self._next_slot = end
        self.emit(Compute(begun.order, constant(0)))
        self.code[leave] = Branch(begun.comes_after, len(self.code))

    def go_on_in_either_order(self, begun: EitherOrder) -> int:
        """Come to the second evaluation; returns where the code leaves that comes from the first one."""
        leave = self.emit(Branch(begun.one_first, -1))
        self.code[begun.to_other] = Jump(len(self.code))
        return leave

    def end_in_either_order(self, begun: EitherOrder, leave: int) -> None:
        """End the code for two evaluations in either order."""
        self.emit(Branch(begun.one_first, begun.to_other + 1))
        self.code[leave] = Branch(begun.one_first, len(self.code))
        self.emit(Compute(begun.order, constant(0)))

    def pointer(self, register: str) -> Operand:
        """The operand that is a pointer to a private variable, or to the beginning of a private array."""
        slot = self._own_index
        if slot is None:
            return constant(RegisterPointer(self.thread.index, register))

        def value(slots: Slots) -> Value:
            index = slots[slot]
            assert isinstance(index, int), "threads are numbered"
            return RegisterPointer(index, register)

        return value

    # --- private variables --------------------------------------------------------------------------------------------

    def assign(self, name: str, value: Operand, defined: Operand | None = None) -> None:
        """Give a private variable a value; `defined` says whether it is one."""
        self.emit(Compute(self.registers[name], value))
        if name in self.defined:
            self.emit(Compute(self.defined[name], defined or constant(1)))

    def is_defined(self, name: str) -> Operand | None:
        """Whether a private variable has a value here; None if it always has one."""
        return self.held(slot_value(self.defined[name])) if name in self.defined else None

    def require_value(self, name: str, span: Span) -> None:
        """INIT-2: a private variable is read only when it has a value."""
        if name in self.defined:
            why = why_lacking(name)
            self.emit(Require(slot_value(self.defined[name]), "uninitialised-read", "INIT-2", why, span))

    def element(
        self,
        place: hir.ElementPlace,
        index: Operand,
        target: int,
        *,
        writes: bool,
        is_value: Operand | None = None,
        found: int | None = None,
    ) -> Operand:
        """Read an element of a private array into the slot `target`, or write it from there (`AccessElement`)."""
        first = f"{place.array}[0]"
        defined = self.defined.get(first)
        base = self.registers[first]
        name, span = place.array, place.span
        self.emit(AccessElement(base, place.length, index, target, writes, defined, name, span, is_value, found))
        return slot_value(target)

    def load(
        self, address: Operand, order: Order | None, scope: Scope | None, span: Span, defined: int | None = None
    ) -> Operand:
        """Read memory; `order` is None for a plain access, and `defined` a slot for whether that is a value."""
        target = self.slot()
        self.emit(Load(target, address, order, scope, span, defined=defined))
        return slot_value(target)

    # --- accesses that are not sequenced ------------------------------------------------------------------------------

    def check_unsequenced(
        self, pairs: Sequence[tuple[PlainAccess, PlainAccess]], compile_: Callable[[], Operand]
    ) -> Operand:
        """Compile a full expression, and check after it whether the accesses of a pair met the same object."""
        start = len(self.code)
        self._recorded = {id(access.node): self.slot() for pair in pairs for access in pair}
        value = compile_()
        found = {record.target: index for index, record in self._records_since(start)}
        recorded = [tuple(found[self._recorded[id(access.node)]] for access in pair) for pair in pairs]
        self.emit(CheckUnsequenced(tuple((one, other) for one, other in recorded)))
        for slot in self._recorded.values():
            self.emit(Compute(slot, constant(0)))
        self._recorded = {}
        return value

    def _records_since(self, start: int) -> Iterator[tuple[int, RecordAccess]]:
        """The records from an index on, last first.

        An access that is compiled for two orders has two records, of which the first one counts.
        """
        for index in range(len(self.code) - 1, start - 1, -1):
            instruction = self.code[index]
            if isinstance(instruction, RecordAccess):
                yield index, instruction

    def check_divisor(self, node: hir.Binary | hir.Modify, divided: Operand, divisor: Operand) -> None:
        """C-DIV: integers are not divided by zero, and the quotient is one of the type."""
        type_ = node.operands
        if node.operator not in {"/", "%"} or type_.is_floating:
            return
        found = division.by_zero(self.thread, self.dialect)
        self.emit(Require(divisor, found.kind, division.RULE, found.why, node.span))
        if isinstance(type_, Scalar) and type_.signed:
            is_other = binary("!=", divisor, constant(-1), type_)
            is_more = binary("!=", divided, constant(type_.low), type_)
            found = division.beyond(type_, self.thread, self.dialect)
            within = binary("||", is_other, is_more, Scalar.INT)
            self.emit(Require(within, found.kind, division.RULE, found.why, node.span))

    def check_index(self, node: hir.Inside, index: Operand) -> None:
        """MEM-BOUNDS: an index is that of an element."""
        count = node.count

        def is_inside(slots: Slots) -> Value:
            value = index(slots)
            return int(isinstance(value, int) and 0 <= value < count)

        self.emit(Require(is_inside, "out-of-bounds", "MEM-BOUNDS", node.why, node.span))

    def check_order(self, node: hir.Binary, left: Operand, right: Operand) -> None:
        """C-PTR: pointers are ordered, or subtracted, inside one object."""
        if asks_for_order(node):
            objects = self.objects

            def is_one_object(slots: Slots) -> Value:
                return int(not are_apart(left(slots), right(slots), objects))

            self.emit(Require(is_one_object, KIND, RULE, WHY, node.span))

    def record_access(self, node: hir.Place | hir.Assign | hir.Modify, address: Operand, span: Span) -> None:
        """Record the address of the plain access that comes next, if it is one that is checked."""
        slot = self._recorded.get(id(node))
        if slot is not None:
            self.emit(RecordAccess(slot, address, span))


def _sometimes_indeterminate(thread: Thread) -> frozenset[str]:
    """The private variables that may be in scope without a value."""
    bare: set[str] = set()
    valued: set[str] = set()
    copied: set[str] = set()
    is_anywhere = False
    for node in walk(thread.body):
        match node:
            case hir.Declare():
                is_bare = node.initializer is None or any(map(is_copied, node.initializer))
                (bare if is_bare else valued).update(_names(node.register, node.length))
            case hir.Assign(hir.RegisterPlace(register), value) if is_copied(value):
                copied.add(register)
            case hir.Assign(hir.ElementPlace(array, length), value) if is_copied(value):
                copied.update(_names(array, length))
            case hir.Assign(hir.MemoryPlace(), value) if is_copied(value):
                # A pointer may lead to any of them.
                is_anywhere = True
    unset = {register.name for register in thread.registers if register.initial is None}
    found = bare | copied | (unset - valued)
    return frozenset(found | valued if is_anywhere else found)


def _names(name: str, length: int | None) -> list[str]:
    return [name] if length is None else [f"{name}[{number}]" for number in range(length)]


def is_copied(node: hir.Expression) -> bool:
    """Whether an expression is a member of a structure that is copied, which may have no value."""
    return isinstance(node, hir.Read) and node.is_copied
