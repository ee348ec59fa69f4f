"""What an execution adds to the findings whose reads all have their writes, with its mirror images."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from mcm.engine.explicit.endings import Endings
from mcm.engine.explicit.orders import complete, total_orders
from mcm.engine.explicit.witness import witness_of
from mcm.execution.evaluate import is_true
from mcm.execution.outcome import holds, observables

if TYPE_CHECKING:
    from collections.abc import Iterator

    from mcm.engine.explicit.bounds import Bounds
    from mcm.engine.explicit.findings import Findings, Values
    from mcm.engine.explicit.flags import FlagSearch
    from mcm.engine.explicit.layout import Layout
    from mcm.engine.explicit.meter import Meter
    from mcm.engine.explicit.mirrors import Mirror
    from mcm.engine.explicit.valuation import Valuation
    from mcm.execution.candidate import Candidate
    from mcm.execution.expression import Expression


class Conclusions:
    """Draws them for one skeleton; what is open of the orders is decided only as far as the findings need it."""

    def __init__(
        self, layout: Layout, flags: FlagSearch, mirrors: tuple[Mirror, ...], findings: Findings, meter: Meter
    ) -> None:
        self._layout: Final = layout
        self._skeleton: Final = layout.skeleton
        self._flags: Final = flags
        self._mirrors: Final = mirrors
        self._findings: Final = findings
        self._meter: Final = meter

    def draw(self, valuation: Valuation, bounds: Bounds) -> None:
        """Add everything that is news in the executions within the bounds."""
        if not all(_holds(constraint, valuation) for constraint in self._skeleton.constraints):
            return
        cuts = [number for number, cut in enumerate(self._skeleton.stops) if _holds(cut.condition, valuation)]
        if cuts:
            self._find_cuts(cuts, bounds)
        elif bounds.order(0) is not None:
            for part in self._passing(valuation, bounds):
                self._find_states(valuation, part)
                if self._findings.query.wants_flags:
                    self._find_faults(valuation, part)
                    self._flags.search(valuation, part)

    def _passing(self, valuation: Valuation, bounds: Bounds) -> Iterator[Bounds]:
        """The bounds, divided as the filter needs it: the parts that pass."""
        passes = self._findings.query.filter
        if passes is None:
            yield bounds
            return
        named = tuple(dict.fromkeys(observables(passes)))
        for values, part in Endings(valuation, named).split(bounds):
            if holds(passes, dict(zip(named, values, strict=True))):
                yield part

    def _find_cuts(self, numbers: list[int], bounds: Bounds) -> None:
        cuts, findings = self._skeleton.stops, self._findings
        if complete(bounds, self._meter) is None:
            return
        while numbers:
            number = numbers.pop()
            if not findings.has_cut(cuts[number].span):
                findings.cut(cuts[number].span)
                numbers.extend(mirror.cuts[number] for mirror in self._mirrors)

    def _find_states(self, valuation: Valuation, bounds: Bounds) -> None:
        findings = self._findings
        thin = self._layout.is_thin_air(valuation.executed, bounds.chosen)
        endings = Endings(valuation, findings.watched)
        if findings.query.counts:
            for total in total_orders(bounds, self._meter):
                ((values, part),) = endings.split(total)
                self._find_state(values, valuation, part, thin=thin)
        elif endings.are_known or any(findings.wants(values, thin=thin) for values in endings.possible(bounds)):
            for values, part in endings.split(bounds):
                self._find_state(values, valuation, part, thin=thin)

    def _find_state(self, values: Values, valuation: Valuation, bounds: Bounds, *, thin: bool) -> None:
        if self._findings.wants(values, thin=thin):
            found = complete(bounds, self._meter)
            if found is not None:
                query = self._findings.query
                witness = witness_of(valuation, found, query.model) if query.wants_witnesses else None
                self._add_states(values, witness, thin=thin)

    def _add_states(self, values: Values, witness: Candidate | None, *, thin: bool) -> None:
        images = [(values, witness)]
        while images:
            values, witness = images.pop()
            self._findings.add_state(values, witness, thin=thin)
            for mirror in self._mirrors:
                image = mirror.of_values(values)
                if self._findings.wants(image, thin=thin):
                    images.append((image, None if witness is None else mirror.of_candidate(witness)))

    def _find_faults(self, valuation: Valuation, bounds: Bounds) -> None:
        faults, findings = self._skeleton.faults, self._findings
        new = [n for n, f in enumerate(faults) if not findings.has_fault(f) and _holds(f.condition, valuation)]
        if not new:
            return
        found = complete(bounds, self._meter)
        if found is None:
            return
        witness = witness_of(valuation, found, findings.query.model)
        images = [(number, witness) for number in new]
        while images:
            number, witness = images.pop()
            if not findings.has_fault(faults[number]):
                findings.raise_fault(faults[number], witness)
                images.extend((m.faults[number], m.of_candidate(witness)) for m in self._mirrors)


def _holds(condition: Expression, valuation: Valuation) -> bool:
    """Whether a condition of the program is true; one that needs what is not executed is not."""
    value = valuation.evaluate(condition)
    return value is not None and is_true(value)
