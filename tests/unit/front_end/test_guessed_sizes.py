"""How large buffers are where nothing says so: as their uses need, wherever these stand."""

from __future__ import annotations

import pytest

from mcm import Judged, KernelRequest, KernelSource, check, parse

BODIES = """
int at(global int* q, int i) { return q[i]; }
int first(global int* q) { return *q; }
int third(global int* q) { return q[2]; }
int further(global int* q, int i) { global int* r = &q[1]; return at(r, i); }
"""


def guessed(statements: str, launch: str = "K global 6, local 3") -> tuple[int, bool]:
    """How many elements a buffer `p` has in a kernel that does this, and whether it is an array."""
    text = f"{BODIES} kernel void K(global int* p) {{ int i = get_global_id(0); {statements} }}"
    (item,) = parse(KernelSource("k.cl", text, KernelRequest((launch,)))).program.objects
    return len(item.initial) // item.units, item.is_array


@pytest.mark.parametrize(
    ("statements", "length"),
    [
        ("at(&p[0], i);", 6),
        ("at(p + 0, i);", 6),
        ("at(&p[2], i);", 8),
        ("at(2 + p, i);", 8),
        ("first(&p[3]);", 4),
        ("third(&p[3]);", 6),
        ("third(&p[4 * i]);", 24),
        ("third(&p[i]);", 8),
        ("further(p, i);", 7),
        ("further(&p[0], i);", 7),
        ("at((global int*)&p[0], i);", 6),
        ("at(i ? p : &p[1], i);", 7),
        ("at(p - 0, 1);", 6),
    ],
)
def test_of_what_functions_are_given(statements: str, length: int) -> None:
    assert guessed(statements) == (length, True)


@pytest.mark.parametrize(
    ("statements", "length"),
    [
        ("global int* q = &p[0]; q[i] = 1;", 6),
        ("global int* q = p; q[3] = 1;", 4),
        ("global int* q; q = p + 1; q[3] = 1;", 5),
        ("global int* q = &p[4 * i]; q[3] = 1;", 24),
        ("global int* q = p; for (int k = 0; k < 3; k++) *q++ = k;", 6),
        ("global int* q = p; q += 2; *q = 1;", 6),
        ("global int* q = p + 1; global int* r = q + 1; *r = 1;", 3),
        ("*(p + 3) = 1;", 4),
        ("*(p + i) = 1;", 6),
        ("p[p[9]] = 1;", 10),
        ("*&p[p[9]] = 1;", 10),
    ],
)
def test_of_variables_made_of_a_pointer(statements: str, length: int) -> None:
    assert guessed(statements) == (length, True)


@pytest.mark.parametrize(
    ("statements", "length"),
    [
        ("int k = p[0]; if (k < 24) p[k] = 1;", 24),
        ("int k = p[0]; if (k <= 24) p[k] = 1;", 25),
        ("int k = p[0]; if (24 > k && k >= 0) p[k] = 1;", 24),
        ("int k = p[0]; if (!p[1] || k < 24) p[k] = 1;", 6),
        ("int k = p[0]; if (k >= 24) return; p[k] = 1;", 24),
        ("int k = p[0]; if (k < 0 || k > 24) return; p[k] = 1;", 25),
        ("int k; while ((k = atomic_inc(&p[0])) < 24) p[k] = 1;", 24),
        ("for (int k = p[0]; k < 24; k = p[0]) p[k] = 1;", 24),
        ("int k = p[0]; if (k < 24) { p[k] = 1; p[k + 1] = 1; }", 25),
        # What is known of an index goes before what a test says of it, and behind the test nothing is known of it.
        ("int k = i; if (k < 24) p[k] = 1;", 6),
        ("int k = p[0]; if (k < 24) p[0] = 1; p[k] = 1;", 6),
        ("int k = p[0]; if (k < 1000000) p[k] = 1;", 6),
    ],
)
def test_of_tests_that_limit_what_comes_from_memory(statements: str, length: int) -> None:
    assert guessed(statements) == (length, True)


@pytest.mark.parametrize(
    ("statements", "length"),
    [
        ("((global uchar*)p)[4 * i + 3] = 1;", 6),
        ("((global uchar*)p)[i] = 1;", 2),
        ("((global ushort*)p)[5] = 1;", 3),
        ("((global uchar*)p)[4 * i + 3] = 1; p[i + 1] = 1;", 6),
        ("global uchar* q = (global uchar*)(p + i); q[3] = 1;", 6),
        ("((global ulong*)p)[p[0]] = 1;", 12),
        ("*(global ulong*)p = 1;", 2),
        ("*((global ulong*)p + 1) = 1;", 4),
        ("((global int4*)p)[i + 1] = (int4)(1);", 24),
        ("((global int4*)p)[i] = (int4)(1);", 24),
        ("((global int4*)p)[i + 2] = (int4)(1);", 32),
        ("((global uchar*)p)[4 * (i + 1)] = 1;", 6),
    ],
)
def test_of_casts_to_other_sizes(statements: str, length: int) -> None:
    assert guessed(statements) == (length, True)


@pytest.mark.parametrize(
    "statements", ["*(global uchar*)p = 1;", "*p = 1;", "first(p);", "global int* q = p; *q = 1;", "first(&*p);"]
)
def test_that_are_single_objects(statements: str) -> None:
    assert guessed(statements) == (1, False)


def test_an_atomic_function_is_given_an_element() -> None:
    assert guessed("atomic_add(&p[3], 1);") == (4, True)
    assert guessed("atomic_add(p + i, 1);") == (6, True)


def test_local_memory_that_a_function_indexes_has_an_element_for_each_of_the_group() -> None:
    text = """
      void sum(local int* total, int mine, local int* t) {
        int i = get_local_id(0);
        t[i] = mine; barrier(CLK_LOCAL_MEM_FENCE);
        if (i == 0) *total = t[0] + t[1];
      }
      kernel void K(local int* t, local int* total, global int* out) {
        sum(&total[0], 2, &t[0]);
        if (get_local_id(0) == 0) out[get_group_id(0)] = total[0];
      }"""
    found = check(KernelSource("k.cl", text, KernelRequest(("K global 4, local 2",), questions=("forall out[1]=4",))))

    assert isinstance(found, Judged)
    assert (found.undefined, found.holds) == ((), True)


@pytest.mark.parametrize(
    ("parameters", "statement", "stated"),
    [
        ("local int* t", "t[get_local_id(0) + 1] = 1;", "--init 't[N]'"),
        ("global int2* v", "v[get_global_id(0) + 1].y = 1;", "--init 'v[N]'"),
    ],
)
def test_it_is_told_how_to_state_a_size(parameters: str, statement: str, stated: str) -> None:
    text = f"kernel void K({parameters}) {{ {statement} }}"
    found = check(KernelSource("k.cl", text, KernelRequest(("K global 2, local 2",))))

    assert isinstance(found, Judged)
    assert {
        problem.why.endswith(f"since nothing states how many: state it with {stated}") for problem in found.undefined
    } == {True}


def test_no_size_helps_before_the_first_element() -> None:
    text = "kernel void K(global int* p) { p[0] = 1; p[-1] = 1; }"
    found = check(KernelSource("k.cl", text, KernelRequest(("K global 1, local 1",))))

    assert isinstance(found, Judged)
    assert [problem.why for problem in found.undefined] == [
        "p[-1] is outside p, which is taken to have 1 element, since nothing states how many"
    ]
