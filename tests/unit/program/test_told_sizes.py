"""Sizes of ranges and loops around `enqueue_kernel` that follow from variables, parameters and ids."""

from __future__ import annotations

import pytest

from mcm import InputError, Judged, KernelRequest, KernelSource, check, parse, run

CHILD = "{ x[get_global_id(0)] += 1; }"


def source(body: str, launch: str = "P global 1, local 1", **values: str) -> KernelSource:
    """A kernel with this body and these values of parameters, in which E and R are an enqueued block and its range."""
    parameters = "".join(f", {'int' if value.isdigit() else 'global int*'} {name}" for name, value in values.items())
    text = f"""
      #define E(r) enqueue_kernel(get_default_queue(), CLK_ENQUEUE_FLAGS_NO_WAIT, r, ^{CHILD})
      kernel void P(global int* x{parameters}) {{ {body} }}
    """
    initial = ("x[16]", *(f"{name} = {value}" for name, value in values.items()))
    return KernelSource("k.cl", text, KernelRequest((launch,), initial=initial))


def children(source: KernelSource) -> int:
    """How many work-items of children there may be."""
    return sum("block" in thread.name for thread in parse(source).program.threads)


@pytest.mark.parametrize(
    ("body", "number"),
    [
        ("int size = get_num_groups(0) * 3; E(ndrange_1D(size, size));", 3),
        ("const int a = 2; const int b = (a * a); E(ndrange_1D(b, a));", 4),
        ("const int a = 2; int b[2] = {a, a + 1}; E(ndrange_2D(b));", 6),
        ("E(ndrange_1D(n + 1));", 5),
        ("int some = n / 2; E(ndrange_1D(some << 1, some));", 4),
        ("for (int i = 0; i < n; i++) { E(ndrange_1D(1)); }", 4),
        ("const int step = n / 2; for (int i = step; i <= n * 2; i += step) E(ndrange_1D(2));", 8),
        ("int i; for (i = n - 2; i < n; i += 1) E(ndrange_1D(1));", 2),
        ("if (n / 4 == 1) E(ndrange_1D(get_work_dim() + 1));", 2),
    ],
)
def test_what_the_text_says(body: str, number: int) -> None:
    assert children(source(body, n="4")) == number


@pytest.mark.parametrize(
    ("body", "code"),
    [
        ("int size = 2; size = n; E(ndrange_1D(size));", "E152"),
        ("int size = x[0]; E(ndrange_1D(size));", "E152"),
        ("{ int size = 2; } { int size = 3; E(ndrange_1D(size)); }", "E152"),
        ("E(ndrange_1D(n / (n - 4)));", "E152"),
        ("int end = n; end--; for (int i = 0; i < end; i++) E(ndrange_1D(1));", "E164"),
        ("for (int i = x[0]; i < 2; i++) E(ndrange_1D(1));", "E164"),
    ],
)
def test_what_it_does_not_say(body: str, code: str) -> None:
    with pytest.raises(InputError) as raised:
        parse(source(body, n="4"))
    assert {one.code for one in raised.value.diagnostics if one.is_error} == {code}


def test_a_parameter_of_a_function_has_not_the_value_of_its_namesake() -> None:
    text = """
      kernel void child(global int* x) { x[get_global_id(0)] += 1; }
      void f(global int* x, int n) {
        enqueue_kernel(get_default_queue(), CLK_ENQUEUE_FLAGS_NO_WAIT, ndrange_1D(n), child);
      }
      kernel void P(global int* x, int n) { f(x, n + 1); }
    """
    with pytest.raises(InputError, match="E152"):
        parse(KernelSource("k.cl", text, KernelRequest(("P global 1, local 1",), initial=("n = 2", "x[4]"))))


@pytest.mark.parametrize(
    ("condition", "number"),
    [
        ("get_global_id(1) == 1 && get_global_id(0) == 0", 2),
        ("get_global_id(1) == 2", 4),
        ("get_local_id(1) == 1", 8),
        ("get_group_id(1) == 1", 8),
        ("get_num_groups(1) == 2 && get_local_size(1) == 2 && get_global_size(0) == 2", 16),
        ("get_global_id(2) == 1", 0),
    ],
)
def test_branches_depend_on_ids_of_each_dimension(condition: str, number: int) -> None:
    body = f"if ({condition}) E(ndrange_1D(2));"
    assert children(source(body, "P global 2 4, local 2 2")) == number


def test_the_child_of_an_item_of_the_second_row_runs() -> None:
    found = check(source("if (get_global_id(1) == 1) E(ndrange_1D(2));", "P global 1 2, local 1 1"))

    assert isinstance(found, Judged)
    assert found.undefined == ()
    assert [(state.values["x[0]"], state.values["x[1]"], state.values["x[2]"]) for state in found.states] == [(1, 1, 0)]


@pytest.mark.parametrize(("first", "left"), [("0", (1, 1, 0, 0)), ("1", (1, 1, 1, 7))])
def test_a_loop_that_enqueues_may_end_the_kernel(first: str, left: tuple[int, ...]) -> None:
    text = """
      kernel void P(global int* x, global int* y, int n) {
        for (int i = 0; i < n; i++) {
          int e = enqueue_kernel(get_default_queue(), CLK_ENQUEUE_FLAGS_WAIT_KERNEL, ndrange_1D(1), ^{ x[i] = 1; });
          if (e != CLK_SUCCESS) { x[3] = CLK_DEVICE_QUEUE_FULL; return; }
          if (y[0] == 0 && i == 1) return;
        }
        x[3] = 7;
      }"""
    request = KernelRequest(("P global 1, local 1",), initial=("n = 3", "x[4]", f"y = {first}"))
    source = KernelSource("k.cl", text, request)
    (state,) = check(source).states

    assert tuple(state.values[f"x[{number}]"] for number in range(4)) == left
    assert [counted.state.values for counted in run(source, runs=20).states] == [state.values]


def test_a_function_may_return_from_a_loop_that_enqueues() -> None:
    text = """
      kernel void child(global int* y) { y[get_global_id(0)] = 1; }
      int f(global int* y, int stop) {
        for (int i = 0; i < 3; i++) {
          enqueue_kernel(CLK_ENQUEUE_FLAGS_WAIT_KERNEL, child, 1);
          if (i == stop) return i;
        }
        return 9;
      }
      kernel void P(global int* x, global int* y, int n) { x[0] = f(y, n); }"""
    request = KernelRequest(("P global 1, local 1",), initial=("n = 0", "x[1]", "y[1]"))
    (state,) = check(KernelSource("k.cl", text, request)).states

    assert (state.values["x[0]"], state.values["y[0]"]) == (0, 1)
