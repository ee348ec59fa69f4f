"""Structures of the host whose members are pointers to memory that is made for them."""

from __future__ import annotations

import pytest
from host_samples import holds, kinds, refused

BODIES = (
    "struct Bodies { int *x, *v; int n; }; void move(Bodies b, int i) { b.x[i] += b.v[i]; } "
    "void fill(const Bodies& b, int k) { for (int i = 0; i < 2; i++) b.v[i] = k; }"
)
MADE = (
    "Bodies b; b.n = 2; b.x = malloc_shared<int>(b.n, q); b.v = (int*)malloc_shared(b.n * sizeof(int), q); "
    "for (int i = 0; i < b.n; i++) { b.x[i] = i; b.v[i] = 3; } "
)


@pytest.mark.parametrize(
    ("body", "question"),
    [
        (f"{MADE} q.parallel_for(b.n, [=](id<1> i) {{ move(b, i); }}).wait(); b.x[0] += 5;", "b_x[0]=8 /\\ b_x[1]=4"),
        (f"{MADE} q.parallel_for(b.n, [=](id<1> i) {{ b.x[i] = b.v[b.n - 1 - i] * 2; }}).wait();", "b_x[1]=6"),
        (
            (
                "Bodies b; b.x = malloc_shared<int>(1, q); b.v = malloc_shared<int>(1, q); b.x[0] = 1; b.v[0] = "
                "2; b.n = 1; "
                "if (b.x[0]) b.n = 4; q.single_task([=] { b.x[0] = b.n; }).wait();"
            ),
            "b_x[0]=4",
        ),
    ],
)
def test_members(body: str, question: str) -> None:
    assert holds(body, question, BODIES)


def test_missing_wait() -> None:
    assert kinds(f"{MADE} q.parallel_for(b.n, [=](id<1> i) {{ move(b, i); }}); b.x[0] += 5;", BODIES) == {"data-race"}


@pytest.mark.parametrize("use", ["fill(b, 4);", "Bodies c = b;", "Bodies* p = &b;"])
def test_objects_that_something_else_names(use: str) -> None:
    assert "makes memory where a pointer to it is declared" in refused(MADE + use, BODIES)


DEVICE = "int* d = malloc_device<int>(2, q); q.memset(d, 0, 8).wait(); "
RESULT = " int r[2]; q.memcpy(r, d, 8).wait();"
ADD = "atomic_ref<int, memory_order::relaxed, memory_scope::device>(*p)++"
COUNTER = f"struct Counter {{ int* p; %s void add() const {{ {ADD}; }} }};"


@pytest.mark.parametrize("constructor", ["", "Counter(int* x) : p(x) {}", "explicit Counter(int* x) { p = x; }"])
@pytest.mark.parametrize("made", ["Counter c(d + 0);", "const Counter c{d};", "Counter c{d};"])
def test_objects_of_memory_of_the_device(constructor: str, made: str) -> None:
    if not constructor:
        made = made.replace("(d + 0)", "{d}")
    body = f"{DEVICE} {made} q.parallel_for(2, [=](id<1> i) {{ c.add(); }}).wait(); {RESULT}"
    assert holds(body, "r[0]=2", COUNTER % constructor)
    unlocked = (COUNTER % constructor).replace(
        "atomic_ref<int, memory_order::relaxed, memory_scope::device>(*p)++", "++*p"
    )
    assert kinds(body, unlocked) == {"data-race"}


@pytest.mark.parametrize("made", ["View v{d, 2};", "const View v = {d, 2};"])
def test_members_of_an_object_with_memory_of_the_device(made: str) -> None:
    view = "struct View { int* x; int n; int& operator[](int i) const { return x[i]; } };"
    use = "q.parallel_for(range<1>(v.n), [=](id<1> i) { v[i] = v.n + i; }).wait(); "
    use += "q.memcpy(r, v.x, v.n * 4).wait(); free(v.x, q);"
    assert holds(f"{DEVICE} int r[2]; {made} {use}", "r[0]=2 /\\ r[1]=3", view)
