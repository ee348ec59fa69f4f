"""Options of the whole test run."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import pytest


def pytest_addoption(parser: pytest.Parser) -> None:
    """`--update-golden` renews the transcripts under tests/golden."""
    parser.addoption("--update-golden", action="store_true", help="write down what commands do now (tests/golden)")
