"""The search through the executions of one skeleton: reads first, then what is still open of the orders."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from mcm.base.bits import members
from mcm.base.record import record
from mcm.engine.explicit.conclusions import Conclusions
from mcm.engine.explicit.decisions import Decisions, Read
from mcm.engine.explicit.flags import FlagSearch
from mcm.engine.explicit.ground import Ground
from mcm.engine.explicit.layout import Layout
from mcm.engine.explicit.mirrors import symmetry_of
from mcm.engine.explicit.prospects import Prospects
from mcm.engine.explicit.symmetry import Images
from mcm.engine.explicit.valuation import Decide, Guess, Valuation

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from mcm.engine.explicit.bounds import Bounds
    from mcm.engine.explicit.findings import Findings
    from mcm.engine.explicit.meter import Meter
    from mcm.engine.explicit.plan import Plan
    from mcm.execution.skeleton import Skeleton


@record(frozen=True, slots=True)
class Node:
    """A partial execution. Its parts do not change once other nodes are made from it."""

    valuation: Valuation
    bounds: Bounds


class Search:
    """Everything that one skeleton adds to the findings."""

    def __init__(self, skeleton: Skeleton, plan: Plan, findings: Findings, meter: Meter) -> None:
        self._skeleton: Final = skeleton
        self._plan: Final = plan
        self._layout: Final = Layout(skeleton)
        self._ground: Final = Ground(self._layout, plan)
        self._findings: Final = findings
        self._meter: Final = meter
        symmetry = symmetry_of(skeleton, findings.query, findings.watched)
        self._images: Final = Images(symmetry)
        self._alike: Final = max(map(len, symmetry.groups), default=1)
        flags = FlagSearch(self._layout, self._ground, symmetry.mirrors, findings, meter)
        self._flags: Final = flags
        self._prospects: Final = Prospects(skeleton, findings, flags)
        self._conclusions: Final = Conclusions(self._layout, flags, symmetry.mirrors, findings, meter)
        self._decisions: Final = Decisions(skeleton, findings)

    def run(self) -> None:
        """Visit every execution that can add to what is known."""
        self._meter.start(self._layout.square.size, self._alike)
        self._meter.spend()
        valuation = Valuation(self._layout)
        bounds = self._ground.bounds(valuation, self._meter)
        if bounds is None:
            return
        self._flags.begin(bounds)
        stack = [Node(valuation, bounds)]
        while stack and not self._findings.is_complete:
            self._meter.earn(self._findings.states)
            self._meter.spend()
            node = stack.pop()
            if self._images.is_new(node.valuation) and self._prospects.is_open(node.valuation, node.bounds):
                writes = self._conclude(node)
                if writes is not None:
                    stack.extend(reversed(list(self._extend(node, writes))))

    def _conclude(self, node: Node) -> Mapping[int, int] | None:
        """Take every step that has no alternative; the reads that are left, with their writes.

        None if the node stands for no execution.
        """
        valuation, bounds = node.valuation, node.bounds
        while valuation.meet_requirements() and self._ground.refresh(bounds, valuation) and bounds.tighten():
            writes = self._writes(node)
            forced = [(read, left) for read, left in writes.items() if left & (left - 1) == 0]
            if not forced:
                return writes
            for read, left in forced:
                if not left or not valuation.assign(read, left.bit_length() - 1):
                    return None
                bounds.choose(left.bit_length() - 1, read)
        return None

    def _writes(self, node: Node) -> dict[int, int]:
        """The reads that need a write, and for each the writes from which it may still take its value."""
        readable = node.valuation.readable()
        if not readable:
            return {}
        square = self._layout.square
        sources = square.inverse(node.bounds.up[self._plan.reads_from.index])
        return {read: square.successors(sources, read) for read in readable}

    def _extend(self, node: Node, writes: Mapping[int, int]) -> Iterator[Node]:
        """The next decision, in every way it can go; a complete node adds to the findings instead."""
        match self._decisions.next(node.valuation, writes):
            case Read(read, sources):
                for write in members(sources):
                    valuation = node.valuation.copy()
                    if valuation.assign(read, write):
                        bounds = node.bounds.copy()
                        bounds.choose(write, read)
                        yield Node(valuation, bounds)
            case Decide(choice):
                for taken in (True, False):
                    valuation = node.valuation.copy()
                    if valuation.decide(choice, taken=taken):
                        yield Node(valuation, node.bounds.copy())
            case Guess(read):
                for value in self._skeleton.constants:
                    valuation = node.valuation.copy()
                    if valuation.guess(read, value):
                        yield Node(valuation, node.bounds.copy())
            case None:
                self._conclusions.draw(node.valuation, node.bounds)
