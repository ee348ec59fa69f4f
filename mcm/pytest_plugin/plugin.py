"""Collects litmus tests: `pytest --mcm`, or `mcm = true` in the settings of pytest.

A file is a `LitmusFile`, an expectation a `LitmusItem`; what fails is told in the words of `mcm test`.
"""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from mcm import Judgement


def pytest_addoption(parser: pytest.Parser) -> None:
    """`--mcm`, `--mcm-model`, `--mcm-timeout`, and the settings of the same names."""
    group = parser.getgroup("mcm", "litmus tests")
    group.addoption("--mcm", action="store_true", help="collect *.litmus: a test for each expectation that they state")
    group.addoption("--mcm-model", action="append", metavar="NAME", help="only what is stated about these models")
    group.addoption("--mcm-timeout", type=float, metavar="SECONDS", help="for each expectation [60]")
    parser.addini("mcm", "collect *.litmus", type="bool", default=False)
    parser.addini("mcm_models", "only what litmus tests state about these models", type="args")
    parser.addini("mcm_timeout", "seconds for each expectation of a litmus test", default="")


def pytest_configure(config: pytest.Config) -> None:
    """Make the mark known that all expectations have; UsageError for settings that mean nothing."""
    config.addinivalue_line("markers", "litmus: an expectation of a litmus test (added by mcm)")
    _seconds(config)
    for model in _models(config):
        _require_model(model)


def pytest_collect_file(file_path: Path, parent: pytest.Collector) -> LitmusFile | None:
    """Litmus tests where they are asked for, and those that are named on the command line."""
    if file_path.suffix != ".litmus":
        return None
    wanted = parent.config.getoption("--mcm") or parent.config.getini("mcm")
    if not wanted and not parent.session.isinitpath(file_path):
        return None
    file: LitmusFile = LitmusFile.from_parent(parent, path=file_path)
    return file


def _models(config: pytest.Config) -> list[str]:
    models: list[str] = config.getoption("--mcm-model") or config.getini("mcm_models")
    return models


def _require_model(model: str) -> None:
    """UsageError where there is no such model: of a misspelt one nothing would be stated, and no test collected."""
    from mcm import ALL_MODELS, InputError, load_model

    if model == ALL_MODELS:
        return
    try:
        load_model(model)
    except InputError as error:
        raise pytest.UsageError(f"--mcm-model {model}: {error.diagnostics[0].message}") from None


def _seconds(config: pytest.Config) -> float | None:
    """The time that an expectation may take, where something is said of it."""
    given = config.getoption("--mcm-timeout")
    text = config.getini("mcm_timeout") if given is None else str(given)
    if not text:
        return None
    try:
        seconds = float(text)
    except ValueError:
        seconds = 0.0
    # Written so that it fails of what is no number at all.
    if not seconds > 0:
        raise pytest.UsageError(f"--mcm-timeout: expected a number of seconds above 0, found '{text}'")
    return seconds


class LitmusFile(pytest.File):
    """A litmus test: a test item for each expectation; a single one where it states none, or is none."""

    def collect(self) -> Iterator[LitmusItem]:
        """The items, in the order of the file."""
        from mcm import case_name, expectations

        for number, begun in enumerate(expectations(self.shown, self.models, timeout=self.seconds)):
            yield LitmusItem.from_parent(self, name=case_name(begun), number=number)

    @property
    def shown(self) -> str:
        """The path as the user would type it."""
        return os.path.relpath(self.path, self.config.invocation_params.dir)

    @property
    def models(self) -> list[str]:
        """The models that are asked about; none: all that are named."""
        return _models(self.config)

    @property
    def seconds(self) -> float:
        """The time that an expectation may take."""
        from mcm import DEFAULT_SECONDS

        return _seconds(self.config) or DEFAULT_SECONDS


class LitmusItem(pytest.Item):
    """An expectation of a litmus test."""

    parent: LitmusFile

    def __init__(self, *, number: int, **keywords: Any) -> None:
        super().__init__(**keywords)
        self.number = number
        self.add_marker("litmus")

    def runtest(self) -> None:
        """Judge the expectation; NotAsExpectedError unless it is met."""
        from mcm import Standing, judge

        file = self.parent
        (judgement,) = judge(file.shown, file.models, number=self.number, timeout=file.seconds)
        if judgement.standing is not Standing.MET:
            raise NotAsExpectedError(judgement)

    def repr_failure(self, excinfo: pytest.ExceptionInfo[BaseException], style: Any = None) -> Any:
        """What `mcm test` shows."""
        if not isinstance(excinfo.value, NotAsExpectedError):
            return super().repr_failure(excinfo, style)
        from mcm import render_judgement

        return render_judgement(excinfo.value.judgement)

    def reportinfo(self) -> tuple[Path, int | None, str]:
        """The file and the name of the item; the line is part of the report."""
        return self.path, None, f"{self.parent.shown}::{self.name}"


class NotAsExpectedError(Exception):
    """An expectation is not met, or not known to be."""

    def __init__(self, judgement: Judgement) -> None:
        super().__init__(judgement.stated)
        self.judgement = judgement
