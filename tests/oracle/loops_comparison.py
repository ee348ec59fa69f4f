"""What mcm says of structured programs beside what the oracle finds by trying their executions.

`python -m oracle.loops_comparison --help`, run from the folder `tests`, compares as many programs as wanted.
"""

from __future__ import annotations

import argparse
import sys
from dataclasses import dataclass
from multiprocessing import Pool
from typing import TYPE_CHECKING, Final

from mcm.answer.query import Query
from mcm.base.source import Source
from mcm.catalogue import registry
from mcm.catalogue.waiting import drops_failed_reads, mixes_orders
from mcm.engine.choose import EngineName, decide
from mcm.execution.elaborate import elaborate
from mcm.explain.observed import observed_by, show_states
from mcm.front_end.read import read_test
from mcm.machine.build import build
from mcm.machine.exhaustive import Budget, explore
from oracle.loops_generate import loops_from_seed
from oracle.loops_text import print_loops
from oracle.model import MODELS
from oracle.unfinished import Outcomes, TooManyError, outcomes

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from mcm.answer.answer import Answer
    from mcm.machine.exhaustive import Exploration
    from mcm.program.program import Program
    from oracle.loops import LoopProgram
    from oracle.unfinished import State, Stops

MOST: Final = 1000
"""Candidate executions of a program that is compared; others are passed over."""

BOUNDS: Final = (1, 2, 3, 4)

RUNS: Final = Budget(configurations=1_000, operations=100)
"""How far the machine is followed."""


@dataclass(frozen=True, slots=True)
class Said:
    """The same of mcm and of the oracle; places are lines of the text, stops units with lines.

    Of sets of units that wait for ever mcm lists the smallest, and None where it unrolls waiting loops to the bound.
    """

    states: frozenset[State]
    races: frozenset[tuple[int, int]]
    divergent: bool
    blocked: frozenset[Stops] | None


@dataclass(frozen=True, slots=True)
class Difference:
    """Where the two differ; `which` names the blocked units that only one of them knows."""

    text: str
    model: str
    engine: str
    bound: int
    expected: Said
    found: Said
    which: str

    def __str__(self) -> str:
        lines = [f"mcm ({self.engine}) and the oracle differ under {self.model} with --bound {self.bound}:", ""]
        lines += [f"{number:3} {line}" for number, line in enumerate(self.text.splitlines(), start=1)]
        for who, one, other in (("mcm", self.found, self.expected), ("the oracle", self.expected, self.found)):
            lines += [f"only {who}: state {dict(state)}" for state in sorted(one.states - other.states)]
            lines += [f"only {who}: race of the lines {race}" for race in sorted(one.races - other.races)]
            lines += [f"only {who}: divergence"] * (one.divergent > other.divergent)
        return "\n".join([*lines, self.which])


class _Oracle:
    """What the oracle finds of a program under a model, with lines for sites.

    Nobody goes on behind a barrier that a member misses. Where a group diverges, mcm may follow units that do.
    """

    def __init__(self, program: LoopProgram, model: str, bound: int) -> None:
        self.text, self._lines = print_loops(program)
        self._program, self._model, self._bound = program, MODELS[model], bound
        self._found = outcomes(program, self._model, bound, MOST)
        self.said = self._said(self._found)
        self._most = self._found
        if self._found.divergent:
            self._most = outcomes(program, self._model, bound, MOST, passes=True)

    def _said(self, found: Outcomes) -> Said:
        races = {(min(pair), max(pair)) for a, b in found.races if (pair := (self._lines[a], self._lines[b]))}
        return Said(frozenset(found.states), frozenset(races), found.divergent, self._blocked(found.blocked))

    def says_the_same(self, got: Said) -> bool:
        """Tell whether states, races and divergence are those that the oracle finds."""
        least, most = self.said, self._said(self._most)
        return (
            least.states <= got.states <= least.states | most.states
            and least.races <= got.races <= least.races | most.races
            and got.divergent == least.divergent
        )

    def _blocked(self, found: set[Stops]) -> frozenset[Stops]:
        return frozenset(frozenset((unit, self._lines[site]) for unit, site in stops) for stops in found)

    def differing_blocks(self, blocked: frozenset[Stops]) -> str:
        """Return which blocked units only one of the two knows; "" if none.

        Of those that wait without divergence some smaller set has to be told. Whatever is told, the oracle must find:
        with one pass more, since an iteration that mcm leaves out of the count may be needed to see that it repeats.
        """
        assert self.said.blocked is not None
        for stops in self.said.blocked:
            if not any(smaller <= stops for smaller in blocked):
                return f"only the oracle: blocked {sorted(stops)}"
        known = (self._found, self._most)
        if blocked <= self._blocked(set().union(*(each.blocked | each.blocked_diverging for each in known))):
            return ""
        more = [outcomes(self._program, self._model, self._bound + 1, MOST, passes=each) for each in (False, True)]
        wrong = blocked - self._blocked(set().union(*(each.blocked | each.blocked_diverging for each in more)))
        return "".join(f"only mcm: blocked {sorted(stops)}" for stops in wrong)


