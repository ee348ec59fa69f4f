"""`[[sycl::reqd_work_group_size(…)]]`: kernels that are launched on other work-groups."""

from __future__ import annotations

import pytest

from mcm import InputError, Source, parse

TEST = """SYCL t
{{ int x[8] = {{0}}; }}
q.parallel_for({range}, [=](auto it) [[sycl::reqd_work_group_size({size})]] {{
  x[it.get_global_linear_id()] = 1;
}});
exists (x[0]=1)
"""
OF_TWO = "nd_range<2>(range<2>(4, 2), range<2>(2, 1))"


def test_an_nd_range_with_groups_of_that_size() -> None:
    parse(Source("t.litmus", TEST.format(range=OF_TWO.replace("auto", "nd_item<2>"), size="2, 1")))


@pytest.mark.parametrize("size", ["1, 2", "2", "2, 1, 1"])
def test_an_nd_range_with_other_groups(size: str) -> None:
    with pytest.raises(InputError) as raised:
        parse(Source("t.litmus", TEST.format(range=OF_TWO, size=size)))

    assert [one.code for one in raised.value.diagnostics] == ["E212"]
