"""Buffers that change places: commands are ordered by what the names mean where they are submitted."""

from __future__ import annotations

from host_samples import holds, kinds, refused

TWO = "buffer<int> a(range<1>(2)), b(range<1>(2)); { host_accessor h(a, write_only); h[0] = 1; h[1] = 2; } "
STEP = (
    "q.submit([&](handler& h) { accessor in(a, h, read_only); accessor out(b, h, write_only, no_init); "
    "h.parallel_for(range<1>(2), [=](id<1> i) { out[i] = in[1 - i] + 10; }); }); "
)


def test_turns_in_a_loop() -> None:
    body = f"{TWO} for (int i = 0; i < 3; i++) {{ {STEP} std::swap(a, b); }} host_accessor r(a); int s = r[0];"
    assert holds(body, "0:s=32 /\\ b[1]=31 /\\ a[0]=21")


def test_buffers_of_containers_write_back_what_they_are_of() -> None:
    body = f"std::vector<int> v{{1, 2}}, w(2); {{ buffer a(v), b(w); {STEP} std::swap(a, b); {STEP} }}"
    assert holds(body, "w[0]=12 /\\ v[0]=21")


def test_a_host_accessor_waits_for_what_the_name_means() -> None:
    memory = "int* x = malloc_shared<int>(1, q); x[0] = 0; "
    wrote = (
        "q.submit([&](handler& h) { accessor o(b, h, write_only, no_init); "
        "h.parallel_for(range<1>(2), [=](id<1> i) { o[i] = 5; if (i == 0) x[0] = 1; }); }); std::swap(a, b); "
    )
    assert kinds(f"{memory} {TWO} {wrote} host_accessor r(a); x[0] = 2;") == set()
    assert kinds(f"{memory} {TWO} {wrote} host_accessor r(b); x[0] = 2;") == {"data-race"}


def test_in_a_branch_it_is_refused() -> None:
    assert "change places in a branch" in refused(f"{TWO} int n = 0; while (n < 2) {{ std::swap(a, b); n++; }}")
