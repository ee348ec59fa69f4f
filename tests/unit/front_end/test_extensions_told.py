"""Extensions of SYCL that are not part of the language are named, with what is."""

from __future__ import annotations

import pytest
from host_samples import refused

GRAPH = "sycl::ext::oneapi::experimental::command_graph g{q.get_context(), q.get_device()};"
LOCAL = (
    "q.parallel_for(nd_range<1>(2, 2), [=](nd_item<1> it) {"
    " auto& t = *sycl::ext::oneapi::group_local_memory_for_overwrite<int[2]>(it.get_group()); t[0] = 1; });"
)


@pytest.mark.parametrize(
    ("body", "told"), [(GRAPH, "a graph of commands"), (LOCAL, "'local_accessor<int, 1> t(range<1>(4), h);'")]
)
def test_what_is_written_instead(body: str, told: str) -> None:
    assert told in refused(body)


def test_variables_of_devices() -> None:
    before = "namespace exp = sycl::ext::oneapi::experimental; static exp::device_global<int[4]> table;"
    told = refused("q.parallel_for(4, [=](id<1> i) { table[i] = i; }).wait();", before)
    assert "'table' is a variable of each device" in told
    assert "'int* table = malloc_device<int>(1, q);'" in told
