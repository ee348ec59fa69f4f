"""What commands order is settled as far as the model says so, and no rule that is left out is relied on."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Final

import pytest
from msgspec.structs import replace
from settled_programs import ON_DEVICE, accessed, reduced

from mcm.answer.query import Limits, Query
from mcm.base.source import Source
from mcm.catalogue import registry
from mcm.catalogue.rules import without
from mcm.catalogue.weaken import weakened
from mcm.engine.explicit.decide import decide
from mcm.execution.elaborate import elaborate
from mcm.explain.observed import observed_by
from mcm.front_end.read import read_test

if TYPE_CHECKING:
    from mcm.answer.answer import Answer
    from mcm.cat.model import Model

RULES: Final = ("HOST-1", "HOST-2", "HOST-3", "HOST-4", "HOST-5", "HOST-8", "HOST-9", "HOST-10", "HB-G", "INIT-1")
WAYS: Final = {
    "in-order": ("in_order", "", "clFinish(q);"),
    "by-name": ("out_of_order", ", wait(e)", "clWaitForEvents(f);"),
}


def query_about(queue: str, wait: str, end: str) -> Query:
    program = read_test(
        Source(
            "commands",
            f"""OPENCL commands
{{ fine_svm int p = 0; fine_svm int a[2]; queue q = {queue} dev 0; }}
kernel K (global int* p, global int* a) {{ a[get_global_id(0)] = *p + 1; }}
kernel L (global int* p, global int* a) {{ if (get_global_id(0) == 0) *p = a[0] + a[1]; }}
P0@host (global int* p, global int* a) {{
  *p = 3;
  event e = clEnqueueNDRangeKernel(q, K, 2, 1);
  event f = clEnqueueNDRangeKernel(q, L, 2, 2{wait});
  {end}
  int r = *p;
}}
locations [ p; a; 0:r; ]
""",
        )
    ).program
    limits = Limits(nodes=20_000, seconds=600)
    skeletons = elaborate(program)
    return Query(skeletons, registry.get("opencl-3.0"), observed_by(program), limits=limits, wants_witnesses=False)


def said(answer: Answer) -> tuple[object, ...]:
    assert answer.undecided is None
    return [state.values for state in answer.states], {flag.name for flag in answer.flags}, answer.complete_exists


@pytest.mark.parametrize("way", WAYS)
def test_commands_that_wait_for_each_other_settle_everything(way: str) -> None:
    query = query_about(*WAYS[way])

    assert accessed(reduced(query.skeletons[0])) == set()
    assert said(decide(query, many_events=0)) == ([(8, 8, 4, 4)], set(), True)


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("rule", RULES)
def test_a_rule_that_is_left_out_is_not_relied_on(rule: str, way: str) -> None:
    query = query_about(*WAYS[way])

    for model in (weakened(query.model, [rule]), without(query.model, [rule])):
        assert_the_search_agrees(replace(query, model=model))


def assert_the_search_agrees(query: Query) -> None:
    assert said(decide(query, many_events=0)) == said(decide(query, many_events=1 << 60))


def model_where(definition: str, other: str) -> Model:
    """OpenCL 3.0 with another definition in the place of one."""
    texts = {Path(source.name).name: source.text for source in registry.load_text("opencl-3.0")[1]}
    assert sum(definition in text for text in texts.values()) == 1
    return registry.load_file(
        Path("opencl-3.0.cat"), lambda path: texts[path.name].replace(definition, other) if path.name in texts else None
    )


def query_about_three(model: Model, first: str, second: str, third: str) -> Query:
    """Of three commands that run one work-item each, each one waits for the one before."""
    text = f"""OPENCL chain
{{ fine_svm int p = 0; fine_svm int s = 0; queue q = out_of_order dev 0; }}
kernel J (global int* p, global int* s) {{ {first} }}
kernel K (global int* p, global int* s) {{ {second} }}
kernel L (global int* p, global int* s) {{ {third} }}
P0@host (global int* p, global int* s) {{
  *p = 3;
  event e = clEnqueueNDRangeKernel(q, J, 1, 1);
  event f = clEnqueueNDRangeKernel(q, K, 1, 1, wait(e));
  event g = clEnqueueNDRangeKernel(q, L, 1, 1, wait(f));
  clWaitForEvents(g);
  *s = *s + 1;
}}
locations [ p; s; ]
"""
    program = read_test(Source("chain", text)).program
    limits = Limits(nodes=20_000, seconds=600)
    return Query(elaborate(program), model, observed_by(program), limits=limits, wants_witnesses=False)


@pytest.mark.parametrize(
    ("definition", "other", "kernels"),
    [
        pytest.param(
            "let ends = (same", "let ends = [W] ; (same", ("*s = 1; int r = *p;", "*p = 2;", ""), id="end-after-writes"
        ),
        pytest.param(
            "let completes = [START | END]",
            "let completes = [END]",
            ("*p = *p + 1;", "local int m; m = 0; if (m == 1) *s = 1;", "*p = *p + 1;"),
            id="complete-after-what-is-not-executed",
        ),
        pytest.param(
            "let global-steps = (sb & (global-actions * global-actions))",
            "let global-steps = (sb & ((global-actions \\ CALL) * (global-actions \\ CALL)))",
            ("*s = *p;", "", ""),
            id="calls-after-nothing",
        ),
        pytest.param(
            "let global-steps = (sb & (global-actions * global-actions))",
            "let global-steps = (sb & ((global-actions \\ RETURN) * (global-actions \\ RETURN)))",
            ("", "", "*s = 1;"),
            id="returns-before-nothing",
        ),
    ],
)
def test_what_a_model_does_not_order_is_not_relied_on(
    definition: str, other: str, kernels: tuple[str, str, str]
) -> None:
    as_written = query_about_three(registry.get("opencl-3.0"), *kernels)
    query = query_about_three(model_where(definition, other), *kernels)

    assert accessed(reduced(as_written.skeletons[0])) == set()
    assert_the_search_agrees(query)
    assert decide(query, many_events=0).flags


@pytest.mark.parametrize("wait", ["", ", wait(e)"])
def test_kernels_that_share_atomics_of_a_buffer_are_apart_where_one_waits(wait: str) -> None:
    """Not where they access different ones: that is implementation-defined all the same."""
    text = f"""OPENCL apart
{{ buffer atomic_int x[2]; queue q = out_of_order dev 0; }}
kernel K (global atomic_int* x) {{ atomic_fetch_add_explicit(&x[0], 1, {ON_DEVICE}); }}
kernel L (global atomic_int* x) {{ atomic_fetch_add_explicit(&x[1], 1, {ON_DEVICE}); }}
P0@host (global atomic_int* x) {{
  event e = clEnqueueNDRangeKernel(q, K, 1, 1);
  event f = clEnqueueNDRangeKernel(q, L, 1, 1{wait});
}}
locations [ x; ]
"""
    program = read_test(Source("apart", text)).program
    query = Query(elaborate(program), registry.get("opencl-3.0"), observed_by(program), wants_witnesses=False)
    settled, searched = decide(query, many_events=0), decide(query, many_events=1 << 60)

    assert said(settled) == said(searched)
    assert bool(searched.flags) is not bool(wait)
