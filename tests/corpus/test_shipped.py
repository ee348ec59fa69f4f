"""The shipped litmus files: none is unaccounted for, and each is what its header says."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from mcm import EngineName, InputError, Invalid, Source, check_all
from mcm import models as model_names
from mcm.syntax.parse import parse
from mcm.syntax.printer import print_litmus

if TYPE_CHECKING:
    from mcm.syntax.ast import Litmus

LITMUS = Path(__file__).resolve().parents[2] / "litmus"
FILES = sorted(path for folder in ("opencl", "c11") for path in (LITMUS / folder).rglob("*.litmus"))
NO_EXACT_ANSWER = frozenset({"MP.spin.relaxed", "lock.spin.relaxed"})


@cache
def source_of(path: Path) -> Source:
    return Source(path.name, path.read_text(encoding="utf-8"))


@cache
def tree_of(path: Path) -> Litmus:
    return parse(source_of(path))


def expectations(path: Path) -> dict[str, str]:
    return {
        line.key.removeprefix("Expect."): line.value for line in tree_of(path).keys if line.key.startswith("Expect.")
    }


def identify(path: Path) -> str:
    return str(path.relative_to(LITMUS).with_suffix(""))


def test_there_are_files_in_every_folder() -> None:
    folders = {identify(path).rpartition("/")[0] for path in FILES}
    assert folders >= {
        "c11",
        *(f"opencl/{name}" for name in ("barriers", "patterns", "races", "separators", "spec", "stories")),
    }


@pytest.mark.parametrize("path", FILES, ids=identify)
def test_header(path: Path) -> None:
    tree = tree_of(path)
    assert tree.name == path.stem
    assert tree.documentation
    assert tree.condition is not None or "invalid" in expectations(path)[tree.dialect.default_model]
    assert tree.dialect.default_model in expectations(path)
    assert set(expectations(path)) <= set(model_names())


@pytest.mark.parametrize("path", FILES, ids=identify)
@pytest.mark.parametrize("engine", [EngineName.EXPLICIT, pytest.param(EngineName.SMT, marks=pytest.mark.slow)])
def test_expectations_are_met(path: Path, engine: EngineName) -> None:
    models = tuple(expectations(path))
    for result in check_all(source_of(path), models=models, engine=engine):
        assert result.as_expected is True, f"{result.model}: found {result.verdict.value}, {result.observation}"
        assert isinstance(result, Invalid) or result.complete or path.stem in NO_EXACT_ANSWER


@pytest.mark.parametrize("path", FILES, ids=identify)
def test_printing_and_parsing_again_changes_nothing(path: Path) -> None:
    tree = tree_of(path)
    try:
        again = parse(Source("again", print_litmus(tree)))
    except InputError as error:
        pytest.fail(error.diagnostics[0].message)
    assert again == tree
