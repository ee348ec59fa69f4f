"""`mcm check --jobs N` with fewer tests than workers: models of one test are checked by several processes."""

from __future__ import annotations

import json
import os
import signal
import sys
from typing import TYPE_CHECKING, Any

import pytest

from mcm import shared_session

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from conftest import Ended

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="needs workers that are forked")

MODELS = "opencl-3.0", "opencl-3.1", "opencl-scoped"
ASKED = tuple(word for name in MODELS for word in ("--model", name))
BROKEN = "OPENCL broken\n{ }\nP0 (global int* x) { *x = ; }\nexists (x = 1)\n"


def results_of(ended: Ended) -> list[dict[str, Any]]:
    results = json.loads(ended.out)["results"]
    assert isinstance(results, list)
    for result in results:
        result.pop("seconds", None)
    return results


@pytest.fixture
def told(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Callable[[int | None], Path]:
    """A folder in which each worker notes the models that it has; the one with the model of a number dies of it."""
    folder = tmp_path / "told"
    folder.mkdir()

    def tell(deadly: int | None) -> Path:
        check = shared_session().results

        def noted(*arguments: Any, only: int | None = None, **options: Any) -> Any:
            if only is not None:
                (folder / f"{only}-{os.getpid()}").touch()
            results = check(*arguments, only=only, **options)
            if only is not None and only == deadly:
                os.kill(os.getpid(), signal.SIGKILL)
            return results

        monkeypatch.setattr(shared_session(), "results", noted)
        return folder

    return tell


def test_each_model_is_checked_by_a_worker(
    mcm: Callable[..., Ended], sb: Path, told: Callable[[int | None], Path]
) -> None:
    folder = told(None)
    ended = mcm("check", sb, *ASKED, "--jobs", 3, "--format", "json")
    assert [result["model"] for result in results_of(ended)] == list(MODELS)
    notes = sorted(note.name.split("-") for note in folder.iterdir())
    assert [number for number, _ in notes] == ["0", "1", "2"]
    assert str(os.getpid()) not in {process for _, process in notes}


def test_a_worker_that_dies_costs_one_model_its_answer(
    mcm: Callable[..., Ended], sb: Path, told: Callable[[int | None], Path]
) -> None:
    told(1)
    results = results_of(mcm("check", sb, *ASKED, "--jobs", 2, "--format", "json"))
    assert [result["model"] for result in results] == list(MODELS)
    assert [result["verdict"] for result in results] == ["allowed", "undecided", "allowed"]
    assert results[1]["reason"] == "crash: SIGKILL"


def test_without_jobs_the_command_does_it_itself(
    mcm: Callable[..., Ended], sb: Path, told: Callable[[int | None], Path]
) -> None:
    folder = told(None)
    assert len(results_of(mcm("check", sb, *ASKED, "--format", "json"))) == len(MODELS)
    assert not list(folder.iterdir())


@pytest.mark.parametrize("asked", [ASKED, (*ASKED, "--model", "opencl-3.0"), (*ASKED, "--without", "COH-RR")])
@pytest.mark.parametrize("form", ["text", "json", "herd"])
def test_the_output_is_the_same(mcm: Callable[..., Ended], sb: Path, asked: tuple[str, ...], form: str) -> None:
    alone, shared = (mcm("check", sb, *asked, "--jobs", jobs, "--format", form) for jobs in (1, 3))
    assert (shared.code, shared.err) == (alone.code, alone.err)
    if form == "json":
        assert results_of(shared) == results_of(alone)
    else:
        assert [line for line in shared.out.splitlines() if not line.startswith("Time")] == [
            line for line in alone.out.splitlines() if not line.startswith("Time")
        ]


@pytest.mark.parametrize("models", [ASKED, ("--model", "all")], ids=["three", "all"])
def test_what_is_wrong_with_a_test_is_said_once(
    mcm: Callable[..., Ended], tmp_path: Path, models: tuple[str, ...]
) -> None:
    broken = tmp_path / "broken.litmus"
    broken.write_text(BROKEN, encoding="utf-8")
    for name in (broken, tmp_path / "missing.litmus"):
        alone, shared = (mcm("check", name, *models, "--jobs", jobs) for jobs in (1, 2))
        assert shared == alone
        assert shared.code == 2


@pytest.mark.slow
def test_all_models_are_compared_as_by_one_process(mcm: Callable[..., Ended], sb: Path) -> None:
    alone, shared = (mcm("check", sb, "--model", "all", "--jobs", jobs) for jobs in (1, 3))
    assert shared == alone
