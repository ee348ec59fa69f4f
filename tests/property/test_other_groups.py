"""Engines say the same whether or not work-items are exchanged with those of groups that nothing tells apart.

`MCM_OTHER_GROUPS_COUNT` and `MCM_OTHER_GROUPS_SEED` choose how many random kernels are compared, and which.
"""

from __future__ import annotations

import os
from random import Random
from typing import TYPE_CHECKING, Final

import pytest
from msgspec.structs import replace
from same_code_generate import same_code_from_seed
from solver_queries import assert_no_news, query_about

from mcm.engine.explicit import exchanges
from mcm.engine.explicit.decide import decide as decide_by_search
from mcm.engine.smt import automorphism
from mcm.engine.smt.decide import decide

if TYPE_CHECKING:
    from mcm.answer.query import Query

pytestmark = pytest.mark.slow

SEED: Final = os.environ.get("MCM_OTHER_GROUPS_SEED", "2026")
COUNT: Final = int(os.environ.get("MCM_OTHER_GROUPS_COUNT", "6"))
SCOPES: Final = ("memory_scope_work_group", "memory_scope_sub_group", "memory_scope_all_svm_devices")
DEVICE: Final = "memory_scope_device"


def kernel(number: int) -> str:
    """A kernel of groups of two, the last one perhaps of one; in two of three, some operations have smaller scopes."""
    random = Random(f"{SEED}-scopes-{number}")  # noqa: S311 - nothing secret
    text = same_code_from_seed(SEED, number)
    if "local int" not in text:
        text = text.replace(", local 1,", ", local 2,")
    first, *others = text.split(DEVICE)
    chance = random.choice((0, 0.3, 0.8))
    scopes = (random.choice(SCOPES) if random.random() < chance else DEVICE for _ in others)
    return first + "".join(scope + other for scope, other in zip(scopes, others, strict=True))


def query_of(number: int) -> Query:
    return query_about(kernel(number), number)


@pytest.mark.parametrize("number", range(COUNT))
def test_groups_that_nothing_tells_apart_are_of_no_account(number: int, monkeypatch: pytest.MonkeyPatch) -> None:
    query = query_of(number)
    answers = [decide(query), decide_by_search(query)]
    for module in (automorphism, exchanges):
        monkeypatch.setattr(module, "relations_by_place", lambda *_: None)
    plain = [decide(replace(query)), decide_by_search(query)]

    # Of executions with values out of thin air the engines do not show the same faults.
    if any(state.thin_air for state in answers[0].states):
        assert_no_news(answers[0], plain[:1], kernel(number))
    else:
        assert_no_news(answers[0], (*answers[1:], *plain), kernel(number))


def test_many_of_these_kernels_have_groups_that_are_alike(monkeypatch: pytest.MonkeyPatch) -> None:
    found: list[object] = []
    original = automorphism.relations_by_place

    def noted(*given: object) -> object:
        found.append(original(*given))  # type: ignore[arg-type]
        return found[-1]

    monkeypatch.setattr(automorphism, "relations_by_place", noted)
    counts = 0
    for number in range(12):
        found.clear()
        decide(query_of(number))
        counts += any(each is not None for each in found)
    assert counts >= 3
