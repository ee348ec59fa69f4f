"""Kernels as people write them: variables in local memory, values as parameters, constants, group functions."""

from __future__ import annotations

import pytest

from mcm import EngineName, InputError, Judged, Source, check, format_test, parse, run

ENGINES = (EngineName.EXPLICIT, EngineName.SMT)


def judged(text: str, engine: EngineName) -> Judged:
    found = check(Source("kernel.litmus", text), engine=engine)
    assert isinstance(found, Judged)
    return found


def assert_always(text: str) -> None:
    """Both engines and the machine say that the condition always holds, and that the program is defined."""
    for engine in ENGINES:
        found = judged(text, engine)
        assert (found.holds, found.undefined) == (True, ()), engine
    ran = run(Source("kernel.litmus", text), runs=3)
    assert (ran.positive, ran.runs, ran.problems) == (3, 3, ())


def complaints(text: str) -> list[str]:
    with pytest.raises(InputError) as raised:
        parse(Source("k.litmus", text))
    return [f"{d.code} {d.span.line}:{d.span.column}" for d in raised.value.diagnostics if d.is_error]


LOCALS = """OPENCL locals
{{ int out[4] = {{0}}; }}
kernel K (global int* out) {{
  local int t[2];
  __local int first, last;
  local atomic_int count;
  int i = get_local_id(0);
  if (i == 0) {{ first = 7; atomic_init(&count, 0); }}
  t[i] = get_global_id(0);
  {barrier}
  last = last;
  atomic_fetch_add(&count, 1);
  out[get_global_id(0)] = t[1 - i] + first;
}}
launch K global 4, local 2;
forall (out[0]=8 /\\ out[1]=7 /\\ out[2]=10 /\\ out[3]=9 /\\ t@wg1[0]=2 /\\ count@wg0=2 /\\ first@wg1=7)
"""


def test_each_group_has_its_own_variables_in_local_memory() -> None:
    assert_always(LOCALS.format(barrier="barrier(CLK_LOCAL_MEM_FENCE);").replace("  last = last;\n", ""))


def test_variables_in_local_memory_race_without_a_barrier() -> None:
    for engine in ENGINES:
        kinds = {problem.kind for problem in judged(LOCALS.format(barrier=""), engine).undefined}
        assert {"data-race", "uninitialised-read"} <= kinds


def test_values_as_parameters() -> None:
    assert_always(
        """OPENCL values
    { [x]=0; n = 3; float f = 1.5; }
    kernel K (global int* x, int n, const uchar m, float f) {
      n += m;
      if (f > 1.0f) *x = n;
    }
    launch K global 1;
    forall (x=7)
    """.replace("n = 3;", "n = 3; m = 260;")
    )


def test_a_value_needs_to_be_given() -> None:
    text = "OPENCL t\n{{ {} }}\nkernel K (global int* x, int n) {{ *x = n; }}\nlaunch K global 1;\nexists (x=0)"

    assert complaints(text.format("")) == ["E128 3:26"]
    assert complaints(text.format("int n[2] = {1, 2};")) == ["E128 3:26"]


def test_constants() -> None:
    text = """OPENCL constants
    { int x[4] = {0, 1, 2, 3}; }
    #define N 4 // how many
    #define LAST (N - 1) /* of them */
    #define order memory_order_relaxed
    kernel K (global int* x) {
      int r = x[LAST];
      for (int i = 0; i < N; i++) r += x[i];
    }
    launch K global N;
    forall (K[0]:r=9)
    """
    assert_always(text)
    assert complaints(text.replace("x[LAST]", "x[LAST] + y")) == ["E101 7:25"]
    assert complaints(text.replace("#define N 4", "#define N(a) 4")) == ["E050 3:13"]
    with pytest.raises(InputError):
        format_test(Source("t", text))


GROUPS = """OPENCL groups
{ int x[8] = {3, 1, 4, 1, 5, 9, 2, 6}; }
kernel K (global int* x) {
  int v = x[get_global_linear_id()];
  CALLS
}
launch K global 4 2, local 2 2, sub 2;
forall (CONDITION)
"""

