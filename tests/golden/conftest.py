"""Transcripts: a command, its output and its exit code in one file beside the tests, renewed by `--update-golden`."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from golden_shell import run_shell

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path


@pytest.fixture
def transcript(request: pytest.FixtureRequest) -> Callable[[Path], None]:
    """Run the commands of a transcript again and compare; with `--update-golden`, write down what they do now."""

    def compare(path: Path) -> None:
        recorded = path.read_text(encoding="utf-8")
        commands = [line[2:] for line in recorded.splitlines() if line.startswith("$ ")]
        assert commands, f"{path.name} holds no command"
        now = "\n".join(run_shell(command) for command in commands)
        if request.config.getoption("--update-golden"):
            path.write_text(now, encoding="utf-8")
        else:
            assert now == recorded, f"renew with `pytest tests/golden --update-golden` if this is meant ({path.name})"

    return compare
