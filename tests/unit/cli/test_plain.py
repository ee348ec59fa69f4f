"""Command lines that are read without click mean what click says of them."""

from __future__ import annotations

import inspect
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from mcm.cli.check import command
from mcm.cli.check_tests import check_tests
from mcm.cli.main import main
from mcm.cli.plain import plain_check

if TYPE_CHECKING:
    from collections.abc import Callable

MP = Path(__file__).parents[3] / "litmus" / "opencl" / "patterns" / "MP.dv.litmus"
KERNEL_OPTIONS = {
    "launches",
    "definitions",
    "initial",
    "arguments_of_program",
    "exists",
    "forall",
    "folders",
    "required",
}
WORDS = [
    *("a.litmus", "b", "", "-", "--", "@list", "kernel.cl", "own.cat", "check"),
    *("--model", "-m", "--model=rc11", "-mrc11", "rc11", "opencl-3.0", "all", "no-model"),
    *("-q", "--quiet", "--bound", "2", "--timeout", "--no-states", "--format", "json", "-h"),
    *("-j", "--jobs", "--jobs=2", "-j2", "-qj", "0", "02", "-1", "1_0", "\u0663"),
]


def defaults() -> dict[str, Any]:
    return {
        name: parameter.default
        for name, parameter in inspect.signature(check_tests).parameters.items()
        if parameter.kind is parameter.KEYWORD_ONLY
    }


def by_click(words: list[str]) -> dict[str, Any]:
    """The parameters of the command, as click reads them."""
    return command.make_context("check", words).params


def without_click(words: list[str]) -> dict[str, Any] | None:
    """The same as they are read without it; None where they are not."""
    check: Any = plain_check(["check", *words])
    return None if check is None else {"tests": check.args[0], **defaults(), **check.keywords}


@pytest.fixture(autouse=True)
def _nowhere(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


def test_options_have_the_same_defaults() -> None:
    read = by_click(["a.litmus"])
    assert {name: value for name, value in read.items() if name not in KERNEL_OPTIONS | {"tests"}} == defaults()
    assert not any(read[name] for name in KERNEL_OPTIONS)


def read_alike(words: list[str]) -> bool:
    """Whether a command line is read without click, in which case click must say the same."""
    plain = without_click(words)
    if plain is not None:
        read = by_click(words)
        assert plain == {name: value for name, value in read.items() if name not in KERNEL_OPTIONS}
    return plain is not None


@settings(derandomize=True, deadline=None, suppress_health_check=list(HealthCheck))
@given(st.lists(st.sampled_from(WORDS), max_size=6))
def test_what_is_read_is_what_click_reads(words: list[str]) -> None:
    read_alike(words)


@pytest.mark.parametrize(
    "words",
    [
        ["a.litmus"],
        ["a", "b", "check"],
        [""],
        ["a", "--model", "rc11"],
        ["-m", "rc11", "a", "--model", "c11", "b"],
        ["--model", "c++11", "a"],
        ["a", "-q"],
        ["--quiet", "a", "--jobs", "2", "-m", "rc11"],
        ["-j", "2", "a", "-q", "-j", "03"],
    ],
)
def test_what_many_tests_are_checked_with_is_read_without_click(words: list[str]) -> None:
    # Other names of models are for click, too.
    assert read_alike(words) == ("c++11" not in words)


@pytest.mark.parametrize(
    "words",
    [
        *([], ["-h"], ["-"], ["-q"], ["--", "a"], ["@list"], ["a.cl"], ["a", "--model=rc11"], ["a", "--model"]),
        *(["--model", "a"], ["a", "--model", "all"], ["a", "--model", "own.cat"], ["-m", "rc11"], ["a", "-m", "-q"]),
        *(["a", "-j", "0"], ["a", "-j"], ["a", "-j", "-1"], ["a", "-j", "1_0"], ["a", "-qj", "1"], ["a", "-j1"]),
    ],
)
def test_everything_else_is_for_click(words: list[str]) -> None:
    assert without_click(words) is None


def test_other_commands_are_for_click() -> None:
    assert plain_check(["run", "a.litmus"]) is None
    assert plain_check(["-h", "check", "a.litmus"]) is None


@pytest.mark.parametrize(
    ("file", "text"), [("mcm.toml", "bound = 1"), ("pyproject.toml", "[tool.mcm.check]\nbound = 1")]
)
def test_settings_are_for_click(file: str, text: str, tmp_path: Path) -> None:
    (tmp_path / file).write_text(text)
    assert without_click(["a.litmus"]) is None


def test_settings_of_other_commands_change_nothing(tmp_path: Path) -> None:
    (tmp_path / "pyproject.toml").write_text("[tool.mcm.test]\nexclude = []")
    assert without_click(["a.litmus"]) is not None


@pytest.mark.parametrize(
    "words",
    [
        *([str(MP)], [str(MP), "--model", "rc11"], [str(MP), "nowhere.litmus"], [str(MP.parent)]),
        [str(MP.parent), "-q", "-j", "2"],
    ],
)
def test_both_ways_show_the_same(
    words: list[str], capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    def shown() -> tuple[object, str, str]:
        with pytest.raises(SystemExit) as ended:
            main(["check", *words])
        return (ended.value.code, *capsys.readouterr())

    plain = shown()
    called: list[Callable[..., object]] = []
    invoke = click.Command.invoke

    def noted(self: click.Command, context: click.Context) -> object:
        called.append(invoke)
        return invoke(self, context)

    monkeypatch.setattr(click.Command, "invoke", noted)
    monkeypatch.setattr("mcm.cli.plain.plain_check", lambda _: None)

    assert shown() == plain
    assert called
