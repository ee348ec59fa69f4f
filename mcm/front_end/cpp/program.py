"""A C++ program as the units of a SYCL test: `main` is its host program."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from mcm.front_end.cpp.algorithm_values import with_values
from mcm.front_end.cpp.algorithms import with_loops
from mcm.front_end.cpp.alignments import without_alignments
from mcm.front_end.cpp.allocations import with_allocations
from mcm.front_end.cpp.arguments import supposed_arguments, with_arguments
from mcm.front_end.cpp.array_references import with_pointers_to_arrays
from mcm.front_end.cpp.arrays_of_pointers import with_pointers_alone
from mcm.front_end.cpp.asked_members import with_asked_members, with_members_of_values
from mcm.front_end.cpp.braced_indices import with_several_indices
from mcm.front_end.cpp.bytes_of_hosts import with_loops_over_bytes
from mcm.front_end.cpp.called_lambdas import with_lambdas_called
from mcm.front_end.cpp.called_operators import with_called_operators
from mcm.front_end.cpp.changing_captures import with_variables_of_lambdas
from mcm.front_end.cpp.chosen_memory import with_chosen_memory
from mcm.front_end.cpp.chosen_places import with_branches
from mcm.front_end.cpp.class_statics import with_statics_of_classes
from mcm.front_end.cpp.classes import with_instances, with_structures
from mcm.front_end.cpp.clocks import with_clocks
from mcm.front_end.cpp.comma_statements import with_statements_alone
from mcm.front_end.cpp.conditions import with_declarations_before
from mcm.front_end.cpp.constant_arrays import with_arrays_of_file
from mcm.front_end.cpp.constant_calls import with_constant_calls
from mcm.front_end.cpp.containers_by_auto import with_declared_containers
from mcm.front_end.cpp.device_globals import with_memory_of_devices
from mcm.front_end.cpp.device_limits import supposed_limits, with_limits
from mcm.front_end.cpp.device_pointers import with_device_pointers
from mcm.front_end.cpp.dpct_queues import with_queues_of_dpct
from mcm.front_end.cpp.ends import with_returns, with_throws, with_whole_tries, without_handlers
from mcm.front_end.cpp.ends_of_objects import with_ends_behind
from mcm.front_end.cpp.enqueue_functions import with_members_of_queues
from mcm.front_end.cpp.file_variables import with_variables_of_file
from mcm.front_end.cpp.flat_arrays import with_flat_arrays
from mcm.front_end.cpp.functions import reached
from mcm.front_end.cpp.generic_operators import with_named_calls
from mcm.front_end.cpp.group_memory import with_group_memory
from mcm.front_end.cpp.held_functions import with_lambdas_held
from mcm.front_end.cpp.hints import with_commands_of_hints
from mcm.front_end.cpp.host_objects import with_host_objects
from mcm.front_end.cpp.host_structures import with_members_alone
from mcm.front_end.cpp.init_captures import with_constants_of_lambdas
from mcm.front_end.cpp.kernel_properties import with_attributes
from mcm.front_end.cpp.listed_arguments import with_plain_arguments
from mcm.front_end.cpp.listed_devices import supposed_lists, with_one_device
from mcm.front_end.cpp.listed_values import with_values_one_by_one
from mcm.front_end.cpp.lists_of_buffers import with_buffers_alone
from mcm.front_end.cpp.local_classes import without_local_classes
from mcm.front_end.cpp.made_containers import with_containers
from mcm.front_end.cpp.marrays import with_marrays
from mcm.front_end.cpp.member_templates import with_member_functions
from mcm.front_end.cpp.named_reductions import with_reductions_passed
from mcm.front_end.cpp.names import with_constants, with_own_counters, with_own_names, with_types
from mcm.front_end.cpp.names_in_namespaces import with_names_of_namespaces
from mcm.front_end.cpp.nested_arrays import with_arrays_of_rows
from mcm.front_end.cpp.nested_classes import with_classes_alone
from mcm.front_end.cpp.nested_vectors import with_flat_vectors
from mcm.front_end.cpp.objects import with_lists, with_objects, with_queues
from mcm.front_end.cpp.older import with_newer_names
from mcm.front_end.cpp.optional_events import with_plain_events
from mcm.front_end.cpp.output import without_output
from mcm.front_end.cpp.overloaded_functions import with_names_of_their_own
from mcm.front_end.cpp.owning_pointers import with_plain_pointers
from mcm.front_end.cpp.pairs import with_pairs
from mcm.front_end.cpp.passed_group_memory import with_memory_passed
from mcm.front_end.cpp.passed_operators import with_lambdas_passed, with_operators_in_place
from mcm.front_end.cpp.placed_objects import with_placed_objects
from mcm.front_end.cpp.random_numbers import with_random_numbers
from mcm.front_end.cpp.recorded_graphs import with_commands_of_graphs
from mcm.front_end.cpp.returned_events import with_events_passed
from mcm.front_end.cpp.returned_lambdas import with_returned_lambdas
from mcm.front_end.cpp.returned_objects import with_passed_objects
from mcm.front_end.cpp.settled_numbers import with_settled_numbers
from mcm.front_end.cpp.silent import with_modes, with_references, without_silent
from mcm.front_end.cpp.single_turns import with_blocks
from mcm.front_end.cpp.span_reductions import with_lengths_of_reductions
from mcm.front_end.cpp.spans import with_spans
from mcm.front_end.cpp.specialization_constants import with_values_of_specialization
from mcm.front_end.cpp.static_locals import with_statics_of_file
from mcm.front_end.cpp.static_members import with_static_members
from mcm.front_end.cpp.std_names import with_std_names
from mcm.front_end.cpp.structures_in_classes import with_members_of_structures
from mcm.front_end.cpp.sub_group_sizes import supposed_sub_groups
from mcm.front_end.cpp.template_numbers import with_numbers
from mcm.front_end.cpp.this_work_item import with_items_passed
from mcm.front_end.cpp.traits import with_traits
from mcm.front_end.cpp.typed_references import with_auto_references
from mcm.front_end.cpp.unmodelled_classes import refuse_unmodelled
from mcm.front_end.cpp.used_enumerations import with_names_of_enumerations
from mcm.front_end.cpp.usm_vectors import with_usm_vectors
from mcm.front_end.cpp.values_in_braces import with_conversions, with_filled_arrays
from mcm.front_end.cpp.variables_of_groups import with_variables_before
from mcm.front_end.cpp.whole_containers import with_wholes
from mcm.front_end.cpp.words import (
    closing,
    closing_angle,
    made,
    qualified,
    split,
    split_again,
    texts,
)
from mcm.front_end.tokens import without_attributes

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from mcm.base.diagnostic import Diagnostic
    from mcm.base.source import Span
    from mcm.front_end.cpp.argument_texts import RunTexts
    from mcm.front_end.cpp.words import Words
    from mcm.front_end.pieces import Piece

_MAIN: Final = "main"
_LAUNCHES: Final = frozenset({"parallel_for", "parallel_for_work_group", "single_task"})


def units_of_program(pieces: Iterable[Piece], whole: Span, run: RunTexts) -> Iterator[Piece]:
    """The words of the test that a program is, behind the preprocessor, where it is run with some arguments."""
    words = split(pieces, whole)
    refuse_unmodelled(words)
    words = with_names_of_enumerations(with_classes_alone(with_names_of_namespaces(words)))
    words = with_variables_of_lambdas(with_lambdas_called(with_blocks(with_std_names(words))))
    words = with_commands_of_graphs(without_handlers(with_throws(with_whole_tries(with_pointers_to_arrays(words)))))
    words = with_events_passed(words)
    words = with_plain_pointers(with_lambdas_held(with_one_device(with_limits(words))))
    words = without_local_classes(_without_names(without_silent(without_alignments(words))))
    words = with_memory_of_devices(with_statements_alone(with_variables_before(with_members_of_queues(words))))
    words = with_group_memory(with_memory_passed(with_items_passed(with_attributes(words))))
    words = with_values_one_by_one(with_plain_events(with_queues_of_dpct(words)))
    words = with_values_of_specialization(with_lengths_of_reductions(with_reductions_passed(words)))
    words = with_branches(with_placed_objects(with_auto_references(words)))
    words = with_newer_names(with_several_indices(with_filled_arrays(with_declarations_before(words))))
    words = with_arguments(with_plain_arguments(with_clocks(words)), run)
    words = with_declared_containers(with_random_numbers(with_commands_of_hints(words)))
    words = with_constants(with_arrays_of_file(with_types(with_own_names(with_own_counters(words)))))
    words = with_variables_of_file(with_statics_of_file(with_statics_of_classes(words)))
    words = with_constant_calls(
        with_spans(with_pairs(with_flat_arrays(with_arrays_of_rows(with_flat_vectors(with_returned_lambdas(words))))))
    )
    words = with_members_of_structures(with_structures(with_references(with_modes(words))))
    words = with_host_objects(with_names_of_their_own(words))
    words = with_members_alone(with_asked_members(with_constants_of_lambdas(words)))
    words = with_names_of_their_own(with_numbers(with_static_members(with_lambdas_passed(words))))
    words = with_ends_behind(reached(with_queues(with_lists(with_passed_objects(words))), whole))
    # Functions of the host refer to objects until they stand in place of their calls.
    words = with_instances(with_marrays(with_members_alone(with_members_of_values(words))))
    words = with_traits(with_static_members(with_member_functions(with_named_calls(words))))
    words = with_settled_numbers(words)
    words = with_conversions(with_numbers(words))
    words = split_again(without_attributes(with_called_operators(with_operators_in_place(words)), of_cpp=True))
    words = with_wholes(with_containers(without_output(with_usm_vectors(with_buffers_alone(words)))))
    words = with_loops(with_values(with_loops_over_bytes(words)))
    words = with_allocations(with_pointers_alone(with_chosen_memory(words)))
    words = with_objects(with_device_pointers(words))
    yield from qualified(_with_host(words))


def told_of_program(pieces: Iterable[Piece], whole: Span, run: RunTexts) -> tuple[Diagnostic, ...]:
    """What is told of a program, that no place in the test that it is says any more."""
    words = split(pieces, whole)
    supposed = (*supposed_limits(words), *supposed_sub_groups(with_attributes(words)), *supposed_lists(words))
    return (*supposed, *supposed_arguments(words, run))


def _without_names(words: Sequence[Piece]) -> Words:
    """The words without names of kernels that are templates: `parallel_for<class add<T>>(…)`."""
    found: Words = []
    number = 0
    while number < len(words):
        found.append(words[number])
        number += 1
        if found[-1].text in _LAUNCHES and texts(words, number, 1) == ("<",):
            angle = closing_angle(words, number)
            if angle is not None and "<" in texts(words, number + 1, angle - number - 1):
                number = angle + 1
    return found


def _with_host(words: Sequence[Piece]) -> Words:
    """The words with `host { … }` in place of `int main(…) { … }`."""
    for number, word in enumerate(words):
        if word.text == _MAIN and texts(words, number + 1, 1) == ("(",) and number:
            opening = closing(words, number + 1) + 1
            if texts(words, opening, 1) != ("{",):
                continue
            end = closing(words, opening)
            body = with_returns(words[opening : end + 1])
            return [*words[: number - 1], made("host", word), *body, *words[end + 1 :]]
    return list(words)
