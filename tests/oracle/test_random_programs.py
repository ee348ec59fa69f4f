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
from oracle.program import Barrier, Load, Program
from oracle.shrink import shrink

pytestmark = pytest.mark.slow

SEED: Final = os.environ.get("MCM_RANDOM_SEED", "2026")
COUNT: Final = int(os.environ.get("MCM_RANDOM_COUNT", "120"))
CHUNK: Final = 100
SMT_EVERY: Final = 4
"""The solver answers every fourth program: it takes longer, and the two engines are compared elsewhere too."""

MODELS: Final = ("opencl-3.0", "opencl-3.1", "opencl-2.0-cond")


OTHER_MODELS: Final = (
    "opencl-2.0",
    "opencl-3.0+sc-both",
    "opencl-scoped",
    "sycl-2020",
    "sycl-next",
    "c11",
    "c11-simp",
    "rc11",
    "c20",
    "sc",
)
OTHER_COUNT: Final = max(60, COUNT // 10)


def smallest(found: Disagreement) -> Disagreement:
    def same(program: Program) -> Iterator[Disagreement]:
        return disagreements(program, (found.model,), (found.engine,))

    small = shrink(found.program, lambda program: any(True for _ in same(program)))
    return next(same(small))


def expect_agreement(program: Program, models: tuple[str, ...], engines: tuple[EngineName, ...]) -> None:
    found = next(disagreements(program, models, engines), None)
    if found is not None:
        pytest.fail(f"first shown by {program.name}\n{smallest(found)}", pytrace=False)


def is_settled_by_the_table(program: Program, model: str) -> bool:
    """Tell whether the table says enough: nothing of barriers in `sc`, nor of plain reads of atomics in POPL'16."""
    for instruction in program.instructions():
        match instruction:
            case Barrier() if model == "sc":
                return False
            case Load(_, location, None) if model == "opencl-scoped" and program.location(location).atomic:
                return False
            case _:
                pass
    return True


@pytest.mark.parametrize("start", range(0, COUNT, CHUNK))
def test_agreement_on_random_programs(start: int) -> None:
    print(f"MCM_RANDOM_SEED={SEED}, programs {start} to {min(start + CHUNK, COUNT) - 1}")  # noqa: T201 (the seed)
    for number in range(start, min(start + CHUNK, COUNT)):
        engines = (EngineName.EXPLICIT, EngineName.SMT) if number % SMT_EVERY == 0 else (EngineName.EXPLICIT,)
        expect_agreement(from_seed(SEED, number), MODELS, engines)


@pytest.mark.parametrize("model", OTHER_MODELS)
def test_agreement_under_the_other_models(model: str) -> None:
    for number in range(OTHER_COUNT):
        program = from_seed(f"{SEED}-{model}", number)
        if is_settled_by_the_table(program, model):
            expect_agreement(program, (model,), (EngineName.EXPLICIT,))
