"""Verdicts that other tools publish, test by test."""

from __future__ import annotations

import csv
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from mcm import Status, check_all, read_source

if TYPE_CHECKING:
    from mcm import Result

PEERS = Path(__file__).parents[3] / "shared" / "peers"

pytestmark = pytest.mark.skipif(
    not PEERS.is_dir(), reason=f"the peer tests are not here: no folder {PEERS.relative_to(PEERS.parents[2])}"
)


def _table(suite: str) -> list[dict[str, str]]:
    path = PEERS / suite / "expected.csv"
    if not path.is_file():
        return []
    with path.open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


@cache
def _result(suite: str, file: str, model: str) -> Result:
    (result,) = check_all(read_source(PEERS / suite / file), models=(model,))
    return result


def _stated(suite: str, column: str) -> list[tuple[str, str]]:
    return [(row["file"], row[column]) for row in _table(suite) if row[column]]


@pytest.mark.parametrize(("file", "holds"), _stated("opencl", "holds"))
def test_reachability_under_opencl_scoped(file: str, holds: str) -> None:
    assert _result("opencl", file, "opencl-scoped").reachable == (holds == "1")


@pytest.mark.parametrize(("file", "race_free"), _stated("opencl", "race_free"))
def test_races_under_opencl_scoped(file: str, race_free: str) -> None:
    kinds = {problem.kind for problem in _result("opencl", file, "opencl-scoped").undefined}

    assert ("data-race" not in kinds) == (race_free == "1")


@pytest.mark.parametrize(("file", "holds"), _stated("c11", "holds_c11"))
def test_reachability_under_c11_simp(file: str, holds: str) -> None:
    assert _result("c11", file, "c11-simp").reachable == (holds == "1")


@pytest.mark.parametrize(("file", "holds"), _stated("c11", "holds_rc11"))
def test_reachability_under_rc11(file: str, holds: str) -> None:
    assert _result("c11", file, "rc11").reachable == (holds == "1")


@pytest.mark.parametrize(("suite", "model"), [("opencl", "opencl-scoped"), ("c11", "c11-simp"), ("c11", "rc11")])
def test_no_file_is_without_an_answer(suite: str, model: str) -> None:
    files = sorted(str(path.relative_to(PEERS / suite)) for path in (PEERS / suite).rglob("*.litmus"))

    assert files, "no peer test was found"
    assert {file for file in files if _result(suite, file, model).status is not Status.OK} == set()
    assert {file for file in files if _result(suite, file, model).bounded} <= {
        file for file in files if file.endswith("TSan.litmus")
    }


def test_the_tables_speak_of_files_that_exist() -> None:
    for suite in ("opencl", "c11"):
        assert _table(suite)
        assert {row["file"] for row in _table(suite)} <= {
            str(path.relative_to(PEERS / suite)) for path in (PEERS / suite).rglob("*.litmus")
        }


def test_states_that_come_out_of_thin_air_are_marked() -> None:
    result = _result("opencl", "herd/thinair.litmus", "opencl-scoped")

    assert [state.thin_air for state in result.states if state.satisfies] == [True]
