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
