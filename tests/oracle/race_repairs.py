"""Races with what they lack repaired: just that is otherwise, and the two accesses no longer race, or lack more."""

from __future__ import annotations

from typing import TYPE_CHECKING

from msgspec import Struct
from msgspec.structs import replace

from mcm import Source
from mcm.answer.explanation import How
from mcm.base.source import Span
from mcm.cat.model import Check, Flag, Shape
from mcm.catalogue.evaluate import is_consistent, structure_of
from mcm.catalogue.rules import without
from mcm.engine.choose import EngineName, decide
from mcm.execution.skeleton import SetMembers
from mcm.explain.near_miss import near_miss
from mcm.explain.nearest import gaps
from mcm.explain.witness_search import OpenError
from mcm.relation.evaluate import Evaluator
from mcm.relation.term import (
    Base,
    BaseSet,
    Compose,
    Identity,
    Intersection,
    Inverse,
    Product,
    Range,
    SetDifference,
    SetTerm,
    Union,
)
from oracle.command_repairs import command_repairs, repaired_by
from oracle.race_images import Fact, Findings, Images, RaceWithRepair

if TYPE_CHECKING:
    from collections.abc import Iterator

    from mcm.answer.answer import RaisedFlag
    from mcm.answer.explanation import Derivation
    from mcm.answer.query import Query
    from mcm.execution.skeleton import Skeleton
    from mcm.relation.term import RelationTerm
    from oracle.command_repairs import Repair
    from oracle.explanations import Evidence


NOWHERE = Span(Source("repair", ""), 0, 0)
BOTH = Product(BaseSet("one access"), BaseSet("other access"))
SCOPES = frozenset({"WI", "SG", "WG", "DV", "ALL"})


def check_races(name: str, query: Query, evidence: Evidence) -> None:
    """The races of a program, each with its repair, in executions of all its events."""
    asked = replace(query, proposition=None, wants_witnesses=True, wants_outcomes=False)
    images: dict[int, Images] = {}
    for raised, flag in races_of(asked):
        evidence.counts["races"] += 1
        check_race(name, asked, raised, flag, evidence, images)


def races_of(query: Query) -> Iterator[tuple[RaisedFlag, Flag]]:
    answer = decide(query, EngineName.AUTO)
    if answer.undecided is not None:
        raise OpenError(answer.undecided)
    for raised in answer.flags:
        for flag in query.model.flags:
            if flag.name == raised.name == "data_race":
                yield raised, flag


class Lacking(Struct):
    """What a pair lacks to be ordered, or only to be excused: facts, and a rule that is in the way."""

    gaps: list[Derivation]
    lifted: str | None
    is_excuse: bool

    @property
    def keys(self) -> set[tuple[str, int, int]]:
        of_rule = set() if self.lifted is None else {(self.lifted, 0, 0)}
        return {(gap.name, gap.first, gap.last) for gap in self.gaps} | of_rule


def lacking_of(raised: RaisedFlag, flag: Flag, query: Query) -> Lacking | None:
    """What the pair lacks; None where nothing comes near."""
    first, last = raised.events[0], raised.events[-1]
    for pair in ((first, last), (last, first)):
        miss = near_miss(raised.witness, flag, pair, query.model)
        if miss is not None:
            lifted = None if miss.lifted is None else miss.lifted.identifier
            nearest = miss.nearest or miss.excuse
            return None if nearest is None else Lacking(gaps(nearest), lifted, miss.nearest is None)
    message = "the flag is not raised"
    raise AssertionError(message)


def check_race(
    name: str, query: Query, raised: RaisedFlag, flag: Flag, evidence: Evidence, images: dict[int, Images]
) -> None:
    """A race, with what was found of others of the same skeleton: of its images, nothing is asked again."""
    lacking = lacking_of(raised, flag, query)
    repairs = command_repairs(raised, query) if lacking is None or lacking.is_excuse else ()
    if repairs and (lacking is None or repairs[0].relation != "po"):
        check_commands(name, query, raised, repairs, evidence)
        return
    if lacking is None:
        evidence.counts["races with nothing near"] += 1
        return
    evidence.counts["races with one failing condition"] += len(lacking.keys) == 1
    evidence.counts["races that being atomic would excuse"] += lacking.is_excuse
    evidence.counts["races with a rule in the way"] += lacking.lifted is not None
    skeleton = skeleton_of(raised, query)
    of_skeleton = images.get(id(skeleton.events))
    if of_skeleton is None:
        of_skeleton = images[id(skeleton.events)] = Images(skeleton, query.model)
    race = with_repair(raised, lacking)
    findings = of_skeleton.known(race)
    evidence.counts["races that are images of others"] += findings is not None
    if findings is None:
        findings = Findings()
        check_repair(name, query, raised, lacking, findings)
        of_skeleton.add(race, findings)
    evidence.counts.update(findings.counts)
    evidence.wrong += findings.wrong


