"""Tests of peers: both engines list the same problems, in the same words and order."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from typing import Final

import pytest

from mcm import EngineName, InputError, Limits, Options, Source, shared_session
from oracle.problem_lists import problems_of

pytestmark = pytest.mark.slow

PEERS: Final = Path(__file__).resolve().parents[3] / "shared/peers"
# The search gives up programs that have more partial executions, whatever time they take.
LIMITS: Final = Limits(nodes=1500)


def problems(path: Path, engine: EngineName) -> list[object]:
    """What is listed of a test under the model of its dialect; None for what was not looked at to the end."""
    source = Source(path.name, path.read_text(encoding="utf-8"))
    try:
        return [*map(problems_of, shared_session().results(source, Options(engine=engine, limits=LIMITS)))]
    except InputError:
        return [None]


@pytest.mark.parametrize("folder", ["c11", "opencl"])
def test_both_engines_list_the_same(folder: str) -> None:
    paths = sorted((PEERS / folder).rglob("*.litmus"))
    if not paths:
        pytest.skip("the tests of peers are not here")
    told = Counter[str]()
    for path in paths:
        explicit = problems(path, EngineName.EXPLICIT)
        smt = [None] if None in explicit else problems(path, EngineName.SMT)
        if None in smt:
            told["not compared"] += 1
            continue
        assert explicit == smt, path
        told["with problems" if any(explicit) else "without"] += 1
    assert told["with problems"] > 0, told
    assert told["not compared"] < len(paths) / 2, told
