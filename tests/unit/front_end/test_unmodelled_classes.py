"""Objects of classes that are not part of the language: one message says so, before any about their uses."""

from __future__ import annotations

import pytest
from host_samples import holds, refused

_READ = "q.submit([&](handler& h) { accessor a(i, h); h.single_task([=] { a.write(int2(0, 0), float4(1)); }); });"


@pytest.mark.parametrize(
    ("body", "message"),
    [
        (f"image<2> i(image_channel_order::rgba, t, range<2>(2, 2)); {_READ}", "an image: "),
        (f"sycl::unsampled_image<2> i(f, range<2>(2, 2)); {_READ}", "an image: "),
        ("int* x = malloc_shared<int>(4, q); std::mdspan m(x, 2, 2); m[0, 1] = 1;", "a view of several dimensions: "),
    ],
)
def test_objects_that_are_refused(body: str, message: str) -> None:
    told = refused(body)
    assert told.startswith(message)
    assert "\n" not in told


def test_names_of_the_program() -> None:
    body = "int image = 1, mdspan = 2; Ray<2> r{3}; int n = image < 2 ? r.a : mdspan;"
    assert holds(body, "0:n=3", "template <int N> struct Ray { int a; };")
