"""The search through the executions of one skeleton: reads first, then what is still open of the orders."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from mcm.base.record import record
from mcm.engine.explicit.conclusions import Conclusions
from mcm.engine.explicit.flags import FlagSearch
from mcm.engine.explicit.ground import Ground
from mcm.engine.explicit.layout import Layout
from mcm.engine.explicit.mirrors import symmetry_of
from mcm.engine.explicit.prospects import Prospects
from mcm.engine.explicit.symmetry import Images
from mcm.engine.explicit.valuation import Decide, Guess, Valuation, blocker
from mcm.execution.evaluate import reads_of
from mcm.execution.expression import Choice
from mcm.program.condition import RegisterName

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from mcm.engine.explicit.bounds import Bounds
    from mcm.engine.explicit.findings import Findings
    from mcm.engine.explicit.meter import Meter
    from mcm.engine.explicit.plan import Plan
    from mcm.execution.expression import Expression
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
        flags = FlagSearch(self._layout, self._ground, symmetry.mirrors, findings, meter)
        self._prospects: Final = Prospects(skeleton, findings, flags)
        self._conclusions: Final = Conclusions(self._layout, flags, symmetry.mirrors, findings, meter)
        self._watched: Final = frozenset(
            read
            for what in findings.watched
            if isinstance(what, RegisterName)
            for read in reads_of(skeleton.registers[what])
        )
        self._expressions: Final = tuple(self._leaf_expressions())

    def _leaf_expressions(self) -> Iterator[Expression]:
        """What must be known of an execution besides its events."""
        skeleton = self._skeleton
        yield from skeleton.constraints
        yield from (cut.condition for cut in skeleton.cuts)
        yield from (fault.condition for fault in skeleton.faults)
        yield from (skeleton.registers[what] for what in self._findings.watched if isinstance(what, RegisterName))

    def run(self) -> None:
        """Visit every execution that can add to what is known."""
        self._meter.start(self._layout.square.size)
        self._meter.spend()
        valuation = Valuation(self._layout)
        bounds = self._ground.bounds(valuation, self._meter)
        stack = [] if bounds is None else [Node(valuation, bounds)]
        while stack and not self._findings.is_complete:
            self._meter.earn(self._findings.number)
            self._meter.spend()
            node = stack.pop()
            if (
                self._images.is_new(node.valuation)
                and self._ground.refresh(node.bounds, node.valuation)
                and node.bounds.tighten()
                and self._prospects.is_open(node.valuation, node.bounds)
            ):
                stack.extend(reversed(list(self._extend(node))))

    # --- decisions ----------------------------------------------------------------------------------------------------

    def _extend(self, node: Node) -> Iterable[Node]:
        """The next decision, in every way it can go; a complete node adds to the findings instead."""
        reads = node.valuation.readable()
        if reads:
            return self._read(node, reads)
        match node.valuation.obstacle():
            case Decide(choice):
                return self._choose(node, choice)
            case Guess(read):
                return self._guess(node, read)
        for expression in self._expressions:
            part = blocker(expression, node.valuation)
            if isinstance(part, Choice):
                return self._choose(node, part.index)
        self._conclusions.draw(node.valuation, node.bounds)
        return ()

    def _read(self, node: Node, reads: list[int]) -> Iterator[Node]:
        """One of the reads takes its value from each of the writes that are left for it.

        Reads that have no choice come first, then those that are watched: the rest matters only where it is news.
        """
        if not node.bounds.evaluate((self._plan.reads_from,)):
            return
        square = self._layout.square
        sources = square.inverse(node.bounds.up[self._plan.reads_from.index])
        candidates = []
        for read in reads:
            writes = square.successors(sources, read)
            number = writes.bit_count()
            candidates.append((number > 1 and read not in self._watched, number, read, writes))
        _, _, read, writes = min(candidates)
        for write in range(square.size):
            if writes >> write & 1:
                valuation = node.valuation.copy()
                if valuation.assign(read, write):
                    bounds = node.bounds.copy()
                    bounds.choose(write, read)
                    yield Node(valuation, bounds)

    @staticmethod
    def _choose(node: Node, choice: int) -> Iterator[Node]:
        for taken in (False, True):
            valuation = node.valuation.copy()
            if valuation.decide(choice, taken=taken):
                yield Node(valuation, node.bounds.copy())

    def _guess(self, node: Node, read: int) -> Iterator[Node]:
        for value in self._skeleton.constants:
            valuation = node.valuation.copy()
            if valuation.guess(read, value):
                yield Node(valuation, node.bounds.copy())
