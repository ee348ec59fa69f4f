"""Declarations as C++ has them: braces, references, ranges with names, several dimensions."""

from __future__ import annotations

import pytest

from mcm import InputError, Source, check_all
from mcm.front_end.read import format_test, read_test

HEAD = "SYCL t\n{ int x = 0; int a[4] = {1, 2, 3, 4}; local_accessor int t[4]; }\n"


def kernel(body: str) -> Source:
    launch = f"q.parallel_for(nd_range<1>(2, 2), [=](nd_item<1> it) {{ {body} }});"
    return Source("t.litmus", f"{HEAD}{launch}\nexists (0:r=1)\n")


def host(body: str, condition: str) -> Source:
    return Source("t.litmus", f"{HEAD}host {{ queue q; {body} }}\nexists ({condition})\n")


def always(source: Source, condition: str) -> bool:
    """Whether every execution of a test ends so, without undefined behaviour."""
    text = source.text.rpartition("exists")[0]
    (result,) = check_all(Source("t.litmus", f"{text}forall ({condition})\n"), models=("sycl-2020",))
    return result.complete and result.holds is True and not result.undefined


@pytest.mark.parametrize(
    ("body", "condition"),
    [
        ("int r{7}, s{}, u(3); int m[2]{1, 2}; r += s + u + m[1];", "0:r=12"),
        ("auto r{a[3]}; const int s{r};", "0:r=4"),
        ("int i = it.get_local_id(0); int& y = a[i]; i = 3; y += 10; int r = y;", "0:r=11 /\\ 1:r=12 /\\ a[3]=4"),
        ("const auto& y = a[2] + 1; int r = y;", "0:r=4"),
        ("int r = 1; int& y = r; y++;", "0:r=2"),
        ("auto& g = it; const auto& l = it.get_group(); int r = g.get_local_id(0); group_barrier(l);", "0:r=0"),
        ("int& y = *x; atomic_ref<int, memory_order::relaxed, memory_scope::device> v(y); int r = 0; v++;", "x=2"),
    ],
)
def test_what_is_declared(body: str, condition: str) -> None:
    assert always(kernel(body), condition)


def test_layout_keeps_the_brackets() -> None:
    body = "int r{7}, s{}, u(3);\n    int m[2]{1, 2};\n    int& y = a[1];"
    assert body in format_test(kernel(body)).replace("\n  ", "\n    ")


@pytest.mark.parametrize(
    ("body", "message"),
    [
        ("int& y = x; int r = y;", "'x' has type 'int*', but the reference is to 'int'; did you mean '*x'?"),
        ("int& y = a[0] + 1;", "'a[0] + 1' is a value: only a reference to const may name it"),
        ("int& y = a[0]; { int a = 1; y = a; }", "'a' hides what 'y' refers to"),
    ],
)
def test_what_is_no_reference(body: str, message: str) -> None:
    with pytest.raises(InputError) as caught:
        read_test(kernel(body))
    assert message in caught.value.diagnostics[0].message


def test_ranges_and_constants_with_names() -> None:
    ranges = "int n = 4; range<1> g{n}; range<1> l{n / 2}; nd_range<1> both{g, l};"
    launch = "q.parallel_for(both, [=](nd_item<1> it) { a[it.get_global_id(0)] = it.get_local_range(0) * n; }).wait();"
    assert always(host(ranges + launch, "x=0"), "a[0]=8 /\\ a[3]=8")
    group = "q.submit([&](handler& h) { const size_t m = 2; auto g = range<1>(m); local_accessor<int, 1> u(g, h);"
    inside = "h.parallel_for(nd_range<1>{g, g}, [=](nd_item<1> it) { u[it.get_local_id(0)] = m; a[0] = 5; }); })"
    assert always(host("int n = 4; n = 5; q.single_task([=] { *x = n; }).wait();", "x=0"), "x=5")
    assert read_test(host(f"{group}{inside};", "x=0")).program.objects[-1].initial == (None, None)


def test_accessors_of_two_dimensions() -> None:
    group = "local_accessor<int, 2> tile(range<2>(2, 2), h);"
    body = (
        "tile[it.get_local_id()] = 10 * it.get_local_id(0) + it.get_local_id(1); group_barrier(it.get_group());"
        "int r = tile[it.get_local_id(1)][it.get_local_id(0)];"
    )
    launch = f"h.parallel_for(nd_range<2>({{2, 2}}, {{2, 2}}), [=](nd_item<2> it) {{ {body} }});"
    source = Source("t.litmus", f"{HEAD}q.submit([&](handler& h) {{ {group} {launch} }});\nexists (x=0)\n")
    assert always(source, "0:r=0 /\\ 1:r=10 /\\ 2:r=1 /\\ 3:r=11")
    with pytest.raises(InputError, match=r"'tile' has 2 dimensions: expected 'tile\[i\]\[j\]', found 'tile\[1\]'"):
        read_test(Source("t.litmus", source.text.replace("tile[it.get_local_id()]", "tile[1]")))


def test_the_last_sub_group_may_be_smaller() -> None:
    body = "int r = it.get_sub_group().get_local_range()[0];"
    text = kernel(body).text.replace("nd_range<1>(2, 2)", "nd_range<1>(3, 3)")
    assert always(
        Source("t.litmus", text.replace("it) {", "it) [[sycl::reqd_sub_group_size(2)]] {")), "2:r=1 /\\ 0:r=2"
    )
