"""Explanations of whole collections of tests, held against the engines.

    cd tests && python -m oracle.explanations ../litmus --models default

Of every forbidden outcome: the rules that are named forbid it alone, and none of them can be spared; every derivation
that is shown holds. Of every race: where just what fails is otherwise, the two accesses are still both executed, and
do not race, or something else fails. Of models that say the same of a test (`oracle.alike`), one is looked at.
"""

from __future__ import annotations

import argparse
import sys
import time
from collections import Counter
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING
from unittest.mock import patch

from msgspec import Struct, field
from msgspec.structs import replace

from mcm import InputError, LimitReachedError, Source, load_model, models, parse, time_limit
from mcm.asking import Options, query_for, skeletons_for
from mcm.catalogue.evaluate import structure_of
from mcm.catalogue.rules import without
from mcm.engine.choose import EngineName
from mcm.execution.elaborate import elaborate
from mcm.explain.derivation_check import holds
from mcm.explain.forbidden import Exclusions
from mcm.explain.witness_search import KnownExecutions, OpenError, WitnessSearch, goal_of
from oracle.alike import Readings
from oracle.race_repairs import check_races

if TYPE_CHECKING:
    from collections.abc import Callable

    from mcm import ChosenModel, Test
    from mcm.answer.explanation import RuleSet
    from mcm.answer.query import Query
    from mcm.execution.skeleton import Skeleton

FEW_EVENTS = 14

# Of one outcome.
MOST_WAYS = 4
MOST_DERIVATIONS = 12


class Evidence(Struct):
    """What was counted, and what was wrong."""

    counts: Counter[str] = field(default_factory=Counter)
    wrong: list[str] = field(default_factory=list)
    # With the outcome of the test that is looked at.
    known: KnownExecutions = field(default_factory=KnownExecutions)


class Subject(Struct):
    """A test, with its skeletons and what was counted for each reading of it."""

    test: Test
    elaborated: Callable[..., tuple[Skeleton, ...]]
    readings: dict[tuple[int, ...], Readings] = field(default_factory=dict)
    seen: dict[tuple[object, ...], Counter[str]] = field(default_factory=dict)
    known: dict[tuple[int, ...], KnownExecutions] = field(default_factory=dict)

    def query(self, chosen: ChosenModel) -> Query:
        """What the outcome of the test is asked with."""
        skeletons = skeletons_for(chosen.model, self.elaborated)
        asked = query_for(self.test, chosen, Options(), skeletons)
        return replace(asked, proposition=goal_of(self.test.program.condition))

    def executions(self, query: Query) -> KnownExecutions:
        """Those that were found for other models."""
        return self.known.setdefault(tuple(id(skeleton) for skeleton in query.skeletons), KnownExecutions())

    def reading(self, query: Query, *, with_flags: bool) -> tuple[object, ...]:
        """What models that say the same have in common."""
        events = tuple(id(skeleton) for skeleton in query.skeletons)
        readings = self.readings.setdefault(events, Readings(query.skeletons))
        return (*events, readings.of(query.model, with_flags=with_flags))


def subject_of(test: Test) -> Subject:
    @cache
    def elaborated(*, waiting: bool, folds: bool = False) -> tuple[Skeleton, ...]:
        return elaborate(test.program, 2, waiting=waiting, folds=folds, limit=2000)

    return Subject(test, elaborated)


def is_small(query: Query) -> bool:
    return sum(len(skeleton.events) for skeleton in query.skeletons) <= FEW_EVENTS


def check_outcome(name: str, query: Query, evidence: Evidence) -> None:
    """The rules that are named for a forbidden outcome; nothing where it is allowed."""
    search = WitnessSearch(query, EngineName.AUTO, evidence.known)
    if search.is_possible(query.model):
        evidence.counts["allowed"] += 1
        return
    evidence.counts["forbidden"] += 1
    exclusions = Exclusions(search, query.model)
    sets = exclusions.rule_sets()
    evidence.counts["sets of rules"] += len(sets)
    evidence.counts["forbidden by values alone"] += not sets[0].rules
    # Of larger tests only one engine can be asked: the one that found the sets, rule by rule.
    for engine in (EngineName.EXPLICIT, EngineName.SMT) if is_small(query) else ():
        asked = WitnessSearch(query, engine, evidence.known)
        check_minimal(f"{name} ({engine.value})", sets, Exclusions(asked, query.model), evidence)
    for rule in sets[0].alone:
        if not search.is_possible(without(query.model, (rule,))):
            evidence.wrong.append(f"{name}: it is forbidden --without {rule} too")
    for rule in sets[0].permitting:
        evidence.counts["rules that also permit (--without still forbids)"] += 1
        if exclusions.is_forbidden_without(rule) or search.is_possible(without(query.model, (rule,))):
            evidence.wrong.append(f"{name}: {rule} does not forbid and permit")
    check_derivations(name, sets[0], exclusions, evidence)


