"""What ends with a block of the host ends in the reverse order of its declarations, however the block is left."""

from __future__ import annotations

import pytest
from host_samples import holds, kinds

WAITS = "struct W { queue& q_; W(queue& q) : q_(q) {} ~W() { q_.wait(); } };"
WRITES = "struct F { queue& q_; int* x_; F(queue& q, int* x) : q_(q), x_(x) {} ~F() { x_[0] = 5; } };"
FINISHES = "struct F { int* p; F(int* a) : p(a) {} ~F() { p[0] = 5; } };"
LATER = "struct B { buffer<int> b; queue q_; B(std::vector<int>& v) : b(v) {} void go() { SUBMIT } };"
SUBMIT = "q.submit([&](handler& h) { accessor a(b, h); h.parallel_for(2, [=](id<1> i) { a[i] = 1; }); });"
MEMORY = "std::vector<int> v(2); int* y = malloc_shared<int>(1, q); y[0] = 1; "
LEFT = ["return 0;", "return y[0];", "if (y[0] == 1) return 1; y[0] = 2;", "if (y[0] == 1) exit(1); return y[0];"]


@pytest.mark.parametrize(("before", "left"), [*((WRITES, left) for left in LEFT), (FINISHES, LEFT[1])])
def test_buffers(before: str, left: str) -> None:
    made = "F f(q, v.data());" if before == WRITES else "F f(v.data());"
    assert kinds(f"{MEMORY} {made} buffer<int> b(v); {SUBMIT} {left}", before) == set()
    # Where the program ends in a call of `exit`, no destructor is called.
    late = f"{MEMORY} buffer<int> b(v); {made} {SUBMIT} {left}"
    assert kinds(late, before) == (set() if "exit" in left else {"data-race"})


@pytest.mark.parametrize("left", ["", "if (v.size() == 2) return 1; y[0] = 2;"])
def test_members(left: str) -> None:
    before = WRITES + LATER.replace("SUBMIT", SUBMIT.replace("q.", "q_."))
    assert kinds(f"{MEMORY} F f(q, v.data()); B b(v); b.go(); {left}", before) == set()
    assert kinds(f"{MEMORY} B b(v); F f(q, v.data()); b.go(); {left}", before) == {"data-race"}


def test_functions() -> None:
    work = f"int work(queue& q, std::vector<int>& v, int n) {{ MADE {SUBMIT} if (n > 2) return 1; n++; return n; }}"
    calls = f"{MEMORY} int n = work(q, v, y[0] + 2); n += work(q, v, 1); y[0] = n + v[0];"
    right = WRITES + work.replace("MADE", "F f(q, v.data()); buffer<int> b(v);")
    assert holds(calls, "y[0]=8", right)
    assert kinds(calls, WRITES + work.replace("MADE", "buffer<int> b(v); F f(q, v.data());")) == {"data-race"}


def test_variables() -> None:
    copied = "q.memcpy(d.data(), y, 4);"
    assert kinds(f"{MEMORY} {{ std::vector<int> d(1); W w(q); {copied} }}", WAITS) == set()
    assert kinds(f"{MEMORY} {{ W w(q); std::vector<int> d(1); {copied} }}", WAITS) == {"data-race"}
    task = "q.submit([&](handler& h) { accessor a(b, h); h.host_task([=, &r] { r = a[0]; }); });"
    assert kinds(f"{MEMORY} {{ int r = 0; buffer<int> b(v); {task} }}") == set()
    assert kinds(f"{MEMORY} {{ buffer<int> b(v); int r = 0; {task} }}") == {"data-race"}


def test_turns_that_are_left() -> None:
    turn = "q.single_task([=] { y[0] = 2; }); if (v[0] == 0) break;"
    assert kinds(f"{MEMORY} for (int i = 0; i < 2; i++) {{ W w(q); {turn} }} y[0] = 3;", WAITS) == set()
    loop = f"{MEMORY} for (int i = 0; i < 2; i++) {{ F f(q, y); {turn} q.wait(); }}"
    assert kinds(loop, WRITES) == {"data-race"}


def test_destructors_that_return() -> None:
    ends = (
        "struct W { queue& q_; int n_; W(queue& q, int n) : q_(q), n_(n) {} ~W() { if (n_ > 1) return; q_.wait(); } };"
    )
    body = f"{MEMORY} {{ W w(q, y[0]); q.single_task([=] {{ y[0] = 2; }}); }} y[0] = 3;"
    assert holds(body, "y[0]=3", ends)
    assert kinds(body.replace("w(q, y[0])", "w(q, 2)"), ends) == {"data-race"}


def test_host_accessors() -> None:
    before = """struct G { queue& q; buffer<int>& b; G(queue& p, buffer<int>& c) : q(p), b(c) {}
      ~G() { q.submit([&](handler& h) { accessor a(b, h); h.single_task([=] { a[0] = 2; }); }).wait(); } };"""
    body = f"{MEMORY} {{ buffer<int> b(y, 1); G g(q, b); host_accessor a(b); a[0] = 1; }} y[0] += 1;"
    assert holds(body, "y[0]=3", before)
