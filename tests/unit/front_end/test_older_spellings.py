"""Older and longer spellings of SYCL in programs, texts, and buffers that write nothing back."""

from __future__ import annotations

import pytest
from host_samples import holds, kinds, refused

_X = "int* x = malloc_shared<int>(4, q); for (int i = 0; i < 4; i++) x[i] = i;"
_FIVE = "q.submit([&](handler& h) { accessor a(b, h); h.parallel_for(2, [=](auto i) { a[i] = 5; }); });"


@pytest.mark.parametrize("extension", ["sycl::ext::oneapi::", "sycl::ONEAPI::"])
def test_names_of_extensions(extension: str) -> None:
    body = (
        "q.parallel_for(nd_range<1>(4, 2), [=](nd_item<1> it) { EXT atomic_ref<int, EXT memory_order::relaxed, "
        "EXT memory_scope::device, access::address_space::global_space> a(x[0]); "
        "int n = EXT reduce(it.get_group(), 1, EXT plus<>()); if (it.get_local_id(0) == 0) a += n; }).wait();"
    )
    assert holds(_X + body.replace("EXT ", extension), "x[0]=4")


@pytest.mark.parametrize(
    "body",
    [
        "accessor<int, 1, access::mode::read_write, access::target::host_buffer> a(b); a[0] = a[1] + 3;",
        "auto a = accessor<int, 1, access::mode::read_write, access::target::host_buffer>{b}; a[0] = a[1] + 3;",
        "int i = 0; for (auto& e : host_accessor{b}) e = 5 - i++;",
        "int i = 0; for (auto& e : sycl::host_accessor(b)) { e = 5 - i++; } for (auto e : host_accessor{b}) i += e;",
    ],
)
def test_accessors_of_the_host(body: str) -> None:
    assert holds(f"std::vector<int> v(2, 2); {{ buffer<int> b(v); {body} }}", "v[0]=5")


def test_a_loop_over_an_accessor_waits() -> None:
    body = "std::vector<int> v(2, 1); buffer<int> b(v); " + _FIVE + "int s = 0; for (auto e : host_accessor{b}) s += e;"
    assert holds(body + " { host_accessor a{b}; a[0] = s; }", "v[0]=10")


@pytest.mark.parametrize(
    "made",
    [
        "int* y = aligned_alloc_shared<int>(64, 2, q);",
        "int* y = (int*)sycl::aligned_alloc_host(64, 2 * sizeof(int), q);",
        "int* y = static_cast<int*>(std::aligned_alloc(64, 2 * sizeof(int)));",
    ],
)
def test_memory_that_is_aligned(made: str) -> None:
    assert holds(f"{made} y[0] = 1; y[1] = y[0] + 1;", "y[1]=2")


def test_pointers_of_accessors() -> None:
    body = (
        "q.submit([&](handler& h) { local_accessor<int, 1> t(2, h); "
        "h.parallel_for(nd_range<1>(2, 2), [=](nd_item<1> it) { "
        "int* p = t.get_multi_ptr<access::decorated::no>().get(); int i = it.get_local_id(0); p[i] = i + 1; "
        "group_barrier(it.get_group()); x[i] = t.get_pointer().get()[1 - i]; }); }).wait();"
    )
    assert holds(_X + body, "x[0]=2 /\\ x[1]=1")


@pytest.mark.parametrize(
    "made",
    [
        "buffer<int> b(v.data(), range<1>(2)); b.set_final_data(nullptr);",
        "buffer b(v); b.set_write_back(false);",
        "auto b = sycl::buffer{v.data(), range{2}}; b.set_final_data(nullptr);",
    ],
)
def test_buffers_that_write_nothing_back(made: str) -> None:
    assert holds(f"std::vector<int> v(2, 1); {{ {made} {_FIVE} }}", "v[0]=1 /\\ v[1]=1")


def test_arrays_that_a_buffer_writes_nothing_back_to() -> None:
    body = f"int v[2] = {{1, 2}}; {{ buffer<int> b(v, range<1>(2)); b.set_write_back(false); {_FIVE} }} x[0] = v[1];"
    assert holds(_X + body, "x[0]=2")


def test_buffers_that_write_back_as_ever() -> None:
    made = "const property_list all = {property::buffer::use_host_ptr()}; buffer<int> b(v.data(), v.size(), all);"
    assert holds(f"std::vector<int> v(2, 1); {{ {made} b.set_write_back(); {_FIVE} }}", "v[0]=5")
    assert holds(
        "std::vector<int> v(2, 1); { buffer<int, 1> b(v.data(), range<1>(2), {property::buffer::use_host_ptr()}); "
        f"b.set_write_back(true); {_FIVE} }}",
        "v[0]=5",
    )