def with_repair(raised: RaisedFlag, lacking: Lacking) -> RaceWithRepair:
    facts = (Fact(gap.term, gap.how, gap.first, gap.last) for gap in lacking.gaps)
    return RaceWithRepair(frozenset((raised.events[0], raised.events[-1])), frozenset(facts), lacking.lifted)


def check_repair(name: str, query: Query, raised: RaisedFlag, lacking: Lacking, evidence: Findings) -> None:
    """A race with just what it lacks otherwise."""
    repaired = repaired_query(query, raised, lacking)
    if not is_reached(repaired, raised):
        # A reading with which an access is not executed would be wrong.
        if any(gap.term == Base("rf") for gap in lacking.gaps):
            evidence.wrong.append(f"{name}: with {lacking.keys} the two accesses are never both executed")
            return
        check_excluded(name, repaired, raised, lacking, evidence)
        return
    again = races_again(repaired, raised)
    if not again:
        evidence.counts["races removed by the repair"] += 1
        return
    next_lacking = lacking_of(*again[0], repaired)
    if next_lacking is not None and next_lacking.keys == lacking.keys:
        evidence.wrong.append(f"{name}: {lacking.keys} is still lacking after the repair")
        return
    evidence.counts["races that then lack something else"] += 1


def check_excluded(name: str, repaired: Query, raised: RaisedFlag, lacking: Lacking, evidence: Findings) -> None:
    """A race that no execution of the repaired program has, because its two accesses are never both executed.

    That alone would be true of every contradiction. In the execution itself, with the repair and what it read before,
    the two accesses do not race either, or lack something else; and it is the model that excludes it.
    """
    evidence.counts["races in executions that the repair excludes"] += 1
    witness = replace(raised.witness, skeleton=skeleton_of(raised, repaired))
    evaluator = Evaluator(structure_of(witness))
    if is_consistent(witness, repaired.model, evaluator):
        evidence.wrong.append(f"{name}: with {lacking.keys} the execution is allowed, and no engine finds it")
        return
    flags = [one for one in repaired.model.flags if one.name == raised.name]
    flag = next((one for one in flags if is_raised_by(one, raised.events, evaluator)), None)
    if flag is None:
        evidence.counts["races removed by the repair"] += 1
        return
    next_lacking = lacking_of(replace(raised, witness=witness), flag, repaired)
    if next_lacking is None or next_lacking.keys == lacking.keys:
        evidence.wrong.append(f"{name}: {lacking.keys} is still lacking in the execution with the repair")
        return
    evidence.counts["races that then lack something else"] += 1


def is_raised_by(flag: Flag, events: tuple[int, ...], evaluator: Evaluator) -> bool:
    """Whether a flag is raised by the pair of the first and the last of some events."""
    assert not isinstance(flag.term, SetTerm), "races are pairs"
    rows, first, last = evaluator.relation(flag.term), events[0], events[-1]
    return bool(rows[first] >> last & 1 or rows[last] >> first & 1)


def check_commands(
    name: str, query: Query, raised: RaisedFlag, repairs: tuple[Repair, ...], evidence: Evidence
) -> None:
    """A race that is told by the rules of commands: each of them orders the two accesses, where it may at all."""
    evidence.counts["races of commands"] += 1
    possible = removing = 0
    for repair in repairs:
        repaired = repaired_by(query, raised.witness.skeleton, repair)
        if not is_reached(repaired, raised):
            continue
        possible += 1
        evidence.counts["repairs by a rule of commands"] += 1
        if not races_again(repaired, raised):
            removing += 1
        elif not repair.is_not_enough:
            evidence.wrong.append(f"{name}: with {repair.rule} the two accesses race still")
    if not possible:
        evidence.wrong.append(f"{name}: no rule that is named could order the two accesses")
    evidence.counts["races removed by the repair"] += removing > 0
    evidence.counts["races that then lack something else"] += possible > 0 and not removing


def races_again(repaired: Query, raised: RaisedFlag) -> list[tuple[RaisedFlag, Flag]]:
    """The same two events, as a race of the repaired program; no others are looked for."""
    whole = [flag for flag in repaired.model.flags if flag.name == raised.name]
    narrowed = [
        replace(flag, name=f"again {number}", term=Intersection(flag.term, Union(BOTH, Inverse(BOTH))))
        for number, flag in enumerate(whole)
        if not isinstance(flag.term, SetTerm)
    ]
    assert len(narrowed) == len(whole), "races are pairs"
    asked = with_accesses(replace(repaired, model=replace(repaired.model, flags=tuple(narrowed))), raised)
    answer = decide(asked, EngineName.AUTO)
    if answer.undecided is not None:
        raise OpenError(answer.undecided)
    of_name = {narrow.name: flag for narrow, flag in zip(narrowed, whole, strict=True)}
    return [(one, of_name[one.name]) for one in answer.flags]


