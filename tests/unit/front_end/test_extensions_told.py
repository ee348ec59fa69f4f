"""Extensions of SYCL that are not part of the language are named, with what is."""

from __future__ import annotations

import pytest
from host_samples import refused

GRAPH = "sycl::ext::oneapi::experimental::command_graph g{q.get_context(), q.get_device()};"
# Local memory that a kernel makes itself is that of its command group; of functions, only arrays of one dimension are.
FUNCTION = (
    "void f(nd_item<1> it) {"
    " auto& t = *sycl::ext::oneapi::group_local_memory_for_overwrite<int[2][1]>(it.get_group()); t[0][0] = 1; }"
)
CALL = "q.parallel_for(nd_range<1>(2, 2), [=](nd_item<1> it) { f(it); });"


@pytest.mark.parametrize(
    ("body", "before", "told"),
    [
        (GRAPH, "", "a graph of commands"),
        (CALL, FUNCTION, "'local_accessor<int, 1> t(range<1>(4), h);'"),
        (
            CALL.replace("f(it);", "auto all = it.ext_oneapi_get_root_group(); group_barrier(all);"),
            "",
            "a kernel of its own for what stands behind the barrier of all work-groups",
        ),
    ],
)
def test_what_is_written_instead(body: str, before: str, told: str) -> None:
    assert told in refused(body, before)


def test_variables_of_several_devices() -> None:
    before = "namespace exp = sycl::ext::oneapi::experimental; static exp::device_global<int[4]> table;"
    told = refused(
        "queue a{gpu_selector_v}, b{cpu_selector_v}; q.parallel_for(4, [=](id<1> i) { table[i] = i; }).wait();", before
    )
    assert "'table' is a variable of each device" in told
    assert "'int* table = malloc_device<int>(1, q);'" in told
