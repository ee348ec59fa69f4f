"""`mcm compare`."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from conftest import Ended


def test_two_models_over_tests(mcm: Callable[..., Ended], sb: Path) -> None:
    ended = mcm("compare", "c11", "sc", sb)

    assert (ended.code, ended.out) == (
        1,
        "Other states:\n  SB\n    only c11: 0:r0=0; 1:r0=0\n\n1 test: 0 alike, 1 other states\n",
    )
    assert mcm("compare", "c11", "rc11", sb).code == 0


def test_a_model_and_what_was_observed(mcm: Callable[..., Ended], sb: Path, tmp_path: Path) -> None:
    log = tmp_path / "hardware.log"
    log.write_text(
        mcm("run", sb, "--schedule", "exhaustive", "--memory", "views").out,
        encoding="utf-8",
    )

    ended = mcm("compare", "sc", log, sb, "--format", "json")

    assert ended.code == 1
    (difference,) = json.loads(ended.out)["differences"]
    assert difference["kind"] == "observed but forbidden"
    assert difference["only_second"][0]["values"] == {"0:r0": "0", "1:r0": "0"}
    assert mcm("compare", "opencl-3.0", log, sb).code == 0


def test_two_logs(mcm: Callable[..., Ended], sb: Path, tmp_path: Path) -> None:
    first, second = tmp_path / "a.log", tmp_path / "b.json"
    first.write_text(mcm("check", sb, "-m", "c11", "-f", "herd").out, encoding="utf-8")
    second.write_text(mcm("check", sb, "-m", "sc", "-f", "json").out, encoding="utf-8")

    assert mcm("compare", first, first).code == 0
    ended = mcm("compare", first, second)
    assert ended.code == 1
    assert f"only {first}: 0:r0=0; 1:r0=0" in ended.out


def test_a_test_of_one_side_is_never_0(mcm: Callable[..., Ended], sb: Path, tmp_path: Path) -> None:
    log = tmp_path / "a.log"
    log.write_text(mcm("check", sb, "-m", "c11", "-f", "herd").out.replace("SB", "SC"), encoding="utf-8")

    ended = mcm("compare", "c11", log, sb)

    assert ended.code == 2
    assert f"only {log} has this test" in ended.out


def test_what_is_wrong_with_the_sides(mcm: Callable[..., Ended], sb: Path) -> None:
    assert "'c11' is a model: name the tests that it is to judge" in mcm("compare", "c11", "sc").err
    assert "'nothing' is neither the file of a log nor a model" in mcm("compare", "nothing", "sc").err
    assert "leave the tests out" in mcm("compare", sb, sb, sb).err
    assert "error[E412]" in mcm("compare", sb, sb).err
    assert "c12" in mcm("compare", "c12", "sc", sb).err
