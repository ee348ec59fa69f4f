"""W153: memory that belongs to a buffer is accessed, by its name or by a pointer, and not only named."""

from __future__ import annotations

import pytest
from host_samples import holds, warnings

COMMAND = "q.submit([&](handler& h) { accessor a(b, h); h.parallel_for(2, [=](id<1> i) { a[i] = 1; }); });"
START = "int* p = new int[2]; p[0] = p[1] = 0; int* r = nullptr; "


@pytest.mark.parametrize("named", ["r = p;", "int* s = p; r = s;"])
def test_a_pointer_may_get_its_address(named: str) -> None:
    body = f"{START} {{ buffer<int> b(p, range<1>(2)); {COMMAND} {named} }} int t = r[1];"
    assert warnings(body) == []
    assert holds(body, "0:t=1")


@pytest.mark.parametrize("access", ["r = p; int t = r[0];", "int* s = p; int t = *s;", "int t = p[0];", "p[0] = 2;"])
def test_an_access_is_told(access: str) -> None:
    assert "W153" in warnings(f"{START} buffer<int> b(p, range<1>(2)); {COMMAND} q.wait(); {access}")
