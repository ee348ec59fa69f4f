"""The families by name, in the order in which they are measured."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from bench.families import (
    chains,
    coherence,
    counter,
    independent_reads,
    kernels,
    locks,
    rounds,
    sharing,
    store_buffer,
    structures,
)

if TYPE_CHECKING:
    from collections.abc import Mapping

    from bench.family import Family

_ALL: Final = (
    store_buffer.relaxed,
    store_buffer.sequential,
    store_buffer.fenced,
    store_buffer.sequential_on_a_device,
    coherence.writers,
    coherence.writers_and_readers,
    counter.counter,
    independent_reads.release_acquire,
    independent_reads.sequential,
    chains.message_chain,
    chains.groups,
    sharing.ticket_lock,
    sharing.bounded_queue,
    kernels.reduction,
    kernels.scan,
    kernels.bitonic_sort,
    kernels.merge_sort,
    kernels.list_ranking,
    kernels.segmented_scan,
    rounds.rounds_flag,
    rounds.rounds_group_function,
    rounds.odd_even_sort,
    rounds.bellman_ford,
    kernels.last_block,
    kernels.last_block_without_orders,
    kernels.last_of_all,
    kernels.histogram,
    kernels.histogram_of_groups,
    kernels.histogram_of_large_groups,
    kernels.histogram_without_orders,
    kernels.histogram_of_what_is_there,
    kernels.large_histogram_of_what_is_there,
    kernels.reduction_race,
    kernels.scan_race,
    kernels.histogram_race,
    kernels.group_functions,
    locks.spin_lock,
    locks.cas_lock,
    locks.spinning_ticket_lock,
    locks.sense_reversing_barrier,
    locks.two_rounds_of_a_barrier,
    locks.latch,
    locks.look_back,
    locks.look_back_of_groups,
    locks.look_back_with_tickets,
    locks.look_back_of_words,
    locks.mcs_lock,
    locks.clh_lock,
    locks.semaphore,
    locks.readers_writer_lock,
    locks.readers_first_lock,
    locks.array_lock,
    structures.maximum,
    structures.popped_stack,
    structures.frontier,
    structures.jobs,
    structures.compaction,
    structures.group_compaction,
    structures.group_jobs,
    structures.scatter,
    structures.hash_table,
    structures.bounded_queue,
)
FAMILIES: Final[Mapping[str, Family]] = {family.name: family for family in _ALL}
