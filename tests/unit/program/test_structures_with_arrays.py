"""Structures of which members are arrays: copied as wholes, and pointers that move over them."""

from __future__ import annotations

import pytest

from mcm import InputError, Judged, KernelRequest, KernelSource, check
from mcm.front_end.kernel_file import read

FILE = """
typedef struct { uint s[2]; int n; int m[2][2]; } state_t;
typedef struct { state_t one; int after; } outer_t;
static void put(global state_t *to) { to->s[1] = get_global_id(0) + 7; to->n = 8; }
kernel void moved(global state_t *x) {
  global state_t *p = x + get_global_id(0);
  p->s[1] = get_global_id(0) + 7;
  p->n = 8;
}
kernel void handed(global state_t *x) { put(x + get_global_id(0)); }
kernel void moved_back(global state_t *x) {
  global state_t *p = x + 2;
  p = p - 1 - (1 - get_global_id(0));
  p->s[1] = get_global_id(0) + 7;
  p->n = 8;
}
kernel void in_local_memory(global int *o) {
  local state_t t[2];
  local state_t *p = t + get_local_id(0);
  p->s[1] = get_local_id(0) + 7;
  barrier(CLK_LOCAL_MEM_FENCE);
  o[get_local_id(0)] = t[1 - get_local_id(0)].s[1];
}
kernel void copied(global state_t *x) {
  const state_t before = x[1 - get_global_id(0)];
  state_t p = before, q;
  p.s[1] += 7;
  q = p;
  q.n = q.m[1][0] + 5;
  barrier(CLK_GLOBAL_MEM_FENCE);
  x[get_global_id(0)] = q;
}
kernel void through_pointers(global state_t *x, global state_t *y) {
  state_t p = *x;
  state_t *q = &p;
  q->s[0] = 9;
  *y = *q;
}
kernel void nested(global outer_t *x) {
  outer_t p = x[0];
  p.one.s[1] = 4;
  x[1] = p;
}
kernel void zeros(global int *x) {
  state_t p = {0}, q[2] = {{0}};
  q[1].s[1] = ++p.s[1] + p.n;
  p = q[1];
  x[0] = p.s[1] + p.m[1][1];
}
kernel void at_once(global state_t *x, global atomic_int *n) { x[atomic_fetch_add(n, 1)] = x[0]; }
kernel void overlapping(global state_t *x) { x[get_global_id(0) / 2] = x[2]; }
"""


def source(launch: str, *initial: str, question: str = "") -> KernelSource:
    questions = (f"forall {question}",) if question else ()
    return KernelSource("s.cl", FILE, KernelRequest((launch,), initial=initial, questions=questions))


@pytest.mark.parametrize("kernel", ["moved", "handed", "moved_back"])
@pytest.mark.parametrize("engine", ["explicit", "smt"])
def test_a_pointer_moves_by_whole_structures(kernel: str, engine: str) -> None:
    question = "x.s[0]=0 /\\ x.s[1]=7 /\\ x.s[2]=0 /\\ x.s[3]=8 /\\ x.n[0]=8 /\\ x.n[1]=8"
    found = check(source(f"{kernel} global 2", "x[2]", question=question), engine=engine)

    assert isinstance(found, Judged)
    assert found.undefined == ()
    assert found.holds


def test_a_pointer_moves_by_whole_structures_of_local_memory() -> None:
    found = check(source("in_local_memory global 2", question="o[0]=8 /\\ o[1]=7"))

    assert isinstance(found, Judged)
    assert found.undefined == ()
    assert found.holds


@pytest.mark.parametrize(
    ("launch", "initial", "question"),
    [
        pytest.param(
            "copied global 2",
            ("x.s = {1, 2, 3, 4}", "x.n = {0, 0}", "x.m = {0, 0, 6, 0, 0, 0, 7, 0}"),
            "x.s[0]=3 /\\ x.s[1]=11 /\\ x.s[2]=1 /\\ x.s[3]=9 /\\ x.n[0]=12 /\\ x.n[1]=11 /\\ x.m[2]=7",
            id="elements of buffers and variables",
        ),
        pytest.param(
            "through_pointers global 1",
            ("x.s = {1, 2}", "x.n = 3", "x.m = {0, 0, 0, 0}", "y[1]"),
            "y.s[0]=9 /\\ y.s[1]=2 /\\ y.n[0]=3 /\\ x.s[0]=1",
            id="what pointers point at",
        ),
        pytest.param(
            "nested global 1",
            ("x.one.s = {1, 2, 0, 0}", "x.one.n = {0, 0}", "x.one.m = {0, 0, 0, 0, 0, 0, 0, 0}", "x.after = {5, 0}"),
            "x.one.s[2]=1 /\\ x.one.s[3]=4 /\\ x.after[1]=5",
            id="a structure in another one",
        ),
    ],
)
def test_a_structure_is_copied_with_its_arrays(launch: str, initial: tuple[str, ...], question: str) -> None:
    found = check(source(launch, *initial, question=question))

    assert isinstance(found, Judged)
    assert found.undefined == ()
    assert found.holds


def test_a_list_of_zeros_is_for_all_members() -> None:
    found = check(source("zeros global 1", "int x[1]", question="x[0]=1"))

    assert isinstance(found, Judged)
    assert found.undefined == ()
    assert found.holds


def test_copies_of_several_work_items_race() -> None:
    found = check(source("overlapping global 2", "x[3]"))

    assert isinstance(found, Judged)
    assert found.races


def test_an_index_that_does_more_than_read_is_refused() -> None:
    with pytest.raises(InputError) as caught:
        read(source("at_once global 2", "x[3]"))

    assert "E100" in {diagnostic.code for diagnostic in caught.value.diagnostics}


CONSTANTS = """
kernel void K(global int *x) {
  { const int y = 1; x[0] = y; }
  for (int y = 0; y < 2; y++) x[1] += y;
  { global const int *p = x; x[2] = *p; }
  { global int *p = x; p[3] = 4; }
}
kernel void L(global int *x) { { int y = 1; y++; x[0] = y; } { const int y = 1; y++; } }
"""


def test_a_variable_is_const_in_its_own_block_alone() -> None:
    request = KernelRequest(("K global 1",), initial=("int x[4]",), questions=("forall x[1]=1 /\\ x[2]=1 /\\ x[3]=4",))
    found = check(KernelSource("c.cl", CONSTANTS, request))

    assert isinstance(found, Judged)
    assert found.holds
    with pytest.raises(InputError):
        read(KernelSource("c.cl", CONSTANTS, KernelRequest(("L global 1",))))
