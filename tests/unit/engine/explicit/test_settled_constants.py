"""Constant memory that nobody reads leaves nothing; what reads it stays, and answers are those of a search."""

from __future__ import annotations

import pytest

from mcm.answer.query import Query
from mcm.base.source import Source
from mcm.catalogue import registry
from mcm.engine.explicit.decide import decide, open_skeleton
from mcm.execution.elaborate import elaborate
from mcm.explain.observed import observed_by
from mcm.front_end.read import read_test


@pytest.mark.parametrize(
    ("body", "is_settled"),
    [
        pytest.param("o[l] = a[l];", True, id="read by nobody"),
        pytest.param("o[l] = a[l] + k[l];", False, id="read"),
        pytest.param("o[l] = a[l] + k[a[l] & 7];", False, id="read where data says"),
        pytest.param("o[0] = l; o[1] = k[1];", False, id="beside a race"),
    ],
)
def test_what_is_settled_of_constant_memory(body: str, is_settled: bool) -> None:
    text = f"""OPENCL constants
{{ constant int k[8] = {{1, 2, 3}}; int a[4] = {{4, 1}}; int o[4]; }}
kernel K (constant int* k, global int* a, global int* o) {{ int l = get_local_id(0); {body} }}
launch K global 2, local 2, dev 0;
exists (o[0]=0 /\\ o[1]=3)
"""
    program = read_test(Source("constants", text)).program
    (skeleton,) = elaborate(program)
    query = Query((skeleton,), registry.get("opencl-3.0"), observed_by(program), wants_witnesses=False)
    taken_out, searched = decide(query, many_events=0), decide(query, many_events=1 << 30)

    assert (open_skeleton(skeleton, query, 0).events == ()) is is_settled
    assert [state.values for state in taken_out.states] == [state.values for state in searched.states]
    assert [flag.name for flag in taken_out.flags] == [flag.name for flag in searched.flags]
