"""Function objects of operators that kernels' functions are passed, or that have names; exceptions beside handlers."""

from __future__ import annotations

import pytest
from host_samples import holds, kinds

_X = "int* x = malloc_shared<int>(4, q); for (int i = 0; i < 4; i++) x[i] = i + 1; "
_FOLD = (
    "template <typename T, typename Op> T fold(nd_item<1> it, T* s, T v, Op op) "
    "{ const int l = it.get_local_id(0), n = it.get_local_range(0); if (l < n) s[0] = op(s[0], v); return s[0]; }"
)


@pytest.mark.parametrize(
    ("operation", "value"),
    [
        ("sycl::plus<int>{}", 8),
        ("std::multiplies<>()", 7),
        ("sycl::maximum<int>()", 7),
        ("[](int a, int b) { return b - a; }", 6),
    ],
)
def test_operators_that_are_passed(operation: str, value: int) -> None:
    task = f"q.parallel_for(nd_range<1>(1, 1), [=](nd_item<1> it) {{ x[1] = fold(it, x, 7, {operation}); }}).wait();"
    assert holds(_X + task, f"x[1]={value}", _FOLD)


_SCAN = (
    "template <class T, class Op = sycl::plus<T>> class Scan { T *in_; local_accessor<T, 1> t_; public: "
    "Scan(T* in, local_accessor<T, 1> t) : in_(in), t_(t) {} void operator()(nd_item<1> it) const { Op op{}; "
    "auto l = it.get_local_id(0); auto g = it.get_group(); t_[l] = in_[l]; group_barrier(g); "
    "for (size_t off = 1; off < 4; off <<= 1) { T v = t_[l]; if (l >= off) v = op(t_[l - off], v); "
    "BARRIER t_[l] = v; group_barrier(g); } in_[l] = t_[l]; } };"
)
_SCANNED = (
    "q.submit([&](handler& h) { local_accessor<int, 1> t(4, h); "
    "h.parallel_for(nd_range<1>(4, 4), Scan<int>(x, t)); }).wait();"
)


def test_an_operator_that_is_a_parameter_of_a_class() -> None:
    assert holds(_X + _SCANNED, "x[1]=3 /\\ x[3]=10", _SCAN.replace("BARRIER", "group_barrier(g);"))
    assert "data-race" in kinds(_X + _SCANNED, _SCAN.replace("BARRIER", ""))


def test_operators_with_names() -> None:
    before = "template <class Op> int apply(int a, int b) { Op op; return op(a, b); }"
    body = "x[1] = apply<sycl::multiplies<int>>(x[2], 5); std::plus<int> p; x[2] = p(x[2], p(1, 1));"
    assert holds(f"{_X} q.single_task([=] {{ {body} }}).wait();", "x[1]=15 /\\ x[2]=5", before)


def test_extremes_with_types() -> None:
    body = "x[0] = sycl::clamp<int>(9, 2, 4) + sycl::min<int>(x[2], 2); x[1] = std::clamp<float>(0, 2, 4);"
    assert holds(f"{_X} q.single_task([=] {{ {body} }}).wait();", "x[0]=6 /\\ x[1]=2")


_HANDLER = (
    "auto tell = [](exception_list l) { for (auto& e : l) { try { std::rethrow_exception(e); } "
    "catch (const sycl::exception& s) { std::cerr << s.what(); } } }; queue w(tell); "
)


@pytest.mark.parametrize(
    "handler", ["catch (const sycl::exception& e) { std::cout << e.what(); }", "catch (...) { return 2; }"]
)
def test_an_exception_ends_the_program_beside_other_handlers(handler: str) -> None:
    checked = 'w.single_task([=] { x[0]++; }).wait(); if (x[0] != 2) throw std::runtime_error("wrong"); x[1] = 7;'
    assert holds(f"{_X} {_HANDLER} try {{ {checked} }} {handler} x[2] = 9;", "x[1]=7 /\\ x[2]=9")
    wrong = checked.replace("!= 2", "!= 3")
    assert holds(f"{_X} {_HANDLER} try {{ {wrong} }} {handler} x[2] = 9;", "x[1]=2 /\\ x[2]=3")
