"""What stands for a float that has no value, or no initializer of its own, is a float: for both engines and in runs."""

from __future__ import annotations

import pytest

from mcm import EngineName, Judged, check, parse, run

TEST = """OPENCL floats
{{ float f[2]; }}
kernel K (global float* f, local float u[1]) {{ {body} }}
launch K global 1, local 1, dev 0;
locations [ f; 0:m; ]
exists (f[0]=7.0)
"""


@pytest.mark.parametrize(
    "body",
    [
        "float m = u[0];",
        "float k[2] = {1.5f}; float m = k[1];",
        "float m; if (f[0] == 1) { m = 2; }",
        "float m = f[0]; f[1] = u[0];",
    ],
)
def test_zero_is_shown_as_a_float(body: str) -> None:
    test = parse(TEST.format(body=body))
    found = [check(test, engine=engine) for engine in (EngineName.EXPLICIT, EngineName.SMT)]
    states = [[*state.values.values()] for one in found if isinstance(one, Judged) for state in one.states]
    states += [[*counted.state.values.values()] for counted in run(test, runs=1).states]

    assert [repr(values) for values in states] == ["[0.0, 0.0, 0.0]"] * 3
