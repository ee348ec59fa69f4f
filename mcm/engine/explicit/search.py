"""The search through the executions of one skeleton: reads first, then what is still open of the orders."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from msgspec import Struct

from mcm.base.bits import members
from mcm.engine.explicit.conclusions import Conclusions
from mcm.engine.explicit.decisions import Decisions, Read
from mcm.engine.explicit.flags import FlagSearch
from mcm.engine.explicit.ground import Ground
from mcm.engine.explicit.layout import Layout
from mcm.engine.explicit.mirrors import symmetry_of
from mcm.engine.explicit.prospects import Aim, Prospects
from mcm.engine.explicit.symmetry import Images
from mcm.engine.explicit.valuation import Decide, Guess, Valuation

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from mcm.engine.explicit.bounds import Bounds
    from mcm.engine.explicit.findings import Findings
    from mcm.engine.explicit.meter import Meter
    from mcm.engine.explicit.plan import Plan
    from mcm.execution.skeleton import Skeleton, Stop


class Node(Struct, frozen=True):
    """A partial execution. Its parts do not change once other nodes are made from it; the aim is all it can add."""

    valuation: Valuation
    bounds: Bounds
    aim: Aim | None = None


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
        self._symmetry: Final = symmetry
        self._alike: Final = max(map(len, symmetry.groups), default=1)
        flags = FlagSearch(self._layout, self._ground, symmetry.mirrors, findings, meter)
        self._flags: Final = flags
        self._conclusions: Final = Conclusions(self._layout, flags, symmetry.mirrors, findings, meter)

    def run(self) -> None:
        """Visit every execution that can add to what is known: first the outcomes, then those that a bound cuts."""
        self._meter.start(self._layout.square.size, self._alike)
        self._meter.spend()
        valuation = Valuation(self._layout)
        bounds = self._ground.bounds(valuation, self._meter)
        if bounds is None:
            return
        self._flags.begin(bounds)
        root = Node(valuation, bounds)
        self._visit(root, self._layout.uncut_requirements, None)
        for number, cut in enumerate(self._skeleton.stops):
            if not self._findings.has_cut(cut.span):
                self._visit(root, self._layout.cut_requirement(number), cut)

    def _visit(self, root: Node, requirements: int, cut: Stop | None) -> None:
        """Visit the executions that meet requirements: those in which a loop is cut, or those in which none is."""
        valuation = root.valuation.copy()
        valuation.require(requirements)
        stack = [Node(valuation, root.bounds.copy())]
        images = Images(self._symmetry)
        prospects = Prospects(self._skeleton, self._findings, self._flags, cut)
        decisions = Decisions(self._skeleton, self._findings, cut)
        while stack and not self._findings.is_complete:
            self._meter.earn(self._findings.states)
            self._meter.spend()
            node = stack.pop()
            if images.is_new(node.valuation) and prospects.is_open(node.valuation, node.bounds, node.aim):
                stack.extend(reversed(self._following(node, prospects, decisions)))

    def _following(self, node: Node, prospects: Prospects, decisions: Decisions) -> list[Node]:
        """The nodes that take the place of one."""
        writes = self._conclude(node)
        if writes is None:
            return []
        if node.aim is None and not self._symmetry.groups:
            aims = prospects.aims(node.valuation, node.bounds, writes)
            if aims is not None:
                return list(self._divide(node, aims))
        return list(self._extend(node, decisions.next(node.valuation, writes)))

    def _conclude(self, node: Node) -> Mapping[int, int] | None:
        """Take every step that has no alternative; the reads that are left, with their writes.

        None if the node stands for no execution.
        """
        valuation, bounds = node.valuation, node.bounds
        while valuation.meet_requirements() and self._ground.refresh(bounds, valuation) and bounds.step():
            writes = self._writes(node)
            forced = [(read, left) for read, left in writes.items() if left & (left - 1) == 0]
            for read, left in forced:
                if not left or not valuation.assign(read, left.bit_length() - 1):
                    return None
                bounds.choose(left.bit_length() - 1, read)
            if not forced and not bounds.changed:
                return writes
        return None

    def _writes(self, node: Node) -> dict[int, int]:
        """The reads that need a write, and for each the writes from which it may still take its value."""
        readable = node.valuation.readable()
        if not readable:
            return {}
        square = self._layout.square
        bounds = node.bounds
        sources = square.inverse(bounds.up[self._plan.reads_from.index] & ~bounds.forbidden)
        return {read: square.successors(sources, read) for read in readable}

    def _extend(self, node: Node, decision: Read | Decide | Guess | None) -> Iterator[Node]:
        """A decision, in every way it can go; a complete node, which needs none, adds to the findings instead."""
        match decision:
            case Read(read, sources):
                for write in members(sources):
                    valuation = node.valuation.copy()
                    if valuation.assign(read, write) and valuation.meet_requirements():
                        bounds = node.bounds.copy()
                        bounds.choose(write, read)
                        yield Node(valuation, bounds, node.aim)
            case Decide(choice):
                for taken in (True, False):
                    valuation = node.valuation.copy()
                    if valuation.decide(choice, taken=taken) and valuation.meet_requirements():
                        yield Node(valuation, node.bounds.copy(), node.aim)
            case Guess(read):
                for value in self._skeleton.constants:
                    valuation = node.valuation.copy()
                    if valuation.guess(read, value) and valuation.meet_requirements():
                        yield Node(valuation, node.bounds.copy(), node.aim)
            case None:
                self._conclusions.draw(node.valuation, node.bounds)

    @staticmethod
    def _divide(node: Node, aims: Iterable[Aim]) -> Iterator[Node]:
        """The parts of a node in which there may be new states."""
        for aim in aims:
            valuation, bounds = node.valuation.copy(), node.bounds.copy()
            for read, write in aim.taken:
                bounds.choose(write, read)
                if not valuation.assign(read, write):
                    break
            else:
                if valuation.meet_requirements():
                    yield Node(valuation, bounds, aim)
