"""What a picture of a fault points out: the events that it is about, or, where there is none, what is attempted."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from mcm.execution.evaluate import evaluate
from mcm.execution.event import iteration_numbers
from mcm.explain.site import ACCESSES, one_line
from mcm.picture.marks import Attempt, Marks
from mcm.program.types import Location, RegisterPointer

if TYPE_CHECKING:
    from mcm.base.source import Span
    from mcm.execution.candidate import Candidate
    from mcm.execution.skeleton import Fault
    from mcm.program.program import Program
    from mcm.program.types import Value

# What is wrong, as short as a node is wide; other kinds are named.
_DETAILS: Final = {"out-of-bounds": "no such element", "uninitialised-read": "no value"}


def marks_of_fault(fault: Fault, candidate: Candidate) -> Marks:
    """The events of a fault; where it is about none, what its thread attempts."""
    if fault.events:
        return Marks(events=frozenset(fault.events))
    events = candidate.skeleton.events
    own = (number for number in candidate.executed if fault.thread in {None, events[number].thread})
    # A run does not tell the iteration of what a whole group does.
    found = frozenset(
        number
        for number in own
        if events[number].span in fault.spans and fault.iteration in {(), events[number].iteration}
    )
    # What is accessed out of bounds is no event: those at the same place are of other iterations.
    if fault.thread is not None and fault.spans and (fault.kind == "out-of-bounds" or not found):
        return Marks(attempts=(_attempt(fault, fault.thread, fault.spans[0], candidate),))
    return Marks(events=found)


def _attempt(fault: Fault, thread: int, span: Span, candidate: Candidate) -> Attempt:
    program = candidate.skeleton.program
    value = None if fault.operand is None else evaluate(fault.operand, candidate.read_values, candidate.choices)
    text = _shown(fault, value, program) or one_line(span)
    detail = _DETAILS.get(fault.kind, fault.kind.replace("-", " "))
    unit = f"{program.thread(thread).name} line {span.line}"
    if fault.iteration:
        unit += f" (iteration {iteration_numbers(fault.iteration)})"
    title = f"{unit}: {text} ({detail}): {fault.why}\n{one_line(span)}"
    return Attempt(thread, fault.place, text, detail, span.line, title)


def _shown(fault: Fault, value: Value | None, program: Program) -> str | None:
    """What is attempted, where the element or variable is known: `write a[4]`, `read r = ?`."""
    if isinstance(value, RegisterPointer) and fault.kind == "uninitialised-read":
        return f"read {value.register} = ?"
    if not isinstance(value, Location) or fault.access is None:
        return None
    one = program.objects[value.object]
    name = one.declared_element(0).removesuffix("[0]")
    return f"{ACCESSES[fault.access]} {name}[{value.offset // one.units}]"