# A call, and its value in the work-items 0, 1, 4, 5 (the first work-group, whose values are 3, 1, 5, 9).
CALLS = {
    "work_group_reduce_add(v)": (18, 18, 18, 18),
    "work_group_reduce_min(v)": (1, 1, 1, 1),
    "work_group_reduce_max(v)": (9, 9, 9, 9),
    "work_group_scan_inclusive_add(v)": (3, 4, 9, 18),
    "work_group_scan_inclusive_min(v)": (3, 1, 1, 1),
    "work_group_scan_inclusive_max(v)": (3, 3, 5, 9),
    "work_group_scan_exclusive_add(v)": (0, 3, 4, 9),
    "work_group_scan_exclusive_min(v)": (2**31 - 1, 3, 1, 1),
    "work_group_scan_exclusive_max(v)": (-(2**31), 3, 3, 5),
    "work_group_broadcast(v, 0, 1)": (5, 5, 5, 5),
    "work_group_broadcast(v, 1)": (1, 1, 1, 1),
    "work_group_all(v > 1)": (0, 0, 0, 0),
    "work_group_any(v > 8)": (1, 1, 1, 1),
    "sub_group_reduce_add(v)": (4, 4, 14, 14),
    "sub_group_scan_exclusive_add(v)": (0, 3, 0, 5),
    "sub_group_scan_inclusive_max((char)v)": (3, 3, 5, 9),
    "sub_group_broadcast(v, 1)": (1, 1, 9, 9),
    "sub_group_shuffle(v, 1 - get_sub_group_local_id())": (1, 3, 9, 5),
    "sub_group_shuffle(v * 2, get_sub_group_local_id())": (6, 2, 10, 18),
    "sub_group_shuffle_xor(v, 1)": (1, 3, 9, 5),
    "work_group_reduce_mul(v)": (135, 135, 135, 135),
    "work_group_scan_inclusive_xor(v)": (3, 2, 7, 14),
    "work_group_scan_exclusive_and((uint)v) > 1u": (1, 1, 0, 0),
    "work_group_scan_exclusive_logical_and(v - 5)": (1, 1, 1, 0),
    "work_group_reduce_logical_or(v - 3)": (1, 1, 1, 1),
    "work_group_scan_inclusive_logical_xor(v)": (1, 0, 1, 0),
}


def test_group_functions() -> None:
    calls = [f"int r{number} = {call};" for number, call in enumerate(CALLS)]
    facts = [
        f"K[{item}]:r{number}={value}"
        for number, values in enumerate(CALLS.values())
        for item, value in zip((0, 1, 4, 5), values, strict=True)
    ]
    assert_always(GROUPS.replace("CALLS", "\n".join(calls)).replace("CONDITION", " /\\ ".join(facts)))


def test_group_functions_order_nothing() -> None:
    """COLL-1: what one work-item wrote before is not seen by another one behind."""
    text = """OPENCL data
    { [x]=0; }
    kernel K (global int* x) {
      if (get_local_id(0) == 0) *x = 1;
      int s = sub_group_shuffle(1, 0) + sub_group_reduce_add(1);
      int r = *x;
    }
    launch K global 2, local 2;
    exists (K[1]:r=1)
    """
    for engine in ENGINES:
        assert {problem.kind for problem in judged(text, engine).undefined} == {"data-race"}


def test_a_work_item_that_does_not_exist_is_a_fault() -> None:
    text = GROUPS.replace("CALLS", "int r = sub_group_broadcast(v, 9u);").replace("CONDITION", "x[0]=3")

    for engine in ENGINES:
        assert {problem.kind for problem in judged(text, engine).undefined} == {"out-of-bounds"}
    assert {problem.kind for problem in run(Source("t", text), runs=2).problems} == {"out-of-bounds"}


