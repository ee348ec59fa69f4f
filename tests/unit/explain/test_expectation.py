from __future__ import annotations

from typing import Any

import pytest

from mcm import Source, check_all
from mcm.catalogue.library import Library
from mcm.explain.expectation import expectation_for
from mcm.front_end.read import read_test

RACE = "P0@wg 0 (global int* x) { *x = 1; }\nP1@wg 1 (global int* x) { int r0 = *x; }\n"
SPIN = (
    "P0@wg 0 (global atomic_int* x) { atomic_store(x, 1); }\n"
    "P1@wg 1 (global atomic_int* x, global atomic_int* y) {\n"
    "  while (atomic_load(x) == 0) { atomic_fetch_add(y, 1); }\n  int r0 = 1;\n}\n"
)


def judged(expectation: str, threads: str, condition: str, **options: Any) -> bool | None:
    text = f"OPENCL t\nExpect.opencl-3.0={expectation}\n{{ }}\n{threads}exists ({condition})\n"
    (result,) = check_all(Source("t", text), **options)
    return result.as_expected


@pytest.mark.parametrize(
    ("expectation", "met"),
    [
        ("Sometimes", False),
        ("Always", True),
        ("Never", False),
        ("race", True),
        ("no-race", False),
        ("Always race", True),
        ("Always no-race", False),
        ("divergence", False),
        ("defined", False),
        ("Always defined", False),
        ("invalid", False),
        ("Always invalid", False),
    ],
)
def test_every_claim_counts(expectation: str, met: bool) -> None:
    assert judged(expectation, RACE, "1:r0=0") is met


@pytest.mark.parametrize("expectation", ["Never", "Sometimes", "Always", "no-race", "defined"])
def test_a_bounded_answer_leaves_open_what_was_not_found(expectation: str) -> None:
    condition = "1:r0=0 /\\ x=1" if expectation == "Never" else "1:r0=1"

    assert judged(expectation, SPIN, condition, bound=4) is None


def test_a_bounded_answer_can_refute() -> None:
    assert judged("Never", SPIN, "1:r0=1", bound=4) is False
    assert judged("Always", SPIN, "1:r0=0", bound=4) is False


@pytest.mark.parametrize(("expectation", "met"), [("Sometimes", True), ("Always", False), ("Never", False)])
def test_expectations_are_judged_without_listing_states(expectation: str, met: bool) -> None:
    two = (
        "P0@wg 0 (global atomic_int* x) { int r0 = atomic_load(x); }\n"
        "P1@wg 1 (global atomic_int* x) { atomic_store(x, 1); }\n"
    )

    assert judged(expectation, two, "0:r0=1", states=False) is met


@pytest.mark.parametrize(
    ("body", "met"),
    [
        ("*x = 1;", True),
        ("int a[1]; *x = 1; int r = a[*x];", False),
        ("int r; *x = r;", False),
        ("if (get_local_id(0) == 0) work_group_barrier(CLK_LOCAL_MEM_FENCE);", False),
    ],
)
def test_defined_is_that_nothing_is_undefined_of_whatever_kind(body: str, met: bool) -> None:
    kernel = f"kernel k (global int* x) {{ if (get_global_id(0) == 0) {{ {body} }} }}\nlaunch k global 2, local 2;\n"

    assert judged("defined", kernel, "x=1") is met
    assert judged("no-race", kernel, "x=1") is True


def test_an_invalid_test_may_expect_to_be() -> None:
    wrong = "P0@wg 0 (global atomic_int* x) { atomic_store_explicit(x, 1, memory_order_acquire); }\n"

    assert judged("invalid", wrong, "x=1") is True
    assert judged("Never", wrong, "x=1") is False


HEADER = """{dialect} t
Expect.opencl-3.1=Never
Expect.default=Always
Without.COH-RR=Sometimes
Without.RMW-1+COH-RR@sc=race
"""


@pytest.mark.parametrize(
    ("dialect", "model", "without", "observation"),
    [
        ("OPENCL", "opencl-3.1", (), "Never"),
        ("OPENCL", "opencl-3.0", (), "Always"),
        ("OPENCL", "c11", (), None),
        ("C", "c11", (), "Always"),
        ("OPENCL", "opencl-3.0", ("COH-RR",), "Sometimes"),
        ("OPENCL", "opencl-3.1", ("COH-RR",), None),
        ("OPENCL", "opencl-3.0", ("COH-RW",), None),
    ],
)
def test_an_expectation_belongs_to_a_model_and_to_the_rules_that_it_lacks(
    dialect: str, model: str, without: tuple[str, ...], observation: str | None
) -> None:
    test = read_test(Source("t", HEADER.format(dialect=dialect) + "{ x = 0; }\nP0 () { }\nexists (x = 0)\n"))

    expectation = expectation_for(Library().choose(model, without), test.header)

    assert (expectation and expectation.observation) == observation


def test_several_rules_may_be_left_out_in_any_order() -> None:
    test = read_test(Source("t", HEADER.format(dialect="OPENCL") + "{ x = 0; }\nP0 () { }\nexists (x = 0)\n"))

    expectation = expectation_for(Library().choose("sc", ("COH-RR", "RMW-1")), test.header)

    assert expectation is not None
    assert expectation.race is True
