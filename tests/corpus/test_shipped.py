"""The shipped litmus files: none is unaccounted for, and each is what its header says."""

from __future__ import annotations

from functools import cache, lru_cache
from itertools import chain, groupby, pairwise
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from mcm import EngineName, InputError, Invalid, Result, Source, Verdict, check_all
from mcm import models as model_names
from mcm.sycl.language import SYCL_LANGUAGE
from mcm.sycl.printer import print_sycl
from mcm.syntax.parse import parse
from mcm.syntax.printer import print_litmus
from oracle.problem_lists import problems_of

if TYPE_CHECKING:
    from collections.abc import Iterator

    from mcm.syntax.ast import Litmus

LITMUS = Path(__file__).resolve().parents[2] / "litmus"
FILES = sorted(path for folder in ("opencl", "c11", "sycl") for path in (LITMUS / folder).rglob("*.litmus"))
# Rules and separators have quick tests of their own in `tests/spec`.
SLOW = frozenset(
    {
        *(f"opencl/{name}" for name in ("dartagnan", "locks", "separators", "spec", "waiting")),
        "sycl/chapter",
        "sycl/stories",
    }
)
TOO_MANY_EXECUTIONS = frozenset(
    {
        "bakery.3",
        "barrier.sense.3",
        "barrier.sense.3.relaxed-arrival",
        "barrier.sense.3.relaxed-go",
        "barrier.sense.3.wg",
        "frontier",
        "frontier.stored",
        "histogram.no-barrier",
        "peterson.3",
        "peterson.3.rel+acq",
        "ring.2",
        "ring.2.no-room",
        "ring.2.relaxed-put",
        "ring.2.relaxed-room",
        "ring.3",
        "ring.3.no-room",
        "ring.3.relaxed-put",
        "ring.3.relaxed-room",
        "stack.popped",
        "caslock-dv2wg-2.2.2",
        "ticketlock-dv2wg-2.2.1",
        "ticketlock-dv2wg-2.2.2",
        "ttaslock-dv2wg-2.2.1",
        "ttaslock-dv2wg-2.2.2",
        "xf-barrier-3.1.3",
    }
)
"""For one engine alone: the choice of the engine is left to mcm."""


@cache
def source_of(path: Path) -> Source:
    return Source(path.name, path.read_text(encoding="utf-8"))


def parsed(source: Source) -> Litmus:
    return parse(source, SYCL_LANGUAGE) if source.text.startswith("SYCL") else parse(source)


@cache
def tree_of(path: Path) -> Litmus:
    return parsed(source_of(path))


def expectations(path: Path) -> dict[str, str]:
    return {
        line.key.removeprefix("Expect."): line.value for line in tree_of(path).keys if line.key.startswith("Expect.")
    }


def identify(path: Path) -> str:
    return str(path.relative_to(LITMUS).with_suffix(""))


FOLDERS = {folder: tuple(paths) for folder, paths in groupby(FILES, lambda path: identify(path).rpartition("/")[0])}


def test_there_are_files_in_every_folder() -> None:
    assert set(FOLDERS) >= {
        "c11",
        *(f"opencl/{name}" for name in ("barriers", "dartagnan", "kernels", "locks", "loops", "patterns")),
        *(f"opencl/{name}" for name in ("races", "separators", "spec", "stories", "waiting")),
        *(f"sycl/{name}" for name in ("chapter", "host", "kernels", "patterns", "spaces", "stories")),
    }
    assert sum(map(len, FOLDERS.values())) == len(FILES)


@pytest.mark.parametrize("folder", FOLDERS)
def test_headers(folder: str) -> None:
    for path in FOLDERS[folder]:
        tree = tree_of(path)
        default = tree.dialect.default_model
        assert tree.name == path.stem
        assert tree.documentation, path
        assert default in expectations(path), path
        assert tree.condition is not None or "invalid" in expectations(path)[default], path
        assert set(expectations(path)) <= set(model_names()), path


def questions() -> Iterator[object]:
    """Each file with both engines, which takes longer; most files with the search alone, too, for the quick tests."""
    for path in FILES:
        name = identify(path)
        if path.stem in TOO_MANY_EXECUTIONS:
            yield pytest.param(path, (EngineName.AUTO,), id=f"{name}-auto", marks=pytest.mark.slow)
            continue
        if name.rpartition("/")[0] not in SLOW:
            yield pytest.param(path, (EngineName.EXPLICIT,), id=f"{name}-explicit")
        yield pytest.param(path, (EngineName.EXPLICIT, EngineName.SMT), id=f"{name}-both", marks=pytest.mark.slow)


@lru_cache(maxsize=2)  # a file has two tests, one after the other, and both ask the search
def results_of(path: Path, engine: EngineName) -> tuple[Result, ...]:
    return tuple(check_all(source_of(path), models=tuple(expectations(path)), engine=engine))


@pytest.mark.parametrize(("path", "engines"), list(questions()))
def test_expectations_are_met(path: Path, engines: tuple[EngineName, ...]) -> None:
    """By each engine; and both list the same problems, in the same words and order."""
    by_engine = [results_of(path, engine) for engine in engines]
    for result in chain(*by_engine):
        assert result.as_expected is True, f"{result.model}: found {result.verdict.value}, {result.observation}"
        if not isinstance(result, Invalid):
            # What is undefined need not be looked at to the end.
            assert result.complete or result.verdict is Verdict.UNDEFINED
    for found, again in pairwise(by_engine):
        for one, other in zip(found, again, strict=True):
            assert problems_of(one) == problems_of(other)


@pytest.mark.slow
@pytest.mark.parametrize("folder", FOLDERS)
def test_printing_and_parsing_again_changes_nothing(folder: str) -> None:
    for path in FOLDERS[folder]:
        tree = tree_of(path)
        try:
            again = parsed(Source("again", print_sycl(tree) if tree.word == "SYCL" else print_litmus(tree)))
        except InputError as error:
            pytest.fail(f"{path}: {error.diagnostics[0].message}")
        assert again == tree, path
