"""Why two accesses race: the conditions in the model's own definitions that they do not meet.

The words for base relations, and for definitions that models of OpenCL and C share, stand here; what holds of the pair,
and which rule says so, comes from the model.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from mcm.execution.vocabulary import SYMMETRIC
from mcm.explain.membership import Membership
from mcm.explain.reason import Reason
from mcm.program.topology import HostThread
from mcm.program.types import AllocationKind, Region
from mcm.program.words import show_scope
from mcm.relation.show import show
from mcm.relation.symmetry import is_symmetric
from mcm.relation.term import Base, BaseSet, Defined, Identity, Product, RelationTerm

if TYPE_CHECKING:
    from mcm.answer.answer import RaisedFlag
    from mcm.cat.model import Model
    from mcm.execution.candidate import Candidate
    from mcm.execution.event import Event
    from mcm.explain.membership import Gap, Pair
    from mcm.program.program import MemoryObject

# Definitions that are happens-before relations.
_HAPPENS_BEFORE: Final = {
    "hb": "happens-before",
    "hb-by-local": "happens-before",
    "ghb": "global-happens-before",
    "ghb-by-child": "global-happens-before",
    "ghb-of-images": "global-happens-before",
    "lhb": "local-happens-before",
}

# The definition of scopes that include each other's units.
_INCLUSIVE: Final = "inclusive"

# What holds of two units whose events a base relation does not relate.
_APART: Final = {
    "ssg": "different sub-groups",
    "swg": "different work-groups",
    "ski": "different kernel instances",
    "family": "different kernel instances",
    "sdv": "different devices",
}

# Sets of events by what their scope counts as.
_NARROWED: Final = {
    "narrowed-to-WG": "for local memory {} acts as work_group",
    "narrowed-to-DV": "for memory without SVM atomics {} acts as device",
}


def why_race(flag: RaisedFlag, model: Model) -> Reason:
    """Why neither an excuse nor an order of the model covers the pair of a raised flag."""
    membership = Membership(flag.witness, model, _HAPPENS_BEFORE)
    first, last = flag.events[0], flag.events[-1]
    raising = [one.term for one in model.flags if one.name == flag.name and isinstance(one.term, RelationTerm)]
    for term in raising:
        # To compute happens-before takes longer than anything else here, and is needed only where the term leaves open
        # which pair raised the flag.
        is_certain = len(raising) == 1 and is_symmetric(term, SYMMETRIC)
        for pair in ((first, last), (last, first)):
            if is_certain or membership.has(term, pair):
                words = _Words(flag.witness, membership)
                gaps = (gap for gap in membership.exclusions(term, pair) if not isinstance(gap.part, Identity))
                reasons = [words.reason(gap) for gap in gaps]
                if reasons:
                    rules = dict.fromkeys(rule for reason in reasons for rule in reason.rules)
                    return Reason("; ".join(dict.fromkeys(reason.text for reason in reasons)), tuple(rules))
    return Reason(f"the model {model.name} raises its flag {flag.name} here")


class _Words:
    """Words for the gaps of one execution."""

    def __init__(self, candidate: Candidate, membership: Membership) -> None:
        self._candidate = candidate
        self._program = candidate.skeleton.program
        self._membership = membership

    def reason(self, gap: Gap) -> Reason:
        """Why the pair of a gap is not in the relation, in words."""
        rules = self._membership.rules_of(gap)
        match gap.part:
            case Defined(name, _) if name in _HAPPENS_BEFORE:
                return Reason(f"no {_HAPPENS_BEFORE[name]} orders them{_cited(rules)}", rules)
            case Product(BaseSet("A"), BaseSet("A")):
                return self._not_both_atomic(gap.pair, rules)
            case _ if any(definition.name == _INCLUSIVE for definition in gap.within):
                return self._not_inclusive(gap, rules)
            case Product() if self._object(gap.pair).region is Region.NONE:
                name = self._object(gap.pair).name
                return Reason(f"{name} belongs to no region, so that no happens-before can order them")
            case _:
                relation = gap.within[-1].name if gap.within else show(gap.part)
                return Reason(f"{relation} does not relate them{_cited(rules)}", rules)

    def _not_both_atomic(self, pair: Pair, rules: tuple[str, ...]) -> Reason:
        atomic = [event for event in self._events(pair) if event.atomic]
        if not atomic:
            return Reason("neither access is atomic")
        thread = atomic[0].thread
        name = "the initial state" if thread is None else self._program.thread(thread).name
        return Reason(f"only the access of {name} is atomic{_cited(rules)}", rules)

    def _not_inclusive(self, gap: Gap, rules: tuple[str, ...]) -> Reason:
        scopes = [event.scope for event in self._events(gap.pair)]
        if None in scopes:
            return Reason("the model does not count the two atomic accesses as inclusive")
        written = " against ".join(show_scope(scope, self._program.dialect) for scope in scopes if scope is not None)
        asked = (rule for one in gap.within if one.name == _INCLUSIVE for rule in self._membership.rule_of(one))
        rules = tuple(dict.fromkeys((*rules, *asked)))
        text = f"scopes not inclusive: {written}, {self._apart(gap)}{_cited(rules)}"
        narrowed = self._narrowed(gap)
        return Reason(text + narrowed.text, (*rules, *narrowed.rules))

    def _apart(self, gap: Gap) -> str:
        """What is between two units whose scopes do not include each other."""
        if isinstance(gap.part, Product):
            reached = any(map(self._membership.holds, (gap.part.left, gap.part.right), gap.pair))
            return "both must name the same scope" if reached else "which reach no other unit"
        if not isinstance(gap.part, Base):
            return f"not related by {show(gap.part)}"
        hosts = sum(isinstance(self._placement(event), HostThread) for event in self._events(gap.pair))
        if hosts:
            return "host and device" if hosts == 1 else "different host threads"
        apart = _APART.get(gap.part.name, f"not related by {gap.part.name}")
        is_buffer = self._object(gap.pair).allocation is AllocationKind.BUFFER
        return f"{apart} on a buffer" if gap.part.name == "family" and is_buffer else apart

    def _narrowed(self, gap: Gap) -> Reason:
        """That a scope reaches less far on this kind of memory than it says."""
        for name, event, rules in self._membership.named_sets(gap):
            scope = self._candidate.skeleton.events[event].scope
            if name in _NARROWED and scope is not None:
                return Reason(
                    f"; {_NARROWED[name].format(show_scope(scope, self._program.dialect))}{_cited(rules)}", rules
                )
        return Reason("")

    def _events(self, pair: Pair) -> list[Event]:
        """The two events by thread and place, as a report shows them."""
        events = self._candidate.skeleton.events
        return sorted(
            (events[identifier] for identifier in pair),
            key=lambda event: (event.thread is None, event.thread, event.span.start),
        )

    def _placement(self, event: Event) -> object:
        return None if event.thread is None else self._program.thread(event.thread).placement

    def _object(self, pair: Pair) -> MemoryObject:
        return self._program.object_at(self._candidate.locations[pair[0]])


def _cited(rules: tuple[str, ...]) -> str:
    return f" ({', '.join(rules)})" if rules else ""
