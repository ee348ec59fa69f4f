"""The oracle's shortcuts change nothing: the same answers with the rules read the long way."""

from typing import Final

import pytest

from oracle import brute, rules
from oracle.candidates import candidates
from oracle.generate import from_seed
from oracle.model import C11, OPENCL_3_0, OPENCL_3_1, RC11, SC, Model
from oracle.program import Barrier
from oracle.relations import Execution
from oracle.shrink import shrink
from oracle.total_order import s_exists, s_exists_by_permutations

pytestmark = pytest.mark.slow

SEED: Final = "oracle"
MODELS: Final = (OPENCL_3_0, OPENCL_3_1, C11)


@pytest.mark.parametrize("number", range(0, 200, 5))
def test_search_for_s_agrees_with_permutations_and_vis_3_with_the_visible_sequence(number: int) -> None:
    for model in MODELS:
        for candidate in candidates(from_seed(SEED, number)):
            x = Execution(candidate, model)
            if rules.hb_acyc(x) and rules.coh_ww(x) and rules.coh_rw(x) and rules.coh_wr(x) and rules.coh_rr(x):
                assert s_exists(x) == s_exists_by_permutations(x)
                if rules.rmw_1(x):
                    assert (rules.vis_3(x) and rules.vis_2(x)) == (rules.vis_3_literally(x) and rules.vis_2(x))


@pytest.mark.parametrize("number", range(0, 100, 5))
@pytest.mark.parametrize("model", [OPENCL_3_0, RC11, SC], ids=lambda model: model.name)
def test_leaving_out_incoherent_candidates_loses_nothing(model: Model, number: int) -> None:
    program = from_seed(SEED, number)
    assert brute.answer(program, model) == brute.answer(program, model.minus("no such rule"))


def without_barriers(number: int) -> bool:
    """Tell whether the rule of sequential consistency says everything about a program: it knows no barriers."""
    return not any(isinstance(instruction, Barrier) for instruction in from_seed(SEED, number).instructions())


@pytest.mark.parametrize("number", [number for number in range(200) if without_barriers(number)])
def test_every_model_allows_the_sequentially_consistent_states_of_race_free_programs(number: int) -> None:
    program = from_seed(SEED, number)
    states = brute.answer(program, SC).states
    for found in brute.answers(program, MODELS):
        assert found.racy or states <= found.states


def test_shrinking_keeps_what_is_shown() -> None:
    racy = next(
        program for program in (from_seed(SEED, n) for n in range(100)) if brute.answer(program, OPENCL_3_0).racy
    )
    small = shrink(racy, lambda program: brute.answer(program, OPENCL_3_0).racy)
    assert brute.answer(small, OPENCL_3_0).racy
    assert sum(1 for _ in small.instructions()) == 2
