"""Arrays of arrays, `std::array<std::array<int, 3>, 2>`, of which only elements are named."""

from __future__ import annotations

from host_samples import holds, kinds, refused

DECLARED = "std::array<std::array<int, 3>, 2> m{}; "
FILLS = (
    "{ buffer<int, 2> b(&m[0][0], range<2>(m.size(), m[0].size())); q.submit([&](handler& h) { accessor a(b, h); "
    "h.parallel_for(range<2>(2, 2), [=](id<2> i) { a[i] = i[0] * 3 + i[1]; }); }); END } "
)


def test_memory_of_buffers() -> None:
    assert holds(DECLARED + FILLS.replace("END", ""), "m[5]=0 /\\ m[4]=4 /\\ m[1]=1")
    assert kinds(DECLARED + FILLS.replace("END", "int s = m[1][1];")) == {"data-race"}


def test_elements() -> None:
    loops = "for (size_t i = 0; i < m.size(); i++) for (size_t j = 0; j < m[i].size(); j++) "
    memory = "int* x = malloc_shared<int>(1, q); *x = 0; "
    assert holds(f"{DECLARED}{memory}{loops} m[i][j] = 1; {loops} *x += m[i][j];", "x[0]=6")
    kernel = f"{DECLARED.replace('{}', '')} {loops} m[i][j] = i + j; *x = m[1][2];"
    assert holds(f"{memory}q.single_task([=] {{ {kernel} }}).wait();", "x[0]=3")


def test_rows_are_no_arrays_of_their_own() -> None:
    assert refused(f"{DECLARED} std::array<int, 3> row = m[1]; m[0][0] = row[2];")
