"""Explanations of whole collections of tests, held against the engines.

    cd tests && python -m oracle.explanations ../litmus --models default

Of every forbidden outcome: the rules that are named forbid it alone, and none of them can be spared; every derivation
that is shown holds. Of every race: where just what fails is otherwise, the two accesses are still both executed, and
do not race, or something else fails. Of models that say the same of a test (`oracle.alike`), one is looked at.

Limits are of processor time; memory is limited as for commands. A run that was ended goes on where it was with the
same `--log`; cases that stay open, because of the time or the bound of loops, are named and count for nothing.
"""

from __future__ import annotations

import argparse
import sys
import time
from collections import Counter
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

from msgspec import Struct, field
from msgspec.structs import replace

from mcm import InputError, LimitReachedError, Limits, Source, default_megabytes, load_model, models, parse
from mcm.catalogue.evaluate import structure_of
from mcm.catalogue.rules import without
from mcm.engine.choose import EngineName
from mcm.execution.elaborate import elaborate
from mcm.explain.derivation_check import holds
from mcm.explain.forbidden import Exclusions
from mcm.explain.witness_search import KnownExecutions, OpenError, WitnessSearch, goal_of
from mcm.queries import Options, needs_no_dependencies, query_for, skeletons_for
from oracle.alike import Readings
from oracle.evidence_log import ALIKE, Case, Key, append_to_log, read_log, report_on
from oracle.processor_time import processor_time_limit
from oracle.race_repairs import check_races

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

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
    seen: dict[tuple[object, ...], Case] = field(default_factory=dict)
    known: dict[tuple[int, ...], KnownExecutions] = field(default_factory=dict)

    def query(self, chosen: ChosenModel, part: str) -> Query:
        """What a part is asked with: races, as users ask about those of large programs, with what is read known."""
        folds = part == "races" and needs_no_dependencies(chosen.model)
        skeletons = skeletons_for(chosen.model, self.elaborated, folds=folds)
        asked = query_for(self.test, chosen, Options(limits=Limits(megabytes=default_megabytes())), skeletons)
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
    def elaborated(*, waiting: bool, overwrites: bool = False, folds: bool = False) -> tuple[Skeleton, ...]:
        return elaborate(test.program, 2, waiting=waiting, overwrites=overwrites, folds=folds, limit=2000)

    return Subject(test, elaborated)


def is_small(query: Query) -> bool:
    return sum(len(skeleton.events) for skeleton in query.skeletons) <= FEW_EVENTS


def check_outcome(name: str, query: Query, evidence: Evidence) -> None:
    """The rules that are named for a forbidden outcome; nothing where it is allowed."""
    search = WitnessSearch(query, EngineName.AUTO, evidence.known)
    try:
        is_possible = search.is_possible(query.model)
    except OpenError as open_:
        if open_.reason != "bound":
            raise
        # Nobody says that the model forbids it, so there is nothing to explain.
        evidence.counts["undecided by the model itself (bound)"] += 1
        return
    if is_possible:
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
    """The rules that both engines name for a forbidden outcome of a small test: they may differ, not in number.

    Of the sets that are found, the smallest is named; the first of them need not have the fewest rules.
    """
    if not is_small(query) or WitnessSearch(query, EngineName.AUTO).find(query.model) is not None:
        return
    sizes = {}
    for engine in (EngineName.EXPLICIT, EngineName.SMT):
        one = Exclusions(WitnessSearch(query, engine), query.model).rule_sets()[0]
        sizes[engine] = len(one.rules)
    evidence.counts["cores by both engines"] += 1
    if len(set(sizes.values())) > 1:
        evidence.wrong.append(f"{name}: cores of {sizes} rules")


# --- collections ------------------------------------------------------------------------------------------------------

PARTS = {"outcomes": check_outcome, "cores": check_cores, "races": check_races}


def cases_of(path: Path, names: list[str], what: list[str], seconds: float, done: frozenset[Key]) -> Iterator[Case]:
    """What is found for each part and model of a file, but for the cases that are done."""
    keys = [Key(str(path), model, part) for model in names for part in what]
    if done.issuperset(keys):
        return
    try:
        test = parse(Source(path.name, path.read_text(encoding="utf-8", errors="replace").replace("\r\n", "\n")))
    except InputError:
        yield from (Case(key, {"no programs": 1}) for key in keys[:1])
        return
    subject = subject_of(test)
    for key in keys:
        if key not in done:
            chosen = load_model(test.header.dialect.default_model if key.model == "default" else key.model)
            start = time.process_time()
            case = case_of(key, subject, chosen, seconds)
            case.seconds = round(time.process_time() - start, 2)
            yield case


def case_of(key: Key, subject: Subject, chosen: ChosenModel, seconds: float) -> Case:
    """One part for one model; where a model that says the same was looked at, what was found there holds here."""
    try:
        with processor_time_limit(seconds):
            query = subject.query(chosen, key.part)
            reading = (key.part, *subject.reading(query, with_flags=key.part == "races"))
            found = subject.seen.get(reading)
            if found is not None:
                return replace(found, key=key, counts={**found.counts, ALIKE: 1})
            evidence = Evidence(known=subject.executions(query))
            case = Case(key, evidence.counts, wrong=evidence.wrong)
            try:
                PARTS[key.part](f"{subject.test.source.name} {chosen.name}", query, evidence)
            except (LimitReachedError, OpenError, MemoryError) as reached:
                case.open = str(reached) or "memory"
            subject.seen[reading] = case
            return case
    except InputError:
        return Case(key, {"not elaborated": 1})
    except LimitReachedError as reached:
        return Case(key, {}, open=str(reached))
    except Exception as error:  # noqa: BLE001 - every failure is evidence
        return Case(key, {}, wrong=[f"{key.file} {chosen.name}: {key.part}: {error!r}"])


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("paths", nargs="+", type=Path, help="folders, or litmus files")
    parser.add_argument("--models", default="default", help="names, with commas between, `default` or `all`")
    parser.add_argument("--what", choices=["all", *PARTS], default="all")
    parser.add_argument("--seconds", type=float, default=20.0, help="of processor time, for each test, model and part")
    parser.add_argument("--log", type=Path, help="keep each case there as it is done, and do not look at it again")
    parser.add_argument("--again", action="store_true", help="look again at cases of the log that are open or wrong")
    parser.add_argument("--every", type=int, default=1, help="take every so many tests")
    arguments = parser.parse_args()
    names = list(models()) if arguments.models == "all" else arguments.models.split(",")
    what = list(PARTS) if arguments.what == "all" else [arguments.what]
    files = [
        path for paths in arguments.paths for path in ([paths] if paths.is_file() else sorted(paths.rglob("*.litmus")))
    ]
    cases = {} if arguments.log is None else read_log(arguments.log)
    done = frozenset(key for key, case in cases.items() if not (arguments.again and case.is_unsettled))
    for path in files[:: arguments.every]:
        for case in cases_of(path, names, what, arguments.seconds, done):
            cases[case.key] = case
            if arguments.log is not None:
                append_to_log(arguments.log, case)
    sys.stdout.writelines(f"{line}\n" for line in report_on(cases.values()))
    return 1 if any(case.wrong for case in cases.values()) else 0


if __name__ == "__main__":
    sys.exit(main())