def is_reached(repaired: Query, raised: RaisedFlag) -> bool:
    """Whether some execution of the repaired program has both accesses: without one, that none races says nothing.

    That may be the one that raced, which is evaluated.
    """
    witness = replace(raised.witness, skeleton=skeleton_of(raised, repaired))
    if is_consistent(witness, repaired.model, Evaluator(structure_of(witness))):
        return True
    # A flag, since units that wait for ever race too, and no execution is complete then.
    flag = Flag("reached", Shape.EMPTY, negated=True, term=BOTH, rule=None, span=NOWHERE)
    asked = replace(repaired, model=replace(repaired.model, flags=(flag,)))
    answer = decide(with_accesses(asked, raised), EngineName.AUTO)
    if not answer.flags and answer.undecided is not None:
        raise OpenError(answer.undecided)
    return bool(answer.flags)


def skeleton_of(raised: RaisedFlag, repaired: Query) -> Skeleton:
    """The skeleton of a race in the repaired program."""
    (skeleton,) = (one for one in repaired.skeletons if one.events is raised.witness.skeleton.events)
    return skeleton


def with_accesses(query: Query, raised: RaisedFlag) -> Query:
    """A query whose models know the two accesses of a race by name."""
    skeletons = []
    for skeleton in query.skeletons:
        is_the_one = skeleton.events is raised.witness.skeleton.events
        one, other = (SetMembers(is_the_one << event) for event in (raised.events[0], raised.events[-1]))
        skeletons.append(replace(skeleton, sets={**skeleton.sets, "one access": one, "other access": other}))
    return replace(query, skeletons=tuple(skeletons))


def repaired_query(query: Query, raised: RaisedFlag, lacking: Lacking) -> Query:
    """The same question with just what is lacking: attributes, places, what a read returns, or without the rule."""
    events = raised.witness.skeleton.events
    model = query.model if lacking.lifted is None else without(query.model, (lacking.lifted,))
    checks = list(model.checks)
    skeletons = []
    for skeleton in query.skeletons:
        sets, relations = dict(skeleton.sets), dict(skeleton.relations)
        is_the_one = skeleton.events is events
        for gap in lacking.gaps if is_the_one else ():
            match gap.term:
                case BaseSet(name) if gap.how is How.MISSING:
                    # An operation has one scope.
                    for other in SCOPES & {*sets} if name in SCOPES else ():
                        sets[other] = SetMembers(sets[other].events & ~(1 << gap.first), sets[other].locations)
                    old = sets[name]
                    sets[name] = SetMembers(old.events | 1 << gap.first, old.locations)
                    if name == "A":
                        # Atomic operations are those of atomic objects.
                        objects = sets["AO"]
                        here = raised.witness.locations[gap.first]
                        sets["AO"] = SetMembers(objects.events, objects.locations | {here})
                case Base("rf"):
                    pass
                case Base(name):
                    rows = list(relations[name])
                    rows[gap.first] |= 1 << gap.last
                    rows[gap.last] |= 1 << gap.first
                    relations[name] = tuple(rows)
                case _:
                    pass
        for number, gap in enumerate(lacking.gaps):
            sets[f"first {number}"] = SetMembers(1 << gap.first if is_the_one else 0)
            sets[f"last {number}"] = SetMembers(1 << gap.last if is_the_one else 0)
        skeletons.append(replace(skeleton, sets=sets, relations=relations))
    for number, gap in enumerate(lacking.gaps):
        first, last = BaseSet(f"first {number}"), BaseSet(f"last {number}")
        if gap.term == Base("rf"):
            checks.append(demand(SetDifference(last, Range(Compose(Identity(first), Base("rf"))))))
        elif gap.how is How.EXCESS and not isinstance(gap.term, SetTerm):
            checks.append(demand(Intersection(gap.term, Product(first, last))))
    return replace(query, skeletons=tuple(skeletons), model=replace(model, checks=tuple(checks)))


def demand(term: SetTerm | RelationTerm, *, negated: bool = False) -> Check:
    """That a term is empty, or negated that it is not."""
    return Check("repaired", Shape.EMPTY, negated=negated, term=term, rule=None, span=NOWHERE)
