"""Defaults of options in files, and what shells complete."""

from __future__ import annotations

import os
import subprocess
import sys
from typing import TYPE_CHECKING

import pytest

from mcm import MODEL_DATES, models

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from conftest import Ended


@pytest.fixture
def project(tmp_path: Path, sb: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The current folder, with a test under it."""
    assert sb.parent == tmp_path
    (tmp_path / "deep").mkdir()
    monkeypatch.chdir(tmp_path / "deep")
    return tmp_path


def test_settings_of_the_nearest_folder_hold(mcm: Callable[..., Ended], project: Path) -> None:
    (project / "mcm.toml").write_text('model = ["sc"]\n\n[check]\nquiet = true\n', encoding="utf-8")

    assert "  sc  forbidden" in mcm("check", "../SB.litmus").out
    assert "  c11  allowed" in mcm("check", "../SB.litmus", "--model", "c11").out
    (project / "deep" / "pyproject.toml").write_text("[tool.other]\n", encoding="utf-8")
    assert "  sc  " in mcm("check", "../SB.litmus").out
    (project / "deep" / "pyproject.toml").write_text('[tool.mcm.check]\nmodel = ["rc11"]\n', encoding="utf-8")
    assert mcm("check", "../SB.litmus").out.startswith("SB under rc11:")


def test_settings_of_other_commands_do_not_matter(mcm: Callable[..., Ended], project: Path) -> None:
    (project / "mcm.toml").write_text('timeout = 5\n[test]\nexclude = ["*"]\n', encoding="utf-8")

    assert mcm("check", "../SB.litmus").code == 0
    assert mcm("models").code == 0
    assert mcm("test", "..").code == 2  # nothing is left


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("timeot = 1\n", "unknown setting 'timeot'; did you mean 'timeout'?"),
        ("[test]\nmodel = 3\n", "'model' takes a list, found 3"),
        ("[test]\nexclud = []\n", "unknown setting 'exclud' of mcm test; did you mean 'exclude'?"),
        ("[tst]\nexclude = []\n", "unknown section 'tst'; did you mean 'test'?"),
        ('[test]\nexclude = "x"\n', "'exclude' takes a list, found 'x'"),
        ("[test]\ntimeout = [1]\n", "'timeout' takes one value, found [1]"),
        ("timeout = 1979-05-27\n", "'timeout' takes one value, found datetime.date(1979, 5, 27)"),
        ("[test]\ntimeout = {a = 1}\n", "'timeout' takes one value, found {'a': 1}"),
        ("bound = inf\n", "'inf' is not a valid integer"),
        ("[test]\ntimeout = true\n", "'timeout' takes one value, found true"),
        ('[test]\ntimeout = "soon"\n', "mcm.toml': 'timeout': 'soon' is not a number of seconds"),
        ("[test]\njobs = 0\n", "mcm.toml': 'jobs': 0 is not in the range x>=1"),
        ('accept-bounded = "no"\n', "'accept-bounded' takes true or false, found 'no'"),
        ("accept-bounded = 0\n", "'accept-bounded' takes true or false, found 0"),
        ("test = 5\n", "'test' is a section, found 5"),
        ("a = " + "[" * 3000, "is nested too deeply"),
        ("[test]\ntimeout = -1\n", "-1"),
        ("[test\n", "is no TOML"),
    ],
)
def test_wrong_settings_are_refused(mcm: Callable[..., Ended], project: Path, text: str, message: str) -> None:
    (project / "mcm.toml").write_text(text, encoding="utf-8")

    ended = mcm("test", "../SB.litmus")

    assert ended.code == 2
    assert message in ended.err


def test_switches_are_true_or_false(mcm: Callable[..., Ended], project: Path) -> None:
    settings = project / "mcm.toml"
    settings.write_text("[check]\nstates = false\n[fmt]\ncheck = true\n", encoding="utf-8")
    assert "1:r0" not in mcm("check", "../SB.litmus").out.replace("exists (0:r0=0 /\\ 1:r0=0)", "")
    assert mcm("fmt", "../SB.litmus").out == "../SB.litmus: would be laid out differently\n"

    settings.write_text("[check]\nstates = true\n[fmt]\ncheck = false\n", encoding="utf-8")
    assert "  0:r0  1:r0\n" in mcm("check", "../SB.litmus").out
    assert mcm("fmt", "../SB.litmus").out.startswith("OPENCL SB\n")


@pytest.mark.slow
def test_shells_complete_commands_and_models() -> None:
    def completed(words: str, number: int) -> list[str]:
        asked = {"_MCM_COMPLETE": "bash_complete", "COMP_WORDS": words, "COMP_CWORD": str(number)}
        command = [sys.executable, "-m", "mcm"]
        out = subprocess.run(command, env={**os.environ, **asked}, capture_output=True, text=True, check=True).stdout
        return [line.partition(",")[2] for line in out.splitlines()]

    assert completed("mcm te", 1) == ["test"]
    assert completed("mcm check --model rc", 3) == ["rc11"]
    assert completed("mcm check --model ./m", 3) == ["./m"]
    assert completed("mcm check --without coh-r", 3) == ["COH-RR", "COH-RW"]
    assert completed("mcm rules sycl-n", 2) == ["sycl-next"]
    assert completed("mcm rules COH-R", 2) == ["COH-RR", "COH-RW"]
    assert completed("mcm compare c11-", 2) == ["c11-simp"]
    # The shell looks for the files itself.
    for command in ("check", "test", "run", "explain", "show", "fmt", "convert"):
        assert completed(f"mcm {command} tes", 2) == ["tes"]


def test_every_model_has_a_date(mcm: Callable[..., Ended]) -> None:
    assert tuple(MODEL_DATES) == models()
    first, *others = mcm("--version").out.splitlines()
    assert first == "mcm 0.1.0"
    assert [line.split()[0] for line in others] == list(models())
