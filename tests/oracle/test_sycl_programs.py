"""Random SYCL programs against the OPENCL dialect's program of the same events, both engines, and the oracle."""

import os
from typing import Final

import pytest

from mcm import EngineName, Source
from mcm.front_end.read import read_test
from oracle.brute import Answer, answers
from oracle.comparison import mcm_answers
from oracle.generate import from_seed
from oracle.litmus_text import to_litmus
from oracle.model import MODELS
from oracle.sycl_text import for_sycl, to_sycl
from oracle.test_machine_against_models import beyond_model

SEED: Final = os.environ.get("MCM_RANDOM_SEED", "2026")
COUNT: Final = int(os.environ.get("MCM_SYCL_COUNT", "60"))
CHUNK: Final = 30
SMT_EVERY: Final = 4
"""The solver answers every fourth program, as in test_random_programs."""
NAMES: Final = ("sycl-2020", "sycl-next")


@pytest.mark.slow
@pytest.mark.parametrize("start", range(0, COUNT, CHUNK))
def test_both_languages_the_engines_and_the_oracle_agree(start: int) -> None:
    for number in range(start, min(start + CHUNK, COUNT)):
        program = for_sycl(from_seed(f"sycl-{SEED}", number))
        text = to_sycl(program)
        expected = answers(program, [MODELS[name] for name in NAMES])
        found = mcm_answers(text, NAMES, EngineName.EXPLICIT)
        say = f"MCM_RANDOM_SEED={SEED}, program {number}\n{text}"
        assert all(map(agree, found, expected)), f"the oracle differs: {say}"
        assert all(map(agree, found, mcm_answers(to_litmus(program), NAMES, EngineName.EXPLICIT))), f"OpenCL: {say}"
        if number % SMT_EVERY == 0:
            assert all(map(agree, found, mcm_answers(text, NAMES, EngineName.SMT))), f"the solver differs: {say}"


@pytest.mark.slow
def test_the_machine_does_what_sycl_2020_allows() -> None:
    for number in range(COUNT // 4):
        text = to_sycl(for_sycl(from_seed(f"sycl-{SEED}", number)))
        program = read_test(Source("random.litmus", text)).program
        assert beyond_model(program, "sycl-2020") == set(), f"MCM_RANDOM_SEED={SEED}, program {number}\n{text}"


def agree(one: Answer, other: Answer) -> bool:
    """Tell whether two answers are the same; an indeterminate value that is read may be any."""
    return one == other or (one.indeterminate and other.indeterminate)
