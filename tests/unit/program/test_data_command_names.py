"""What calls that enqueue commands on memory name: locations, also those that are no parameters of the thread."""

from __future__ import annotations

import pytest

from mcm import InputError, Source, check

HEAD = "OPENCL names\n{ [x]=5; [y]=0; queue q = in_order dev 0; }\n"


def test_buffers_need_not_be_parameters() -> None:
    body = "P0@host () { clEnqueueCopyBuffer(q, x, y); int r0 = clEnqueueReadBuffer(q, y, CL_TRUE); }\n"
    assert check(Source("t", f"{HEAD}{body}forall (0:r0=5)")).holds


@pytest.mark.parametrize("name", ["z", "r0"])
def test_what_is_no_location(name: str) -> None:
    body = f"P0@host () {{ int r0 = 0; clEnqueueFillBuffer(q, {name}, 1); }}\n"
    with pytest.raises(InputError) as found:
        check(Source("t", f"{HEAD}{body}exists (x=1)"))
    assert [one.code for one in found.value.diagnostics] == ["E166"]


def test_a_private_variable_hides_a_location() -> None:
    body = "P0@host () { int x = 0; clEnqueueFillBuffer(q, x, 1); }\n"
    with pytest.raises(InputError):
        check(Source("t", f"{HEAD}{body}exists (x=1)"))


def test_local_memory_is_not_the_host_s() -> None:
    body = "P0@host () { clEnqueueFillBuffer(q, t, 1); }\n"
    text = f"OPENCL l\n{{ local int t; queue q = in_order dev 0; }}\n{body}exists (true)"
    with pytest.raises(InputError) as found:
        check(Source("t", text))
    assert "E134" in [one.code for one in found.value.diagnostics]