@pytest.mark.parametrize(
    ("call", "expected"),
    [
        ("work_group_broadcast(v, 0, 0, 0)", ["E104 5:41"]),
        ("work_group_broadcast(v, 1.5f)", ["E119 5:35"]),
        ("sub_group_broadcast(v, 0, 0)", ["E104 5:11"]),
        ("work_group_reduce_add(x)", ["E119 5:33"]),
        ("sub_group_reduce_mul(v)", ["E140 5:11"]),
        ("sub_group_shuffle_up(v)", ["E104 5:11"]),
        ("work_group_reduce_and(1.5f)", ["E119 5:33"]),
        ("work_group_shuffle(v, 1)", ["E102 5:11"]),
    ],
)
def test_wrong_calls_of_group_functions(call: str, expected: list[str]) -> None:
    assert complaints(GROUPS.replace("CALLS", f"int r = {call};").replace("CONDITION", "x[0]=3")) == expected


REGIONS = """OPENCL regions
{ [x]=5; }
int where(int* p) { return to_global(p) ? 1 : to_local(p) ? 2 : to_private(p) ? 3 : 4; }
uint flag(int* p) { return get_fence(p); }
kernel K (global int* x) {
  local int t;
  int own = 6;
  int i = get_global_id(0);
  if (i == 0) t = 7;
  int* p = i == 0 ? (int*)x : i == 1 ? &t : i == 2 ? &own : (int*)NULL;
  int r = where(p);
  int f = i < 2 ? flag(p) == CLK_LOCAL_MEM_FENCE : 2;
  global int* g = to_global(p);
  int v = g != NULL ? *g : 0;
}
launch K global 4, local 4;
forall (K[0]:r=1 /\\ K[1]:r=2 /\\ K[2]:r=3 /\\ K[3]:r=4 /\\ K[0]:f=0 /\\ K[1]:f=1 /\\ K[0]:v=5 /\\ K[1]:v=0)
"""


def test_address_spaces_that_are_known_when_the_program_runs() -> None:
    assert_always(REGIONS)


FENCE_OF = """OPENCL fence-of
{ [x]=0; [y]=0; [p]=&x; }
void publish(int* data, global atomic_int* y) {
  *data = 1;
  atomic_work_item_fence(get_fence(data), memory_order_release, memory_scope_work_group);
  atomic_store_explicit(y, 1, memory_order_relaxed, memory_scope_work_group);
}
P0@wg 0 (global int* x, global atomic_int* y, global int** p) { publish(WHERE, y); }
P1@wg 0 (global int* x, global atomic_int* y) {
  int r = atomic_load_explicit(y, memory_order_relaxed, memory_scope_work_group);
  atomic_work_item_fence(CLK_GLOBAL_MEM_FENCE, memory_order_acquire, memory_scope_work_group);
  if (r == 1) r = *x;
}
exists (1:r=0)
"""


@pytest.mark.parametrize("where", ["x", "*p"])
def test_fence_of_the_address_space_of_a_pointer(where: str) -> None:
    for engine in ENGINES:
        assert judged(FENCE_OF.replace("WHERE", where), engine).undefined == ()
    weaker = FENCE_OF.replace("WHERE", where).replace("get_fence(data)", "CLK_LOCAL_MEM_FENCE")
    for engine in ENGINES:
        assert judged(weaker, engine).undefined != ()


ADDRESS = """OPENCL address
{{ [x]=3; [q]=0; }}
kernel K (global int* x, global atomic_uintptr_t* q) {{
  intptr_t a = (intptr_t)x;
  global int* p = (global int*)a;
  atomic_store(q, (uintptr_t)x);
  uintptr_t b = atomic_load(q);
  global int* s = (global int*)b;
  int r = *p + *s + (a == (intptr_t)s);
  {more}
}}
launch K global 1;
forall (K[0]:r=7)
"""


def test_address_in_an_integer_that_comes_back_unchanged() -> None:
    assert_always(ADDRESS.format(more=""))


@pytest.mark.parametrize("more", ["a = a + 4;", "a += 4;", "int c = (intptr_t)x | 3;", "a++;"])
def test_nothing_is_computed_with_an_address_in_an_integer(more: str) -> None:
    assert [line.split()[0] for line in complaints(ADDRESS.format(more=more))] == ["E122"]
