"""Memory that has the name of other memory before it, in another block or by another assignment."""

from __future__ import annotations

from host_samples import holds, kinds

ADD = "q.submit([&](handler& h) { accessor a(b, h); h.parallel_for(range<1>(2), [=](id<1> i) { a[i] += 5; }); });"


def test_blocks_with_memory_of_one_name() -> None:
    block = "{{ std::vector<int> v{{{0}, {0}}}; buffer b(v); {1} }}"
    body = block.format(1, ADD) + block.format(2, ADD)
    assert holds(body, "v[0]=6 /\\ v_2[1]=7")
    used = "{ int* t = malloc_device<int>(2, q); q.fill(t, 1, 2).wait(); q.memcpy(x, t, 8)%s; free(t, q); } "
    start = "int* x = malloc_shared<int>(2, q); "
    assert holds(start + used % ".wait()" + used % ".wait()", "x[1]=1")
    assert kinds(start + used % ".wait()" + used % "" + "q.wait();") == {"data-race"}


def test_a_variable_of_the_name_of_memory() -> None:
    assert holds("{ int v[2] = {1, 2}; int r = v[1]; } { std::vector<int> v{3}; buffer b(v); } int s = 1;", "0:s=1")


def test_a_pointer_that_gets_other_memory() -> None:
    first = "int* p = nullptr; p = malloc_shared<int>(2, q); p[1] = 4; q.single_task([=] { p[0] = 3; })%s; "
    second = "free(p, q); p = malloc_shared<int>(1, q); p[0] = 5; q.single_task([=] { p[0] += 1; }).wait();"
    assert holds(first % ".wait()" + second, "p[0]=3 /\\ p[1]=4 /\\ p_2[0]=6")
    assert "data-race" in kinds(first % "" + second)


def test_pointers_that_are_declared_together() -> None:
    kernel = "q.parallel_for(2, [=](id<1> i) { b[i] = a[i] * 2; })%s; int r = b[1];"
    declared = "int *a, *b = nullptr; a = malloc_shared<int>(2, q); b = malloc_shared<int>(2, q); a[0] = a[1] = 2; "
    assert holds(declared + kernel % ".wait()", "0:r=4 /\\ b[0]=4")
    assert "data-race" in kinds(declared + kernel % "")


def test_memory_that_is_an_argument() -> None:
    before = (
        "template <typename T> struct View { T* data; int n;"
        " T& operator()(int i, int j) const { return data[i * n + j]; } };"
        "void set(queue& q, int* p) { q.single_task([=] { p[0] = 7; }).wait(); }"
    )
    view = "View<int> a{sycl::malloc_shared<int>(4, q), 2}; "
    kernel = "q.parallel_for(range<2>(2, 2), [=](id<2> i) { a(i[0], i[1]) = i[0] * 2 + i[1]; })%s; "
    assert holds(view + kernel % ".wait()", "memory_1[3]=3", before)
    assert kinds(view + kernel % "" + kernel % ".wait()", before) == {"data-race"}
    assert holds("set(q, malloc_shared<int>(1, q));", "p_1[0]=7", before)
