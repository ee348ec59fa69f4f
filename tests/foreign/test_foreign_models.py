"""The cat files of other tools, unmodified: accepted, and what they say here is what they say there."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Final

import pytest

from foreign.agreement import differences, load
from foreign.peers import CAT, model_files, name_of, said

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


def test_the_page_lists_each_file() -> None:
    page = (Path(__file__).parents[2] / "docs" / "foreign-models.md").read_text(encoding="utf-8")
    rows = dict(re.findall(r"^\| `([\w/.-]+\.cat)` \| (yes|no)", page, re.MULTILINE))

    assert rows == {name_of(model): "no" if name_of(model) in _PARTS else "yes" for model in model_files()}


def test_the_page_says_on_how_many_tests_each_agrees() -> None:
    page = (Path(__file__).parents[2] / "docs" / "foreign-models.md").read_text(encoding="utf-8")
    counts = dict(re.findall(r"^\| `([\w/.-]+\.cat)` \| yes \| (\d+) of \d+ ", page, re.MULTILINE))

    assert counts == {name: str(len(verdicts)) for name, verdicts in said().items()}
