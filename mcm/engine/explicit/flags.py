"""Which flags of the model consistent executions raise, and where."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from mcm.engine.explicit.bounds import Demand
from mcm.engine.explicit.orders import complete
from mcm.engine.explicit.witness import witness_of

if TYPE_CHECKING:
    from mcm.cat.model import Flag, Model
    from mcm.engine.explicit.bounds import Bounds
    from mcm.engine.explicit.findings import Findings
    from mcm.engine.explicit.ground import Ground
    from mcm.engine.explicit.layout import Layout
    from mcm.engine.explicit.meter import Meter
    from mcm.engine.explicit.mirrors import Mirror
    from mcm.engine.explicit.valuation import Valuation
    from mcm.execution.candidate import Candidate

Place = tuple[object, int, int]


class FlagSearch:
    """Looks for flags at places where they were not raised yet.

    A place is a thread and a span: the events of one operation in the rounds of a loop are one place.
    """

    def __init__(
        self, layout: Layout, ground: Ground, mirrors: tuple[Mirror, ...], findings: Findings, meter: Meter
    ) -> None:
        self._layout: Final = layout
        self._mirrors: Final = mirrors
        self._findings: Final = findings
        self._meter: Final = meter
        self._model: Final[Model] = findings.query.model
        self._demands = list(enumerate(ground.flag_demands))
        self._places: Final[list[Place]] = [(e.thread, e.span.start, e.span.end) for e in layout.events]
        self._events_at: Final[dict[Place, int]] = {}
        for identifier, place in enumerate(self._places):
            self._events_at[place] = self._events_at.get(place, 0) | 1 << identifier
        self._open: Final = [demand.pairs for _, demand in self._demands]

    def begin(self, bounds: Bounds) -> None:
        """Forget the flags that no execution within the bounds of the whole search can raise."""
        self._demands = [
            (number, demand)
            for number, demand in self._demands
            if not demand.hit or bounds.up[demand.node] & demand.pairs
        ]

    def _evaluate(self, bounds: Bounds) -> bool:
        """Bound what the flags depend on; false if there is nothing to raise."""
        return bool(self._demands) and bounds.evaluate_flags([demand.node for _, demand in self._demands])

    def search(self, valuation: Valuation, bounds: Bounds) -> None:
        """Raise every flag that is new and that a completion of these bounds raises."""
        if not self._evaluate(bounds):
            return
        for number, demand in self._demands:
            if not demand.hit:
                self._search_plain(self._model.flags[number], demand, valuation, bounds)
            while bounds.up[demand.node] & self._open[number] and demand.hit:
                wanted = bounds.copy()
                wanted.demand(Demand(demand.node, self._open[number], hit=True))
                found = complete(wanted, self._meter) if wanted.tighten() else None
                if found is None:
                    break
                self._raise(number, demand, valuation, found)

    def may_raise(self, bounds: Bounds) -> bool:
        """Whether an execution within the bounds may raise a flag where it was not raised yet."""
        return self._evaluate(bounds) and any(
            bounds.up[demand.node] & self._open[number]
            if demand.hit
            else not self._findings.has_flag((), self._model.flags[number])
            for number, demand in self._demands
        )

    def _search_plain(self, flag: Flag, demand: Demand, valuation: Valuation, bounds: Bounds) -> None:
        """A flag such as `flag empty t`, which no events raise."""
        if self._findings.has_flag((), flag):
            return
        wanted = bounds.copy()
        wanted.demand(demand)
        found = complete(wanted, self._meter) if wanted.tighten() else None
        if found is not None:
            self._findings.raise_flag((), flag, (), witness_of(valuation, found, self._model))

    def _raise(self, number: int, demand: Demand, valuation: Valuation, found: Bounds) -> None:
        """Note everything that an execution raises of one flag."""
        raised = found.low[demand.node] & self._open[number]
        assert raised, "the demand for the flag is met"
        witness = witness_of(valuation, found, self._model)
        is_set = demand.pairs >> self._layout.square.size == 0
        while raised & self._open[number]:
            first = (raised & self._open[number]).bit_length() - 1
            events = (first,) if is_set else divmod(first, self._layout.square.size)
            self._raise_at(number, events, witness, is_set=is_set)

    def _raise_at(self, number: int, events: tuple[int, ...], witness: Candidate, *, is_set: bool) -> None:
        """Note a flag at the places of some events, and at their mirror images."""
        images = [(events, witness)]
        while images:
            events, witness = images.pop()
            places = frozenset(self._places[event] for event in events)
            flag = self._model.flags[number]
            if not self._findings.has_flag(places, flag):
                self._findings.raise_flag(places, flag, tuple(sorted({*events})), witness)
                images.extend((tuple(m.events[e] for e in events), m.of_candidate(witness)) for m in self._mirrors)
            self._open[number] &= ~self._alike([self._places[event] for event in events], is_set=is_set)

    def _alike(self, places: list[Place], *, is_set: bool) -> int:
        """Everything that would be the same news."""
        first, last = self._events_at[places[0]], self._events_at[places[-1]]
        if is_set:
            return first
        return self._layout.square.product(first, last) | self._layout.square.product(last, first)
