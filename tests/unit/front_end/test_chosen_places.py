"""Assignments to one of two places."""

from __future__ import annotations

import pytest
from host_samples import holds, kinds, refused

_XY = "int* x = malloc_shared<int>(2, q); int* y = malloc_shared<int>(2, q); x[0] = x[1] = y[0] = y[1] = 0;"


@pytest.mark.parametrize(
    ("assigned", "question"),
    [
        ("(i % 2 ? x[i] : y[i]) = i + 1;", "x[1]=2 /\\ y[0]=1 /\\ x[0]=0 /\\ y[1]=0"),
        ("(i == 0 ? x[i] : y[i]) += 3;", "x[0]=3 /\\ y[1]=3"),
        ("if (i < 2) { (i.get_id(0) % 2 ? x[i] : y[i]) = 4; }", "x[1]=4 /\\ y[0]=4"),
    ],
)
def test_the_place_that_is_chosen(assigned: str, question: str) -> None:
    kind = "item<1>" if "get_id" in assigned else "id<1>"
    assert holds(f"{_XY} q.parallel_for(range<1>(2), [=]({kind} i) {{ {assigned} }}).wait();", question)


def test_one_place_of_two_work_items() -> None:
    body = "q.parallel_for(range<1>(2), [=](id<1> i) { (i == 2 ? x[i] : y[0]) = 1; }).wait();"
    assert kinds(_XY + body) == {"data-race"}


@pytest.mark.parametrize("assigned", ["(n ? x[0] : y[0]) = n++;", "(n ? x[0] : y[0]) = get_next(n);"])
def test_what_is_assigned_may_choose_the_place(assigned: str) -> None:
    before = "int get_next(int& n) { return ++n; }"
    assert "cannot assign" in refused(f"{_XY} q.single_task([=] {{ int n = 0; {assigned} }}).wait();", before)
