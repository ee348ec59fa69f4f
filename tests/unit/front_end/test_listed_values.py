"""Loops over values that are listed."""

from __future__ import annotations

from host_samples import holds, kinds

X = "int* x = malloc_shared<int>(4, q); for (int i = 0; i < 4; i++) x[i] = 0; "
LOOP = "for (size_t n : {1, 2, 4}) q.parallel_for(range<1>(n), [=](id<1> i) { x[i] += n; })%s; "


def test_commands_of_each_value() -> None:
    assert holds(X + LOOP % ".wait()", "x[0]=7 /\\ x[1]=6 /\\ x[3]=4")
    assert kinds(X + LOOP % "" + "q.wait();") == {"data-race"}


def test_loops_in_loops_and_variables_that_change() -> None:
    loops = "for (auto a : {1, 2}) for (const int& b : {10, 20}) { s += a * b; } for (int c : {1, 2}) { c++; s += c; }"
    assert holds(f"int s = 0; {loops}", "0:s=95")
    kernel = "q.single_task([=] { for (int k : {1, 3}) { x[k] = k; } }).wait();"
    assert holds(X + kernel, "x[1]=1 /\\ x[3]=3")
