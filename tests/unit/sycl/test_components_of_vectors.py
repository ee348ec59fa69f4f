"""Vectors are not converted to those with components of another type (SYCL 2020, 4.14.2)."""

from __future__ import annotations

import pytest

import mcm
from mcm import InputError, Source, parse

TEST = "SYCL t\n{{ int x = 0; }}\nq.single_task([=]() {{\n{}\n}});\nforall (x=4)\n"
BEGIN = "float4 f(1, 2, 3, 4); int4 i(1, 2, 3, 4); uint4 u(1);"


@pytest.mark.parametrize(
    "body", ["int4 a = f;", "i = f;", "f += i;", "u = i;", "int4 a(f);", "float8 a(f, i);", "i = f + f;"]
)
def test_other_components_are_refused(body: str) -> None:
    with pytest.raises(InputError) as caught:
        parse(Source("t.litmus", TEST.format(f"{BEGIN} {body}")))
    assert {one.code for one in caught.value.diagnostics} == {"E204"}
    assert "is a vector of" in caught.value.diagnostics[0].message


@pytest.mark.parametrize(
    "body",
    ["int4 a = i;", "int4 a(f.x(), f[1], 3, 4);", "i += 1;", "int4 a(i.lo(), i.hi());", "i *= i; int4 a = f < f;"],
)
def test_numbers_and_vectors_of_one_type(body: str) -> None:
    assert mcm.check(TEST.format(f"{BEGIN} {body} *x = 4;")).verdict is mcm.Verdict.REQUIRED
