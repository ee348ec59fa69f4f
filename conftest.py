"""Options and tiers of the whole test run."""

from __future__ import annotations

import gc
import signal
from typing import TYPE_CHECKING, Final

import pytest

if TYPE_CHECKING:
    from pathlib import Path


def pytest_addoption(parser: pytest.Parser) -> None:
    """`--update-golden` renews the transcripts under tests/golden."""
    parser.addoption("--update-golden", action="store_true", help="write down what commands do now (tests/golden)")


def pytest_configure() -> None:
    """Look for garbage as seldom as the command does (`mcm.cli.main`): a fifth of the time of most engines' tests."""
    gc.set_threshold(100_000)
    # What is started in the background of a shell ignores these, and so would the commands that tests interrupt.
    for name in ("SIGINT", "SIGQUIT"):
        number = getattr(signal, name, None)
        if number is not None and signal.getsignal(number) is signal.SIG_IGN:
            signal.signal(number, signal.default_int_handler if name == "SIGINT" else signal.SIG_DFL)


def pytest_collection_finish() -> None:
    """Twenty thousand tests are no garbage before they have run: they are not looked through again and again."""
    gc.collect()
    gc.freeze()


_WHOLLY_SLOW: Final = "\npytestmark = pytest.mark.slow\n"


def pytest_ignore_collect(collection_path: Path, config: pytest.Config) -> bool | None:
    """With `-m quick`, leave out the modules all of whose tests are slow: importing them takes seconds."""
    if config.getoption("markexpr") == "quick" and collection_path.suffix == ".py":
        return True if _WHOLLY_SLOW in collection_path.read_text(encoding="utf-8") else None
    return None


@pytest.hookimpl(tryfirst=True)  # before `-m` selects by marks
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Mark every test `quick` that is not `slow`."""
    for item in items:
        if item.get_closest_marker("slow") is None:
            item.add_marker(pytest.mark.quick)
