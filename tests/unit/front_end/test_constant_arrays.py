"""Constant arrays of a file, which kernels, functions and classes name."""

from __future__ import annotations

from host_samples import holds, kinds, refused

X = "int* x = malloc_shared<int>(3, q); "
ARRAYS = (
    "static const int one[] = {1, 2, 3}; constexpr std::array<int, 3> ten{10, 20, 30}; constexpr int size = 2;"
    "inline constexpr float rows[size][2] = {{1.0f, 2.0f}, {3.0f, 4.0f}}; int get(int k) { return one[k]; }"
    "struct Sum { int* x; void operator()(id<1> i) const { x[i] = ten[i] - one[i]; } };"
)


def test_kernels_and_what_they_call() -> None:
    kernel = "q.parallel_for(3, [=](id<1> i) { x[i] = one[i] + get(i) + rows[1][0]; }).wait();"
    assert holds(X + kernel, "x[0]=5 /\\ x[2]=9", ARRAYS)
    assert holds(f"{X} q.parallel_for(3, Sum{{x}}).wait(); x[0] += ten[1] + rows[0][1];", "x[0]=31 /\\ x[1]=18", ARRAYS)
    assert kinds(f"{X} q.single_task([=] {{ x[0] = one[1]; }}); x[0] = one[0];", ARRAYS) == {"data-race"}


def test_variables_of_that_name() -> None:
    before = "const int c[2] = {1, 2}; int first(const int* c) { return c[0]; }"
    body = f"{X} q.single_task([=] {{ int a[2] = {{7, 8}}; x[0] = first(a); for (int c = 5; c < 6; c++) x[1] = c; }})"
    assert holds(f"{body}.wait();", "x[0]=7 /\\ x[1]=5", before)


def test_what_changes_is_no_constant() -> None:
    assert "'c'" in refused(f"{X} q.single_task([=] {{ x[0] = c[0]; }}).wait(); c[0] = 3;", "int c[2] = {1, 2};")
