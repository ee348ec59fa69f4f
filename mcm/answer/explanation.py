"""Why an answer is what it is, as data: derivations, stories and the explanation that is made of them."""

from __future__ import annotations

from enum import Enum
from typing import TYPE_CHECKING, ClassVar

from msgspec import Struct

from mcm.base.compared import PartlyCompared
from mcm.relation.show import show
from mcm.relation.term import SetTerm

if TYPE_CHECKING:
    from collections.abc import Iterator

    from mcm.answer.execution import Execution
    from mcm.answer.machine_comparison import Repetition
    from mcm.answer.result import Problem, Verdict
    from mcm.program.condition import Condition
    from mcm.relation.term import Term


class How(Enum):
    """By which operator of the term a pair (or an event) is in it; `Derivation` says what the parts are then."""

    BASE = "base"
    EVERYTHING = "everything"
    DEFINITION = "definition"
    UNION = "union"
    INTERSECTION = "intersection"
    DIFFERENCE = "difference"
    COMPOSITION = "composition"
    INVERSE = "inverse"
    CLOSURE = "closure"
    IDENTITY = "identity"
    PRODUCT = "product"
    DOMAIN = "domain"
    RANGE = "range"
    RECURSION = "recursion"
    VARIABLE = "variable"
    # Not in the term: what is subtracted, and does not have the pair.
    ABSENT = "absent"
    # Not in the term either, though it would have to be: the gap of something that nearly holds.
    MISSING = "missing"
    # In the term, though it would have to be absent: a gap too.
    EXCESS = "excess"


class Derivation(Struct, frozen=True):
    """Why a pair of events is in a relation, or an event (then `first == last`) in a set: a proof, as a tree.

    Events are numbers, as in `Execution.events`. `parts` are by `how`: none for BASE, EVERYTHING and MISSING; for
    ABSENT what is in the way, if anything is; for EXCESS, of a difference, what would have to be taken out of it; the
    body for DEFINITION and RECURSION, the equation's for VARIABLE; the side that has the pair for UNION; both for
    INTERSECTION, and for DIFFERENCE, of which the second is ABSENT (or EXCESS); the two with the event between for
    COMPOSITION; the pair turned round for INVERSE; the steps of a shortest path for CLOSURE; members of sets for
    IDENTITY and PRODUCT; a pair for DOMAIN and RANGE. `rules` are those of the definition that the term is.
    """

    term: Term
    first: int
    last: int
    how: How
    parts: tuple[Derivation, ...] = ()
    rules: tuple[str, ...] = ()
    phrase: str | None = None

    @property
    def name(self) -> str:
        """The term as cat text; for a definition its name."""
        return show(self.term)

    @property
    def is_of_set(self) -> bool:
        """Whether it is about a member of a set."""
        return isinstance(self.term, SetTerm)

    def leaves(self) -> Iterator[Derivation]:
        """Its base edges and base sets, and what is absent or missing, from left to right."""
        if not self.parts:
            yield self
        for part in self.parts:
            yield from part.leaves()

    def all_rules(self) -> tuple[str, ...]:
        """The rules of all definitions that it goes through, each once, outermost first."""
        found = dict.fromkeys(self.rules)
        for part in self.parts:
            found.update(dict.fromkeys(part.all_rules()))
        return tuple(found)


class Edge(Struct, frozen=True):
    """One step of a cycle or path: from an event to another by a named relation, with its derivation.

    Where a model orders some events by a linearisation, `derivation` may be None: every order that the model might
    choose has this edge, and `reason` says why.
    """

    name: str
    first: int
    last: int
    derivation: Derivation | None = None
    reason: str | None = None


class Sentence(Struct, frozen=True):
    """One line of an explanation.

    `path` is the chain of edges that the text is about (`line 12 →sb line 13`), empty where there is none; `rules` are
    what it rests on, `events` the events that it names. `mark`: None, or whether a condition holds. `breaks` is true of
    the line that contradicts a rule. `derivation` is what it says in full.
    """

    text: str
    rules: tuple[str, ...] = ()
    path: str = ""
    events: tuple[int, ...] = ()
    mark: bool | None = None
    breaks: bool = False
    derivation: Derivation | None = None


class Reading(Struct, frozen=True):
    """What a read returns in a story: `observed` is the part of the condition that rests on it (`1:r0=1`), if any does.

    `relation` is `rf`, or `fr` where what is read has been replaced by a later write.
    """

    read: int
    write: int
    text: str
    observed: str | None = None
    relation: str = "rf"


class Broken(Struct, frozen=True):
    """How an execution breaks a model: the check, its rules, and the cycle or the pair that it excludes.

    `edges` are the steps of the cycle (from an event back to it), or the path of a pair that has to be absent.
    """

    check: str
    rules: tuple[str, ...]
    edges: tuple[Edge, ...]
    derivation: Derivation | None


class Story(PartlyCompared, frozen=True):
    """One way in which the outcome comes about, or would: an execution, told.

    `broken` is how the model excludes it, None where it allows it. `others` counts the executions with the same story
    that are not told.
    """

    not_compared: ClassVar[frozenset[str]] = frozenset({"execution"})

    readings: tuple[Reading, ...]
    sentences: tuple[Sentence, ...]
    broken: Broken | None
    execution: Execution
    others: int = 0


class Kind(Enum):
    """What is explained."""

    FORBIDDEN = "forbidden"
    REQUIRED = "required"
    NO_EXECUTION = "no-execution"
    ALLOWED = "allowed"
    VIOLATED = "violated"
    PROBLEM = "problem"
    BLOCKED = "blocked"
    DIFFERENCE = "difference"
    UNDECIDED = "undecided"


class RuleSet(Struct, frozen=True):
    """Rules that together exclude an outcome, none of which can be spared among them.

    `alone` are those without which the model excludes it no more, as `mcm check --without` shows. `permitting` are
    those without which it would exclude it no more either, if they only forbade: they also permit what the outcome
    needs, so that it is excluded `--without` them too. Where this is the only such set, each rule is one or the other.
    """

    rules: tuple[str, ...]
    alone: tuple[str, ...]
    permitting: tuple[str, ...] = ()


class Explanation(PartlyCompared, frozen=True, kw_only=True):
    """Why a test has an outcome under a model.

    `subject` is what is explained, in words. For an outcome that is excluded, `stories` are the ways in which it could
    come about, each with what it breaks, and `rule_sets` what it takes, the smallest first: none where the program's
    values exclude it, whatever a model says. For one that is allowed, there is one story; for a problem (a race, a
    divergence …), `problem` and a story that leads to it. `sentences` are conclusions. `schedule` repeats the outcome
    on the machine (`mcm run --replay`). `looked_at_all` is false where not every way was looked at.
    """

    not_compared: ClassVar[frozenset[str]] = frozenset({"execution"})

    kind: Kind
    test: str
    model: str
    file: str
    verdict: Verdict
    subject: str
    condition: Condition | None = None
    stories: tuple[Story, ...] = ()
    rule_sets: tuple[RuleSet, ...] = ()
    problem: Problem | None = None
    sentences: tuple[Sentence, ...] = ()
    schedule: Repetition | None = None
    looked_at_all: bool = True
    execution: Execution | None = None
