"""What addresses can be: a read index leads anywhere in one object, a read address wherever a stored one leads."""

from __future__ import annotations

import pytest

from mcm.base.source import Source
from mcm.execution import elaborate as elaboration
from mcm.execution.elaborate import elaborate
from mcm.front_end.read import read_test

TEXT = """OPENCL t
{{ global int x[2]; global int y[3]; global int z = 1; global int* p = &x; }}
P0@dev 0 (global int* x, global int* y, global int* z, global int** p) {{ {} }}
"""


@pytest.mark.parametrize(
    ("body", "reached", "times"),
    [
        ("y[1] = 1;", {"y[1]"}, 1),
        ("y[*z] = 1;", {"y[0]", "y[1]", "y[2]"}, 1),
        ("*(*z + y) = 1;", {"y[0]", "y[1]", "y[2]"}, 1),
        ("y[*z % 2 + x[0]] = 1;", {"y[0]", "y[1]", "y[2]"}, 1),
        ("(*z ? x : y)[*z] = 1;", {"x[0]", "x[1]", "y[0]", "y[1]", "y[2]"}, 2),
        ("**p = 1;", {"x[0]", "x[1]"}, 2),
        ("(*p)[*z] = 1;", {"x[0]", "x[1]"}, 2),
    ],
)
def test_an_index_needs_no_second_elaboration(
    body: str, reached: set[str], times: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    runs = 0
    real = elaboration._run

    def counted(*arguments: object) -> object:
        nonlocal runs
        runs += 1
        return real(*arguments)  # type: ignore[arg-type]

    monkeypatch.setattr(elaboration, "_run", counted)
    program = read_test(Source("t.litmus", TEXT.format(body))).program
    (skeleton,) = elaborate(program)
    (write,) = (e for e in skeleton.events if e.thread is not None and e.kind.writes)
    assert {program.show_location(location) for location in write.locations} == reached
    assert runs == times
