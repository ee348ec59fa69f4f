"""Shipped tests and those of peers: both engines list the same problems, in the same words and order."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from typing import Final

import pytest

from mcm import EngineName, InputError, Judged, Limits, Options, Source, shared_session

pytestmark = pytest.mark.slow

ROOT: Final = Path(__file__).resolve().parents[2]
PEERS: Final = ROOT.parent / "shared/peers"
# Folders of programs that wait for each other, and of wrong ones: one engine alone answers the former in time.
PASSED_OVER: Final = frozenset({"dartagnan", "invalid", "locks", "loops", "waiting"})
# The search gives up programs that have more partial executions, whatever time they take.
LIMITS: Final = Limits(nodes=1500)
FOLDERS: Final = sorted({path.parent for path in (ROOT / "litmus").rglob("*.litmus")})


def problems(path: Path, engine: EngineName) -> list[tuple[object, ...]] | None:
    """What is listed of a test under the model of its dialect; None if not everything was looked at."""
    source = Source(path.name, path.read_text(encoding="utf-8"))
    try:
        results = shared_session().results(source, Options(engine=engine, limits=LIMITS))
    except InputError:
        return None
    if not all(isinstance(result, Judged) and result.reason is None for result in results):
        return None
    return [
        (p.kind, tuple((s.thread, s.span.start, s.iteration) for s in p.sites), p.location, p.why, p.rules)
        for result in results
        if isinstance(result, Judged)
        for p in (*result.undefined, *result.impl_defined, *result.flags)
    ]


def compare(paths: list[Path]) -> Counter[str]:
    told = Counter[str]()
    for path in paths:
        explicit = problems(path, EngineName.EXPLICIT)
        smt = None if explicit is None else problems(path, EngineName.SMT)
        if explicit is None or smt is None:
            told["not compared"] += 1
            continue
        assert explicit == smt, path
        told["with problems" if explicit else "without"] += 1
    return told


@pytest.mark.parametrize(
    "folder",
    [folder for folder in FOLDERS if folder.name not in PASSED_OVER],
    ids=lambda folder: str(folder.relative_to(ROOT / "litmus")),
)
def test_of_shipped_tests(folder: Path) -> None:
    told = compare(sorted(folder.glob("*.litmus")))
    assert told["not compared"] <= told["with problems"] + told["without"], told


@pytest.mark.parametrize("folder", ["c11", "opencl"])
def test_of_peers(folder: str) -> None:
    paths = sorted((PEERS / folder).rglob("*.litmus"))
    if not paths:
        pytest.skip("the tests of peers are not here")
    told = compare(paths)
    assert told["with problems"] > 0, told
    assert told["not compared"] < len(paths) / 2, told
