"""Syntax tree to program: every name bound, every expression typed, every thread placed."""

from __future__ import annotations

from contextlib import suppress
from typing import TYPE_CHECKING

from mcm.base.diagnostic import InputError
from mcm.program.members import without_values
from mcm.program.program import Program
from mcm.program.resolve.accessed import atomically_accessed
from mcm.program.resolve.complaints import Complaints, UnresolvedError
from mcm.program.resolve.conditions import (
    Question,
    observables,
    resolve_condition,
    resolve_locations,
    resolve_proposition,
    units_by_number,
)
from mcm.program.resolve.launches import Instances, launched_items, warn_unused
from mcm.program.resolve.memory import initial_registers, resolve_memory
from mcm.program.resolve.mentions import (
    is_plain,
    mentions_addressed,
    mentions_anonymous_members,
    mentions_blocks,
    mentions_dimensions,
    mentions_images,
    mentions_jumps,
    mentions_library,
    mentions_lists,
    mentions_pipes,
    mentions_records,
    mentions_run_blocks,
    mentions_sizes,
    mentions_structures,
    mentions_void_pointers,
    mentions_word_variables,
    text_of_body,
    unusual_parts,
)
from mcm.program.resolve.parts import has_unions, may_have_commands, sort_initial_state, sort_units
from mcm.program.resolve.placement import place_threads
from mcm.program.resolve.sub_buffers import used_parts
from mcm.program.resolve.threads import resolve_threads
from mcm.program.resolve.units import in_units, registers_in_units
from mcm.program.types import AllocationKind
from mcm.syntax.ast import FileVariables, Function, Kernel
from mcm.syntax.attribute import OVERLOADABLE

if TYPE_CHECKING:
    from mcm.program.program import MemoryObject
    from mcm.program.resolve.conditions import Observables
    from mcm.program.resolve.memory import MemoryObjects
    from mcm.program.resolve.threads import ResolvedThreads
    from mcm.program.resolve.units import MemoryUnits
    from mcm.syntax.ast import Litmus

__all__ = ["resolve", "resolve_apart", "taken_apart"]


def resolve(tree: Litmus) -> Program:
    """The program that a litmus file means.

    Raises InputError with all errors and warnings if there is an error; warnings alone are in `Program.diagnostics`.
    """
    return resolve_apart(taken_apart(tree))


def resolve_apart(tree: Litmus, held_in: MemoryUnits | None = None) -> Program:
    """The same for a test that has been taken apart. Each stage goes once through its part of the tree.

    If bodies access parts of what is in memory, it is resolved again, with the units that it is `held_in` (ADR 105).
    """
    complaints = Complaints()
    units = sort_units(tree, complaints)
    initial = sort_initial_state(tree, complaints)
    placed = place_threads(tree, units.threads, complaints)
    instances = Instances(placed)
    if units.launches:
        placed += launched_items(units, placed, instances, complaints)
    plan = None
    if may_have_commands(tree, units, initial.objects):
        # Imported here: most programs have no commands.
        from mcm.program.resolve.plan import plan_commands  # noqa: PLC0415

        plan = plan_commands(units, initial.objects, placed, instances, complaints)
        placed += tuple(plan.threads)
    warn_unused(units, (thread.kernel for thread in placed), complaints)
    declared = memory = resolve_memory(tree, units, initial, placed, complaints)
    registers = initial_registers(initial.registers, memory, placed, complaints)
    if held_in is not None:
        memory = in_units(declared, held_in)
        registers = registers_in_units(registers, memory)
    threads = resolve_threads(tree, placed, units.functions, initial.values, memory, registers, complaints, plan=plan)
    if memory.units.wanted:
        return resolve_apart(tree, memory.units.next)
    known = observables(threads.every, declared, complaints)
    question = _question(tree, known, memory, threads, complaints)
    if complaints.has_errors:
        raise InputError(*complaints.diagnostics)
    if plan is not None and tree.dialect.has_maps:
        from mcm.program.resolve.host_warnings import warn_of_calls  # noqa: PLC0415 - needed by few, as above

        warn_of_calls(threads.every, memory.objects, plan.commands, complaints)
    return Program(
        source=tree.span.source,
        dialect=tree.dialect,
        name=tree.name,
        threads=threads.every,
        objects=without_values(_accessed(memory, threads, complaints), (thread.body for thread in threads.every)),
        locations=question.locations,
        filter=question.filter,
        condition=question.condition,
        diagnostics=complaints.diagnostics,
        queues=() if plan is None else plan.host_queues,
        commands=() if plan is None else tuple(draft.command() for draft in plan.commands),
        used_parts=tuple(used_parts(memory, plan)) if memory.parts else (),
        numbered=units_by_number(tree, known),
        has_fences=threads.has_fences,
    )


