"""Kernel files: where everything comes from, what the preprocessor does, and which buffers there are."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from mcm import InputError, Judged, KernelRequest, KernelSource, Source, check, format_test, parse
from mcm.front_end.kernel_file import read
from mcm.front_end.read import header_of
from mcm.front_end.test import InvalidTestError

if TYPE_CHECKING:
    from pathlib import Path

KERNEL = """// a kernel
#define N 2
#define GET(p, i) (p)[(i)]
#ifdef WEAK
#define order memory_order_relaxed
#else
#define order memory_order_release
#endif
#pragma OPENCL EXTENSION cl_khr_something : enable
typedef unsigned int word;
static void set(global atomic_uint *p, word value) { /* a
comment */ atomic_store_explicit(p, value, order); }
__kernel __attribute__((reqd_work_group_size(1, 1, 1)))
void K(__global atomic_uint *flag, __global word *in, __global word *data) {
  word i = get_global_id(0);
  if (i == 0) { *data = GET(in, N) + N; set(flag, 1); }
  else if (atomic_load_explicit(flag, memory_order_acquire) == 1) { word r = *data; }
}
"""


def source(text: str = KERNEL, launch: str = "K global 2, local 1", **request: tuple[str, ...]) -> KernelSource:
    return KernelSource("k.cl", text, KernelRequest((launch,) if launch else (), **request))


def complaints(text: str, launch: str = "K global 2, local 1", **request: tuple[str, ...]) -> list[str]:
    with pytest.raises(InputError) as raised:
        read(source(text, launch, **request))
    return [f"{d.code} {d.span}" for d in raised.value.diagnostics if d.is_error]


def test_what_is_launched_and_asked() -> None:
    found = check(source(questions=("exists data=2",)))

    assert isinstance(found, Judged)
    assert found.undefined == ()
    assert found.reachable


def test_definitions_change_the_kernel() -> None:
    found = check(source(definitions=("WEAK",)))

    places = {str(site.span) for problem in found.undefined for site in problem.sites}
    assert {problem.kind for problem in found.undefined} == {"data-race"}
    assert places == {"k.cl:16:17", "k.cl:17:78"}


def test_places_are_those_of_the_file() -> None:
    program = parse(source()).program

    (text, *_) = {thread.body.span.text for thread in program.threads}
    assert text.startswith("{\n  word i = get_global_id(0);")
    assert program.threads[0].body.span.line == 14


def test_buffers_are_as_large_as_their_use_says() -> None:
    objects = {item.name: len(item.initial) for item in parse(source()).program.objects}

    assert objects == {"flag": 1, "in": 3, "data": 1}


def test_a_pointer_that_a_function_indexes_by_an_id_has_an_element_for_each_work_item() -> None:
    text = "int at(global int* q, int i) { return q[i]; } kernel void K(global int* p) { at(p, get_global_id(0)); }"

    (item,) = parse(source(text, "K global 6, local 3")).program.objects
    assert (len(item.initial), item.is_array) == (6, True)


def test_local_buffers_have_an_element_for_each_work_item_of_a_group() -> None:
    text = "kernel void K(local int* t) { t[get_local_id(0)] = 1; }"

    first, second = parse(source(text, "K global 6, local 3")).program.objects
    assert (first.initial, second.initial) == ((None,) * 3, (None,) * 3)


def test_stated_buffers() -> None:
    test = parse(source(initial=("in = {5, 6, 7}", "fine_svm_atomics [flag] = 1")))

    objects = {item.name: (item.allocation.value, item.initial) for item in test.program.objects}
    assert objects["in"] == ("buffer", (5, 6, 7))
    assert objects["flag"] == ("fine_svm_atomics", (1,))


def test_too_small_buffer_is_a_fault() -> None:
    found = check(source(initial=("in = {5, 6}",)))

    (problem,) = found.undefined
    assert problem.kind == "out-of-bounds"
    assert str(problem.sites[0].span) == "k.cl:16:25"


@pytest.mark.parametrize(
    ("stated", "which"),
    [
        ((), "is taken to have 2 elements, since nothing states how many: state it with --init 'in[N]'"),
        (("int in[2]",), "has 2 elements"),
    ],
)
def test_that_a_size_was_guessed_is_told(stated: tuple[str, ...], which: str) -> None:
    text = "kernel void K(global int* in, global int* out) { int i = get_global_id(0); out[i] = in[i + 1]; }"
    result = check(source(text, initial=stated))
    assert isinstance(result, Judged)
    assert [problem.why for problem in result.undefined] == [f"in[2] is outside in, which {which}"]


def test_fmt_prints_the_litmus_test() -> None:
    text = format_test(source(definitions=("WEAK",), questions=("forall data=2",)))

    assert text.startswith("OPENCL k\n\n{ flag=0; in[3]=0; data=0; }\n\nstatic void set(")
    assert "atomic_store_explicit(p, value, memory_order_relaxed);" in text
    assert text.endswith("launch K global 2, local 1;\n\nforall (data=2)\n")


def test_where_nothing_is_asked_states_show_global_memory() -> None:
    text = (
        "kernel void K(global int *out, global const int *in, local int *t, constant int *c) {\n"
        "  int i = get_local_id(0);\n  t[i] = in[i] + c[0];\n  out[i] = t[i];\n}"
    )
    found = check(source(text, "K global 2, local 2", initial=("in = {3, 5}",)))

    assert [dict(state.values) for state in found.states] == [{"in[0]": 3, "in[1]": 5, "out[0]": 3, "out[1]": 5}]


def test_fmt_keeps_the_buffers_of_structures_and_what_is_shown() -> None:
    text = (
        "typedef struct { int key; atomic_int count; } slot;\n"
        "kernel void K(global slot *table) { atomic_fetch_add(&table[get_global_id(0) % 2].count, 1); }"
    )
    printed = format_test(source(text, "K global 4"))

    assert "{ table.key[4]=0; table.count[4]=0; }" in printed
    assert printed.endswith("locations [table.key; table.count;]\n")
    assert check(Source("k", printed)).states == check(source(text, "K global 4")).states


def test_fmt_keeps_the_numbers_of_vectors() -> None:
    text = (
        "kernel void K(global float4 *v, global float4 *w) {\n"
        "  int i = get_global_id(0);\n  global float *n = (global float *)v;\n"
        "  n[i] = 1;\n  *(global float *)w = 2;\n}"
    )
    printed = format_test(source(text, "K global 2"))

    assert "{ float v[8]=0; float w[4]=0; }" in printed
    assert check(Source("k", printed)).states == check(source(text, "K global 2")).states


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("kernel void K(global int *x) {\n  *x = y;\n}", ["E101 k.cl:2:8"]),
        ("#define ONE y\nkernel void K(global int *x) {\n  *x = ONE + z;\n}", ["E101 k.cl:3:8", "E101 k.cl:3:14"]),
        ("#define SET(a, b) a = b;;;\nkernel void K(global int *x) {\n  SET(*x, zz)\n}", ["E101 k.cl:3:11"]),
        ("kernel void K(global int *x) {\n  *x = 1\n}", ["E041 k.cl:2:9"]),
        ("kernel void K(global int *x) {\n  goto end;\n}", ["E101 k.cl:2:8"]),
        ("kernel void K(global atomic_half *x) {\n  *x = 1;\n}", ["E100 k.cl:1:15"]),
        ("#if 1\nkernel void K(global int *x) { }", ["E180 k.cl:1:1"]),
        ('#include "none.h"\nkernel void K(global int *x) { }', ["E180 k.cl:1:1"]),
        ("#define \nkernel void K(global int *x) { }", ["E180 k.cl:1:1"]),
        ("#error no\nkernel void K(global int *x) { }", ["E180 k.cl:1:1"]),
        ("#define F(a) a\nkernel void K(global int *x) { *x =\n F(1, 2); }", ["E180 k.cl:3:2"]),
        ("int f(int a) { return a; }", ["E181 k.cl:1:1"]),
    ],
)
def test_complaints_are_at_the_place_in_the_file(text: str, expected: list[str]) -> None:
    assert complaints(text, "" if expected == ["E181 k.cl:1:1"] else "K global 2, local 1") == expected


def test_complaints_about_options_are_at_the_place_in_the_option() -> None:
    text = "kernel void K(global int *x) { *x = 1; }"

    assert complaints(text, "L global 2") == ["E151 --launch:1:1"]
    assert complaints(text, "K global 2, lokal 1") == ["E045 --launch:1:13"]
    assert complaints(text, initial=("x = ",)) == ["E040 --init:1:4"]
    assert complaints(text, questions=("exists x=1 /\\ K[7]:r=0",)) == ["E135 --exists:1:8"]
    assert complaints(text, definitions=("1=2",)) == ["E180 -D:1:1"]
    assert complaints(text, definitions=("F(1)=2",)) == ["E180 -D:1:1"]
    assert complaints(text, launch="") == ["E181 k.cl:1:13"]


def test_a_file_in_another_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for folder in ("kernels", "include", "here"):
        (tmp_path / folder).mkdir()
    (tmp_path / "include" / "value.h").write_text("#define VALUE 3\n")
    text = '#include "../include/value.h"\nkernel void k(global int* x) { *x = VALUE; }\n'
    (tmp_path / "kernels" / "k.cl").write_text(text)
    monkeypatch.chdir(tmp_path / "here")

    result = check(KernelSource("../kernels/k.cl", text, KernelRequest(("k global 1",), questions=("forall x=3",))))

    assert isinstance(result, Judged)
    assert [dict(state.values) for state in result.states] == [{"x": 3}]


def test_included_files_have_places_of_their_own(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "lock.h").write_text("#pragma once\nvoid lock(global int* l) {\n  *l = wrong;\n}\n")
    monkeypatch.chdir(tmp_path)
    text = '#include "lock.h"\n#include "lock.h"\nkernel void K(global int *x) { lock(x); }'

    with pytest.raises(InvalidTestError) as raised:
        read(source(text))
    assert [str(d.span) for d in raised.value.diagnostics] == ["lock.h:3:8"]


def test_macros_that_explode_are_given_up() -> None:
    lines = ["#define A0 x x x x x x x x x x"]
    lines += [
        f"#define A{i} A{i - 1} A{i - 1} A{i - 1} A{i - 1} A{i - 1} A{i - 1} A{i - 1} A{i - 1}" for i in range(1, 9)
    ]

    assert complaints("\n".join([*lines, "kernel void K(global int *x) { A8; }"])) == ["E180 k.cl:10:1"]


def test_enumerations_are_numbers_and_types() -> None:
    text = """enum { FREE, HELD = 3, NEXT, LAST = NEXT * 2 };