def said(text: str, model: str, engine: EngineName, bound: int) -> Said:
    """Return what mcm says."""
    program = read_test(Source("loops.litmus", text)).program
    answer, waiting = ask(program, model, engine, bound)
    blocked = frozenset(frozenset((unit.thread, unit.span.line) for unit in each.units) for each in answer.blocked)
    kinds = {raised.fault.kind for raised in answer.faults}
    divergent = "barrier-divergence" in kinds
    return Said(_states(answer, program), _races(answer), divergent, blocked if waiting else None)


def ask(program: Program, model: str, engine: EngineName, bound: int) -> tuple[Answer, bool]:
    """Return the whole answer of an engine, and whether loops may wait in it (else they are unrolled)."""
    known = registry.get(model)
    waiting = drops_failed_reads(known)
    skeletons = elaborate(program, bound, waiting=waiting)
    if known.linearisations and any(map(mixes_orders, skeletons)):
        waiting, skeletons = False, elaborate(program, bound)
    answer = decide(Query(skeletons=skeletons, model=known, observed=observed_by(program)), engine)
    assert answer.undecided is None, answer.undecided
    return answer, waiting


def machine_beyond_model(seed: str, number: int) -> list[str]:
    """Return what the machine does with a program and the model of its memory does not allow.

    Where the model's answer is bounded, states and blocked units may lie beyond the bound. Who waits for ever is
    compared where behaviour is defined: else a unit of the machine may wait for a plain write that nothing lets it see,
    or at a barrier for one that has finished.
    """
    text, _ = print_loops(loops_from_seed(seed, number))
    program = read_test(Source("loops.litmus", text)).program
    beyond = []
    for memory, model in (("views", "opencl-3.0"), ("interleaving", "sc")):
        found = explore(build(program, memory), observed_by(program), RUNS)
        answer, waiting = ask(program, model, EngineName.AUTO, bound_of(number))
        if answer.bounded:
            continue
        states = {state.values for state in answer.states}
        beyond += [f"{memory}: state {state}" for state in found.states if state not in states]
        if memory == "views":
            beyond += [f"race {race}" for race in _races_of_runs(found) - _races(answer)]
        blocked = [{unit.thread for unit in each.units} for each in answer.blocked]
        for each in found.blocked:
            units = {program.threads[one.site.thread].index for one in each.threads}
            if waiting and not (answer.flags or answer.faults) and not any(smaller <= units for smaller in blocked):
                beyond.append(f"{memory}: units {sorted(units)} wait for ever")
    return [f"{each}\n{text}" for each in beyond]


def _races_of_runs(found: Exploration) -> set[tuple[int, int]]:
    races = set()
    for finding in found.findings:
        if finding.kind == "data-race":
            first, second = sorted(site.span.line for site in finding.sites)
            races.add((first, second))
    return races


def _states(answer: Answer, program: Program) -> frozenset[State]:
    shown = show_states(answer.states, observed_by(program), program)
    return frozenset(tuple(sorted((name, int(value)) for name, value in state.values.items())) for state in shown)


def _races(answer: Answer) -> frozenset[tuple[int, int]]:
    found = set()
    for flag in answer.flags:
        if flag.name == "data_race":
            first, second = sorted(flag.witness.skeleton.events[event].span.line for event in flag.events)
            found.add((first, second))
    return frozenset(found)


def differences(
    seed: str, number: int, models: Sequence[str], engines: Sequence[EngineName], bound: int
) -> Iterator[Difference]:
    """Yield where mcm and the oracle differ on a program; TooManyError where the oracle would take too long."""
    program = loops_from_seed(seed, number)
    for model in models:
        oracle = _Oracle(program, model, bound)
        want = oracle.said
        for engine in engines:
            got = said(oracle.text, model, engine, bound)
            which = "" if got.blocked is None else oracle.differing_blocks(got.blocked)
            if which or not oracle.says_the_same(got):
                yield Difference(oracle.text, model, engine.value, bound, want, got, which)


def bound_of(number: int) -> int:
    """Return the bound with which a program is compared."""
    return BOUNDS[number % len(BOUNDS)]


def compare(arguments: tuple[str, int]) -> str | None:
    """Return the first difference of a program in words, "" if there is none, None if it is passed over."""
    seed, number = arguments
    try:
        for found in differences(
            seed, number, ("opencl-3.0",), (EngineName.EXPLICIT, EngineName.SMT), bound_of(number)
        ):
            return f"program {number} of seed {seed}: {found}"
    except TooManyError:
        return None
    return ""


def main() -> int:
    """Compare programs on all processors; 1 if there is a difference."""
    parser = argparse.ArgumentParser(description="Compare mcm with the oracle on random programs with loops.")
    parser.add_argument("--count", type=int, default=20_000)
    parser.add_argument("--first", type=int, default=0)
    parser.add_argument("--seed", default="2026")
    parser.add_argument("--jobs", type=int)
    options = parser.parse_args()
    numbers = range(options.first, options.first + options.count)
    with Pool(options.jobs) as pool:
        told = list(pool.imap_unordered(compare, ((options.seed, number) for number in numbers), 20))
    found = [each for each in told if each]
    print("\n\n".join(found[:20]))  # noqa: T201 (a command)
    compared = sum(each is not None for each in told)
    print(f"{compared} programs compared, {len(told) - compared} passed over, {len(found)} differ")  # noqa: T201
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