def test_buffers_that_write_elsewhere() -> None:
    other = "buffer<int> b(v.data(), range<1>(2)); b.set_final_data(w.data() + 1);"
    assert holds(f"std::vector<int> v(2, 1), w(3); {{ {other} {_FIVE} }}", "v[0]=1 /\\ w[1]=5 /\\ w[2]=5")
    # So does one with a copy of what lies between two places.
    between = "buffer<int> b(v.begin(), v.end()); b.set_final_data(w.begin());"
    assert holds(f"std::vector<int> v(2, 1), w(2); {{ {between} {_FIVE} }}", "v[0]=1 /\\ w[0]=5 /\\ w[1]=5")
    # Buffers of one name are different ones.
    later = f"{{ buffer<int> b(u); b.set_final_data(nullptr); {_FIVE} }}"
    assert holds(f"std::vector<int> v(2, 1), u(2, 1); {{ buffer<int> b(v); {_FIVE} }} {later}", "v[0]=5 /\\ u[0]=1")


def test_buffers_that_write_elsewhere_are_refused() -> None:
    assert "that has a name" in refused("std::vector<int> v(2); buffer<int> b(v); b.set_final_data(f(v));")
    assert "a container or an array" in refused("int n = 1; buffer<int> b(&n, 1); b.set_final_data(nullptr);")


def test_a_reduction_of_the_first_element() -> None:
    body = "q.parallel_for(range<1>(4), reduction(x, plus<int>()), [=](id<1> i, auto& s) { s += 2; }).wait();"
    assert holds(_X + body, "x[0]=8 /\\ x[1]=1")
    several = "std::vector<int> v(2, 1); buffer<int> b(v); q.submit([&](handler& h) { h.parallel_for(range<1>(4), "
    assert "memory of 2 elements" in refused(
        several + "reduction(b, h, plus<int>()), [=](id<1> i, auto& s) { s += 2; }); });"
    )


@pytest.mark.parametrize(
    "body",
    [
        'std::string s = "a"; const char* t = "b"; std::cout << s << t << x[0];',
        "auto name = q.get_device().get_info<info::device::name>(); std::cout << name << name.size();",
        'const std::string s("x"); std::string t; t = s; t += "y"; printf("%s", t.c_str()); srand(1);',
    ],
)
def test_texts(body: str) -> None:
    assert holds(f"{_X} {body}", "x[0]=0")


def test_what_a_text_is_made_of_is_read() -> None:
    before = f"{_X} q.single_task([=] {{ x[0] = 7; }}); "
    assert kinds(before + "std::string s = std::to_string(x[0]); q.wait();") == {"data-race"}
    assert kinds(before + 'std::string s("a"); s += std::to_string(x[0]); q.wait();') == {"data-race"}


def test_parameters_of_lambdas_without_names() -> None:
    body = "q.parallel_for(1, [=](auto) { x[0] = 5; }).wait(); "
    body += "q.parallel_for(range<1>(1), [=](id<1>) { x[1] = 6; }).wait();"
    assert holds(_X + body, "x[0]=5 /\\ x[1]=6")


def test_memory_whose_kind_is_an_argument() -> None:
    body = "int* x = malloc<int>(2, q, usm::alloc::shared); int* y = aligned_alloc<int>(64, 2, q, usm::alloc::device); "
    kernel = "q.parallel_for(2, [=](id<1> i) { x[i] = 1; y[i] = 2; })%s; int r = x[1];"
    assert holds(body + kernel % ".wait()", "0:r=1")
    assert "data-race" in kinds(body + kernel % "")
    assert "malloc_device memory" in refused(f"{body} int r = y[0];")
    assert holds("int* x = (int*)sycl::malloc(8, q, sycl::usm::alloc::host); x[1] = 3;", "x[1]=3")
    assert "which kind of memory" in refused("auto k = usm::alloc::host; int* x = malloc<int>(2, q, k);")


def test_sub_groups_of_dpct() -> None:
    before = (
        "static __dpct_inline__ int sum(int x, const nd_item<3>& it) { for (int m = 2; m > 0; m >>= 1) "
        "x += dpct::permute_sub_group_by_xor(it.get_sub_group(), x, m); return x; }"
    )
    launch = "q.parallel_for(nd_range<3>(range<3>(1, 1, 4), range<3>(1, 1, 4)), [=](nd_item<3> it) "
    body = (
        f"{launch}[[sycl::reqd_sub_group_size(4)]] {{ x[it.get_local_id(2)] = sum(it.get_local_id(2), it); }}).wait();"
    )
    assert holds(_X + body, "x[0]=6 /\\ x[3]=6", before)
    # What a shift of dpct brings from outside is the value of the work-item itself: it is none of SYCL.
    shift = body.replace("sum(it.get_local_id(2), it)", "dpct::shift_sub_group_left(it.get_sub_group(), 1, 1)")
    assert "dpct::shift_sub_group_left" in refused(_X + shift)
