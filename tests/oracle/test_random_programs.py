"""Random programs: mcm and the oracle agree on the states and on what is undefined.

`MCM_RANDOM_COUNT` and `MCM_RANDOM_SEED` choose how many programs and which; a disagreement is shrunk and printed as a
litmus test with both answers.
"""

import os
from collections.abc import Iterator
from typing import Final

import pytest

from mcm.engine.choose import EngineName
from oracle.comparison import Disagreement, disagreements
from oracle.generate import from_seed
from oracle.program import Program
from oracle.shrink import shrink

SEED: Final = os.environ.get("MCM_RANDOM_SEED", "2026")
COUNT: Final = int(os.environ.get("MCM_RANDOM_COUNT", "2000"))
CHUNK: Final = 100
SMT_EVERY: Final = 5
"""The solver answers every fifth program: it takes longer, and the two engines are compared elsewhere too."""

MODELS: Final = ("opencl-3.0", "opencl-3.1", "opencl-2.0-cond")


def first_disagreement(program: Program, engines: tuple[EngineName, ...]) -> Disagreement | None:
    return next(disagreements(program, MODELS, engines), None)


def smallest(found: Disagreement) -> Disagreement:
    def same(program: Program) -> Iterator[Disagreement]:
        return disagreements(program, (found.model,), (found.engine,))

    small = shrink(found.program, lambda program: any(True for _ in same(program)))
    return next(same(small))


@pytest.mark.parametrize("start", range(0, COUNT, CHUNK))
def test_agreement_on_random_programs(start: int) -> None:
    print(f"MCM_RANDOM_SEED={SEED}, programs {start} to {min(start + CHUNK, COUNT) - 1}")  # noqa: T201 (the seed)
    for number in range(start, min(start + CHUNK, COUNT)):
        engines = (EngineName.EXPLICIT, EngineName.SMT) if number % SMT_EVERY == 0 else (EngineName.EXPLICIT,)
        found = first_disagreement(from_seed(SEED, number), engines)
        if found is not None:
            pytest.fail(f"program {number} of seed {SEED}\n{smallest(found)}", pytrace=False)
