"""Both engines give the same answers on the peer tests; the solver's executions are what they are said to be."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from smt_inputs import PEERS, assert_witnessed, query

from mcm.answer.query import Limits
from mcm.catalogue.registry import get
from mcm.engine.explicit.decide import decide as decide_explicitly
from mcm.engine.smt.decide import decide

if TYPE_CHECKING:
    from pathlib import Path

    from mcm.answer.answer import Answer

pytestmark = pytest.mark.skipif(not PEERS.is_dir(), reason="the peer tests are not beside the repository")

FILES = [(path, "opencl-scoped") for path in sorted((PEERS / "opencl").rglob("*.litmus"))]
FILES += [(path, model) for path in sorted((PEERS / "c11").rglob("*.litmus")) for model in ("c11-simp", "rc11")]


def raised(answer: Answer) -> set[tuple[str, frozenset[object]]]:
    return {
        (flag.name, frozenset(flag.witness.skeleton.events[event].span for event in flag.events))
        for flag in answer.flags
    }


@pytest.mark.slow
@pytest.mark.parametrize(
    ("path", "model"), [pytest.param(path, model, id=f"{path.name}-{model}") for path, model in FILES]
)
def test_engines_agree_on_peer_tests(path: Path, model: str) -> None:
    asked = query(path.read_text(encoding="utf-8"), model, limits=Limits(seconds=600))
    answer = decide(asked)
    assert answer.undecided is None
    assert_witnessed(answer, get(model))
    other = decide_explicitly(asked)
    assert answer.states == other.states
    assert answer.reachable == other.reachable
    assert raised(answer) == raised(other)
    assert {each.fault for each in answer.faults} == {each.fault for each in other.faults}
    assert set(answer.bounded) == set(other.bounded)
