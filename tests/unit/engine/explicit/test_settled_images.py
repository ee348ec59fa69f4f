"""What is settled of images: that nobody reads back what he has written, or else nothing."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mcm.answer.query import Query
from mcm.catalogue import registry
from mcm.catalogue.rules import without as leave_out
from mcm.engine.explicit.decide import decide, open_skeleton
from mcm.execution.elaborate import elaborate
from mcm.explain.observed import observed_by
from mcm.front_end.kernel_source import KernelRequest, KernelSource
from mcm.front_end.read import read_test

STATEMENTS = (
    "r += read_imagei(a, (int2)(i, 0)).x;",
    "r += read_imagei(a, (int2)(1 - i, 0)).x;",
    "write_imagei(b, (int2)(i, 0), (int4)(r + 1));",
    "write_imagei(b, (int2)(0, 0), (int4)(i + 1));",
    "if (i == 0) write_imagei(c, (int2)(0, 0), (int4)(r + 2));",
    "r += read_imagei(c, (int2)(0, 0)).x;",
    "if (i == 1) r += read_imagei(c, (int2)(0, 0)).x;",
    "t[i] = r;",
    "r += t[1 - i];",
    "o[i] = r;",
    "barrier(CLK_LOCAL_MEM_FENCE);",
    "barrier(CLK_GLOBAL_MEM_FENCE | CLK_LOCAL_MEM_FENCE);",
    "work_group_barrier(CLK_IMAGE_MEM_FENCE);",
    "atomic_work_item_fence(CLK_IMAGE_MEM_FENCE, memory_order_acq_rel, memory_scope_work_item);",
)


def query_of(body: str, model: str = "opencl-3.0") -> Query:
    text = f"""kernel void k(read_only image2d_t a, write_only image2d_t b, read_write image2d_t c, global int *o) {{
  int i = get_local_id(0), r = 0;
  local int t[2];
  t[i] = 0;
  {body}
}}
"""
    images = tuple(f"image int {name}[1][2] = {{{{3, 4}}}}" for name in "abc")
    request = KernelRequest(("k global 2, local 2",), initial=(*images, "o[2]"))
    program = read_test(KernelSource("images.cl", text, request)).program
    (skeleton,) = elaborate(program)
    return Query((skeleton,), registry.get(model), observed_by(program), wants_witnesses=False)


def is_settled(query: Query) -> bool:
    (left,) = (open_skeleton(skeleton, query, 0) for skeleton in query.skeletons)
    return not left.events


@pytest.mark.parametrize(
    ("body", "settles"),
    [
        pytest.param(f"{STATEMENTS[0]} {STATEMENTS[2]}", True, id="from one to another"),
        pytest.param(f"{STATEMENTS[0]} t[i] = r; barrier(CLK_LOCAL_MEM_FENCE); o[i] = t[1 - i];", True, id="and on"),
        pytest.param("if (i == 0) write_imagei(c, (int2)(0, 0), (int4)(2)); " + STATEMENTS[6], False, id="a race"),
        pytest.param(
            "write_imagei(c, (int2)(i, 0), (int4)(2)); o[i] = read_imagei(c, (int2)(i, 0)).x;", False, id="back"
        ),
        pytest.param(f"{STATEMENTS[3]}", False, id="both write"),
    ],
)
def test_what_is_settled_of_images(body: str, settles: bool) -> None:
    assert is_settled(query_of(body)) is settles


@pytest.mark.parametrize("rule", ["IMG-1", "VIS-2"])
def test_both_rules_of_visible_writes_are_needed(rule: str) -> None:
    query = query_of(f"{STATEMENTS[0]} {STATEMENTS[2]}")
    without = Query(query.skeletons, leave_out(query.model, (rule,)), query.observed, wants_witnesses=False)

    assert not is_settled(without)


@settings(derandomize=True, deadline=None, max_examples=60)
@given(body=st.lists(st.sampled_from(STATEMENTS), min_size=2, max_size=5).map("\n  ".join))
def test_answers_about_images_are_those_of_a_search_for_everything(body: str) -> None:
    query = query_of(body)
    taken_out, searched = decide(query, many_events=0), decide(query, many_events=1 << 30)

    assert {state.values for state in taken_out.states} == {state.values for state in searched.states}
    assert {flag.name for flag in taken_out.flags} == {flag.name for flag in searched.flags}
    assert {each.fault.kind for each in taken_out.faults} == {each.fault.kind for each in searched.faults}
