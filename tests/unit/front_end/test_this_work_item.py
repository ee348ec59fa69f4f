"""Kernels that ask which work-item they are."""

from __future__ import annotations

import pytest
from host_samples import holds, kinds

X = "int* x = malloc_shared<int>(4, q); "
ASKED = "ext::oneapi::this_work_item::"


@pytest.mark.parametrize("parameter", ["nd_item<1> it", "nd_item<1>", "auto it", "sycl::nd_item<1>"])
@pytest.mark.parametrize("asked", [f"{ASKED}get_nd_item<1>()", "sycl::ext::oneapi::experimental::this_nd_item<1>()"])
def test_the_item_of_a_kernel(parameter: str, asked: str) -> None:
    body = f"auto me = {asked}; x[me.get_global_id(0)] = me.get_local_id(0);"
    kernel = f"q.parallel_for(nd_range<1>(4, 2), [=]({parameter}) {{ {body} }}).wait();"
    assert holds(X + kernel, "x[0]=0 /\\ x[1]=1 /\\ x[2]=0 /\\ x[3]=1")


def test_functions_are_passed_it() -> None:
    before = (
        f"size_t here() {{ return sycl::{ASKED}get_nd_item<1>().get_global_id(0); }} "
        "void put(int* x, int v) { x[here()] = v; } "
        "template <typename T> T sum(T v) { "
        f"return reduce_over_group(sycl::{ASKED}get_work_group<1>(), v, plus<>()); }}"
    )
    kernel = "q.parallel_for(nd_range<1>(4, 2), [=](nd_item<1> it) { put(x, sum((int)here())); }).wait();"
    assert holds(X + kernel.replace("(int)here()", "int(here())"), "x[0]=1 /\\ x[1]=1 /\\ x[2]=5 /\\ x[3]=5", before)


def test_a_barrier_of_the_group_that_is_asked_for() -> None:
    kernel = (
        "q.parallel_for(nd_range<1>(4, 2), [=](nd_item<1> it) { size_t i = it.get_global_id(0); x[i] = i; %s"
        " int r = x[i ^ 1]; group_barrier(it.get_group()); x[i] = r; }).wait();"
    )
    barrier = f"group_barrier({ASKED}get_work_group<1>());"
    assert holds(X + kernel % barrier, "x[0]=1 /\\ x[1]=0 /\\ x[2]=3")
    assert kinds(X + kernel % "") >= {"data-race"}
