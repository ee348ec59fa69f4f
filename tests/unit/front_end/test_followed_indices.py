"""How large buffers are whose indices follow from ids, constants and the values that a kernel is given."""

from __future__ import annotations

import pytest

from mcm import Judged, KernelRequest, KernelSource, check, format_test, parse

FUNCTIONS = """
int row(int at) { return at * 8; }
int early(int at) { if (at > 2) { return 0; } return at * 10; }
void put(global int* q, int at) { q[at] = 1; }
int deep(int at) { return deep(at) + 1; }
"""


def guessed(statements: str, launch: str = "K global 4, local 2", **values: int) -> int:
    """How many elements a buffer `p` has in a kernel that does this, where `n` and others have these values."""
    parameters = "".join(f", int {name}" for name in values)
    body = f"int i = get_global_id(0); int l = get_local_id(0); {statements}"
    text = f"{FUNCTIONS} kernel void K(global int* p, global int* other{parameters}) {{ {body} }}"
    initial = ("other[9]", *(f"{name} = {value}" for name, value in values.items()))
    objects = parse(KernelSource("k.cl", text, KernelRequest((launch,), initial=initial))).program.objects
    return next(len(item.initial) for item in objects if item.name == "p")


@pytest.mark.parametrize(
    ("statements", "length"),
    [
        ("p[i + get_global_size(0)] = 1;", 8),
        ("p[i * 3 + 2] = 1;", 12),
        ("p[(i << 2) | 1] = 1;", 14),
        ("int k = i; k += 6; p[k] = 1;", 10),
        ("for (int k = i; k < 16; k += get_global_size(0)) p[k] = k;", 16),
        ("for (int k = 1; k < 40; k <<= 1) p[k] = k;", 33),
        ("int k = 20; do { p[k] = 1; k--; } while (k > 3);", 21),
        ("int k = 0; while (true) { if (k == 7) break; p[k] = 1; k++; }", 7),
        ("for (int k = 0; k < 8; k++) { if (k == 5) continue; if (k > 5) return; p[k] = 1; }", 5),
        ("p[row(i)] = 1;", 25),
        ("p[early(i)] = 1;", 21),
        ("put(p, i * 4);", 13),
        ("put(p + 4, i * 4);", 17),
        ("put(&p[i * 2], i * 4);", 19),
        ("global int* q = p; q += 9; *q = i;", 10),
        ("if (i < 2) p[i + i * 6] = 1;", 8),
        ("p[min(i * 5, 11)] = 1;", 12),
        ("p[clamp(i * 50, 0, 9)] = 1; p[max(i, 3)] = 1;", 10),
        ("p[mad24(i, 3, 1)] = 1;", 11),
        ("atomic_add(&p[6 + i * 6], 1);", 25),
        ("p[i == 3 ? 14 : 1] = 1;", 15),
        ("{ int i = 30; } p[i + i] = 1;", 7),
        ("uint s = 32; s /= 2; p[s + i] = 1;", 20),
        ("p[(int)(i * 4)] = 1; p[-~i] = 1;", 13),
    ],
)
def test_indices_that_are_known(statements: str, length: int) -> None:
    assert guessed(statements) == length


@pytest.mark.parametrize(
    ("statements", "length"),
    [
        ("p[i + 1] = 1;", 4),
        ("p[1 + get_local_id(0)] = 1;", 4),
        ("p[i - 1] = 1;", 4),
        ("int k = i + 1; p[k] = 1;", 4),
    ],
)
def test_what_stands_beside_an_id_is_for_the_author_to_state(statements: str, length: int) -> None:
    assert guessed(statements) == length


