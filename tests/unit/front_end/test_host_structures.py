"""Structures of the host whose members are pointers to memory that is made for them."""

from __future__ import annotations

import pytest
from host_samples import holds, kinds, refused, source

from mcm import Judged, check

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


@pytest.mark.parametrize("use", ["fill(b, 4);", "Bodies* p = &b;"])
def test_objects_that_something_else_names(use: str) -> None:
    assert "makes memory where a pointer to it is declared" in refused(MADE + use, BODIES)


@pytest.mark.parametrize("copy", ["Bodies c = b;", "Bodies c(b);", "const Bodies c{b};"])
def test_copies_lead_to_the_same_memory(copy: str) -> None:
    task = "q.parallel_for(c.n, [=](id<1> i) { c.x[i] = 9; })"
    assert holds(f"{MADE} {copy} {task}.wait();", "b_x[0]=9 /\\ b_x[1]=9", BODIES)
    assert kinds(f"{MADE} {copy} {task}; b.x[0] += 5;", BODIES) == {"data-race"}


GRID = (
    "struct Sizes { size_t n = 2; int first = 1; }; "
    "class Grid { Sizes s_; int* a_ = nullptr; int* b_ = nullptr; queue q_; public: "
    "explicit Grid(const Sizes& s) : s_{s} { a_ = malloc_device<int>(s_.n, q_); "
    "b_ = malloc_device<int>(s_.n, q_); q_.fill(a_, s_.first, s_.n).wait(); } "
    "void step() { auto *in = a_, *out = b_; q_.parallel_for(s_.n, [=](id<1> i) { out[i] = in[i] + 1; }).wait(); "
    "std::swap(a_, b_); } void get(int* h) { q_.memcpy(h, a_, s_.n * sizeof(int)).wait(); } };"
)


def test_structures_in_classes() -> None:
    body = "Sizes s; s.first = 4; Grid g(s); for (int i = 0; i < 2; i++) g.step(); int h[2]; g.get(h);"
    assert holds(body, "h[0]=6 /\\ h[1]=6", GRID)


def test_what_a_function_of_an_object_does_is_done_in_it() -> None:
    body = "Sizes s; Grid g(s); int h[2]; g.get(h); int n = h[0];"
    result = check(source(body, "", GRID.replace("sizeof(int)).wait()", "sizeof(int))")))
    assert isinstance(result, Judged)
    assert {site.span.text for race in result.races for site in race.sites} == {
        "h[0]",
        "q_.memcpy(h, a_, s_.n * sizeof(int))",
    }


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


SIZES = "struct Sizes { int n = 4; int half = n / 2; int k = 3; int less() const { return k - 1; } }; "
RUN = (
    "void run(queue& q, int* x, const Sizes& s) { q.parallel_for(range<1>(s.n), [=](id<1> i) { x[i] = s.k; }).wait(); }"
)


@pytest.mark.parametrize(
    ("declared", "question"),
    [
        ("Sizes s;", "x[3]=3"),
        ("Sizes s{};", "x[3]=3"),
        ("Sizes s; s.k = 8;", "x[3]=8"),
        ("const Sizes s{2, 1, 7};", "x[1]=7"),
        ("Sizes s{2};", "x[1]=3"),
        ("Sizes s{.n = 2, .k = 5};", "x[1]=5"),
        ("Sizes s = {.k = 6};", "x[3]=6"),
        ("Sizes s; auto change = [&](Sizes& t) { t.k = 7; }; change(s);", "x[3]=7"),
    ],
)
def test_members_that_say_sizes(declared: str, question: str) -> None:
    body = f"{declared} int* x = malloc_shared<int>(s.n, q); run(q, x, s); "
    assert holds(body, question, SIZES + RUN)
    assert kinds(f"{body} x[0] = 1;", SIZES + RUN.replace(".wait()", "")) == {"data-race"}


def test_a_size_that_follows_from_another_and_a_function_that_changes_nothing() -> None:
    body = "Sizes s; int* x = malloc_shared<int>(s.half, q); "
    body += "q.parallel_for(s.half, [=](id<1> i) { x[i] = s.less(); }).wait();"
    assert holds(body, "x[1]=2", SIZES)


@pytest.mark.parametrize("use", ["Sizes& t = s; t.k = 9;", "Sizes* t = &s; t->k = 9;", "other.set(s);"])
def test_sizes_of_objects_that_something_else_names(use: str) -> None:
    setter = "struct Setter { int k; void set(Sizes& s) const { s.k = k; } }; "
    body = f"Setter other{{9}}; Sizes s; {use} int* x = malloc_shared<int>(s.n, q);"
    refused(body, SIZES + setter)


@pytest.mark.parametrize("given_back", ["free(v.x, q);", ""])
def test_memory_that_braces_make(given_back: str) -> None:
    view = "struct View { int* x; int n; void put(int i) const { x[i] = n; } }; "
    made = "View v{malloc_shared<int>(4, q), 4}; "
    launched = "q.parallel_for(4, [=](id<1> i) { v.put(i); })"
    assert holds(f"{made} {launched}.wait(); int r = v.x[3]; {given_back}", "0:r=4", view)
    assert kinds(f"{made} {launched}; int r = v.x[3]; {given_back}", view) == {"data-race", "uninitialised-read"}


def test_kernels_have_members_as_they_are_when_they_are_enqueued() -> None:
    step = "struct Step { int by; int times; }; "
    made = "int* x = malloc_shared<int>(2, q); x[0] = x[1] = 0; Step s{2, 0}; "
    loop = "for (int t = 1; t < 3; t++) { s.times = t; q.parallel_for(2, [=](id<1> i) { x[i] += s.by * s.times; })%s; }"
    assert holds(f"{made}{loop % '.wait()'}", "x[0]=6 /\\ x[1]=6", step)
    assert kinds(f"{made}{loop % ''} q.wait();", step) == {"data-race"}
    later = "auto e = q.single_task([=] { x[0] = s.by; }); s.by++; e.wait(); x[1] = s.by;"
    assert holds(made + later, "x[0]=2 /\\ x[1]=3", step)
