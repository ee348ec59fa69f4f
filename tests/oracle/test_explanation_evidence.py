"""Explanations of shipped tests against the engines; `python -m oracle.explanations` takes whole collections."""

from __future__ import annotations

from pathlib import Path

import pytest

from oracle.evidence_log import total_of
from oracle.explanations import PARTS, cases_of

LITMUS = Path(__file__).parents[2] / "litmus"

# A test and a model for each manner of being forbidden or racy that the built-in models have.
SAMPLE = [
    ("c11/CoRR.litmus", "c11"),
    ("c11/SB+sc.litmus", "c11"),
    ("c11/SB+sc.litmus", "rc11"),
    ("c11/LB+rlx.litmus", "rc11"),
    ("c11/SB+rlx.litmus", "sc"),
    ("c11/RMW+rlx.litmus", "c11"),
    ("c11/IRIW+sc.litmus", "c11"),
    ("opencl/patterns/MP.dv.litmus", "opencl-3.0"),
    ("opencl/patterns/MP.fences.litmus", "opencl-3.1"),
    ("opencl/spec/BAR-2.litmus", "opencl-3.0"),
    ("opencl/spec/BAR-3.litmus", "opencl-3.0"),
    ("opencl/spec/SW-L-1.litmus", "opencl-popl"),
    ("opencl/spec/SW-DUAL.litmus", "opencl-3.0"),
    ("opencl/patterns/MP.litmus", "opencl-3.0"),
    ("opencl/patterns/MP.rlx.litmus", "opencl-3.0"),
    ("opencl/kernels/reduction.wrong-flag.litmus", "opencl-3.0"),
    ("opencl/races/mixed-scope.litmus", "opencl-3.0"),
    ("learn/04-exercise.litmus", "opencl-3.0"),
    ("c11/race+rw.litmus", "c11"),
    ("c11/race+ww.litmus", "opencl-3.0"),
    ("opencl/host/HOST-5.two-queues.litmus", "opencl-3.0"),
    ("opencl/host/HOST-2.device.no-event.litmus", "opencl-3.1"),
    ("opencl/host/stories/polling.litmus", "sycl-2020"),
    ("opencl/host/MAP-2.litmus", "c11"),
]


@pytest.mark.slow
@pytest.mark.parametrize(("file", "model"), SAMPLE)
def test_rules_are_minimal_and_repairs_repair(file: str, model: str) -> None:
    cases = list(cases_of(LITMUS / file, [model], list(PARTS), seconds=300.0, done=frozenset()))

    counts = total_of(cases)
    assert [line for case in cases for line in case.wrong] == []
    assert [case.open for case in cases if case.open] == []
    assert counts["forbidden"] + counts["races"] > 0
    assert not counts["races with nothing near"]
