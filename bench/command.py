"""Commands under the clock: each in a fresh process, none beyond its limit."""

from __future__ import annotations

import os
import signal
import subprocess
from dataclasses import dataclass
from time import perf_counter
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence


@dataclass(frozen=True, slots=True)
class Finished:
    """The command did its work in so many seconds."""

    seconds: float
    output: str


@dataclass(frozen=True, slots=True)
class PastLimit:
    """The limit passed first."""


@dataclass(frozen=True, slots=True)
class Failure:
    """The command did not do its work."""

    reason: str


def run(command: Sequence[str], limit: float) -> Finished | PastLimit | Failure:
    """Run a command, and end it and all that it started when the limit has passed."""
    start = perf_counter()
    try:
        # A session of its own, so that workers of the command end with it.
        process = subprocess.Popen(
            command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, start_new_session=True
        )
    except OSError as error:
        return Failure(f"{command[0]}: {error.strerror}")
    try:
        output, complaints = process.communicate(timeout=limit)
    except subprocess.TimeoutExpired:
        return PastLimit()
    finally:
        if process.poll() is None:
            os.killpg(process.pid, signal.SIGKILL)
            process.communicate()
    seconds = perf_counter() - start
    if process.returncode != 0:
        words = complaints.strip() or output.strip() or "no word of why"
        return Failure(f"exit code {process.returncode}: {words.splitlines()[-1]}")
    return Finished(seconds, output)
