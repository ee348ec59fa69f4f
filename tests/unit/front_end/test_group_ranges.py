"""Group algorithms over ranges, and asynchronous copies of work-groups."""

from __future__ import annotations

import pytest
from host_samples import holds, kinds, refused

X = (
    "int* x = malloc_shared<int>(4, q); int* r = malloc_shared<int>(4, q); "
    "for (int i = 0; i < 4; i++) { x[i] = i + 1; r[i] = 0; } "
)
GROUP = (
    "q.parallel_for(nd_range<1>(2, 2), [=](nd_item<1> it) {{ auto g = it.get_group(); "
    "int i = it.get_local_id(0); {} }}).wait();"
)


@pytest.mark.parametrize(
    ("does", "question"),
    [
        ("r[i] = joint_reduce(g, x, x + 4, plus<>());", "r[0]=10 /\\ r[1]=10"),
        ("r[i] = joint_reduce(g, x + 1, x + 3, 10, multiplies<int>());", "r[0]=60"),
        ("auto m = joint_reduce(it.get_sub_group(), x, x + 4, minimum<>()); r[i] = m;", "r[1]=1"),
        ("joint_inclusive_scan(g, x, x + 4, r, plus<>());", "r[0]=1 /\\ r[1]=3 /\\ r[3]=10"),
        ("joint_inclusive_scan(g, x, x + 3, r, maximum<>(), 2);", "r[0]=2 /\\ r[2]=3 /\\ r[3]=0"),
        ("joint_exclusive_scan(g, x, x + 4, r, plus<>());", "r[0]=0 /\\ r[3]=6"),
        ("joint_exclusive_scan(g, x, x + 4, x, 100, plus<>()); r[i] = x[3 - i];", "r[0]=106 /\\ r[1]=103 /\\ x[0]=100"),
        ("r[i] = joint_any_of(g, x, x + 4, [](int a) { return a == 3; });", "r[0]=1"),
        ("auto f = [=](int a) { return a > i * 0 + 1; }; r[i] = joint_all_of(g, x, x + 4, f);", "r[0]=0"),
        ("if (joint_none_of(g, x, x + 4, [](int a) { return a > 4; })) r[i] = 7;", "r[1]=7"),
        # What was written before is seen, and what is written is seen after it, without barriers.
        ("x[i] = 5; x[i + 2] = 6; int s = joint_reduce(g, x, x + 4, plus<>()); x[1 - i] = s;", "x[0]=22 /\\ x[1]=22"),
    ],
)
def test_what_joint_algorithms_compute(does: str, question: str) -> None:
    assert holds(X + GROUP.format(does), question)


def test_local_memory_and_accessors() -> None:
    body = (
        "std::vector<int> v{1, 2, 3, 4}; { buffer b(v); q.submit([&](handler& h) { accessor a(b, h); "
        "local_accessor<int, 1> t(2, h); h.parallel_for(nd_range<1>(2, 2), [=](nd_item<1> it) { "
        "auto g = it.get_group(); int i = it.get_local_id(0); t[i] = a[i + 2]; "
        "int s = joint_reduce(g, t.begin(), t.end(), plus<>()); "
        "int p = joint_reduce(g, a.get_pointer(), a.get_pointer() + 4, multiplies<>()); "
        "if (g.leader()) { a[0] = s; a[1] = p; } }); }); }"
    )
    assert holds(body, "v[0]=7 /\\ v[1]=24")


@pytest.mark.parametrize(
    ("body", "kind"),
    [
        # Another group meets in none of them.
        (
            (
                "q.parallel_for(nd_range<1>(2, 1), [=](nd_item<1> it) { int i = it.get_global_id(0); x[i] = i; "
                "r[i] = joint_reduce(it.get_group(), x, x + 2, plus<>()); }).wait();"
            ),
            "data-race",
        ),
        (GROUP.format("if (i == 0) r[0] = joint_reduce(g, x, x + 4, plus<>());"), "barrier-divergence"),
        (GROUP.format("r[i] = joint_reduce(g, x, x + 5, plus<>());"), "out-of-bounds"),
    ],
)
def test_what_is_wrong_with_them(body: str, kind: str) -> None:
    assert kind in kinds(X + body)


@pytest.mark.parametrize(
    ("does", "message"),
    [
        ("r[i] = joint_reduce(g, x, x + 4);", "'joint_reduce' takes a group, where a range begins and ends"),
        ("r[i] = joint_reduce(g, 1, 2, plus<>());", "expected a pointer to numbers, found '1'"),
        ("r[i] = joint_reduce(g, x, x + 4, [](int a, int b) { return a; });", "expected one of 'plus<>()'"),
        ("r[i] = joint_any_of(g, x, x + 4, 3);", "expected a lambda that takes a value"),
    ],
)
def test_other_calls_are_refused(does: str, message: str) -> None:
    assert message in refused(X + GROUP.format(does))


COPY = (
    "q.submit([&](handler& h) {{ local_accessor<int, 1> t(2, h); h.parallel_for(nd_range<1>(4, 2), "
    "[=](nd_item<1> it) {{ auto g = it.get_group(); int i = it.get_local_id(0); "
    "auto p = address_space_cast<access::address_space::global_space, access::decorated::yes>"
    "(x + 2 * it.get_group(0)); "
    "{} }}); }}).wait();"
)


@pytest.mark.parametrize(
    "wait",
    [
        "auto e = g.async_work_group_copy(t.get_pointer(), p, 2); g.wait_for(e);",
        "device_event e = it.async_work_group_copy(t.get_multi_ptr<access::decorated::yes>(), p, 2); e.wait();",
        (
            "auto e = g.async_work_group_copy(t.get_pointer(), p, 1); "
            "auto f = g.async_work_group_copy(t.get_pointer() + 1, p + 1, 1); it.wait_for(e, f);"
        ),
        "g.async_work_group_copy(t.get_pointer(), p, 2).wait();",
    ],
)
def test_who_has_waited_for_a_copy_sees_it(wait: str) -> None:
    assert holds(X + COPY.format(wait + " r[it.get_global_id(0)] = t[1 - i];"), "r[0]=2 /\\ r[1]=1 /\\ r[2]=4")


def test_copies_to_global_memory_with_a_stride() -> None:
    does = "t[i] = i + 7; group_barrier(g); g.async_work_group_copy(p, t.get_pointer(), 1, 2).wait();"
    assert holds(X + COPY.format(does), "x[0]=7 /\\ x[1]=2 /\\ x[2]=7")


@pytest.mark.parametrize(
    "does",
    [
        "auto e = g.async_work_group_copy(t.get_pointer(), p, 2); int s = t[i]; g.wait_for(e);",
        "t[i] = 1; g.async_work_group_copy(t.get_pointer(), p, 2).wait();",
        "auto e = g.async_work_group_copy(t.get_pointer(), p, 2); x[2 * it.get_group(0)] = 1; e.wait();",
    ],
)
def test_nothing_else_orders_a_copy(does: str) -> None:
    assert "data-race" in kinds(X + COPY.format(does))


@pytest.mark.parametrize(
    ("does", "message"),
    [
        ("g.wait_for(i);", "expected the event of an asynchronous copy, found 'i'"),
        ("auto e = g.async_work_group_copy(x, p, 2);", "expected a pointer into global or local memory"),
        ("auto e = g.async_work_group_copy(t.get_pointer(), p);", "how many elements, and perhaps a stride"),
    ],
)
def test_other_copies_are_refused(does: str, message: str) -> None:
    assert message in refused(X + COPY.format(does))
