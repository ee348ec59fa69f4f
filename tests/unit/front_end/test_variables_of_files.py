"""Variables outside functions that change, and numbers that are assigned before anything reads them."""

from __future__ import annotations

from host_samples import holds, kinds, refused

_BEFORE = """
int *x, *y;
int n = 2;
queue r;
void setup() { int bytes = n * sizeof(int); x = malloc_device<int>(n, r); y = (int*)malloc_shared(bytes, r); }
void run() {
  auto a = x;
  auto b = y;
  r.parallel_for(n, [=](auto i) { a[i] = i; }).wait();
  r.parallel_for(n, [=](auto i) { b[i] = a[i] + 1; }).wait();
}
void teardown() { free(x, r); free(y, r); }
"""


def test_pointers_and_queues_of_the_file() -> None:
    assert holds("setup(); run(); std::cout << y[1];", "y[1]=2", _BEFORE)
    assert holds("setup(); run(); teardown();", "y[0]=1", _BEFORE)
    assert kinds("setup(); run();", _BEFORE.replace("}).wait();\n}", "});\n}")) == set()
    assert "data-race" in kinds("setup(); run(); std::cout << y[1];", _BEFORE.replace("}).wait();\n}", "});\n}"))


def test_counters_of_the_file() -> None:
    before = "static int count; void add(int by) { count += by; } int next(int count) { return count + 1; }"
    body = (
        "int* x = malloc_shared<int>(1, q); add(2); add(3); *x = count; *x += next(1); "
        "q.single_task([=] { int count = 1; *x += count; }).wait();"
    )
    assert holds(body, "x[0]=8", before)


def test_arrays_and_containers_of_the_file() -> None:
    before = "int table[2]; std::vector<int> v(2);"
    body = (
        "table[1] = 3; v[0] = 4; { buffer<int> b(table, range<1>(2)); buffer c(v); q.submit([&](handler& h) "
        "{ accessor a(b, h); accessor d(c, h, read_only); h.parallel_for(2, [=](id<1> i) { a[i] += d[i]; }); }); }"
    )
    assert holds(body, "table[0]=4 /\\ table[1]=3", before)


def test_kernels_do_not_name_what_changes() -> None:
    body = "int* x = malloc_shared<int>(1, q); {change} q.single_task([=] { *x = n; }).wait();"
    assert refused(body.replace("{change}", "n = 3;"), "int n = 2;").startswith("'n' is a variable of the file, which")
    assert holds(body.replace("{change}", ""), "x[0]=2", "int n = 2;")


def test_what_main_calls_so_too_is_not_mixed_up() -> None:
    before = "int count = 0; void add(int by) { count += by; }"
    assert "'count' is no constant" in refused("{ int count = 7; add(2); }", before)


def test_numbers_that_are_assigned_before_they_are_read_are_sizes() -> None:
    body = "int n = 4; bool b = false; b = true; n = 2; n = 3; int* x = malloc_shared<int>(n, q); x[2] = n + b;"
    assert holds(body, "x[2]=4")
    assert "constant" in refused("int n = 4; int m = n; n = 2; int* x = malloc_shared<int>(n, q); x[1] = m;")


def test_numbers_that_are_read_first_keep_what_they_begin_with() -> None:
    made = "int* x = malloc_shared<int>(1, q); *x = 0;"
    assert holds(f"{made} int n = 4; *x = n; n = 3; {{ int n = 5; n = 6; *x += n; }} *x += n;", "x[0]=13")
    assert holds(f"{made} int n = 4; int& m = n; n = 3; *x = m;", "x[0]=3")
    assert holds(f"{made} for (int i = 0; i < 2; i++) {{ int n = 1; n = 2; *x += n; }}", "x[0]=4")
    assert holds(f"{made} auto n = 4; n = 2.5; *x = n * 2;", "x[0]=4")


def test_a_first_value_that_is_read_is_read() -> None:
    made = "int* x = malloc_shared<int>(2, q); q.single_task([=] { x[0] = 1; });"
    assert "data-race" in kinds(f"{made} int n = x[0]; n = 3; q.wait(); x[1] = n;")


def test_functions_that_kernels_call_do_not_name_what_changes() -> None:
    before = "int n = 1; int get() { return n; } int put(int k); int put(int k) { n = k; return n; }"
    body = "int* x = malloc_shared<int>(1, q); put(2); {what}"
    kernel = body.replace("{what}", "q.single_task([=] { *x = get(); }).wait();")
    assert refused(kernel, before).startswith("'get' is a function that names a variable of the file")
    assert holds(body.replace("{what}", "int v = get() + 1; *x = v;"), "x[0]=3", before)
