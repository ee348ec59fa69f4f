"""Threads: parameters become registers that hold addresses, bodies become instructions."""

from __future__ import annotations

from contextlib import suppress
from functools import cached_property
from typing import TYPE_CHECKING

from msgspec import Struct
from msgspec.structs import replace

from mcm.program.program import Thread
from mcm.program.resolve.bodies import Bodies
from mcm.program.resolve.complaints import UnresolvedError
from mcm.program.resolve.constants import constant
from mcm.program.resolve.context import ThreadContext
from mcm.program.resolve.declarations import values_of
from mcm.program.resolve.initial_values import as_type
from mcm.program.resolve.names import Names
from mcm.program.resolve.parts import unsuffixed_type
from mcm.program.resolve.type_names import object_type
from mcm.program.resolve.work_item_functions import WorkItems
from mcm.program.topology import WorkItem
from mcm.program.types import Location
from mcm.program.walk import walk
from mcm.syntax import ast
from mcm.syntax.walk import names_in

if TYPE_CHECKING:
    from collections.abc import Mapping

    from mcm.program.instruction import Written
    from mcm.program.resolve.bodies import ThreadBody
    from mcm.program.resolve.complaints import Complaints
    from mcm.program.resolve.memory import MemoryObjects
    from mcm.program.resolve.names import InitialRegister
    from mcm.program.resolve.placement import PlacedThread
    from mcm.program.resolve.plan import CommandPlan


class ResolvedThreads(Struct, frozen=True, dict=True):
    """The threads of a program; each does what one of the `examples` does, but with other numbers.

    `has_fences`: some may execute a fence, a barrier or a group function.
    """

    every: tuple[Thread, ...]
    examples: tuple[Thread, ...]
    has_fences: bool

    @cached_property
    def has_units(self) -> bool:
        """Whether parts of private variables are accessed."""
        return any(one.units for thread in self.examples for one in thread.registers)

    @cached_property
    def nodes(self) -> tuple[tuple[Written, ...], ...]:
        """For each of the examples what its body consists of."""
        return tuple([tuple(walk(thread.body)) for thread in self.examples])


def resolve_threads(  # noqa: PLR0913 - all that earlier stages have found
    tree: ast.Litmus,
    threads: tuple[PlacedThread, ...],
    functions: Mapping[str, ast.Function],
    values: Mapping[str, ast.InitialValue],
    memory: MemoryObjects,
    registers: Mapping[int, Mapping[str, InitialRegister]],
    complaints: Complaints,
    *,
    plan: CommandPlan | None,
) -> ResolvedThreads:
    """Resolve the bodies of all threads, of those that commands and callbacks run too, in order of their numbers."""
    unsuffixed = unsuffixed_type(tree)
    work_items = WorkItems([thread.placement for thread in threads if isinstance(thread.placement, WorkItem)])
    bodies = Bodies(threads)
    found: list[Thread] = []
    examples: list[Thread] = []
    has_fences = False
    for thread in threads:
        context = ThreadContext(
            number=thread.number,
            body_span=thread.unit.body.span,
            dialect=tree.dialect,
            placement=thread.placement,
            work_items=work_items,
            memory=memory,
            names=Names(registers[thread.number], complaints),
            functions=functions,
            complaints=complaints,
            unsuffixed=unsuffixed,
            host=None if plan is None else plan.names_in_thread(complaints),
        )
        _bind_locals(thread, context)
        _bind_parameters(thread, context, values)
        resolved = bodies.of(thread, context)
        found.append(_with_body(thread, resolved))
        has_fences |= context.has_fences
        if resolved.is_example:
            examples.append(found[-1])
        if context.host is not None:
            context.host.finish()
    if plan is not None:
        found = [_with_beginning(thread, plan) for thread in found]
        found = sorted((*found, *plan.data_threads), key=lambda thread: thread.index)
        examples += plan.data_threads
    return ResolvedThreads(tuple(found), tuple(examples), has_fences)


def _with_beginning(thread: Thread, plan: CommandPlan) -> Thread:
    """A thread with what makes it run, where that is a command or a callback's event."""
    started_by, callback_of = plan.started_by.get(thread.index), plan.callback_of.get(thread.index)
    return replace(thread, started_by=started_by, callback_of=callback_of)


def _bind_locals(thread: PlacedThread, context: ThreadContext) -> None:
    """Note which copies of its variables in local memory the thread declares."""
    for variable in thread.locals:
        name = variable.name.text
        index = context.memory.bound_to(thread.number, name)
        pointer = context.memory.parameters.get((thread.number, name))
        if index is not None and pointer is not None:
            item = context.memory.objects[index]
            length = None if variable.length is None else len(item.initial) // item.units
            context.locals[name] = Location(index), pointer, length


def _add_value(parameter: ast.Parameter, context: ThreadContext, values: Mapping[str, ast.InitialValue]) -> None:
    """A parameter of a kernel that is a value, which the initial state gives."""
    name, complaints = parameter.name.text, context.complaints
    given = values.get(name)
    with suppress(UnresolvedError):
        type_ = object_type(parameter.type, (), context.unnamed_region, complaints).type
        if given is None or given.value is None or isinstance(given.value, ast.InitializerList):
            written = name.partition("#")[0]
            example = f"{written} = 1" if written == name else f"{written} = {{1, 2}}"
            message = (
                f"parameter '{written}' is no pointer and has no value; give it one in the initial state, '{example}',"
                f" or, of a kernel file, by --init '{example}'"
            )
            complaints.fail("E128", parameter.span, message)
        amount = constant(given.value, complaints, "an initial value", context.unsuffixed)
        amount = as_type(amount, type_, given.value.span, complaints)
        context.names.add_parameter(name, type_, amount, parameter.span)
        return
    context.names.forget(name)


def _bind_parameters(thread: PlacedThread, context: ThreadContext, values: Mapping[str, ast.InitialValue]) -> None:
    """Declare the parameters of a thread."""
    unit, memory = thread.unit, context.memory
    by_value = values_of(thread)
    for parameter in unit.parameters:
        written = parameter.name.text
        if parameter in by_value:
            if written not in values and written not in names_in(unit.body):
                # What is never read needs no value.
                context.names.forget(written)
                continue
            _add_value(parameter, context, values)
            continue
        index = memory.bound_to(unit.number, written)
        pointer = memory.parameters.get((unit.number, written))
        # After an error in its type, a parameter has the type of the location, so that its uses are checked.
        if index is not None:
            type_ = pointer or memory.pointer_to(index)
            address = Location(index, memory.first(written))
            context.names.add_parameter(written, type_, address, parameter.span)
            context.note_const(written, parameter.type, ((),) if parameter.length is not None else ())
        else:
            # A sub-buffer whose declaration had an error.
            context.names.forget(written)
    for parameter in thread.captured:
        with suppress(UnresolvedError):
            passed = object_type(parameter.type, (), context.unnamed_region, context.complaints).type
            variable = context.names.declare(parameter.name.text, passed, None, parameter.name.span)
            context.constants.add(variable.register)


def _with_body(thread: PlacedThread, resolved: ThreadBody) -> Thread:
    return Thread(
        index=thread.number,
        name=thread.name,
        placement=thread.placement,
        registers=resolved.registers,
        body=resolved.block,
        span=thread.unit.span,
        has_copies=resolved.has_copies,
    )
