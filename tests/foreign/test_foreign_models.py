"""The cat files of other tools, unmodified: accepted, and what they say here is what they say there."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import pytest

from foreign.agreement import differences, load
from foreign.peers import CAT, model_files, name_of, said

if TYPE_CHECKING:
    from pathlib import Path

pytestmark = pytest.mark.skipif(not CAT.is_dir(), reason="the peers' models are not here: no folder shared/peers/cat")

# Parts of models, which use what the model that includes them defines, with the name that is missing.
_PARTS: Final = {"herd7/ppc-checks.cat": "strong", "herd7/ppo.cat": "ci0"}


@pytest.mark.parametrize("model", model_files(), ids=name_of)
def test_a_model_is_accepted_unless_it_is_only_a_part_of_one(model: Path) -> None:
    complaints = load(model).complaints

    missing = _PARTS.get(name_of(model))
    assert [f"unknown name '{missing}'"] * bool(missing) == [c.message.split(";")[0] for c in complaints[:1]]


@pytest.mark.slow
@pytest.mark.parametrize("name", sorted(said()) if CAT.is_dir() else ())
def test_a_model_says_of_each_test_what_its_own_tool_says(name: str) -> None:
    verdicts = said()[name]

    assert verdicts
    assert {one.test.name: found for one in verdicts if (found := differences(CAT / name, one))} == {}
