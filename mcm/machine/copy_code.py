"""Calls about asynchronous copies to code: the work-item that performs copies does so where it calls them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from mcm.machine.builder import binary, constant, slot_value
from mcm.machine.code import AwaitCopies, BeginCopy, Branch, Compute, EndCopy, Jump, Load, Store
from mcm.machine.operand_order import arguments
from mcm.program.operators import Level
from mcm.program.types import PointerType, Region, Scalar
from mcm.program.value_arithmetic import is_true

if TYPE_CHECKING:
    from collections.abc import Sequence

    from mcm.machine.builder import CodeBuilder
    from mcm.machine.code import Operand, Slots
    from mcm.machine.operand_order import Evaluate
    from mcm.program import instruction as hir
    from mcm.program.types import Value

# More than any number of iterations.
_BASE: Final = 1 << 64


def copy(code: CodeBuilder, evaluate: Evaluate, node: hir.AsyncCopy) -> Operand:
    """A copy; its value is the event."""
    target, source, count, *strides, given = map(code.held, arguments(code, evaluate, node.arguments))
    iterations = code.iterations
    event = code.held(_event(given, node.site, iterations))
    if not code.performs:
        return event
    given_strides = iter(strides)
    to_stride = None if node.target_stride is None else next(given_strides)
    from_stride = None if node.source_stride is None else next(given_strides)
    code.emit(BeginCopy(node.span))
    number, value = code.slot(), code.slot()
    code.emit(Compute(number, constant(0)))
    test = code.emit(Branch(binary("<", slot_value(number), count, Scalar.ULONG), -1))
    pointer = PointerType(node.element, Region.NONE)
    read = _element(source, from_stride, number, pointer)
    code.emit(Load(value, read, None, None, node.span, is_copy=True))
    written = _element(target, to_stride, number, pointer)
    code.emit(Store(written, slot_value(value), None, None, node.span, is_copy=True))
    code.emit(Compute(number, binary("+", slot_value(number), constant(1), Scalar.ULONG)))
    code.emit(Jump(test))
    leave = code.code[test]
    assert isinstance(leave, Branch)
    code.code[test] = Branch(leave.condition, len(code.code))
    code.emit(EndCopy(event, node.site, iterations, node.span))
    return event


def await_copies(code: CodeBuilder, evaluate: Evaluate, node: hir.AwaitCopies) -> Operand:
    """A wait for copies."""
    events = tuple(code.held(evaluate(event)) for event in node.events)
    code.emit(AwaitCopies(Level.WORK_GROUP, events, node.site, code.iterations, node.span))
    return constant(0)


def _event_number(site: str, iterations: Sequence[Value]) -> int:
    """What the event of a copy is: another number for each call site and iteration."""
    number = int.from_bytes(site.encode(), "big")
    for passed in iterations:
        assert isinstance(passed, int), "iterations are counted"
        number = number * _BASE + passed
    return number


def _event(given: Operand, site: str, iterations: tuple[int, ...]) -> Operand:
    """The event that a call is given, or its own."""

    def value(slots: Slots) -> Value:
        earlier = given(slots)
        return earlier if is_true(earlier) else _event_number(site, [slots[counter] for counter in iterations])

    return value


def _element(pointer: Operand, stride: Operand | None, number: int, type_: PointerType) -> Operand:
    """The address of an element."""
    offset = slot_value(number) if stride is None else binary("*", stride, slot_value(number), Scalar.ULONG)
    return binary("+", pointer, offset, type_)
