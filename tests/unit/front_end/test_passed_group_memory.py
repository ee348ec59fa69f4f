"""Local memory that functions of the device make."""

from __future__ import annotations

import pytest
from host_samples import holds, kinds, refused

EXT = "sycl::ext::oneapi::"
MEMORY = "int* r = malloc_shared<int>(4, q);"
KERNEL = "q.parallel_for(nd_range<1>(4, 2), [=](nd_item<1> it) { BODY }).wait();"
STATIC = f"{EXT}experimental::work_group_static<int[2]> t;"
OVERWRITTEN = f"auto& t = *{EXT}group_local_memory_for_overwrite<int[2]>(it.get_group());"
SUM = (
    "int sum(nd_item<1> it, int v) { MAKES t[it.get_local_id(0)] = v; group_barrier(it.get_group()); "
    "return t[0] + t[1]; }"
)
COUNT = (
    f"void count(nd_item<1> it, int* r) {{ auto& c = *{EXT}group_local_memory<int>(it.get_group(), 5); "
    "atomic_ref<int, memory_order::relaxed, memory_scope::work_group>(c)++; group_barrier(it.get_group()); "
    "if (it.get_local_id(0) == 0) r[it.get_group(0)] = c; } void outer(nd_item<1> it, int* r) { count(it, r); }"
)


def program(body: str) -> str:
    return MEMORY + KERNEL.replace("BODY", body)


@pytest.mark.parametrize("makes", [STATIC, OVERWRITTEN])
def test_arrays(makes: str) -> None:
    before = SUM.replace("MAKES", makes)
    body = "int i = it.get_global_id(0); r[i] = sum(it, i + 1);"
    assert holds(program(body), "r[0]=3 /\\ r[1]=3 /\\ r[3]=7", before)
    assert kinds(program(body), before.replace("group_barrier(it.get_group());", "")) == {
        "data-race",
        "uninitialised-read",
    }


def test_two_calls_have_one_memory() -> None:
    before = SUM.replace("MAKES", STATIC)
    calls = "int a = sum(it, 1); BETWEEN int b = sum(it, 2); r[it.get_global_id(0)] = a + b;"
    assert kinds(program(calls.replace("BETWEEN", "")), before) == {"data-race"}
    assert holds(program(calls.replace("BETWEEN", "group_barrier(it.get_group());")), "r[0]=6", before)


def test_values_and_functions_that_call_others() -> None:
    assert holds(program("outer(it, r);"), "r[0]=7 /\\ r[1]=7", COUNT)


def test_functions_that_others_than_kernels_call() -> None:
    """Who calls them is not known: they are refused as they were."""
    before = SUM.replace("MAKES", OVERWRITTEN) + "struct Sum { int of(nd_item<1> it) const { return sum(it, 1); } };"
    assert "'local_accessor<int, 1> t(range<1>(4), h);'" in refused(program("Sum s; r[0] = s.of(it);"), before)