@pytest.mark.parametrize(
    ("statements", "length"),
    [
        ("p[other[i] + 9] = 1;", 4),
        ("int k = 9 * i; if (other[i]) k = 1; p[k] = 1;", 4),
        ("int k = 9 * i; if (other[i]) k = 27; else k = 27; p[k] = 1;", 28),
        ("if (other[i]) return; p[5 * i + 5] = 1;", 21),
        ("if (other[i]) { p[i + 5] = 1; } else { p[i + 6] = 1; }", 10),
        ("for (int k = i * 3; k < other[0]; k++) p[k] = 1;", 10),
        ("for (int k = 0; k < other[0]; k++) { } int m = 3 * i; while (other[m]) { m += 5; } p[m] = 1;", 4),
        ("while (other[0] == 0) { } p[i + 2] = 1;", 6),
        ("switch (other[0]) { case 1: p[i + 2] = 1; break; default: p[i + 3] = 1; }", 7),
        ("int k = i * 9; int* a = &k; *a = 1; p[k] = 1;", 4),
        ("p[i * 1.5f > 2 ? 30 : 29] = 1;", 4),
        ("p[i / (i - i)] = 1;", 4),
        ("int t[9]; t[i] = 20; p[t[i]] = 1;", 4),
        ("for (;;) { p[2 + i] = 1; if (other[0]) break; }", 6),
    ],
)
def test_what_is_read_from_memory_is_not_known(statements: str, length: int) -> None:
    assert guessed(statements) == length


def test_values_that_a_kernel_is_given() -> None:
    assert guessed("p[i * n] = 1;", n=5) == 16
    assert guessed("if (i < n) p[i * m] = 1;", n=2, m=9) == 10


def test_several_dimensions() -> None:
    body = "p[get_global_id(1) * 10 + get_global_id(0)] = get_work_dim() + get_local_id(2);"
    assert guessed(body, "K global 2 3, local 2 1") == 22
    assert guessed("p[get_group_id(1) * 8 + get_num_groups(2)] = 1;", "K global 2 3, local 2 1") == 18


def test_long_loops_come_to_an_end() -> None:
    assert guessed("for (int k = 0; k < 100000000; k++) { p[k & 7] = k; }") == 8


def test_recursion_is_for_others_to_refuse() -> None:
    kernel = "kernel void K(global int* p) { p[deep(1) + get_global_id(0)] = 1; }"
    source = KernelSource("k.cl", FUNCTIONS + kernel, KernelRequest(("K global 2, local 2",)))
    with pytest.raises(Exception, match=r"E\d+"):
        parse(source)


def test_local_memory_of_a_scan_has_two_elements_for_each_of_the_group() -> None:
    text = """
      kernel void K(local int* t, global int* out) {
        int i = get_local_id(0); t[i] = 0; i += get_local_size(0); t[i] = 1; barrier(CLK_LOCAL_MEM_FENCE);
        out[get_global_id(0)] = t[i - 1];
      }"""
    source = KernelSource("k.cl", text, KernelRequest(("K global 4, local 2",)))
    found = check(source)

    assert isinstance(found, Judged)
    assert found.undefined == ()
    assert "t[4]; out[4]=0;" in format_test(source)


def test_structures_and_vectors_are_whole() -> None:
    text = """
      struct S { int a; int b[3]; };
      kernel void K(global struct S* s, global int4* v) {
        int i = get_global_id(0);
        s[2 * i].b[1] = 1; v[2 * i + 1] = (int4)(0);
      }"""
    objects = parse(KernelSource("k.cl", text, KernelRequest(("K global 2, local 2",)))).program.objects

    sizes = {item.name: len(item.initial) for item in objects}
    assert (sizes["s.a"], sizes["s.b"]) == (3, 9)
    assert {sizes[f"v.{component}"] for component in "xyzw"} == {4}


def test_the_last_group_may_be_smaller() -> None:
    assert guessed("p[l + get_local_size(0) * 3] = 1;", "K global 5, local 4") == 16
    assert guessed("if (get_local_size(0) < 4) p[l + 7] = 1; p[i] = 1;", "K global 5, local 4") == 8
    assert guessed("p[get_num_groups(0) * get_enqueued_local_size(0) - 1] = 1; p[i] = 1;", "K global 5, local 4") == 8


@pytest.mark.parametrize(
    ("statements", "length"),
    [
        ("p[8 + get_global_linear_id()] = 1;", 20),
        ("p[20 + get_local_linear_id()] = 1;", 26),
        ("p[30 + get_sub_group_local_id()] = 1;", 34),
        ("p[40 + get_sub_group_id() * get_max_sub_group_size()] = 1;", 45),
        ("p[get_global_linear_id() + 1] = 1;", 12),
    ],
)
def test_linear_ids_and_those_of_sub_groups(statements: str, length: int) -> None:
    assert guessed(statements, "K global 6 2, local 3 2, sub 4") == length
