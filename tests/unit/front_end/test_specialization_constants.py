"""Specialization constants of programs."""

from __future__ import annotations

import pytest
from host_samples import holds, refused

_BEFORE = (
    "constexpr specialization_id<int> a{2}; static constexpr sycl::specialization_id<float> f(0.5f); "
    "inline constexpr specialization_id<int> z;"
)
_X = "int* x = malloc_shared<int>(4, q); int n = 3;"
_GET = "kh.get_specialization_constant"


def test_each_command_group_has_its_value() -> None:
    body = (
        f"{_X} q.submit([&](handler& h) {{ h.set_specialization_constant<a>(n + 1); "
        f"h.single_task([=](kernel_handler kh) {{ x[0] = {_GET}<a>(); x[1] = {_GET}<z>(); }}); }}).wait(); n = 9; "
        "q.submit([&](handler& h) { h.parallel_for(range<1>(2), [=](id<1> i, sycl::kernel_handler kh) "
        f"{{ x[i + 2] = {_GET}<a>() * i + {_GET}<f>() * 4; }}); }}).wait();"
    )
    assert holds(body, "x[0]=4 /\\ x[1]=0 /\\ x[2]=2 /\\ x[3]=4", _BEFORE)


@pytest.mark.parametrize(
    ("sets", "message"),
    [
        ("h.set_specialization_constant<a>(1); h.set_specialization_constant<a>(2);", "'a' is set here, and once more"),
        ("h.set_specialization_constant<a>(x[0]);", "'a' is set to what is read here"),
    ],
)
def test_what_is_not_followed(sets: str, message: str) -> None:
    body = (
        f"{_X} q.submit([&](handler& h) {{ {sets} h.single_task([=](kernel_handler kh) {{ x[0] = {_GET}<a>(); }}); }});"
    )
    assert refused(body, _BEFORE).startswith(message)
