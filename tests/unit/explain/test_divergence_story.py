"""Divergence: who came to the barrier, who did not, and what kept them away."""

from __future__ import annotations

from mcm import Source, check
from mcm.answer.explanation import Kind


def said(body: str, size: int = 2) -> list[str]:
    """What is said of a kernel's first problem."""
    text = f"OPENCL t\n{{ [x]=0; }}\nkernel k (global int* x) {{\n{body}\n}}\nlaunch k global {size};\nexists (x=0)\n"
    explanation = check(Source("t.litmus", text)).explain()
    assert explanation.kind is Kind.PROBLEM
    (story,) = explanation.stories
    assert story.sentences[-1].rules == ("BAR-DIV",)
    return [sentence.text for sentence in story.sentences[:-1]]


def test_a_branch_that_some_do_not_take() -> None:
    assert said("  if (get_local_id(0) < 1) {\n    barrier(CLK_GLOBAL_MEM_FENCE);\n  }", size=8) == [
        "k[0] reaches the work-group barrier of line 5",
        "k[1], k[2], k[3] and 4 more do not: `get_local_id(0) < 1` of line 4 does not hold",
    ]


def test_the_other_branch() -> None:
    assert said("  if (get_local_id(0) == 0) { x[0] = 1; }\n  else { barrier(CLK_GLOBAL_MEM_FENCE); }") == [
        "k[1] reaches the work-group barrier of line 5",
        "k[0] does not: `get_local_id(0) == 0` of line 4 holds",
    ]


def test_a_loop_with_fewer_turns() -> None:
    assert said("  for (int i = 0; i <= get_local_id(0); i++)\n    barrier(CLK_GLOBAL_MEM_FENCE);") == [
        "k[1] reaches the work-group barrier of line 5 in iteration 2",
        "k[0] does not: its loop of line 4 comes to it once",
    ]


def test_one_of_several_conditions() -> None:
    (_, why) = said(
        "  for (int d = 1; d < 3; d++) {\n    if (get_local_id(0) >= d) {\n"
        "      barrier(CLK_GLOBAL_MEM_FENCE);\n    }\n  }"
    )

    assert why.startswith("k[0] does not: one of these is in the way: the loop of line 4 (`d < 3`) has ended;")


def test_a_return_before_it() -> None:
    assert said("  if (get_local_id(0) == 1) { return; }\n  barrier(CLK_GLOBAL_MEM_FENCE);")[1] == (
        "k[1] does not: it ends or waits before"
    )


def test_calls_that_differ() -> None:
    text = (
        "OPENCL t\n{ }\nP0@wg 0 () { B: work_group_barrier(CLK_GLOBAL_MEM_FENCE); }\n"
        "P1@wg 0 () { B: work_group_barrier(CLK_LOCAL_MEM_FENCE); }\nexists (true)\n"
    )
    (story,) = check(Source("t.litmus", text)).explain().stories

    assert [sentence.text for sentence in story.sentences[:-1]] == [
        "P0 calls it at line 3 with the global flag, scope work_group",
        "P1 calls it at line 4 with the local flag, scope work_group",
    ]


def test_all_of_a_large_group_that_come_are_named() -> None:
    branch = "if (get_local_id(0) < 32) {\n    barrier(CLK_LOCAL_MEM_FENCE);\n  }"
    assert said(f"  local int t[64];\n  t[get_local_id(0)] = 1;\n  {branch}", size=64) == [
        "k[0], k[1], k[2] and 29 more reach the work-group barrier of line 7",
        "k[32], k[33], k[34] and 29 more do not: `get_local_id(0) < 32` of line 6 does not hold",
    ]


def test_a_barrier_in_a_loop_of_a_large_group() -> None:
    loop = (
        "for (int s = 32; s > 0; s >>= 1)\n    if (get_local_id(0) < s) {\n      barrier(CLK_LOCAL_MEM_FENCE);\n    }"
    )
    came, missing = said(f"  local int t[64];\n  t[get_local_id(0)] = 1;\n  {loop}", size=64)

    assert came == "k[0], k[1], k[2] and 29 more reach the work-group barrier of line 8 in iteration 1"
    assert missing.startswith("k[32], k[33], k[34] and 29 more do not: ")


def test_of_nested_loops_the_one_that_ends_early_is_told() -> None:
    inner = "for (int j = 0; j < 2 + get_local_id(0); j++) { barrier(CLK_GLOBAL_MEM_FENCE); }"
    assert said(f"  for (int a = 0; a < 2; a++) {{\n    {inner}\n  }}") == [
        "k[1] reaches the work-group barrier of line 5 in iteration 1, 3",
        "k[0] does not: its loop of line 5 comes to it 2 times in iteration 1",
    ]


def test_how_often_it_has_come_there_is_told_beside_several_reasons() -> None:
    inner = "if (j > get_local_id(0)) { barrier(CLK_GLOBAL_MEM_FENCE); }"
    _, missing = said(f"  for (int j = 0; j < 4 + get_local_id(0); j++) {{\n    {inner}\n  }}")
    ended = "the loop of line 4 (`j < 4 + get_local_id(0)`) has ended"
    assert missing == (
        "k[1] does not: it comes to it 3 times, and then one of these is in the way: "
        f"{ended}; `j > get_local_id(0)` of line 5 does not hold"
    )


def test_a_group_function_is_called_no_barrier() -> None:
    assert said("  if (get_local_id(0) == 0)\n    x[0] = work_group_all(1);") == [
        "k[0] reaches the work-group function of line 5",
        "k[1] does not: `get_local_id(0) == 0` of line 4 does not hold",
    ]
