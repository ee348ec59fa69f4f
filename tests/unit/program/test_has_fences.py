"""Whether threads may execute fences, barriers or group functions is noted on the way: a walk finds the same."""

from __future__ import annotations

from pathlib import Path
from typing import Final

import pytest

from mcm.base.diagnostic import InputError
from mcm.base.source import Source
from mcm.front_end.read import read_test
from mcm.program.instruction import Barrier, Collective, Fence
from mcm.program.walk import walk_once

LITMUS: Final = Path(__file__).resolve().parents[3] / "litmus"
FOLDERS: Final = ("barriers", "kernels", "patterns", "host", "loops", "waiting", "spec")


@pytest.mark.parametrize("folder", FOLDERS)
def test_a_walk_finds_what_is_noted(folder: str) -> None:
    found = set()
    for path in sorted((LITMUS / "opencl" / folder).glob("*.litmus")):
        try:
            program = read_test(Source(path.name, path.read_text(encoding="utf-8"))).program
        except InputError:
            continue
        nodes = walk_once(thread.body for thread in program.threads)
        has_fences = any(isinstance(node, Fence | Barrier | Collective) for node in nodes)
        assert program.has_fences is has_fences, path.name
        found.add(has_fences)
    assert found
