"""The limits of a search: a budget of nodes, time and memory."""

from __future__ import annotations

from time import perf_counter
from typing import TYPE_CHECKING, Final

from mcm.base.deadline import resident_megabytes

if TYPE_CHECKING:
    from mcm.answer.query import Limits

# Up to so many bits of relations a node costs the same: to compute with them takes less time than the rest of its work.
_CHEAP_BITS: Final = 300_000
# The most that a node costs until the first state is found: the way to it is long in a large program.
_FIRST_COST: Final = 3
# How many nodes each state adds to the budget: where states keep coming, no other engine is faster.
_NODES_PER_STATE: Final = 20
# The states of a program that is known to be undefined mean nothing: so many of them are enough.
STATES_OF_UNDEFINED: Final = 200
# Memory is measured once in so many nodes.
_MEMORY_INTERVAL: Final = 64
# About one slot in four holds a relation that is as large as it can be.
_BITS_PER_SLOT: Final = 8 * 4


class ExhaustedError(Exception):
    """A limit is exceeded; `reason` (`budget`, `timeout` or `memory`) goes into the answer."""

    def __init__(self, reason: str) -> None:
        super().__init__(reason)
        self.reason = reason


class NodeBudget:
    """Charges search nodes, and checks time and memory from its creation on.

    Each state that is found adds nodes to the budget, so it limits nodes that find nothing. A node of a large program,
    and one of a large model, costs more. The budget is multiplied by the number of symmetric threads, because this
    engine exploits symmetry and the solver, which would answer instead, gains less from it.

    `searched` is how many trees have been searched, the last one in part: as if the alternatives of each decision
    took equally long.
    """

    __slots__ = ("_deadline", "_limits", "_symmetric_threads", "credit", "node_cost", "searched", "spent")

    def __init__(self, limits: Limits) -> None:
        self._limits = limits
        self._deadline = None if limits.seconds is None else perf_counter() + limits.seconds
        self._symmetric_threads = 1
        self.credit = 0
        self.node_cost = 1
        self.searched = 0.0
        self.spent = 0

    def start(self, size: int, slots: int, symmetric_threads: int) -> None:
        """Start the search of a skeleton with `size` events, of which so many threads can be exchanged.

        The model has `slots` sets and relations, whatever part of them is computed: what is answered by the search
        does not depend on which programs were searched before.
        """
        self.node_cost = 1 + size * size * slots // _CHEAP_BITS
        self._symmetric_threads = symmetric_threads

    def credit_states(self, found: int, *, is_decided: bool = False) -> None:
        """Set the credit for the states that were found so far.

        Raises ExhaustedError where the verdict `is_decided`, nodes are limited, and there are enough states.
        """
        if is_decided and found >= STATES_OF_UNDEFINED and self._limits.nodes is not None:
            raise ExhaustedError("budget")
        self.credit = found * _NODES_PER_STATE

    def charge_node(self) -> None:
        """Charge one search node. Raises ExhaustedError when a limit is exceeded."""
        self.spent += self.node_cost if self.credit else min(self.node_cost, _FIRST_COST)
        if self._limits.nodes is not None and self.spent > self._worth(self._limits.nodes) and not self._ends_soon():
            raise ExhaustedError("budget")
        if self._limits.megabytes is not None and self.spent % _MEMORY_INTERVAL < self.node_cost:
            self.check_memory()
        self.check_time()

    def _worth(self, nodes: int) -> int:
        """How much may be spent within a limit of so many nodes."""
        return (nodes + self.credit) * self._symmetric_threads

    def _ends_soon(self) -> bool:
        """Whether the search is likely to end within the nodes that it may take in all, whoever can be exchanged."""
        in_all = self._limits.nodes_in_all
        return in_all is not None and self.spent <= min(1.0, self.searched) * (in_all + self.credit)

    def check_alternatives(self, waiting: int) -> None:
        """Raises ExhaustedError where nodes are waiting, and the budget does not pay for one of them after a state."""
        nodes = self._limits.nodes
        if waiting and nodes is not None and not self.credit and self.node_cost > nodes * self._symmetric_threads:
            raise ExhaustedError("budget")

    def check_size(self, events: int, slots: int) -> None:
        """Raises ExhaustedError when relations over so many events take more memory than there is."""
        megabytes = self._limits.megabytes
        if megabytes is not None and events * events * slots // _BITS_PER_SLOT >> 20 > megabytes:
            raise ExhaustedError("memory")

    @property
    def milliseconds(self) -> int | None:
        """The time that is left; None without a limit."""
        return None if self._deadline is None else int((self._deadline - perf_counter()) * 1000)

    @property
    def megabytes(self) -> int | None:
        """The memory that is left; None without a limit."""
        return None if self._limits.megabytes is None else self._limits.megabytes - resident_megabytes()

    def check_time(self) -> None:
        """Raises ExhaustedError when the time limit is exceeded."""
        if self._deadline is not None and perf_counter() > self._deadline:
            raise ExhaustedError("timeout")

    def check_memory(self) -> None:
        """Raises ExhaustedError when the memory limit is exceeded."""
        left = self.megabytes
        if left is not None and left < 0:
            raise ExhaustedError("memory")
