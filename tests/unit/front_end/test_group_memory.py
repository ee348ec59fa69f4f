"""Local memory that kernels make themselves."""

from __future__ import annotations

import pytest
from host_samples import holds, kinds, refused

X = "int* x = malloc_shared<int>(4, q); "
LAUNCH = (
    "q.parallel_for(nd_range<1>(4, 2), [=](nd_item<1> it) {"
    " auto g = it.get_group(); int l = it.get_local_id(0); %s }).wait();"
)
MAKE = "ext::oneapi::group_local_memory_for_overwrite<int[2]>(g)"
READ = "%sx[it.get_global_id(0)] = %s;"


@pytest.mark.parametrize(
    ("declared", "element"),
    [
        (f"auto& t = *{MAKE};", "t[%s]"),
        (f"auto &t = *(sycl::{MAKE});", "t[%s]"),
        (f"int (&t)[2] = *sycl::{MAKE};", "t[%s]"),
        (f"auto p = {MAKE};", "(*p)[%s]"),
        (f"auto p = {MAKE}; auto& t = *p;", "t[%s]"),
        ("ext::oneapi::experimental::work_group_static<int[2]> t;", "t[%s]"),
    ],
)
def test_an_array(declared: str, element: str) -> None:
    body = declared + element % "l" + " = l + 1; " + READ % ("%s", element % "1 - l")
    assert holds(X + LAUNCH % (body % "group_barrier(g); "), "x[0]=2 /\\ x[1]=1 /\\ x[2]=2 /\\ x[3]=1")
    assert "data-race" in kinds(X + LAUNCH % (body % ""))


@pytest.mark.parametrize(
    ("declared", "one"),
    [
        ("auto p = ext::oneapi::group_local_memory_for_overwrite<int>(g);", "*p"),
        ("auto& v = *ext::oneapi::group_local_memory_for_overwrite<int>(g);", "v"),
        ("ext::oneapi::experimental::work_group_static<int> v;", "v"),
    ],
)
def test_one_number(declared: str, one: str) -> None:
    body = f"{declared} if (l == 0) {one} = 7; " + READ % ("%s", one)
    assert holds(X + LAUNCH % (body % "group_barrier(g); "), "x[0]=7 /\\ x[3]=7")
    assert "data-race" in kinds(X + LAUNCH % (body % ""))


def test_what_is_given_to_it_is_there_for_all() -> None:
    body = (
        "auto t = ext::oneapi::group_local_memory<int[2]>(g, 5); auto n = ext::oneapi::group_local_memory<int>(g, 3); "
    )
    assert holds(X + LAUNCH % (body + READ % ("", "(*t)[l] + *n")), "x[0]=8 /\\ x[1]=3 /\\ x[2]=8")


@pytest.mark.slow
def test_members_by_its_pointer() -> None:
    before = "struct P { int a; int b; };"
    body = "auto p = ext::oneapi::group_local_memory<P>(g, 3, 4); " + READ % ("", "p->a * 10 + p->b")
    assert holds(X + LAUNCH % body, "x[0]=34 /\\ x[3]=34", before)


@pytest.mark.slow
def test_a_launch_that_depends_on_events_and_has_reductions() -> None:
    launch = (
        "int* s = malloc_shared<int>(1, q); *s = 0; event e = q.fill(x, 1, 4); "
        "q.parallel_for(nd_range<1>(4, 2), %sreduction(s, plus<>()), [=](nd_item<1> it, auto& sum) {"
        "  auto& t = *ext::oneapi::group_local_memory_for_overwrite<int[2]>(it.get_group());"
        "  t[it.get_local_id(0)] = x[it.get_global_id(0)]; group_barrier(it.get_group());"
        "  sum += t[1 - it.get_local_id(0)];"
        "}).wait();"
    )
    assert holds(X + launch % "e, ", "s[0]=4")
    assert "data-race" in kinds(X + launch % "")


def test_of_two_dimensions_in_a_command_group() -> None:
    kernel = (
        "q.submit([&](handler& h) { h.parallel_for(nd_range<2>({2, 2}, {2, 2}), [=](nd_item<2> it) {"
        "  auto& t = *ext::oneapi::group_local_memory_for_overwrite<int[2][2]>(it.get_group());"
        "  int r = it.get_local_id(0), c = it.get_local_id(1); t[r][c] = 2 * r + c; group_barrier(it.get_group());"
        "  x[2 * r + c] = t[c][r]; }); }).wait();"
    )
    assert holds(X + kernel, "x[0]=0 /\\ x[1]=2 /\\ x[2]=1 /\\ x[3]=3")


def test_that_of_a_template_is_refused() -> None:
    before = f"template <typename T> void f(group<1> g, T* x) {{ auto& t = *sycl::{MAKE}; t[0] = 1; x[0] = t[0]; }}"
    assert "local memory that a kernel makes" in refused(X + LAUNCH % "f(g, x);", before)
