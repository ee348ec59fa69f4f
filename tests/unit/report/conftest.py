"""Results made by hand, as every report format gets them."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from msgspec.structs import replace

from mcm.answer.result import Judged, Observation, Problem, Site, Undecided, Verdict
from mcm.answer.shown_states import ShownState
from mcm.base.diagnostic import Diagnostic, Note, Severity
from mcm.base.source import Source, Span
from mcm.program.condition import Condition, Quantifier, Truth
from mcm.program.header import Expectation

if TYPE_CHECKING:
    from collections.abc import Callable

SOURCE = Source(
    "MP.litmus",
    "OPENCL MP\n{ }\nP0@wg 0 (global int* x) {\n  *x = 1;\n}\nP1@wg 1 (global int* x) {\n  int r0 = *x;\n}\n",
)


def span_of(text: str, occurrence: int = 0) -> Span:
    start = -1
    for _ in range(occurrence + 1):
        start = SOURCE.text.index(text, start + 1)
    return Span(SOURCE, start, start + len(text))


@pytest.fixture
def race() -> Problem:
    write = Site("P0", span_of("*x = 1"), "*x = 1", access="write")
    read = Site("P1", span_of("*x", 1), "*x", access="read")
    return Problem("data-race", (write, read), "neither access is atomic; no happens-before orders them", ("DR-1",))


@pytest.fixture
def warning() -> Diagnostic:
    note = Note("first declared here", span_of("global int* x"))
    return Diagnostic("W101", "no region is named", span_of("int r0"), Severity.WARNING, (note, Note("write global")))


@pytest.fixture
def make() -> Callable[..., Judged]:
    """A store-buffering result; keywords replace its fields."""
    blank = Judged(
        file="SB.litmus",
        test="SB",
        model="opencl-3.0",
        engine="explicit",
        condition=Condition(Quantifier.EXISTS, Truth(value=True), r"0:r0=0 /\ 1:r0=0", span_of("OPENCL")),
        verdict=Verdict.ALLOWED,
        reachable=True,
        holds=True,
        observation=Observation.SOMETIMES,
        bound=2,
        bounded=(),
        states=(
            ShownState({"0:r0": 0, "1:r0": 0, "x": 1}, satisfies=True, thin_air=False, executions=None),
            ShownState({"0:r0": 0, "1:r0": -12, "x": 1}, satisfies=False, thin_air=False, executions=None),
        ),
        undefined=(),
        impl_defined=(),
        flags=(),
        diagnostics=(),
        seconds=0.004,
        bare="OPENCLSB",
    )

    def build(**changes: object) -> Judged:
        return replace(blank, **changes)  # type: ignore[arg-type]

    return build


@pytest.fixture
def undecided() -> Undecided:
    """The result of a search that ran out of time before it found anything."""
    return Undecided(file="SB.litmus", model="opencl-3.0", bound=2, test="SB", reason="timeout", engine="smt")


@pytest.fixture
def expect() -> Callable[..., Expectation]:
    def build(**claims: object) -> Expectation:
        stated = dict.fromkeys(("observation", "race", "divergence", "impl_defined", "invalid")) | claims
        return Expectation(model="opencl-3.0", span=span_of("OPENCL"), **stated)  # type: ignore[arg-type]

    return build
