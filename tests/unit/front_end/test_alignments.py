"""`alignas`: it says nothing of what is accessed, unless bytes tell it."""

from __future__ import annotations

import pytest
from host_samples import holds, kinds, refused

_LINE = "struct alignas(64) Line { int n; };"
_L = "Line* l = malloc_shared<Line>(2, q); l[0].n = l[1].n = 0;"


def test_structures_and_variables_that_are_aligned() -> None:
    body = f"{_L} alignas(64) int h[2] = {{1, 2}}; q.parallel_for(2, [=](auto i) {{ l[i].n += 1; }}).wait();"
    assert holds(body, "l.n[1]=1", _LINE)


def test_neighbours_are_no_race_and_one_element_is() -> None:
    assert kinds(f"{_L} q.parallel_for(2, [=](auto i) {{ l[0].n += 1; }}).wait();", _LINE) == {"data-race"}


def test_members_that_fill_a_structure_up() -> None:
    before = "struct alignas(16) P { float v[2], z, w; };"
    body = "P a[2] = {}, *b = malloc_shared<P>(2, q); q.memcpy(b, a, 2 * sizeof(P)).wait(); b[1].w = 1.5f;"
    assert holds(body, "b.w[1]=1.5", before)


@pytest.mark.parametrize(
    ("before", "body"),
    [
        ("struct alignas(16) P { float x, y, z; };", "int n = sizeof(P) / sizeof(float);"),
        ("struct P { alignas(16) float x; float y; };", "P a[2], b[2] = {}; memcpy(a, b, 2 * sizeof(P));"),
    ],
)
def test_layouts_that_bytes_tell(before: str, body: str) -> None:
    assert "'alignas' may make objects larger" in refused(body, before)
