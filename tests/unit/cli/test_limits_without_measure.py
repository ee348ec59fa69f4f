"""Limits that are larger than a system can count are none."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from mcm.cli.exit_code import ExitCode

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from conftest import Ended

# Commands share how they read a time, so each value is tried with some of them.
TOO_LONG = (("1e7", "check"), ("1e300", "test"), ("1e7", "run"), ("1e300", "explain"))
TOO_MUCH = "99999999999999999999"


@pytest.mark.slow
@pytest.mark.parametrize(("seconds", "command"), TOO_LONG)
def test_a_time_that_nobody_waits_for(mcm_apart: Callable[..., Ended], sb: Path, seconds: str, command: str) -> None:
    ended = mcm_apart(command, sb, "--timeout", seconds)
    assert ended.code == ExitCode.AS_EXPECTED, ended.err


@pytest.mark.slow
def test_memory_that_no_machine_has(mcm_apart: Callable[..., Ended], sb: Path) -> None:
    for command in ("check", "test", "explain", "show"):
        ended = mcm_apart(command, sb, "--memory", TOO_MUCH)
        assert ended.code == ExitCode.AS_EXPECTED, ended.err
    ended = mcm_apart("run", sb, "--runs", "5", "--memory-limit", TOO_MUCH)
    assert ended.code == ExitCode.AS_EXPECTED, ended.err
