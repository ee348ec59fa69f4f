"""Elements of accessors by an id that is made there, and ranges of buffers by names."""

from __future__ import annotations

import pytest
from host_samples import holds, kinds

BUFFER = "int v[4] = {0, 0, 0, 0}; { buffer<int, 2> b(v, range<2>(2, 2)); q.submit([&](handler& h) { accessor a(b, h); "
END = "}); }"
EACH = "h.single_task([=] { for (int k = 0; k < 2; k++) { a[%s] = k + 1; } });"


@pytest.mark.parametrize("index", ["{k, 1}", "id<2>(k, 1)", "sycl::id<2>{k, 1}", "{size_t(k), a.get_range()[1] - 1}"])
def test_elements_by_an_id_that_is_made(index: str) -> None:
    assert holds(BUFFER + EACH % index + END, "v[0]=0 /\\ v[1]=1 /\\ v[2]=0 /\\ v[3]=2")


def test_an_index_of_one_dimension() -> None:
    body = BUFFER.replace("buffer<int, 2> b(v, range<2>(2, 2))", "buffer<int> b(v, 4)")
    assert holds(body + EACH % "{2 + k}" + END, "v[0]=0 /\\ v[2]=1 /\\ v[3]=2")


def test_an_index_outside_of_a_row() -> None:
    assert kinds(BUFFER + EACH % "{0, k + 1}" + END) == {"out-of-bounds"}


@pytest.mark.parametrize("range_", ["const auto r = b.get_range();", "auto r = a.get_range();"])
def test_a_range_of_a_buffer_in_a_kernel(range_: str) -> None:
    kernel = "h.parallel_for(r, [=](item<2> i) { a[i] = r[1] + r.get(0) + r.size() - 4 + i[0]; });"
    assert holds(f"{BUFFER} {range_} {kernel} {END}", "v[0]=4 /\\ v[3]=5")


def test_a_range_of_a_buffer_of_the_host() -> None:
    kernel = "h.parallel_for(r, [=](item<2> i) { a[i] = r[1]; });"
    body = BUFFER.replace("q.submit", "auto r = b.get_range(); q.submit")
    assert holds(body + kernel + END, "v[0]=2 /\\ v[3]=2")


def test_a_size_of_a_buffer_in_a_command_group() -> None:
    assert holds(f"{BUFFER} auto n = b.size(); h.single_task([=] {{ a[0][1] = n; }}); {END}", "v[1]=4")
