"""Faults of an execution: which one a problem is about, and what it rests on."""

from __future__ import annotations

from typing import TYPE_CHECKING

from mcm.execution.evaluate import evaluate, reads_of
from mcm.program.program import NO_ELEMENT
from mcm.program.value_arithmetic import is_true

if TYPE_CHECKING:
    from mcm.answer.result import Problem
    from mcm.execution.candidate import Candidate
    from mcm.execution.skeleton import Fault


def holds_in(fault: Fault, candidate: Candidate) -> bool:
    """Whether an execution has a fault."""
    value = evaluate(fault.condition, candidate.read_values, candidate.choices)
    return value is not None and is_true(value)


def reason_in(fault: Fault, candidate: Candidate) -> str:
    """Why it is a fault: of an address that is computed from what is read, with the one that an execution has."""
    if fault.why != NO_ELEMENT or fault.operand is None:
        return fault.why
    address = evaluate(fault.operand, candidate.read_values, candidate.choices)
    return fault.why if address is None else candidate.skeleton.program.outside(address)


def fault_of(problem: Problem, candidate: Candidate) -> Fault | None:
    """The fault that a problem is about: the first that the execution has there; None where it is about none."""
    program = candidate.skeleton.program
    spans = tuple(site.span for site in problem.sites)
    for fault in candidate.skeleton.faults:
        if fault.kind == problem.kind and fault.spans == spans:
            units = {site.thread for site in problem.sites}
            is_its = fault.thread is None or units == {program.thread(fault.thread).name}
            if is_its and holds_in(fault, candidate) and reason_in(fault, candidate) == problem.why:
                return fault
    return None


def rests_on(fault: Fault, candidate: Candidate) -> frozenset[int]:
    """The reads that the operand and the way to the fault are computed from, and those behind what they read."""
    expressions = [fault.condition] if fault.operand is None else [fault.condition, fault.operand]
    waiting = [read for expression in expressions for read in reads_of(expression)]
    found: set[int] = set()
    while waiting:
        read = waiting.pop()
        if read in found or read not in candidate.reads_from:
            continue
        found.add(read)
        value = candidate.skeleton.events[candidate.reads_from[read]].value
        waiting += [] if value is None else reads_of(value)
    return frozenset(found)
