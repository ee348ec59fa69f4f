"""Lists of buffers: each element is a buffer of its own, or the one that it is a copy of."""

from __future__ import annotations

import pytest
from host_samples import holds, kinds, refused

ADD = "q.submit([&](handler& h) { accessor a(BUFFER, h); h.parallel_for(2, [=](id<1> k) { a[k] += 1; }); });"
VECTORS = "std::vector<int> v(2, 1), w(2, 5); "


@pytest.mark.parametrize(
    ("body", "question"),
    [
        (
            (
                f"{VECTORS} {{ buffer<int> b(v); std::vector<buffer<int>> all; all.reserve(2); all.push_back(b); "
                f"all.emplace_back(w); for (size_t i = 0; i < all.size(); i++) {{ {ADD.replace('BUFFER', 'all[i]')} }} "
                f"{ADD.replace('BUFFER', 'b')} {ADD.replace('BUFFER', 'all[1]')} }}"
            ),
            "v[0]=3 /\\ w[1]=7",
        ),
        (
            (
                "int* x = malloc_shared<int>(1, q); { std::vector<sycl::buffer<int, 1>> all; "
                "for (int i = 0; i < 2; i++) all.push_back(buffer<int, 1>(range<1>(2))); "
                "for (auto& b : all) q.submit([&](handler& h) "
                "{ accessor a(b, h, write_only); h.parallel_for(2, [=](id<1> k) { a[k] = 3; }); }); "
                "host_accessor a(all[1], read_only); *x = a[0] + all.size(); }"
            ),
            "x[0]=5",
        ),
    ],
)
def test_buffers(body: str, question: str) -> None:
    assert holds(body, question)


def test_race_on_what_an_element_is_of() -> None:
    """Two buffers of one memory are told; a command writes what the host reads before the buffer ends."""
    body = (
        f"{VECTORS} std::vector<buffer<int>> all; all.emplace_back(v); {ADD.replace('BUFFER', 'all[0]')} int r = v[0];"
    )

    assert kinds(body) == {"data-race"}


def test_elements_that_are_not_known() -> None:
    body = (
        f"{VECTORS} std::vector<buffer<int>> all; all.emplace_back(v); int k = v[0]; {ADD.replace('BUFFER', 'all[k]')}"
    )

    assert "the type of the elements of 'all' is not evident" in refused(body)