def check_minimal(name: str, sets: tuple[RuleSet, ...], exclusions: Exclusions, evidence: Evidence) -> None:
    """An engine says that each set of rules forbids the outcome; without any rule of a set, some execution is allowed.

    That may be one that another engine has found: it is evaluated.
    """
    for one in sets:
        evidence.counts["sets of rules asked again of one engine"] += 1
        if not exclusions.is_forbidden_by(one.rules):
            evidence.wrong.append(f"{name}: {one.rules} do not forbid it")
        for rule in one.rules:
            if exclusions.is_forbidden_by([other for other in one.rules if other != rule]):
                evidence.wrong.append(f"{name}: {rule} can be spared in {one.rules}")


def check_derivations(name: str, rules: RuleSet, exclusions: Exclusions, evidence: Evidence) -> None:
    for candidate, excluded in exclusions.ways(rules.rules, MOST_WAYS).executions[:MOST_DERIVATIONS]:
        evidence.counts["ways"] += 1
        derivation = excluded.broken.derivation
        if derivation is not None and excluded.contradiction is None:
            evidence.counts["derivations"] += 1
            evidence.counts["edges derived"] += sum(1 for _ in derivation.leaves())
            if not holds(derivation, structure_of(candidate)):
                evidence.wrong.append(f"{name}: a derivation does not hold")


def check_cores(name: str, query: Query, evidence: Evidence) -> None:
    """The rules that both engines name for a forbidden outcome of a small test: they may differ, not in number."""
    if not is_small(query) or WitnessSearch(query, EngineName.AUTO).find(query.model) is not None:
        return
    sizes = {}
    for engine in (EngineName.EXPLICIT, EngineName.SMT):
        (one,) = Exclusions(WitnessSearch(query, engine), query.model).rule_sets(1)
        sizes[engine] = len(one.rules)
    evidence.counts["cores by both engines"] += 1
    if len(set(sizes.values())) > 1:
        evidence.wrong.append(f"{name}: cores of {sizes} rules")


# --- collections ------------------------------------------------------------------------------------------------------

PARTS = {"outcomes": check_outcome, "cores": check_cores, "races": check_races}


def check_file(path: Path, names: list[str], what: list[str], evidence: Evidence, seconds: float) -> None:
    try:
        test = parse(Source(path.name, path.read_text(encoding="utf-8", errors="replace").replace("\r\n", "\n")))
    except InputError:
        evidence.counts["no programs"] += 1
        return
    subject = subject_of(test)
    for name in names:
        chosen = load_model(test.header.dialect.default_model if name == "default" else name)
        for part in what:
            try:
                with time_limit(seconds):
                    check_part(part, subject, chosen, evidence)
            except InputError:
                evidence.counts["not elaborated"] += 1
            except Exception as error:  # noqa: BLE001 - every failure is evidence
                evidence.wrong.append(f"{path} {chosen.name}: {part}: {error!r}")


def check_part(part: str, subject: Subject, chosen: ChosenModel, evidence: Evidence) -> None:
    """One part for one model; where a model that says the same was looked at, what was counted there counts again."""
    query = subject.query(chosen)
    reading = (part, *subject.reading(query, with_flags=part == "races"))
    found = subject.seen.get(reading)
    if found is None:
        found = subject.seen[reading] = Counter()
        own = Evidence(counts=found, known=subject.executions(query))
        name = f"{subject.test.source.name} {chosen.name}"
        try:
            PARTS[part](name, query, own)
        except (LimitReachedError, OpenError, MemoryError) as reached:
            found[f"open: {part} ({reached})"] += 1
            sys.stdout.write(f"OPEN {name}: {part} ({reached})\n")
        evidence.wrong += own.wrong
    else:
        evidence.counts["models that say the same as another"] += 1
    evidence.counts.update(found)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folders", nargs="+", type=Path)
    parser.add_argument("--models", default="default", help="names, with commas between, `default` or `all`")
    parser.add_argument("--what", choices=["all", *PARTS], default="all")
    parser.add_argument("--seconds", type=float, default=20.0, help="of processor time, for each test and model")
    parser.add_argument("--each", action="store_true", help="print what was counted so far after each test")
    parser.add_argument("--every", type=int, default=1, help="take every so many tests")
    arguments = parser.parse_args()
    names = list(models()) if arguments.models == "all" else arguments.models.split(",")
    what = list(PARTS) if arguments.what == "all" else [arguments.what]
    evidence, start = Evidence(), time.monotonic()
    files = sorted(path for folder in arguments.folders for path in folder.rglob("*.litmus"))[:: arguments.every]
    for path in files:
        with patch("mcm.base.deadline.monotonic", time.process_time):
            check_file(path, names, what, evidence, arguments.seconds)
        for line in evidence.wrong:
            sys.stdout.write(f"WRONG {line}\n")
            evidence.counts["wrong"] += 1
        evidence.wrong.clear()
        if arguments.each:
            sys.stdout.write(f"AFTER {path.name}: {dict(evidence.counts)}\n")
        sys.stdout.flush()
    for what, count in sorted(evidence.counts.items()):
        sys.stdout.write(f"{count:7} {what}\n")
    used = time.process_time()
    sys.stdout.write(f"{len(files)} files, {time.monotonic() - start:.0f} s ({used:.0f} s of processor time)\n")
    return 1 if evidence.counts["wrong"] else 0


if __name__ == "__main__":
    sys.exit(main())
