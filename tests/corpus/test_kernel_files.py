"""Kernel files of a peer, unmodified, have the results that its benchmarks state for `opencl.cat`.

Where the benchmarks say UNKNOWN, their bound was not enough; here there is an answer all the same.
"""

from __future__ import annotations

import csv
import re
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Final

import pytest

from mcm import Judged, KernelRequest, KernelSource, check, read_source

if TYPE_CHECKING:
    from mcm import Result

ROOT: Final = Path(__file__).resolve().parents[2]
PEERS: Final = ROOT.parent / "shared" / "peers" / "kernels"
STATED: Final = PEERS / "expected.csv"
# The same programs as litmus tests, which say what is launched and asked.
TRANSCRIBED: Final = ROOT / "litmus" / "opencl" / "dartagnan"
MODEL: Final = "opencl-scoped"

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(not STATED.is_file(), reason="the kernels of Dartagnan are not beside the repository"),
]


def rows() -> list[tuple[str, str, str]]:
    """Test class, program and result of each benchmark."""
    if not STATED.is_file():
        return []
    with STATED.open(encoding="utf-8") as stream:
        lines = [line for line in stream if not line.startswith("#")]
    return [(kind, name, result) for kind, name, _, result in csv.reader(lines)]


def definitions(name: str) -> tuple[str, ...]:
    """The macros of the file that the name of a benchmark asks for."""
    weaker = {"weakest": ("FAIL1", "FAIL2", "FAIL3", "FAIL4")}
    words = [word for word in name.split("-")[1:] if not word[0].isdigit() and word != "barrier"]
    return tuple(macro for word in words for macro in weaker.get(word, (word.upper(),)))


def request(name: str) -> KernelRequest:
    """Launch and question as the litmus test has them; nothing is said about the buffers."""
    text = (TRANSCRIBED / f"{name}.litmus").read_text(encoding="utf-8")
    launch = re.search(r"^launch (.*);$", text, re.MULTILINE)
    question = re.search(r"^forall \((.*)\)$", text, re.MULTILINE)
    assert launch is not None
    assert question is not None
    return KernelRequest((launch[1],), definitions(name), (), (f"forall {question[1]}",))


@cache
def judged(name: str) -> Result:
    kernel = next(word for word in ("xf-barrier", name.split("-", maxsplit=1)[0]) if name.startswith(word))
    source = read_source(PEERS / f"{kernel}.cl")
    return check(KernelSource(source.name, source.text, request(name)), MODEL)


@pytest.mark.parametrize(("kind", "name", "stated"), rows())
def test_the_result_is_the_one_stated(kind: str, name: str, stated: str) -> None:
    result = judged(name)

    assert isinstance(result, Judged)
    assert {problem.kind for problem in result.undefined} <= {"data-race"}
    holds = not result.undefined if kind == "SpirvRacesTest" else result.holds is True
    assert stated == "UNKNOWN" or holds is (stated == "PASS")


def test_lock_of_opencl_1() -> None:
    """Its atomics are relaxed, so it guards nothing; no result is stated."""
    source = read_source(PEERS / "caslock-sc.cl")
    result = check(KernelSource(source.name, source.text, KernelRequest(("mutex_test global 2, local 1",))), MODEL)

    assert isinstance(result, Judged)
    assert {problem.kind for problem in result.undefined} == {"data-race"}
