"""Faults of a program's values, told: what the index or address is, what it rests on, and who would give a value."""

from __future__ import annotations

from typing import TYPE_CHECKING

from mcm.answer.explanation import Sentence, Story
from mcm.execution.evaluate import evaluate
from mcm.execution.event import iteration_numbers
from mcm.explain.faults import fault_of, rests_on
from mcm.explain.naming import Names, and_more
from mcm.explain.readings import readings_of
from mcm.program.instruction import Assign, CompareExchange, Declare, ElementPlace, Modify, RegisterPlace
from mcm.program.types import Location, RegisterPointer
from mcm.program.walk import walk

if TYPE_CHECKING:
    from collections.abc import Iterator

    from mcm.answer.execution import Execution
    from mcm.answer.explanation import Reading
    from mcm.answer.result import Problem
    from mcm.base.source import Span
    from mcm.execution.candidate import Candidate
    from mcm.execution.skeleton import Fault
    from mcm.program.program import Program, Thread
    from mcm.program.types import Value


def fault_story(problem: Problem, execution: Execution) -> Story | None:
    """What leads to a fault of one unit's values; None where the problem is not one."""
    candidate = execution.candidate
    fault = fault_of(problem, candidate)
    if fault is None or fault.thread is None:
        return None
    names = Names(candidate)
    thread = candidate.skeleton.program.thread(fault.thread)
    reads = rests_on(fault, candidate)
    sentences = [*_about(fault, thread, candidate)]
    if not reads and fault.kind != "uninitialised-read":
        sentences.append(Sentence(f"{thread.name} comes to this whatever is read"))
    return Story(_only(reads, candidate, names), tuple(sentences), None, execution)


def _only(reads: frozenset[int], candidate: Candidate, names: Names) -> tuple[Reading, ...]:
    return tuple(reading for reading in readings_of(candidate, None, names, reads) if reading.read in reads)


def _about(fault: Fault, thread: Thread, candidate: Candidate) -> Iterator[Sentence]:
    """What is wrong with the index or the address, or which operations would have given a value."""
    program = candidate.skeleton.program
    value = None if fault.operand is None else evaluate(fault.operand, candidate.read_values, candidate.choices)
    where = f"{thread.name} line {fault.spans[0].line}" if fault.spans else thread.name
    if fault.iteration:
        where += f" (iteration {iteration_numbers(fault.iteration)})"
    if fault.kind == "uninitialised-read" and isinstance(value, RegisterPointer):
        yield Sentence(_given(value.register, where, thread))
    elif fault.kind == "out-of-bounds" and value is not None:
        yield Sentence(f"{where} {_computed(value, program, is_address=fault.access is not None)}")


def _computed(value: Value, program: Program, *, is_address: bool) -> str:
    if not isinstance(value, Location):
        if not is_address:
            return f"computes the index {program.show_value(value)}"
        return "goes by a pointer that is NULL" if value == 0 else f"goes by the pointer {program.show_value(value)}"
    one = program.objects[value.object]
    first, last = one.declared_element(0), one.declared_element(len(one.initial) // one.units - 1)
    there = f"there are {first} to {last}" if first != last else f"there is {first} only"
    return f"goes to element {value.offset // one.units} of {first.removesuffix('[0]')}: {there}"


def _given(register: str, where: str, thread: Thread) -> str:
    """Where a private variable is given a value, and that no such place comes before."""
    name, _, element = register.partition("[")
    lines = sorted({span.line for span in _writes_of(name, thread)})
    if not lines:
        return f"nothing gives '{register}' a value"
    if (end := _end_of(name, thread)) is not None:
        return f"'{register}' lives in its block, from line {end} on: {where} comes behind that, or before a value"
    several = "lines " if len(lines) > 1 else "line "
    places = several + and_more([str(line) for line in lines])
    of = f"an element of '{name}'" if element else f"'{name}'"
    return f"{of} is given a value at {places} only: {where} is reached without that"


def _end_of(name: str, thread: Thread) -> int | None:
    """The line of the declaration of a private variable that ends with its block; None where it needs no end."""
    declared = [node.span for node in walk(thread.body) if isinstance(node, Declare) and node.register == name]
    return next((span.line for number, span in enumerate(declared) if span in declared[:number]), None)


def _writes_of(name: str, thread: Thread) -> Iterator[Span]:
    """The places that give a private variable, or an element of a private array, a value."""
    for node in walk(thread.body):
        match node:
            case Assign(place=place) | Modify(place=place) | CompareExchange(expected=place):
                is_variable = isinstance(place, RegisterPlace) and place.register == name
                if is_variable or (isinstance(place, ElementPlace) and place.array == name):
                    yield node.span
            case Declare(register=register, initializer=initializer):
                if register == name and initializer is not None:
                    yield node.span
            case _:
                pass
