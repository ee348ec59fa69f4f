"""Ranges without work-items: the command does nothing, and is a command."""

from __future__ import annotations

from host_samples import holds, kinds, refused

X = "int* x = malloc_shared<int>(1, q); x[0] = 3; "


def test_nobody_is_there() -> None:
    assert holds(f"{X} q.parallel_for(range<1>(0), [=](id<1> i) {{ x[0] = 1; }}).wait();", "x[0]=3")
    assert holds(f"{X} q.parallel_for(nd_range<2>({{0, 2}}, {{1, 2}}), [=](auto it) {{ x[0] = 1; }}).wait();", "x[0]=3")
    assert kinds(f"{X} q.parallel_for(4 % 4, [=](id<1> i) {{ x[0] = 1; }}); x[0] = 2;") == set()


def test_others_wait_for_it() -> None:
    first = "event e = q.single_task([=] { x[0] = 5; });"
    second = "event f = q.parallel_for(0, e, [=](id<1> i) { x[0] = 1; });"
    assert holds(f"{X} {first} {second} f.wait();", "x[0]=5")


def test_a_reduction_of_nothing() -> None:
    sums = "q.parallel_for(0, reduction(x, plus<int>()%s), [=](id<1> i, auto& s) { s += 1; }).wait();"
    assert holds(X + sums % "", "x[0]=3")
    assert holds(X + sums % ", property::reduction::initialize_to_identity{}", "x[0]=0")


def test_work_groups_have_work_items() -> None:
    body = f"{X} q.parallel_for(nd_range<1>(4, 0), [=](nd_item<1> it) {{ x[0] = 1; }});"

    assert "expected a size of 1 or more, found '0'" in refused(body)
