"""Variables of the device, `device_global`."""

from __future__ import annotations

import pytest
from host_samples import holds, kinds, refused

NAMES = "using namespace sycl::ext::oneapi::experimental; "
COUNT = NAMES + "device_global<int> count{3}; "
ATOMIC = "atomic_ref<int, memory_order::relaxed, memory_scope::device>(%s)++; "


@pytest.mark.parametrize("name", ["count", "count.get()"])
def test_it_outlives_kernels(name: str) -> None:
    body = f"q.single_task([=] {{ {name} = {name} + 1; }}).wait(); "
    assert holds(
        body * 2 + "int r; q.memcpy(&r, count).wait(); int* x = malloc_shared<int>(1, q); *x = r;", "x[0]=5", COUNT
    )


def test_work_items_share_it() -> None:
    launch = "q.parallel_for(nd_range<1>(2, 1), [=](nd_item<1> it) { %s }).wait();"
    assert holds(launch % (ATOMIC % "count.get()"), "count[0]=5", COUNT)
    assert kinds(launch % "count = count + 1;", COUNT) == {"data-race"}


def test_a_function_that_names_it() -> None:
    before = COUNT + "void hit(int by) { count.get() += by; } void twice() { hit(1); hit(2); }"
    assert holds("q.single_task([=] { twice(); }).wait();", "count[0]=6", before)


def test_an_array_is_copied_whole_or_in_parts() -> None:
    before = (
        NAMES + "constexpr int N = 2; static device_global<int[2 * N], decltype(properties(device_image_scope))> t;"
    )
    body = (
        "int v[4] = {1, 2, 3, 4}; int w[2] = {8, 9}; q.copy(v, t).wait(); q.copy(w, t, 2, 1).wait(); "
        "q.single_task([=] { t[0] += t[3]; }).wait();"
    )
    assert holds(body, "t[0]=5 /\\ t[1]=8 /\\ t[2]=9 /\\ t[3]=4", before)


def test_members() -> None:
    before = NAMES + "struct P { int a; int b; }; device_global<P> p;"
    assert holds("q.single_task([=] { p->a = 2; p.get().b = p->a + 1; }).wait();", "p.a[0]=2 /\\ p.b[0]=3", before)


def test_a_copy_that_nothing_waits_for() -> None:
    assert "data-race" in kinds(
        "int r = 1; q.memcpy(count, &r); q.single_task([=] { count = 2; }).wait(); q.wait();", COUNT
    )


def test_those_of_several_devices_are_refused() -> None:
    body = "queue a{cpu_selector_v}, b{gpu_selector_v}; a.single_task([=] { count = 1; }).wait();"
    assert "there are several here" in refused(body, COUNT)
    assert "expected a constant size" in refused("q.wait();", NAMES + "int n; device_global<int[n]> t;")
