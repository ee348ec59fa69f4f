"""Variables of functions in OpenCL C that are static and never change."""

from __future__ import annotations

import pytest

from mcm import InputError, Judged, KernelRequest, KernelSource, check

TEXT = """
int weight(int i) { static const int of[3] = {1, 2, 1}; const static int twice = 2; return of[i] * twice; }
kernel void k(global int* o) { static const int rows[2][2] = {{0, 1}, {2, 3}}; o[0] = weight(1) * 10 + rows[1][0]; }
"""


def source(text: str) -> KernelSource:
    return KernelSource(
        "k.cl", text, KernelRequest(("k global 1",), initial=("int o[1]",), questions=("forall (o[0]=42)",))
    )


def test_constants_have_their_values() -> None:
    found = check(source(TEXT))
    assert isinstance(found, Judged)
    assert found.holds


def test_what_may_change_is_refused() -> None:
    with pytest.raises(InputError, match="the storage class 'static' is not supported"):
        check(source(TEXT.replace("const static", "static")))