def _question(
    tree: Litmus, known: Observables, memory: MemoryObjects, threads: ResolvedThreads, complaints: Complaints
) -> Question:
    """What the test asks about final states, of memory and private variables as they are held."""
    found = Question(
        locations=resolve_locations(tree.locations, known),
        filter=None if tree.filter is None else resolve_proposition(tree.filter, known),
        condition=None if tree.condition is None else resolve_condition(tree.condition, known),
    )
    if not (memory.units.known or threads.has_units):
        return found
    # Imported here: few programs access parts of what is in memory.
    from mcm.program.resolve.unit_conditions import Held, question_in_units  # noqa: PLC0415

    return question_in_units(found, Held(memory.objects, threads.every), tree.span, complaints)


def _accessed(memory: MemoryObjects, threads: ResolvedThreads, complaints: Complaints) -> tuple[MemoryObject, ...]:
    """The objects of a program, with what the accesses of its threads tell of them."""
    objects = memory.objects
    if not all(item.atomic for item in objects):
        objects = memory.with_atomic(atomically_accessed(zip(threads.examples, threads.nodes, strict=True), objects))
    if all(item.allocation is not AllocationKind.PIPE for item in objects):
        return objects
    from mcm.program.resolve.pipe_functions import with_packets  # noqa: PLC0415 - needed by few, as above

    objects = with_packets(objects, threads.every, complaints)
    if complaints.has_errors:
        raise InputError(*complaints.diagnostics)
    return objects


def _with_plain_statements(tree: Litmus, text: str, complaints: Complaints) -> Litmus:
    """The test without jumps, and without what stands in place of other statements."""
    if mentions_run_blocks(text):
        from mcm.program.resolve.run_blocks import without_run_blocks  # noqa: PLC0415

        tree = without_run_blocks(tree, complaints)
    before = tree
    if mentions_blocks(text):
        from mcm.program.resolve.enqueuing_functions import with_enqueuing_functions_in_place  # noqa: PLC0415

        tree = with_enqueuing_functions_in_place(tree)
    if mentions_jumps(text) or tree is not before:
        from mcm.program.resolve.jumps import without_jumps  # noqa: PLC0415

        tree = without_jumps(tree, complaints)
    return tree


