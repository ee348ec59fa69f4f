"""Sub-groups whose size a program does not choose: those of one device, which is told."""

from __future__ import annotations

import pytest
from host_samples import warnings

_X = "int* x = malloc_shared<int>(4, q);"
_KERNEL = "q.parallel_for(nd_range<1>(4, 4), [=](nd_item<1> it) {choice} {{ x[it.get_local_id()] = 1; {use} }}).wait();"
_FENCE = "atomic_fence(memory_order::acq_rel, memory_scope{scope});"


@pytest.mark.parametrize(
    "use",
    [
        "group_barrier(it.get_sub_group());",
        _FENCE.format(scope="::sub_group"),
        _FENCE.format(scope="_sub_group"),
    ],
)
def test_a_size_that_is_not_chosen_is_told(use: str) -> None:
    assert warnings(_X + _KERNEL.format(choice="", use=use)) == ["W155"]
    assert warnings(_X + _KERNEL.format(choice="[[sycl::reqd_sub_group_size(2)]]", use=use)) == []


def test_it_is_told_once_and_only_where_it_matters() -> None:
    twice = "group_barrier(it.get_sub_group()); group_barrier(it.get_sub_group());"
    assert warnings(_X + _KERNEL.format(choice="", use=twice)) == ["W155"]
    other = "group_barrier(it.get_group()); " + _FENCE.format(scope="::work_group")
    assert warnings(_X + _KERNEL.format(choice="", use=other)) == []
