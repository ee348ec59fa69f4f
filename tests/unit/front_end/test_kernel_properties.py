"""Properties that kernels are launched with."""

from __future__ import annotations

import pytest
from host_samples import holds, kinds, refused, warnings

X = "int* x = malloc_shared<int>(4, q); "
BEFORE = "namespace syclex = sycl::ext::oneapi::experimental; "
LAUNCH = (
    "%s q.parallel_for(nd_range<1>(4, 4), %s, [=](nd_item<1> it) { size_t i = it.get_global_id(0); x[i] = i;"
    " group_barrier(it.get_sub_group()); int r = x[i ^ 1]; group_barrier(it.get_group()); x[i] = r; }).wait();"
)


@pytest.mark.parametrize(
    ("declared", "given"),
    [
        ("", "syclex::properties{syclex::sub_group_size<%s>}"),
        ("syclex::properties p{syclex::sub_group_size<%s>, syclex::work_group_size<4>};", "p"),
        ("constexpr auto p = syclex::properties(syclex::sub_group_size<%s>);", "p"),
    ],
)
def test_the_size_of_sub_groups(declared: str, given: str) -> None:
    two, one = ((X + LAUNCH % (declared, given)).replace("%s", size) for size in "21")
    assert holds(two, "x[0]=1 /\\ x[1]=0 /\\ x[3]=2", BEFORE)
    assert warnings(two, BEFORE) == []
    assert "data-race" in kinds(one, BEFORE)


def test_the_size_of_groups_is_held() -> None:
    assert "errc::nd_range" in refused(X + LAUNCH % ("", "syclex::properties{syclex::work_group_size<2>}"), BEFORE)


def test_those_that_say_nothing_of_memory() -> None:
    body = "syclex::properties p{syclex::use_root_sync}; q.single_task(p, [=] { x[0] = 1; }).wait(); "
    empty = "auto e = q.single_task(syclex::properties{}, [=] { x[1] = 2; }); e.wait();"
    assert holds(X + body + empty, "x[0]=1 /\\ x[1]=2", BEFORE)


def test_functions_that_enqueue() -> None:
    body = (
        "syclex::parallel_for(q, range<1>(4), [=](id<1> i) { x[i] = i; }); q.wait(); "
        "syclex::submit(q, [&](handler& h) { syclex::nd_launch(h, nd_range<1>(4, 2), [=](nd_item<1> it) {"
        " x[it.get_global_id(0)] += 1; }); }); "
    )
    assert holds(
        X + body + "q.wait(); syclex::memcpy(q, x, x + 3, sizeof(int)); q.wait();", "x[0]=4 /\\ x[1]=2", BEFORE
    )
    assert "data-race" in kinds(X + body + "x[0] = 1; q.wait();", BEFORE)


_NUMBERS = (
    "void operator()(nd_item<1> it) const {} {{ y[it.get_global_id(0)] = it.get_sub_group().get_group_linear_id(); }}"
)
_TAGGED = (
    "auto get(sycl::ext::oneapi::experimental::properties_tag) const "
    "{ return sycl::ext::oneapi::experimental::properties{sycl::ext::oneapi::experimental::sub_group_size<2>}; }"
)


@pytest.mark.parametrize(
    "members",
    [
        f"public: K(int* p) : y(p) {{}} {_NUMBERS.format('[[sycl::reqd_sub_group_size(2)]]')}",
        f"public: K(int* p) : y(p) {{}} {_TAGGED} {_NUMBERS.format('')}",
        f"public: {_NUMBERS.format('noexcept')} K(int* p) : y(p) {{}} {_TAGGED}",
    ],
)
def test_what_classes_say(members: str) -> None:
    body = "int* x = malloc_shared<int>(4, q); q.parallel_for(nd_range<1>(4, 4), K{x}).wait();"
    assert holds(body, "x[1]=0 /\\ x[2]=1 /\\ x[3]=1", f"class K {{ int* y; {members} }};")
