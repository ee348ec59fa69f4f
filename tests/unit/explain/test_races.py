from __future__ import annotations

import re
from typing import TYPE_CHECKING

import pytest

from mcm import Source, check_all

if TYPE_CHECKING:
    from pathlib import Path

    from mcm import Problem, Result


def result_of(threads: str, *, initial: str = "[x]=0;", model: str = "opencl-3.0", dialect: str = "OPENCL") -> Result:
    (result,) = check_all(Source("t.litmus", f"{dialect} t\n{{ {initial} }}\n{threads}\n"), models=(model,))
    return result


def only(result: Result) -> Problem:
    (problem,) = result.undefined
    return problem


def test_plain_accesses_race_in_global_memory() -> None:
    problem = only(result_of("P0@wg 0 (global int* x) { *x = 1; }\nP1@wg 1 (global int* x) { int r0 = *x; }"))

    assert problem.kind == "data-race"
    assert problem.rules == ("DR-1",)
    assert problem.why == "neither access is atomic; no global-happens-before orders them"
    assert [(site.thread, site.span.line, site.text) for site in problem.sites] == [
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


STORE = "atomic_store_explicit(x, 1, memory_order_relaxed, memory_scope_{});"


def scopes_in(why: str) -> str:
    return why.removeprefix("scopes not inclusive: ").removesuffix("; no global-happens-before orders them")


@pytest.mark.parametrize(
    ("first", "second", "memory", "why"),
    [
        ("sg 0:sub_group", "sg 1:sub_group", "", "different sub-groups (SCOPE-1)"),
        ("wg 0:work_group", "wg 1:device", "", "different work-groups (SCOPE-2)"),
        ("ki 0:device", "ki 1:device", "", "different kernel instances on a buffer (SCOPE-3)"),
        ("dev 0:device", "dev 1:device", "fine_svm_atomics", "different devices (SCOPE-4)"),
        ("dev 0:device", "host:all_svm_devices", "fine_svm_atomics", "host and device (SCOPE-4)"),
        ("wg 0:work_group", "wg 0:device", "", "both must name the same scope (SCOPE-6)"),
        (
            "dev 0:all_svm_devices",
            "dev 1:all_svm_devices",
            "coarse_svm",
            ("different devices (SCOPE-4); for memory without SVM atomics all_svm_devices acts as device (SCOPE-7)"),
        ),
        ("wg 0:work_item", "wg 1:work_item", "", "which reach no other unit"),
    ],
)
def test_the_rule_that_comes_closest_is_named(first: str, second: str, memory: str, why: str) -> None:
    (one, scope), (other, wider) = first.split(":"), second.split(":")
    threads = "\n".join(
        f"P{number}@{site} (global atomic_int* x) {{ {STORE.format(name)} }}"
        for number, (site, name) in enumerate([(one, scope), (other, wider)])
    )

    problem = only(result_of(threads, initial=f"{memory} [x]=0;"))

    assert scopes_in(problem.why) == f"{scope} against {wider}, {why}"
    assert problem.rules == ("DR-1", *re.findall(r"SCOPE-\d+", why))


def test_local_memory_is_ordered_by_the_local_relation() -> None:
    problem = only(result_of("P0@wg 0 (local int* x) { *x = 1; }\nP1@wg 0 (local int* x) { *x = 2; }", initial=""))

    assert problem.why == "neither access is atomic; no local-happens-before orders them (DR-7)"
    assert problem.rules == ("DR-1", "DR-7")


def test_a_model_with_one_happens_before_speaks_of_one() -> None:
    problem = only(result_of("P0 (int* x) { *x = 1; }\nP1 (int* x) { *x = 2; }", dialect="C", model="c11"))

    assert problem.why == "neither access is atomic; no happens-before orders them"


def test_of_a_model_without_rules_no_rule_is_cited(tmp_path: Path) -> None:
    model = tmp_path / "mine.cat"
    model.write_text(
        '"Mine"\nlet by-hand = po | (rf & (REL * ACQ))\nlet earlier = by-hand+\n'
        "flag ~empty (loc & ext & (W * M) & (~IW * ~IW)) \\ (A * A) \\ earlier \\ earlier^-1 as data_race\n"
    )
    threads = f"P0 (global int* x) {{ *x = 1; }}\nP1 (global atomic_int* x) {{ {STORE.format('device')} }}"

    problem = only(result_of(threads, model=str(model)))

    assert problem.why == "only the access of P1 is atomic; earlier does not relate them"
    assert problem.rules == ()


def test_a_model_that_says_why_only_in_a_definition_of_another_shape_is_quoted(tmp_path: Path) -> None:
    model = tmp_path / "mine.cat"
    model.write_text('"Mine"\nflag ~empty loc & ext & (W * W) & (~IW * ~IW) as data_race\n')

    problem = only(result_of("P0 (global int* x) { *x = 1; }\nP1 (global int* x) { *x = 2; }", model=str(model)))

    assert problem.why == "the model mine raises its flag data_race here"


def test_memory_of_no_region_is_ordered_by_no_region() -> None:
    threads = "P0 (int* x) { *x = 1; }\nP1 (int* x) { *x = 2; }"

    problem = only(result_of(threads, dialect="C", model="opencl-3.0"))

    assert problem.why == "neither access is atomic; x belongs to no region, so that no happens-before can order them"


def test_divergence_names_the_thread_that_is_missing() -> None:
    problem = only(
        result_of(
            "P0@wg 0 (global int* x) { work_group_barrier(CLK_GLOBAL_MEM_FENCE); }\n"
            "P1@wg 0 (global int* x) { int r0 = 1; }"
        )
    )

    assert (problem.kind, problem.rules) == ("barrier-divergence", ("BAR-DIV",))
    assert "P1 does not reach it" in problem.why
    assert [(site.thread, site.text) for site in problem.sites] == [("P0", "work_group_barrier(CLK_GLOBAL_MEM_FENCE)")]


def test_a_variable_without_value_is_named() -> None:
    problem = only(result_of("P0@wg 0 (global int* x) {\n  int r0;\n  *x = r0;\n}"))

    assert (problem.kind, problem.rules) == ("uninitialised-read", ("INIT-2",))
    assert problem.why == "'r0' is read before it has been given a value"
    assert [(site.thread, site.span.line) for site in problem.sites] == [("P0", 5)]


def test_a_rule_that_is_left_out_raises_no_problem() -> None:
    source = Source("t", "OPENCL t\n{ }\nP0@wg 0 (global int* x) { int r0; *x = r0; }\n")

    (result,) = check_all(source, without=("INIT-2",))

    assert result.undefined == ()


def test_thread_numbers_may_have_gaps() -> None:
    store = "atomic_store_explicit(x, 1, memory_order_relaxed, memory_scope_work_group);"
    threads = f"P1@wg 0 (global atomic_int* x) {{ {store} }}\nP4@wg 1 (global atomic_int* x) {{ {store} }}"

    problem = only(result_of(threads))

    assert [site.thread for site in problem.sites] == ["P1", "P4"]
    assert problem.rules == ("DR-1", "SCOPE-2")
