"""Calls of the host API to code."""

from __future__ import annotations

from typing import TYPE_CHECKING, assert_never

from mcm.machine.builder import constant, slot_value
from mcm.machine.code import (
    AwaitEvents,
    EnqueueCommand,
    FinishQueue,
    FlushQueue,
    QueryStatus,
    SetCallback,
    SetUserEvent,
)
from mcm.program import instruction as hir

if TYPE_CHECKING:
    from mcm.machine.builder import CodeBuilder
    from mcm.machine.code import Operand
    from mcm.machine.operand_order import Evaluate


def host_call(code: CodeBuilder, evaluate: Evaluate, node: hir.HostCall) -> Operand:
    """The value of a call: a status, what a blocking read has read, an error, or else 0, which is CL_SUCCESS."""
    match node:
        case hir.Enqueue(command, operands, passed):
            values = tuple((name, code.held(evaluate(one))) for name, one in zip(passed, operands, strict=True))
            target, error = code.slot(), code.slot()
            others = tuple(code.slot() for _ in range(node.results - 1))
            code.returned[command] = (error, target, *others)
            code.emit(EnqueueCommand(target, error, command, values, node.span, others))
            return slot_value(target)
        case hir.Returned(command, is_value, number=number):
            return slot_value(code.returned[command][1 + number if is_value else 0])
        case hir.WaitForEvents(events):
            target = code.slot()
            code.emit(AwaitEvents(target, events, node.span))
            return slot_value(target)
        case hir.Finish(queue):
            code.emit(FinishQueue(queue, node.span))
        case hir.Flush(queue):
            code.emit(FlushQueue(queue, node.span))
        case hir.SetUserEventStatus(event, status):
            target = code.slot()
            code.emit(SetUserEvent(target, event, status, node.span))
            return slot_value(target)
        case hir.SetEventCallback(event, thread):
            code.emit(SetCallback(event, thread, node.span))
        case hir.EventStatus(event):
            target = code.slot()
            code.emit(QueryStatus(target, event, node.span))
            return slot_value(target)
        case _:
            assert_never(node)
    return constant(0)