enum colour { RED, GREEN, };
typedef enum state { OFF, ON } state_t;
kernel void K(global int *x) {
  enum colour c = GREEN;
  state_t on = ON;
  enum state off = OFF;
  *x = FREE + HELD + 10 * (LAST - NEXT) + c + on + off;
}
"""
    request = KernelRequest(launches=("K global 1",), questions=("forall x=45",))
    found = check(KernelSource("e.cl", text, request=request))
    assert isinstance(found, Judged)
    assert found.holds


def test_a_member_that_is_an_array_is_one_in_each_structure() -> None:
    text = """typedef struct { int first; int slots[4]; } ring_t;
kernel void K(global ring_t *r, global ring_t *many) {
  r->slots[r->first % 4] = 1;
  r->slots[3] = 2;
  many[get_global_id(0)].slots[1] = many[get_global_id(0)].first;
}
"""
    program = parse(KernelSource("r.cl", text, KernelRequest(("K global 2",)))).program
    sizes = {item.name: len(item.initial) for item in program.objects}
    assert sizes == {"r.first": 1, "r.slots": 4, "many.first": 2, "many.slots": 8}


OTHERS = """
int helper(int a);
static int unknown(int a) { { end: a = 1; } goto end; return a; }
static __attribute__((always_inline)) int used(int a) __attribute__((pure)) { return helper(a) + 1; }
int helper(int a) { if (a) { return 2; } return 3; }
constant int table[2] = { 4, 5 };
__kernel void image(read_only image2d_t i, sampler_t s) { int x = unknown(3); }
__kernel __attribute__((reqd_work_group_size(1, 1, 1))) void K(global int *x) { *x = used(1) + table[1]; }
kernel void L(global int *y) { *y = nothing; }
"""


def test_kernels_that_are_not_launched_may_use_anything() -> None:
    request = KernelRequest(("K global 1",), questions=("forall x=8",))
    found = check(KernelSource("others.cl", OTHERS, request))

    assert isinstance(found, Judged)
    assert found.holds
    assert complaints(OTHERS, "L global 1") == ["E101 k.cl:9:37"]
    assert "image" not in format_test(KernelSource("others.cl", OTHERS, request))


@pytest.mark.parametrize("head", ["void kernel", "void\n__kernel", "void __attribute__((vec_type_hint(int))) kernel"])
def test_the_type_of_a_kernel_may_stand_before_the_word(head: str) -> None:
    text = f"{head} K(global int *x) {{ x[get_global_id(0)] = 1; }} {head} L(global int *x) {{ K(x); }}"
    for name in ("K", "L"):
        found = check(KernelSource("k.cl", text, KernelRequest((f"{name} global 2",), questions=("forall x[1]=1",))))

        assert isinstance(found, Judged)
        assert found.holds


AS_WRITTEN = """
constant sampler_t nearest = CLK_FILTER_NEAREST;
typedef union { int whole; float4 parts; } unused;
void prototype(read_only image2d_t image, sampler_t s);
constant float2 corners[2] = { (float2)(1, 2), (float2)(3) };
constant int2 offset = (int2)(5, 6);
struct pair { int a; int b; };
constant struct pair pairs[2] = { {1, 2}, {3, 4} };
int static inline next(int a) { return a + 1; };
kernel void K(global int *x, __private int n, private const int2 v) {
  int i = get_global_id(0);
#ifdef cl_khr_fp64
  x[i] = next(n) + (int)corners[i].y + pairs[i].b + offset.y + v.x;
#endif
};
"""


def test_words_that_mean_nothing_may_stand_where_compilers_take_them() -> None:
    """`inline` behind a type, a semicolon behind a function; and values that are marked as private."""
    request = KernelRequest(("K global 2",), initial=("n = 4", "v = {7, 0}"), questions=("forall x[0]=22 /\\ x[1]=25",))
    found = check(KernelSource("written.cl", AS_WRITTEN, request))

    assert isinstance(found, Judged)
    assert found.holds


@pytest.mark.parametrize(
    ("body", "wanted"),
    [
        ("x[3 * get_global_id(0) + 2] = 1;", 6),
        ("vstore4((int4)(1), get_global_id(0), x);", 8),
        ("x[3 * get_global_id(0) + 5] = 1;", 9),
        ("x[get_global_id(0) * 2] = 1;", 4),
        ("local int t[5]; event_t e = async_work_group_copy(t, x, 5, 0);", 5),
        ("((global int4*)x)[get_global_id(0)] = (int4)(1);", 8),
        ("global int4* v = (global int4*)x; v[get_global_id(0)].y = 1;", 8),
    ],
)
def test_how_many_elements_each_work_item_has(body: str, wanted: int) -> None:
    objects = read(source(f"kernel void K(global int *x) {{ {body} }}")).program.objects

    assert [len(item.initial) for item in objects if item.name == "x"] == [wanted]


def test_vectors_outside_functions_need_all_their_values() -> None:
    for value in ("(int2)(1, 2, 3)", "(int4)((int2)(1, 2), 3, 4)"):
        text = f"constant {value[1:5]} v[1] = {{ {value} }};\nkernel void K(global int *x) {{ x[0] = v[0].x; }}"
        assert complaints(text) == ["E131 k.cl:1:24"]


def test_sizes_alone_launch_the_only_kernel() -> None:
    assert format_test(source(launch="global 2, local 1")) == format_test(source())
    two = KERNEL + "kernel void L(global int *in) { *in = 1; }\n"
    with pytest.raises(InputError) as raised:
        read(source(two, "global 2, local 1"))
    (told,) = raised.value.diagnostics
    assert (told.code, str(told.span)) == ("E040", "--launch:1:1")
    assert told.message == "expected the kernel that is launched, 'K' or 'L', found 'global'"
    assert complaints("int f(int x) { return x; }\n", "global 2") == ["E181 k.cl:1:1"]


def test_where_no_launch_fits_all_is_looked_at() -> None:
    assert complaints(OTHERS, "M global 1")[0] == "E050 k.cl:3:45"


def test_the_header_of_a_kernel_file_says_its_name_and_dialect() -> None:
    """It is asked for where nothing else can be read, as in a report of a limit."""
    header = header_of(KernelSource("folder/my lock.cl", "kernel void k(", KernelRequest()))
    assert header is not None
    assert (header.name, header.dialect.name) == ("my-lock", "OPENCL")


def test_pragmas_of_macros_mean_nothing() -> None:
    text = (
        '#define UNROLL(n) _Pragma("unroll")\n'
        "kernel void K(global int *x) { UNROLL(4) for (int i = 0; i < 4; i++) *x += i; }"
    )
    found = check(source(text, "K global 1", questions=("forall x=6",)))

    assert isinstance(found, Judged)
    assert found.holds


def test_states_do_not_show_what_a_pipe_keeps() -> None:
    text = (
        "kernel void put(write_only pipe int p) { int v = 7; write_pipe(p, &v); }\n"
        "kernel void take(read_only pipe int p, global int *x) { int v = 0; if (read_pipe(p, &v) == 0) *x = v; }"
    )
    launches = ("put global 1", "take global 1")
    found = check(KernelSource("k.cl", text, KernelRequest(launches, initial=("pipe int p[2]",))))

    assert [dict(state.values) for state in found.states] == [{"x": 0}, {"x": 7}]


@pytest.mark.parametrize(
    ("parameters", "expected"),
    [
        ("int* x", ["E184 k.cl:2:15"]),
        ("global int* x, generic int* y, const float* z", ["E184 k.cl:2:30", "E184 k.cl:2:46"]),
        ("struct s* x", ["E184 k.cl:2:15"]),
    ],
)
def test_what_kernels_are_given_has_an_address_space(parameters: str, expected: list[str]) -> None:
    assert complaints(f"struct s {{ int a; int b; }};\nkernel void K({parameters}) {{ }}\n") == expected
    given = parameters.replace("generic ", "").replace("global ", "")
    assert not read(
        source(f"struct s {{ int a; int b; }};\nvoid f({given}) {{ }}\nkernel void K() {{ }}\n")
    ).diagnostics


@pytest.mark.parametrize(
    "definition", ["SUM(a, b)=((a) + (b))", "SUM(...)=add(__VA_ARGS__)", "SUM( a,b )=add ( b , a )"]
)
def test_macros_with_parameters_may_be_options(definition: str) -> None:
    text = "int add(int a, int b) { return a + b; }\nkernel void K(global int* x) { *x = SUM(1, 2); }"
    request = KernelRequest(("K global 1",), definitions=(definition,), questions=("forall x=3",))
    found = check(KernelSource("k.cl", text, request))
    assert isinstance(found, Judged)
    assert found.holds