def _prepared(tree: Litmus, text: str, complaints: Complaints) -> Litmus:
    """The test with the library functions that it calls, numbers for sizes, and lists in order."""
    # Imported here: few tests have any.
    if mentions_anonymous_members(text):
        from mcm.program.resolve.anonymous_members import with_anonymous_members  # noqa: PLC0415

        tree = with_anonymous_members(tree)
    tree = _with_plain_statements(tree, text, complaints)
    if mentions_blocks(text) or sum(isinstance(unit, Kernel) for unit in tree.units) > 1:
        from mcm.program.resolve.called_kernels import with_called_kernels  # noqa: PLC0415

        tree = with_called_kernels(tree)
    if any(isinstance(unit, Function) and OVERLOADABLE in unit.words for unit in tree.units):
        from mcm.program.resolve.overloads import without_overloads  # noqa: PLC0415

        tree = without_overloads(tree, complaints)
    if mentions_void_pointers(text):
        from mcm.program.resolve.void_members import with_members_to_what_is_used  # noqa: PLC0415
        from mcm.program.resolve.void_pointers import without_void_pointers  # noqa: PLC0415

        with suppress(UnresolvedError):
            tree = without_void_pointers(with_members_to_what_is_used(tree), complaints)
    if mentions_library(text):
        from mcm.program.resolve.library_functions import with_library  # noqa: PLC0415

        tree = with_library(tree, complaints)
    if mentions_sizes(tree, text):
        from mcm.program.resolve.sizes import without_sizes  # noqa: PLC0415

        tree = without_sizes(tree, complaints)
    if mentions_structures(text):
        from mcm.program.resolve.linked_structures import without_links  # noqa: PLC0415
        from mcm.program.resolve.seen_structures import with_structures_seen  # noqa: PLC0415

        tree = with_structures_seen(tree)
        with suppress(UnresolvedError):
            tree = without_links(tree, complaints)
        from mcm.program.resolve.pointers_in_records import without_pointers_in_records  # noqa: PLC0415

        tree = without_pointers_in_records(tree, complaints)
    if mentions_lists(tree, text):
        from mcm.program.resolve.initial_lists import without_nested_lists  # noqa: PLC0415

        tree = without_nested_lists(tree, complaints)
    return tree


def taken_apart(tree: Litmus) -> Litmus:
    """The test without blocks, images, pipes, structures and so on; InputError for uses that are not known."""
    text = unusual_parts(text_of_body(tree))
    return tree if is_plain(tree, text) else _taken_apart(tree, text, Complaints())


def _taken_apart(tree: Litmus, text: str, complaints: Complaints) -> Litmus:
    """The same for a test with these unusual parts."""
    # Imported here: few tests have any.
    tree = _prepared(tree, text, complaints)
    if mentions_records(tree, text):
        from mcm.program.resolve.vectors_as_numbers import without_vectors_as_numbers  # noqa: PLC0415

        with suppress(UnresolvedError):
            tree = without_vectors_as_numbers(tree, complaints)
    if has_unions(tree):
        from mcm.program.resolve.unions import without_unions  # noqa: PLC0415

        with suppress(UnresolvedError):
            tree = without_unions(tree, complaints)
    if mentions_blocks(text):
        from mcm.program.resolve.blocks import without_blocks  # noqa: PLC0415

        tree = without_blocks(tree, complaints)
    if any(isinstance(unit, FileVariables) for unit in tree.units):
        from mcm.program.resolve.file_scope import without_file_variables  # noqa: PLC0415

        tree = without_file_variables(tree, complaints)
    if mentions_addressed(text):
        from mcm.program.resolve.addressed import without_addressed  # noqa: PLC0415

        tree = without_addressed(tree)
    if mentions_word_variables(text):
        from mcm.program.resolve.order_words import without_word_variables  # noqa: PLC0415

        tree = without_word_variables(tree)
    if mentions_dimensions(tree, text):
        from mcm.program.resolve.dimensions import without_dimensions  # noqa: PLC0415

        with suppress(UnresolvedError):
            tree = without_dimensions(tree, complaints)
    if mentions_images(text):
        from mcm.program.resolve.images import without_images  # noqa: PLC0415

        tree = without_images(tree, complaints)
        text = f"{text} vec"  # of channels
    if mentions_pipes(text):
        from mcm.program.resolve.pipes import without_pipes  # noqa: PLC0415

        tree = without_pipes(tree, complaints)
    if mentions_records(tree, text):
        from mcm.program.resolve.records import without_records  # noqa: PLC0415

        with suppress(UnresolvedError):
            tree = without_records(tree, complaints)
    if complaints.has_errors:
        raise InputError(*complaints.diagnostics)
    return tree
