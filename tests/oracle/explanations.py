"""Explanations of whole collections of tests, held against the engines.

    cd tests && python -m oracle.explanations ../litmus --models default

Of every forbidden outcome: the rules that are named forbid it alone, and none of them can be spared; every derivation
that is shown holds. Of every race: where just what fails is otherwise, the two accesses are still both executed, and
do not race, or something else fails.
"""

from __future__ import annotations

import argparse
import sys
import time
from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING

from msgspec import Struct, field
from msgspec.structs import replace

from mcm import InputError, LimitReachedError, Source, load_model, models, parse, time_limit
from mcm.answer.explanation import How
from mcm.asking import Options, query_for, skeletons_for
from mcm.base.source import Span
from mcm.cat.model import Check, Shape
from mcm.catalogue.evaluate import structure_of
from mcm.catalogue.rules import without
from mcm.engine.choose import EngineName, decide
from mcm.execution.elaborate import elaborate
from mcm.execution.skeleton import SetMembers
from mcm.explain.derivation_check import holds
from mcm.explain.forbidden import Exclusions
from mcm.explain.near_miss import near_miss
from mcm.explain.nearest import gaps
from mcm.explain.witness_search import OpenError, WitnessSearch, goal_of
from mcm.program.condition import Truth
from mcm.relation.term import Base, BaseSet, Compose, Identity, Intersection, Product, Range, SetDifference, SetTerm

if TYPE_CHECKING:
    from collections.abc import Iterator

    from mcm import ChosenModel, Test
    from mcm.answer.answer import RaisedFlag
    from mcm.answer.explanation import Derivation
    from mcm.answer.query import Query
    from mcm.cat.model import Flag
    from mcm.relation.term import RelationTerm

FEW_EVENTS = 14


class Evidence(Struct):
    """What was counted, and what was wrong."""

    counts: Counter[str] = field(default_factory=Counter)
    wrong: list[str] = field(default_factory=list)


def query_of(test: Test, chosen: ChosenModel) -> Query:
    skeletons = skeletons_for(chosen.model, lambda *, waiting: elaborate(test.program, 2, waiting=waiting, limit=2000))
    return replace(query_for(test, chosen, Options(), skeletons), proposition=goal_of(test.program.condition))


def check_cores(test: Test, chosen: ChosenModel, evidence: Evidence) -> None:
    """The rules that both engines name for a forbidden outcome of a small test: they may differ, not in number."""
    query = query_of(test, chosen)
    if sum(len(skeleton.events) for skeleton in query.skeletons) > FEW_EVENTS:
        return
    if WitnessSearch(query, EngineName.AUTO).find(chosen.model) is None:
        compare_engines(f"{test.source.name} {chosen.name}", query, chosen, evidence)


def check_outcome(test: Test, chosen: ChosenModel, evidence: Evidence) -> None:
    """The rules that are named for a forbidden outcome; nothing where it is allowed."""
    query = query_of(test, chosen)
    search = WitnessSearch(query, EngineName.AUTO)
    if search.find(chosen.model) is not None:
        evidence.counts["allowed"] += 1
        return
    evidence.counts["forbidden"] += 1
    name = f"{test.source.name} {chosen.name}"
    exclusions = Exclusions(search, chosen.model)
    sets = exclusions.rule_sets()
    evidence.counts["sets of rules"] += len(sets)
    evidence.counts["forbidden by values alone"] += not sets[0].rules
    for one in sets:
        if not exclusions.is_forbidden_by(one.rules):
            evidence.wrong.append(f"{name}: {one.rules} do not forbid it")
        for rule in one.rules:
            if exclusions.is_forbidden_by([other for other in one.rules if other != rule]):
                evidence.wrong.append(f"{name}: {rule} can be spared in {one.rules}")
    for rule in sets[0].alone:
        if search.find(without(chosen.model, (rule,))) is None:
            evidence.wrong.append(f"{name}: it is forbidden --without {rule} too")
    for rule in sets[0].permitting:
        evidence.counts["rules that also permit (--without still forbids)"] += 1
        if exclusions.is_forbidden_without(rule) or search.find(without(chosen.model, (rule,))) is not None:
            evidence.wrong.append(f"{name}: {rule} does not forbid and permit")
    for candidate, excluded in exclusions.ways(sets[0].rules, 4):
        evidence.counts["ways"] += 1
        derivation = excluded.broken.derivation
        if derivation is not None and excluded.contradiction is None:
            evidence.counts["derivations"] += 1
            evidence.counts["edges derived"] += sum(1 for _ in derivation.leaves())
            if not holds(derivation, structure_of(candidate)):
                evidence.wrong.append(f"{name}: a derivation does not hold")


def compare_engines(name: str, query: Query, chosen: ChosenModel, evidence: Evidence) -> None:
    sizes = {}
    for engine in (EngineName.EXPLICIT, EngineName.SMT):
        (one,) = Exclusions(WitnessSearch(query, engine), chosen.model).rule_sets(1)
        sizes[engine] = len(one.rules)
    evidence.counts["cores by both engines"] += 1
    if len(set(sizes.values())) > 1:
        evidence.wrong.append(f"{name}: cores of {sizes} rules")


# --- races ------------------------------------------------------------------------------------------------------------


def check_races(test: Test, chosen: ChosenModel, evidence: Evidence) -> None:
    query = replace(query_of(test, chosen), proposition=None)
    for raised, flag in races_of(query):
        evidence.counts["races"] += 1
        check_race(f"{test.source.name} {chosen.name}", query, raised, flag, evidence)


