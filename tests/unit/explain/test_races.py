from __future__ import annotations

from typing import TYPE_CHECKING

from mcm.base.source import Source
from mcm.pipeline import Options, check

if TYPE_CHECKING:
    from mcm.answer.result import Problem, Result


def result_of(threads: str, *, initial: str = "[x]=0;", model: str = "opencl-3.0", dialect: str = "OPENCL") -> Result:
    (result,) = check(Source("t.litmus", f"{dialect} t\n{{ {initial} }}\n{threads}\n"), Options(models=(model,)))
    return result


def only(result: Result) -> Problem:
    (problem,) = result.undefined
    return problem


def test_plain_accesses_race_in_global_memory() -> None:
    problem = only(result_of("P0@wg 0 (global int* x) { *x = 1; }\nP1@wg 1 (global int* x) { int r0 = *x; }"))

    assert problem.kind == "data-race"
    assert problem.rules == ("DR-1",)
    assert problem.why == "neither access is atomic; no global-happens-before orders them"
    assert [(place.thread, place.span.line, place.text) for place in problem.places] == [
        ("P0", 3, "*x = 1"),
        ("P1", 4, "*x"),
    ]


def test_the_atomic_one_is_named() -> None:
    problem = only(
        result_of(
            "P0@wg 0 (global int* x) { *x = 1; }\n"
            "P1@wg 1 (global atomic_int* x) { atomic_store_explicit(x, 2, memory_order_relaxed, memory_scope_device); }"
        )
    )

    assert problem.why.startswith("only the access of P1 is atomic (DR-5); ")
    assert problem.rules == ("DR-1", "DR-5")


def test_scopes_are_compared() -> None:
    store = "atomic_store_explicit(x, 1, memory_order_relaxed, memory_scope_{});"
    threads = (
        f"P0@wg 0 (global atomic_int* x) {{ {store.format('work_group')} }}\n"
        f"P1@wg 1 (global atomic_int* x) {{ {store.format('device')} }}"
    )

    problem = only(result_of(threads))

    assert problem.rules == ("DR-1", "SCOPE-2")
    assert problem.why == (
        "scopes not inclusive: work_group against device, different work-groups (SCOPE-2);"
        " no global-happens-before orders them"
    )


def test_local_memory_is_ordered_by_the_local_relation() -> None:
    problem = only(result_of("P0@wg 0 (local int* x) { *x = 1; }\nP1@wg 0 (local int* x) { *x = 2; }", initial=""))

    assert problem.why == "neither access is atomic; no local-happens-before orders them (DR-7)"
    assert problem.rules == ("DR-1", "DR-7")


def test_a_model_with_one_happens_before_speaks_of_one() -> None:
    problem = only(result_of("P0 (int* x) { *x = 1; }\nP1 (int* x) { *x = 2; }", dialect="C", model="c11"))

    assert problem.why == "neither access is atomic; no happens-before orders them"


def test_divergence_names_the_thread_that_is_missing() -> None:
    problem = only(
        result_of(
            "P0@wg 0 (global int* x) { work_group_barrier(CLK_GLOBAL_MEM_FENCE); }\n"
            "P1@wg 0 (global int* x) { int r0 = 1; }"
        )
    )

    assert (problem.kind, problem.rules) == ("barrier-divergence", ("BAR-DIV",))
    assert "P1 does not reach it" in problem.why
    assert [(place.thread, place.text) for place in problem.places] == [
        ("P0", "work_group_barrier(CLK_GLOBAL_MEM_FENCE)")
    ]


def test_a_variable_without_value_is_named() -> None:
    problem = only(result_of("P0@wg 0 (global int* x) {\n  int r0;\n  *x = r0;\n}"))

    assert (problem.kind, problem.rules) == ("uninitialised-read", ("INIT-2",))
    assert problem.why == "'r0' is read before it has been given a value"
    assert [(place.thread, place.span.line) for place in problem.places] == [("P0", 5)]


def test_a_rule_that_is_left_out_raises_no_problem() -> None:
    source = Source("t", "OPENCL t\n{ }\nP0@wg 0 (global int* x) { int r0; *x = r0; }\n")

    (result,) = check(source, Options(without=("INIT-2",)))

    assert result.undefined == ()


def test_thread_numbers_may_have_gaps() -> None:
    store = "atomic_store_explicit(x, 1, memory_order_relaxed, memory_scope_work_group);"
    threads = f"P1@wg 0 (global atomic_int* x) {{ {store} }}\nP4@wg 1 (global atomic_int* x) {{ {store} }}"

    problem = only(result_of(threads))

    assert [place.thread for place in problem.places] == ["P1", "P4"]
    assert problem.rules == ("DR-1", "SCOPE-2")
