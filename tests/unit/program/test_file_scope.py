"""Variables outside kernels and functions: numbers where they are constants, else memory."""

from __future__ import annotations

import pytest

from mcm import EngineName, InputError, Judged, Source, check, format_test, parse, run
from mcm.program.types import AllocationKind, Region

TEXT = """OPENCL file-scope
{ }
struct s { int two; };
__constant int table[2][2] = {{1, 2}, {3, 4}};
static constant uint mask = 0xffu, two = 1 + 1;
constant int weights[] = {5, 6};
constant int home = 9;
global atomic_int ticket = ATOMIC_VAR_INIT(0);
global int hits, box[2];
int take(int by) { return atomic_fetch_add_explicit(&ticket, by, memory_order_relaxed, memory_scope_device); }
int peek(global int* p) { return *p; }
int twice() { return 2 * take(two); }
kernel K (global int* x) {
  struct s v;
  v.two = 5;
  int buf[two];
  buf[1] = 1;
  *x = table[1][0] + (mask & 0x1ff) + v.two + weights[1] + *&home;
  hits = 1;
  hits += two;
  box[1] = peek(&hits);
  int r = twice() + table[0][1];
}
launch K global 1;
exists (x=278 /\\ hits=3 /\\ box[1]=3 /\\ K[0]:r=2 /\\ ticket=2)
""".replace("weights[]", "weights[2]")


def errors(declared: str, body: str = "") -> list[str]:
    text = f"OPENCL t\n{{ }}\n{declared}\nkernel K (global int* x) {{ {body} }}\nlaunch K global 1;\nexists (x=0)\n"
    with pytest.raises(InputError) as raised:
        parse(Source("k.litmus", text))
    return [f"{d.code} {d.span.line}:{d.span.column}" for d in raised.value.diagnostics if d.is_error]


@pytest.mark.parametrize("engine", [EngineName.EXPLICIT, EngineName.SMT])
def test_functions_and_kernels_see_them(engine: EngineName) -> None:
    found = check(Source("f.litmus", TEXT), engine=engine)
    assert isinstance(found, Judged)
    assert (found.observation.value, found.undefined) == ("Always", ())


def test_the_machine_sees_them() -> None:
    ran = run(Source("f.litmus", TEXT), runs=2)
    assert (ran.positive, ran.problems) == (2, ())


def test_constants_are_numbers_and_globals_have_program_scope() -> None:
    objects = {item.name: item for item in parse(Source("f.litmus", TEXT)).program.objects}
    assert {"mask", "two"}.isdisjoint(objects)
    assert objects["ticket"].allocation is AllocationKind.PROGRAM_SCOPE
    assert (objects["table"].region, objects["home"].region) == (Region.CONSTANT, Region.CONSTANT)


def test_two_kernels_share_a_program_scope_variable_as_svm() -> None:
    text = """OPENCL MP
{ }
global int data = 0;
global atomic_int flag = 0;
kernel produce () { data = 1; atomic_store_explicit(&flag, 1, memory_order_release, memory_scope_device); }
kernel consume () {
  int r = -1;
  if (atomic_load_explicit(&flag, memory_order_acquire, memory_scope_device)) { r = data; }
}
launch produce global 1;
launch consume global 1;
exists (consume[0]:r=0)
"""
    found = check(Source("m.litmus", text))
    assert isinstance(found, Judged)
    assert (found.holds, found.undefined) == (False, ())


def test_what_is_printed_is_read_again() -> None:
    printed = format_test(Source("f.litmus", TEXT))
    assert "static constant uint mask = 0xffu, two = 1 + 1;" in printed
    assert format_test(Source("f.litmus", printed)) == printed


@pytest.mark.parametrize(
    ("declared", "body", "wanted"),
    [
        ("local int t;", "t = 1;", ["E127 3:11"]),
        ("constant int k;", "", ["E131 3:14"]),
        ("constant int k = 3;", "k = 4;", ["E124 4:28"]),
        ("constant float4 v;", "", ["E131 3:17"]),
        ("global int* p;", "", ["E100 3:11"]),
        ("global int x;", "", []),
        ("global int y; global int y;", "", ["E118 3:26"]),
        ("int f(int a) { return a; } global int f;", "", ["E118 3:39"]),
        ("int K = 3;", "", ["E118 3:5"]),
        ("global int y; int f() { return y; }", "int y; y = f();", []),
        ("global int y; int f() { return y; }", "local int t[2]; int y; y = f();", []),
        ("global int y; int f() { return y; }", "int y; local int t[2]; y = f();", ["E100 3:12"]),
        ("global int y", "", ["E041 3:13"]),
    ],
)
def test_what_there_cannot_be_is_named(declared: str, body: str, wanted: list[str]) -> None:
    if not wanted:
        parse(Source("k.litmus", f"OPENCL t\n{{ }}\n{declared}\nkernel K (global int* x) {{ }}\nlaunch K global 1;\n"))
        return
    assert errors(declared, body) == wanted


HIDDEN = """OPENCL hidden
{ int o[5]; }
constant int n = 5;
int f(int n) { { int n = 3; n++; } return n * 2; }
kernel K (global int* o) {
  int i = n;
  { int n = i * 2; o[0] = n; for (int n = 0; n < 3; n++) o[1] += n + 1; o[1] += n * 100; }
  o[2] = f(n);
  switch (i) { case 5: o[3] = n; int n = 3; o[3] += n * 10; }
  int a = n, n = 4, c = n;
  o[4] = a * 100 + n * 10 + c;
}
launch K global 1;
forall (o[0]=10 /\\ o[1]=1006 /\\ o[2]=10 /\\ o[3]=35 /\\ o[4]=544)
"""


def test_variables_of_blocks_hide_constants() -> None:
    found = check(Source("h.litmus", HIDDEN))
    assert isinstance(found, Judged)
    assert (found.holds, found.undefined) == (True, ())


def test_a_variable_is_one_in_its_own_initial_value() -> None:
    found = check(Source("h.litmus", HIDDEN.replace("int n = i * 2", "int n = n * 2")))
    assert isinstance(found, Judged)
    assert {problem.kind for problem in found.undefined} == {"uninitialised-read"}


HIDDEN_OBJECTS = """OPENCL hidden
{ int o[2]; }
constant int w[2] = {10, 20};
global int n = 5;
int g(int i) { return w[i] + n; }
int h(int* w) { int n = 3; return w[1] + g(0) + n; }
kernel K (global int* o) {
  local int t[2];
  int i = get_global_id(0);
  int r = w[i] + n;
  for (int w = 0; w < 2; w++) r += w;
  int n = 0;
  { int w[2] = {1, 2}; r += w[i] + h(w); }
  { float w = 2.0f; r += w; }
  o[i] = r + g(i) + n + w[0] + (i ? w[1] * 10 : 0);
}
launch K global 2, local 2;
forall (o[0]=64 /\\ o[1]=285)
"""


def test_variables_of_units_hide_memory() -> None:
    found = check(Source("h.litmus", HIDDEN_OBJECTS))
    assert isinstance(found, Judged)
    assert (found.holds, found.undefined) == (True, ())