def races_of(query: Query) -> Iterator[tuple[RaisedFlag, Flag]]:
    answer = decide(query, EngineName.AUTO)
    if answer.undecided is not None:
        raise OpenError(answer.undecided)
    for raised in answer.flags:
        for flag in query.model.flags:
            if flag.name == raised.name == "data_race":
                yield raised, flag


class Lacking(Struct):
    """What a pair lacks: facts, and a rule that is in the way."""

    gaps: list[Derivation]
    lifted: str | None

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
            return None if miss.nearest is None else Lacking(gaps(miss.nearest), lifted)
    message = "the flag is not raised"
    raise AssertionError(message)


def check_race(name: str, query: Query, raised: RaisedFlag, flag: Flag, evidence: Evidence) -> None:
    lacking = lacking_of(raised, flag, query)
    if lacking is None:
        evidence.counts["races with nothing near"] += 1
        return
    evidence.counts["races with one failing condition"] += len(lacking.keys) == 1
    evidence.counts["races with a rule in the way"] += lacking.lifted is not None
    repaired = repaired_query(query, raised, lacking)
    if not is_reached(repaired, raised):
        # Where nothing is read otherwise, it is what now happens before what that excludes the execution: no repair
        # that counts, and no wrong one. A reading with which an access is not executed would be wrong.
        evidence.counts["races in executions that the repair excludes (not counted)"] += 1
        if any(gap.term == Base("rf") for gap in lacking.gaps):
            evidence.wrong.append(f"{name}: with {lacking.keys} the two accesses are never both executed")
        return
    again = [
        (one, kind)
        for one, kind in races_of(repaired)
        if set(one.events) == set(raised.events) and one.witness.skeleton.events is raised.witness.skeleton.events
    ]
    if not again:
        evidence.counts["races removed by the repair"] += 1
        return
    next_lacking = lacking_of(*again[0], repaired)
    if next_lacking is not None and next_lacking.keys == lacking.keys:
        evidence.wrong.append(f"{name}: {lacking.keys} is still lacking after the repair")
        return
    evidence.counts["races that then lack something else"] += 1


def is_reached(repaired: Query, raised: RaisedFlag) -> bool:
    """Whether some execution of the repaired program has both accesses: without one, that none races says nothing."""
    skeletons = tuple(
        replace(skeleton, sets={**skeleton.sets, "one access": mark, "other access": other})
        for skeleton in repaired.skeletons
        for is_the_one in [skeleton.events is raised.witness.skeleton.events]
        for mark, other in [
            [SetMembers(1 << event if is_the_one else 0) for event in (raised.events[0], raised.events[-1])]
        ]
    )
    both = Product(BaseSet("one access"), BaseSet("other access"))
    asked = replace(repaired, skeletons=skeletons, proposition=Truth(value=True))
    model = replace(asked.model, checks=(*asked.model.checks, demand(both, negated=True)))
    return WitnessSearch(asked, EngineName.AUTO).find(model) is not None


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
                case BaseSet(name):
                    old = sets[name]
                    sets[name] = SetMembers(old.events | 1 << gap.first, old.locations)
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
    return Check("repaired", Shape.EMPTY, negated=negated, term=term, rule=None, span=Span(Source("repair", ""), 0, 0))


# --- collections ------------------------------------------------------------------------------------------------------

PARTS = {"outcomes": check_outcome, "cores": check_cores, "races": check_races}


def check_file(path: Path, names: list[str], what: list[str], evidence: Evidence, seconds: float) -> None:
    try:
        test = parse(Source(path.name, path.read_text(encoding="utf-8", errors="replace").replace("\r\n", "\n")))
    except InputError:
        evidence.counts["no programs"] += 1
        return
    for name in names:
        chosen = load_model(test.header.dialect.default_model if name == "default" else name)
        for part in what:
            try:
                with time_limit(seconds):
                    PARTS[part](test, chosen, evidence)
            except (LimitReachedError, OpenError, MemoryError) as reached:
                evidence.counts[f"open: {part} ({reached})"] += 1
            except InputError:
                evidence.counts["not elaborated"] += 1
            except Exception as error:  # noqa: BLE001 - every failure is evidence
                evidence.wrong.append(f"{path} {chosen.name}: {part}: {error!r}")


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folders", nargs="+", type=Path)
    parser.add_argument("--models", default="default", help="names, with commas between, `default` or `all`")
    parser.add_argument("--what", choices=["all", *PARTS], default="all")
    parser.add_argument("--seconds", type=float, default=20.0, help="for each test and model")
    parser.add_argument("--every", type=int, default=1, help="take every so many tests")
    arguments = parser.parse_args()
    names = list(models()) if arguments.models == "all" else arguments.models.split(",")
    what = list(PARTS) if arguments.what == "all" else [arguments.what]
    evidence, start = Evidence(), time.monotonic()
    files = sorted(path for folder in arguments.folders for path in folder.rglob("*.litmus"))[:: arguments.every]
    for path in files:
        check_file(path, names, what, evidence, arguments.seconds)
        for line in evidence.wrong:
            sys.stdout.write(f"WRONG {line}\n")
            evidence.counts["wrong"] += 1
        evidence.wrong.clear()
        sys.stdout.flush()
    for what, count in sorted(evidence.counts.items()):
        sys.stdout.write(f"{count:7} {what}\n")
    sys.stdout.write(f"{len(files)} files, {time.monotonic() - start:.0f} s\n")
    return 1 if evidence.counts["wrong"] else 0


if __name__ == "__main__":
    sys.exit(main())
