"""The JSON of every kind of explanation fits the shipped schema and names lines, columns, rules and edges."""

from __future__ import annotations

import json
from typing import Any, Final

import pytest
from jsonschema import Draft202012Validator

from mcm import Options, Session, Source, render_explanations_json
from mcm.report.explanation_records import SCHEMA_FILE

ADD = "atomic_fetch_add_explicit(x, 1, memory_order_relaxed, memory_scope_device);"
CYCLE = (
    "P0 (atomic_int* x, atomic_int* y) {\n  int r0 = atomic_load_explicit(x, memory_order_relaxed);\n"
    "  atomic_store_explicit(y, r0, memory_order_relaxed);\n}\n"
    "P1 (atomic_int* x, atomic_int* y) {\n  int r0 = atomic_load_explicit(y, memory_order_relaxed);\n"
    "  atomic_store_explicit(x, r0, memory_order_relaxed);\n}\nexists (0:r0=42)\n"
)
# The line of the first access, or the barrier, of each problem.
LINES: Final = {
    "data-race": 3,
    "barrier-divergence": 3,
    "uninitialised-read": 3,
    "out-of-bounds": 3,
    "overlapping-use": 7,
}
KERNELS: Final = {
    "required": (
        f"{{ [x]=0; }}\nkernel K (global atomic_int* x) {{ {ADD} }}\nlaunch K global 2, local 1;\n",
        "forall ([x]=2)",
    ),
    "data-race": ("{ [x]=0; }\nkernel K (global int* x) { *x = 1; }\nlaunch K global 2, local 1;\n", "exists ([x]=1)"),
    "barrier-divergence": (
        (
            "{ [x]=0; }\nkernel K (global int* x) {"
            " if (get_local_id(0) == 0) { work_group_barrier(CLK_LOCAL_MEM_FENCE); } }\n"
            "launch K global 2, local 2;\n"
        ),
        "exists ([x]=0)",
    ),
    "uninitialised-read": (
        "{ [x]=0; }\nkernel K (global int* x, local int t[1]) { *x = t[0]; }\nlaunch K global 1, local 1;\n",
        "exists ([x]=0)",
    ),
    "out-of-bounds": (
        (
            "{ int a[2]={0,0}; [x]=0; }\nkernel K (global int* a, global int* x) { *x = a[2]; }\n"
            "launch K global 1, local 1;\n"
        ),
        "exists ([x]=0)",
    ),
    "blocked": (
        (
            "{ [x]=0; }\nkernel K (global atomic_int* x) {\n"
            "  while (atomic_load_explicit(x, memory_order_relaxed, memory_scope_device) == 0) { }\n}\n"
            "launch K global 1, local 1;\n"
        ),
        "exists ([x]=1)",
    ),
    "overlapping-use": (
        (
            "{\n  buffer int a[2]={0,0};\n  buffer s = clCreateSubBuffer(a, 1, 1);\n  queue q = out_of_order dev 0;\n"
            "}\n"
            "kernel A (global int* a) { a[0] = 1; }\nkernel B (global int* s) { int r0 = s[0]; }\n"
            "P0@host () {\n  clEnqueueNDRangeKernel(q, A, 1, 1);\n  clEnqueueNDRangeKernel(q, B, 1, 1);\n}\n"
        ),
        "exists (B[0]:r0!=0)",
    ),
}


def explained(source: Source, *models: str) -> list[dict[str, Any]]:
    """The explanations of a test as the document has them, once that has been found to fit its schema."""
    session = Session()
    found = session.explanations(source, Options(models=models)) if models else (session.explain(source),)
    document = json.loads(render_explanations_json(found))
    Draft202012Validator(json.loads(SCHEMA_FILE.read_text(encoding="utf-8"))).validate(document)
    return list(document["explanations"])


@pytest.mark.parametrize("kind", KERNELS)
def test_json_of_each_kind_of_kernel_fits_the_schema(kind: str) -> None:
    text, condition = KERNELS[kind]
    (one,) = explained(Source("t.litmus", f"OPENCL t\n{text}{condition}\n"))

    story, *_ = one["stories"]
    assert (one["kind"] if one["problem"] is None else one["problem"]["kind"]) == kind
    executed = [event for event in story["events"] if event["thread"] is not None]
    assert all(event["line"] and event["col"] for event in executed)
    assert story["sentences"] or one["sentences"]
    if one["problem"] is not None:
        assert one["problem"]["rules"]
        assert one["problem"]["events"][0]["line"] == LINES[kind]


@pytest.mark.slow
def test_json_of_what_two_models_say_names_edges_rules_and_terms() -> None:
    allowed, forbidden, separation = explained(Source("t.litmus", f"C t\n{{ [x]=0; [y]=0; }}\n{CYCLE}"), "c11", "rc11")

    assert (allowed["kind"], forbidden["kind"], separation["kind"]) == ("allowed", "forbidden", "difference")
    assert any("thin air" in sentence["text"] for sentence in allowed["stories"][0]["sentences"])
    assert forbidden["rule_sets"][0]["rules"] == ["SB-1", "OOTA-1"]
    (story,) = forbidden["stories"]
    lines = {event["number"]: event["line"] for event in story["events"]}
    edges = story["broken"]["edges"]
    assert [(edge["name"], lines[edge["first"]], lines[edge["last"]]) for edge in edges] == [
        ("po", 4, 5),
        ("rf", 5, 8),
        ("po", 8, 9),
        ("rf", 9, 4),
    ]
    assert story["sentences"][-1]["breaks"]
    assert story["sentences"][-1]["derivation"]["term"]
