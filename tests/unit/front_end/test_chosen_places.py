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


_TWO_GROUPS = (
    "int* x = malloc_shared<int>(3, q); int* y = malloc_shared<int>(1, q); x[0] = x[1] = x[2] = *y = 0; "
    "q.parallel_for(nd_range<1>(2, 1), [=](nd_item<1> it) { bool c = it.get_global_id(0) == 0; {body} }).wait();"
)
_REF = "atomic_ref<int, memory_order::relaxed, memory_scope::device>"


@pytest.mark.parametrize(
    ("body", "question"),
    [
        (f"{_REF} a(c ? *x : *y); c = !c; a.fetch_add(1);", "x[0]=1 /\\ y[0]=1"),
        (f"{_REF}(c ? x[1] : c ? x[2] : *y).fetch_add(2);", "x[1]=2 /\\ x[2]=0 /\\ y[0]=2"),
        ("int& r = c ? x[1] : x[2]; c = !c; r = 5 + c;", "x[1]=5 /\\ x[2]=6"),
        ("int u = 1, v = 2; int& r = c ? u : v; r = 7; x[c] = u * 10 + v;", "x[1]=72 /\\ x[0]=17"),
        ("int u = 1; const int& r = c ? u : 4; x[c] = r;", "x[1]=1 /\\ x[0]=4"),
        ("int u = 1; long v = 4; const long& r = c ? u : v; u = 9; x[c] = r;", "x[1]=1 /\\ x[0]=4"),
    ],
)
def test_names_for_one_of_two_places(body: str, question: str) -> None:
    assert holds(_TWO_GROUPS.replace("{body}", body), question)


def test_one_of_two_places_races_as_that_one_does() -> None:
    assert kinds(_TWO_GROUPS.replace("{body}", "int& r = c ? x[1] : x[1]; r = 5;")) == {"data-race"}
    assert kinds(_TWO_GROUPS.replace("{body}", f"{_REF}(c ? *x : *x).fetch_add(1);")) == set()
    narrow = _REF.replace("device", "work_group")
    assert kinds(_TWO_GROUPS.replace("{body}", f"{narrow}(c ? *x : *x).fetch_add(1);")) == {"data-race"}
