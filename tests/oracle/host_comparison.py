"""What mcm says of host programs beside what the oracle finds by trying their executions.

`python -m oracle.host_comparison --help`, run from the folder `tests`, compares as many programs as wanted.
"""

from __future__ import annotations

import argparse
import sys
from dataclasses import dataclass
from multiprocessing import Pool
from typing import TYPE_CHECKING, Final

from mcm.answer.query import Query
from mcm.base.diagnostic import InputError
from mcm.base.source import Source
from mcm.catalogue import registry
from mcm.engine.choose import EngineName, decide
from mcm.execution.elaborate import elaborate
from mcm.explain.observed import observed_by, show_states
from mcm.front_end.read import read_test
from mcm.program.condition import RegisterName
from oracle.host_brute import HostAnswer, TooManyError, host_answer
from oracle.host_random import host_from_seed
from oracle.host_shrink import shrink
from oracle.host_text import PACKET, to_litmus
from oracle.model import MODELS

if TYPE_CHECKING:
    from collections.abc import Sequence

    from oracle.host_program import HostProgram

MODEL: Final = "opencl-3.0"
ENGINES: Final = (EngineName.EXPLICIT, EngineName.SMT)


@dataclass(frozen=True, slots=True)
class Difference:
    """A program of which an engine and the oracle do not say the same."""

    program: HostProgram
    engine: EngineName
    expected: HostAnswer
    found: HostAnswer

    def __str__(self) -> str:
        lines = [f"mcm ({self.engine.value}) and the oracle disagree:", "", to_litmus(self.program)]
        for who, mine, other in (("mcm", self.found, self.expected), ("the oracle", self.expected, self.found)):
            lines += [f"only {who} has the state {state}" for state in sorted(mine.states - other.states)]
            lines += [f"only {who} reports {name}" for name in sorted(mine.findings - other.findings)]
        if self.found.blocked is not self.expected.blocked:
            lines.append(f"blocked: mcm says {self.found.blocked}, the oracle says {self.expected.blocked}")
        return "\n".join(lines)


def mcm_answer(text: str, engine: EngineName, model: str = MODEL) -> HostAnswer:
    """What an engine finds."""
    program = read_test(Source("host", text)).program
    packets = {RegisterName(thread.index, PACKET) for thread in program.threads}
    observed = tuple(one for one in observed_by(program) if one not in packets)
    answer = decide(Query(skeletons=elaborate(program), model=registry.get(model), observed=observed), engine)
    assert answer.undecided is None, text
    names = {str(thread.index): thread.name for thread in program.threads}
    states = set()
    for state in show_states(answer.states, observed, program):
        named = ((name.partition(":"), value) for name, value in state.values.items())
        states.add(tuple(sorted((f"{names[n]}:{r}" if colon else n, value) for (n, colon, r), value in named)))
    findings = {flag.name for flag in answer.flags} | {raised.fault.kind for raised in answer.faults}
    return HostAnswer(states, findings, blocked=bool(answer.blocked))


def difference(program: HostProgram, engines: Sequence[EngineName] = ENGINES) -> Difference | None:
    """The first difference; TooManyError where there are too many executions for the oracle."""
    expected, text = host_answer(program, MODELS[MODEL]), to_litmus(program)
    for engine in engines:
        found = mcm_answer(text, engine)
        if not _agree(found, expected):
            return Difference(program, engine, expected, found)
    return None


def _agree(one: HostAnswer, other: HostAnswer) -> bool:
    return one == other


def smallest(found: Difference) -> Difference:
    """The difference in a program from which nothing more can be taken away."""

    def shows(program: HostProgram) -> bool:
        try:
            return difference(program, (found.engine,)) is not None
        except InputError:
            # A smaller program may name what is no longer there.
            return False

    small = shrink(found.program, shows)
    again = difference(small, (found.engine,))
    assert again is not None
    return again


def _compared(job: tuple[str, int]) -> tuple[int, str | None, bool]:
    seed, number = job
    try:
        found = difference(host_from_seed(seed, number))
    except TooManyError:
        return number, None, False
    return number, None if found is None else str(smallest(found)), True


def main() -> None:
    """Compare random programs on several processors; the exit code is 1 where there is a difference."""
    parser = argparse.ArgumentParser(prog="python -m oracle.host_comparison", description=main.__doc__)
    parser.add_argument("--count", type=int, default=500)
    parser.add_argument("--first", type=int, default=0)
    parser.add_argument("--seed", default="2026")
    parser.add_argument("--jobs", type=int, default=None)
    options = parser.parse_args()
    jobs = [(options.seed, number) for number in range(options.first, options.first + options.count)]
    passed_over = differences = 0
    with Pool(options.jobs) as pool:
        for number, found, is_compared in pool.imap(_compared, jobs, chunksize=4):
            passed_over += not is_compared
            if found is not None:
                differences += 1
                print(f"program {number} of seed {options.seed}\n{found}\n", flush=True)  # noqa: T201 (what was asked)
    print(f"{options.count} programs: {differences} differences, {passed_over} too large to try")  # noqa: T201
    sys.exit(1 if differences else 0)


if __name__ == "__main__":
    main()
