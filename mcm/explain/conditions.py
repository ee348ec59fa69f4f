"""The conditions of a synchronisation, each with whether it holds: the leaves of a derivation that may have gaps."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from msgspec.structs import replace

from mcm.answer.explanation import How, Sentence
from mcm.catalogue.evaluate import structure_of
from mcm.explain.derivation import why
from mcm.program.types import AllocationKind, Scope
from mcm.program.words import show_order, show_scope
from mcm.relation.term import Base, BaseSet

if TYPE_CHECKING:
    from collections.abc import Iterator

    from mcm.answer.explanation import Derivation
    from mcm.execution.candidate import Candidate
    from mcm.explain.naming import Names

_ROLES: Final = {
    "REL": ("is a release", "is no release"),
    "ACQ": ("is an acquire", "is no acquire"),
    "SC": ("is seq_cst", "is not seq_cst"),
    "A": ("is atomic", "is not atomic"),
}
_SCOPES: Final = {"SG": Scope.SUB_GROUP, "WG": Scope.WORK_GROUP, "DV": Scope.DEVICE, "ALL": Scope.ALL_SVM_DEVICES}
_FLAGS: Final = {"G": "global", "L": "local"}
_TOGETHER: Final = {
    "ssg": "in one sub-group",
    "swg": "in one work-group",
    "ski": "in one kernel instance",
    "family": "in one kernel instance",
    "sdv": "on one device",
}


class Conditions:
    """Puts the leaves of derivations of one execution into words."""

    def __init__(self, candidate: Candidate, names: Names) -> None:
        self._candidate = candidate
        self._names = names
        self._dialect = candidate.skeleton.program.dialect

    def of(self, derivation: Derivation) -> tuple[Sentence, ...]:
        """The conditions that a reader would check, those that hold first; what goes without saying is left out."""
        found: dict[str, Sentence] = {}
        for leaf, rules in _with_rules(derivation, ()):
            holds = leaf.how not in {How.MISSING, How.EXCESS}
            text = self._text(leaf, holds=holds)
            if text is not None:
                first = found.setdefault(text, Sentence(text, rules, events=(leaf.first, leaf.last), mark=holds))
                found[text] = replace(first, rules=tuple(dict.fromkeys((*first.rules, *rules))))
        return tuple(sorted(found.values(), key=lambda sentence: not sentence.mark))

    def _text(self, leaf: Derivation, *, holds: bool) -> str | None:
        match leaf.term:
            case BaseSet(name) if name in _SCOPES and leaf.how is How.EXCESS:
                # Another condition says which scope it should have.
                return None
            case BaseSet(name):
                return self._of_event(name, leaf.first, holds=holds)
            case Base(name) if name in _TOGETHER:
                pair = f"{self._names.full(leaf.first)} and {self._names.full(leaf.last)}"
                if name == "family" and holds and not self._are_of_one_instance(leaf):
                    return f"{pair} are in a kernel instance and one that it enqueues"
                return f"{pair} are {_TOGETHER[name]}" if holds else f"{pair} are not {self._together(leaf)}"
            case Base("rf"):
                return self._of_reading(leaf, holds=holds)
            case _ if leaf.how is How.EXCESS:
                return self._of_excess(leaf)
            case _ if leaf.how is How.MISSING:
                return f"no {leaf.name} from {self._names.full(leaf.first)} to {self._names.full(leaf.last)}"
            case _:
                return None

    def _of_excess(self, leaf: Derivation) -> str:
        """What takes a pair out; `{c}` of a phrase is the event between the two, if the relation is a composition."""
        first, last = self._names.full(leaf.first), self._names.full(leaf.last)
        found = why(leaf.term, leaf.first, leaf.last, structure_of(self._candidate), {})
        while found is not None and found.how is How.DEFINITION:
            found = found.parts[0]
        if leaf.phrase is None or found is None or found.how is not How.COMPOSITION:
            return f"{leaf.name} relates {first} and {last}"
        between = self._names.full(found.parts[0].last)
        return leaf.phrase.replace("{a}", first).replace("{b}", last).replace("{c}", between)

    def _are_of_one_instance(self, leaf: Derivation) -> bool:
        """Whether two events of one family are in one kernel instance, and not in that of a parent and of a child."""
        return bool(self._candidate.skeleton.relations["ski"][leaf.first] >> leaf.last & 1)

    def _together(self, leaf: Derivation) -> str:
        """What two events are not in; a buffer is called one, as kernels are nearer in shared virtual memory."""
        words = _TOGETHER[leaf.name]
        candidate = self._candidate
        location = candidate.locations.get(leaf.first)
        if leaf.name != "family" or location is None or location != candidate.locations.get(leaf.last):
            return words
        memory = candidate.skeleton.program.object_at(location)
        return f"{words} ({memory.name} is a buffer)" if memory.allocation is AllocationKind.BUFFER else words

    def _of_reading(self, leaf: Derivation, *, holds: bool) -> str:
        read, write = self._names.full(leaf.last), self._names.full(leaf.first)
        if holds:
            return f"{read} reads from {write}"
        source = self._candidate.reads_from.get(leaf.last)
        instead = "" if source is None else f", but from {self._names.full(source)}"
        return f"{read} does not read from {write}{instead}"

    def _of_event(self, name: str, number: int, *, holds: bool) -> str | None:
        event = self._candidate.skeleton.events[number]
        subject = self._names.full(number)
        if name in _ROLES and event.thread is not None:
            if name == "A" and holds:
                return None
            shown = "" if event.order is None or holds else f" ({show_order(event.order, self._dialect)})"
            return f"{subject} {_ROLES[name][not holds]}{shown}"
        if name in _SCOPES:
            wanted = show_scope(_SCOPES[name], self._dialect)
            if event.scope is None:
                return f"{subject} has no scope" + ("" if holds else f": {wanted} is one that would do")
            written = show_scope(event.scope, self._dialect)
            return f"{subject} has scope {written}" + ("" if holds else f", not {wanted}")
        if name in _FLAGS and event.kind.is_fence:
            if event.barrier is not None:
                # Its entry and its exit have what is written once.
                subject = f"the barrier of line {event.span.line}"
            return f"{subject} has {'the' if holds else 'no'} {_FLAGS[name]} flag"
        return None


def _with_rules(derivation: Derivation, rules: tuple[str, ...]) -> Iterator[tuple[Derivation, tuple[str, ...]]]:
    """The leaves, each with the rules of the innermost definition around it that has some."""
    rules = derivation.rules or rules
    if not derivation.parts:
        yield derivation, rules
    for part in derivation.parts:
        yield from _with_rules(part, rules)
