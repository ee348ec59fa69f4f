"""Memory and private variables of which parts of elements are accessed, or several elements at once."""

from __future__ import annotations

import operator

import pytest

from mcm import InputError, Judged, KernelRequest, KernelSource, Source, check, convert_test, run

PLAIN = {
    "uchar r = ((global uchar*)x)[1];": "0:r=3",
    "((global uchar*)x)[5] = 9;": "x[1]=0x08070905",
    "ushort r = ((global ushort*)x)[1]; ((global short*)x)[2] = -1;": "0:r=0x0102 /\\ x[1]=0x0807ffff",
    "*(global uint*)(b + 4) += 0x01000001;": "b[4]=6 /\\ b[5]=6 /\\ b[6]=7 /\\ b[7]=9",
    "ulong r = *(global ulong*)b; *(global ulong*)x = r;": "x[0]=0x04030201 /\\ x[1]=0x08070605",
    "uint r = ((global uint*)q)[1]--;": "0:r=0xffffffff /\\ q=-4294967298",
    "ulong r = *(global ulong*)f;": "0:r=0x400000003f800000",
    "((global uchar*)f)[3] = 0xbf;": "f[0]=-1 /\\ f[1]=2",
    "((global ushort*)h)[1] = 0x4000; uint r = *(global uint*)h;": "0:r=0x40003c00 /\\ h[1]=2",
    "int r = *(global int*)((global char*)x + *z);": "0:r=0x01020304",
    "*(b[0] ? (global int*)f : x) = 1;": "x[0]=0x01020304 /\\ f[0]!=1",
    "global int* p = x; int r0 = *p; p = (global int*)f; int r = *p;": "0:r0=0x01020304 /\\ 0:r=0x3f800000",
    "global uint* p = (global uint*)b; int r = (global uchar*)(p + 1) - b; int s = &p[1] - p;": "0:r=4 /\\ 0:s=1",
    "global uint* p = (global uint*)b; p++; p += 1; p--; uint r = p[0]; uint s = p[-1];": (
        "0:r=0x08070605 /\\ 0:s=0x04030201"
    ),
    "global uint* p = (global uint*)(b + 4); int r = p == (global uint*)&b[4]; int s = p > (global uint*)b;": (
        "0:r=1 /\\ 0:s=1"
    ),
    "uint w[2] = {0x04030201, 5}; uchar* p = (uchar*)w; p[6] = 1; int r = p[2]; uint s = w[1];": (
        "0:r=3 /\\ 0:s=0x10005"
    ),
    "uint w = 0x04030201; uchar* p = (uchar*)&w; p[3]++; int r = w; w = 0x55; int s = *p;": (
        "0:r=0x05030201 /\\ 0:s=0x55"
    ),
    "uchar w[8]; *(ulong*)w = 0x0102030405060708; int r = w[1];": "0:r=7",
    "int r = half_of(x, 1); int s = half_of((global int*)b, 0);": "0:r=0x0102 /\\ 0:s=0x0201",
    "uint r = atomic_add((global uint*)q, 2u);": "0:r=0xfffffffe /\\ q=-4294967296",
    "uchar* p = (uchar*)&n; p[1] = 1; int r = n;": "0:r=0x105",
    "uchar r = *(c ? (global uchar*)x : b);": "0:r=4",
    "*(global float*)b = -2.0f; uchar r = b[3];": "0:r=0xc0",
    "uint r = (((global uchar*)x)[0] = 0x101);": "0:r=1",
    "global uint4* v = (global uint4*)b; uint2 w = *(global uint2*)b; uint r = w.y;": "0:r=0x08070605",
    "union { uint u; uchar c[4]; ushort h; } w; w.u = 0x04030201; int r = w.c[2]; int s = w.h;": "0:r=3 /\\ 0:s=0x0201",
    "ulong a = (ulong)x; ushort r = *(global ushort*)a;": "0:r=0x0304",
    "ulong a = (ulong)x; ulong d = a; int r = *(global int*)d; int s = *(global int*)(ulong)&x[1];": (
        "0:r=0x01020304 /\\ 0:s=0x08070605"
    ),
    "ulong a = (ulong)((global uchar*)x + 1); int r = *(global uchar*)a; int s = ((global uchar*)x)[0];": (
        "0:r=3 /\\ 0:s=4"
    ),
    "union { uint u; ulong l; } w; union { int a; float4 v; uchar c[16]; } t; w.l = 7; w.l += 0xffffffff;"
    " t.v = (float4)(1); t.c[15] = 0xbf; int r = w.u; int s = t.v.w; int k = as_int(t.v.x) == t.a;": (
        "0:r=6 /\\ 0:s=-1 /\\ 0:k=1"
    ),
    "int2 v = (int2)(1, 2); uchar* p = (uchar*)&v; p[5] = 1; int r = v.y;": "0:r=0x102",
}


def _text(body: str, condition: str) -> str:
    return (
        "OPENCL parts\n{ int x[2]={0x01020304, 0x08070605}; uchar b[8]={1, 2, 3, 4, 5, 6, 7, 8}; long q=-2;"
        " float f[2]={1, 2}; half h[2]={1, 1}; int z=0; int n=5; int c=1; }\n"
        "ushort half_of(global int* p, int k) { return ((global ushort*)p)[k]; }\n"
        "kernel void K(global int* x, global uchar* b, global long* q, global float* f, global half* h, global int* z,"
        f" int n, int c) {{\n{body}\n}}\nlaunch K global 1, local 1;\nforall ({condition})\n"
    ).replace("0:", "K[0]:")


@pytest.mark.parametrize(("body", "condition"), PLAIN.items())
def test_values(body: str, condition: str) -> None:
    source = Source("parts", _text(body, condition))

    for engine in ("explicit", "smt"):
        found = check(source, engine=engine)
        assert isinstance(found, Judged)
        assert found.holds, found.states
        assert not found.undefined
    ran = run(source, schedule="exhaustive")
    assert (ran.positive, ran.problems) == (1, ())


@pytest.mark.parametrize(
    ("condition", "holds"),
    [
        ("x[0]=-256", True),
        ("x[0]!=-256", False),
        ("-256=x[0]", True),
        ("x[0] < 0", True),
        ("x[0] < -256", False),
        ("x[0] <= -256", True),
        ("x[0] > -257", True),
        ("0 > x[0]", True),
        ("x[0] < 5000000000", True),
        ("x[0] > 5000000000", False),
        ("x[0] >= 0", False),
        ("x[1] > 7", False),
        ("x[1] >= 7 /\\ x[1] < 8", True),
        ("x[1] > -1", True),
        ("x[0]=x[1] \\/ not (x[0]=x[0])", False),
        ("f=0", True),
        ("f=1 \\/ true /\\ f!=0", False),
        ("x[0]=&x[1]", False),
        ("0:p=&x[1] /\\ 0:p!=&x[0]", True),
    ],
)
def test_conditions(condition: str, *, holds: bool) -> None:
    text = "OPENCL asked\n{ int x[2]={-1, 7}; float f=1; }\nP0@wg 0 (global int* x, global float* f) {\n"
    text += (
        "  ((global uchar*)x)[0] = 0; global int* p = &x[1]; *(global ushort*)f = 0; ((global ushort*)f)[1] = 0x8000;\n"
    )
    text += f"}}\nfilter (x[1]=7)\nforall ({condition})\n"

    for engine in ("explicit", "smt"):
        assert check(Source("asked", text), engine=engine).holds is holds
    assert bool(run(Source("asked", text), runs=1).positive) is holds


def test_states_show_what_was_declared() -> None:
    text = "OPENCL shown\n{ int x[2]={-1, 7}; float f=1; p=&x[1]; }\n"
    text += "P0@wg 0 (global int* x, global float* f, global int* global* p) {\n"
    text += "  ((global uchar*)x)[4] = 0; ((global uchar*)f)[3] = 0xbf;\n}\nlocations [x; f; p;]\n"

    for engine in ("explicit", "smt"):
        (state,) = check(Source("shown", text), engine=engine).states
        assert dict(state.values) == {"x[0]": -1, "x[1]": 0, "f": -1.0, "p": "&x[1]"}
    (state,) = run(Source("shown", text), schedule="exhaustive").states
    assert dict(state.state.values) == {"x[0]": -1, "x[1]": 0, "f": -1.0, "p": "&x[1]"}


def test_private_variables_are_shown_as_declared() -> None:
    body = "uint w[12]; for (int i = 0; i < 12; i++) { w[i] = i; } ((uchar*)w)[45] = 7; "
    body += "((uchar*)&n)[1] = get_global_id(0);"
    text = f"OPENCL private\n{{ n=5; }}\nkernel K (uint n) {{ {body} float f = 1; ((uchar*)&f)[3] = 0xbf; }}\n"
    text += "launch K global 2, local 2;\n"
    asked = text + "forall (K[1]:n=0x105 /\\ K[0]:n=5 /\\ K[0]:w[11]=0x70b /\\ K[1]:w[10]<11 /\\ K[0]:f!=1)\n"

    for engine in ("explicit", "smt"):
        assert check(Source("private", asked), engine=engine).holds
        (state,) = check(Source("private", text), engine=engine).states
        assert [state.values[f"1:w[{number}]"] for number in range(12)] == [*range(11), 0x70B]
        assert state.values["0:f"] == -1
        assert not any("#" in name for name in state.values)
    (ran,) = run(Source("private", text), schedule="exhaustive").states
    assert ran.state.values == state.values
    assert run(Source("private", asked), runs=2).positive == 2


def test_races_are_those_of_parts() -> None:
    text = "OPENCL races\n{ uint x=0; }\n"
    text += "P0@wg 0 (global uint* x) { ((global ushort*)x)[0] = 1; }\n"
    text += "P1@wg 1 (global uint* x) { ((global ushort*)x)[INDEX] = 2; }\nexists (x=0x20001)\n"

    apart = check(Source("races", text.replace("INDEX", "1")))
    assert (apart.holds, apart.undefined) == (True, ())
    for source in (text.replace("INDEX", "0"), text.replace("((global ushort*)x)[INDEX] = 2", "*x = 2")):
        (race,) = check(Source("races", source)).undefined
        assert race.kind == "data-race"
        assert race.location == "bytes 0 to 1 of x"


def test_an_address_that_is_no_multiple() -> None:
    text = "kernel void K(global uchar* p, global uint* o) { o[get_global_id(0)] = *(global uint*)(p "
    text += "+ get_global_id(0)); }"
    source = KernelSource("parts.cl", text, KernelRequest(("K global 2",), initial=("p[8]={0}",)))

    for engine in ("explicit", "smt"):
        (problem,) = check(source, engine=engine).undefined
        assert (problem.kind, problem.rules) == ("out-of-bounds", ("MEM-BOUNDS",))
        assert problem.why == "the address is no multiple of 4, the size of 'uint'"
    assert {one.kind for one in run(source, runs=5).problems} == {"out-of-bounds"}


REFUSED = {
    "atomic_add(x, 1); ((global uchar*)x)[4] = 1;": (
        "4:12",
        (
            "not yet supported: an atomic access of several elements, as 'int', where parts of 'x' are accessed, "
            "too; expected nothing smaller than its elements, of type 'int'"
        ),
    ),
    "atomic_add((global uint*)b, 1u);": (
        "4:26",
        (
            "not yet supported: an atomic access of several elements, as memory of type 'uchar' seen as 'uint'; a "
            "buffer that is stated as 'uint x[4]' in the initial state has such elements"
        ),
    ),
    "*m = x; ((global uchar*)x)[4] = 1;": (
        "4:6",
        (
            "not yet supported: a pointer that is not used for one access, as 'int', where parts of 'x' are accessed, "
            "too; expected nothing smaller than its elements, of type 'int'"
        ),
    ),
    "**m = 5; ((global uchar*)x)[4] = 1;": (
        "4:2",
        (
            "not yet supported: an access that may be of memory of several types, as 'int', where parts of 'x' are "
            "accessed, too; expected nothing smaller than its elements, of type 'int'"
        ),
    ),
    "*q = (long)x; ((global uchar*)q)[4] = 1;": (
        "4:12",
        "not yet supported: an address, in memory of which parts are accessed",
    ),
    "int e = 1; ((uchar*)&e)[1] = 0; atomic_compare_exchange_strong((global atomic_int*)x, &e, 1);": (
        "4:88",
        "not yet supported: a private variable of which parts are accessed, in a place that is given",
    ),
}


@pytest.mark.parametrize(("body", "expected"), REFUSED.items())
def test_what_is_refused(body: str, expected: tuple[str, str]) -> None:
    text = "OPENCL refused\n{ int x[2]={1, 2}; uchar b[8]={1}; long q=0; m=&x[0]; }\n"
    text += "P0@wg 0 (global int* x, global uchar* b, global long* q, global int* global* m) "
    text += f"{{\n{body}\n}}\nexists (x[0]=1)\n"

    with pytest.raises(InputError) as error:
        check(Source("refused", text))
    (found,) = [one for one in error.value.diagnostics if one.is_error]
    assert (found.code, f"{found.span.line}:{found.span.column}", found.message) == ("E100", *expected)


@pytest.mark.parametrize(
    ("condition", "message"),
    [
        ("0:r=x", "'x', of which parts are accessed, compared with '='; expected a number to compare it with"),
        ("x < x", "'x' and 'x', of which parts are accessed, compared with '<'; expected a number to compare it with"),
    ],
)
def test_what_is_not_asked(condition: str, message: str) -> None:
    text = "OPENCL refused\n{ int x=0; float f=0; }\nP0@wg 0 (global int* x, global float* f) {\n"
    text += f"int r = 0; ((global uchar*)x)[0] = 1; ((global uchar*)f)[0] = 1;\n}}\nexists ({condition})\n"

    with pytest.raises(InputError) as error:
        check(Source("refused", text))
    (found,) = [one for one in error.value.diagnostics if one.is_error]
    assert (found.code, found.span.line, found.message) == ("E100", 6, f"not yet supported: {message}")


FLOATS = (0.0, -0.0, 1.0, -1.0, 1.5, -2.5, 3e38, 1e-45)


@pytest.mark.parametrize("unit", ["uchar", "ushort"])
def test_floats_of_which_parts_are_accessed_are_compared(unit: str) -> None:
    compare = {"<": operator.lt, ">": operator.gt, "<=": operator.le, ">=": operator.ge, "=": operator.eq}
    asked = [
        f"{'' if compare[symbol](one, other) else '~'}(x[{place}] {symbol} {other})"
        for place, one in enumerate(FLOATS)
        for symbol in compare
        for other in FLOATS
    ]
    places = range(len(FLOATS), len(FLOATS) + 2)
    asked += [f"~(x[{place}] {symbol} {other})" for place in places for symbol in compare for other in (0.0, -1.0)]
    size = {"uchar": 8, "ushort": 16}[unit]
    text = f"OPENCL floats\n{{ float x[11]={{{', '.join(map(str, FLOATS))}}}; }}\nP0 (global float* x) {{\n"
    text += "  ((global uint*)x)[8] = 0x7fc00000u; ((global uint*)x)[9] = 0xffc00000u;\n"
    text += f"  ((global {unit}*)x)[{10 * 32 // size}] = 0;\n}}\n"
    text += "forall (" + " /\\ ".join(asked) + ")\n"

    assert check(Source("floats", text), engine="explicit").holds


@pytest.mark.parametrize(
    ("body", "is_sequenced"),
    [
        ("b[1] = *(global ushort*)b = 5;", False),
        ("b[2] = *(global ushort*)b = 5; *(global ushort*)b = 7; b[1] = 1;", True),
        ("b[3] = (*(global ushort*)b = 5, b[1]);", True),
        ("if ((*(global ushort*)b = 9) == 9) b[1] = 1;", True),
    ],
)
def test_stores_of_several_units_are_unsequenced_as_those_of_one_are(body: str, *, is_sequenced: bool) -> None:
    text = f"kernel void K(global uchar* b) {{ {body} }}"
    found = check(KernelSource("parts.cl", text, KernelRequest(("K global 1",))))
    assert [one.kind for one in found.undefined] == ([] if is_sequenced else ["unsequenced-race"])


STRIDED = """
kernel void in (global uint* g, local uint* t, global uchar* b) {
  event_t e = async_work_group_strided_copy(t, g, 2, 2, 0);
  WAIT
  for (int i = get_local_id(0); i < 8; i += 2) b[i] = ((local uchar*)t)[i];
  wait_group_events(1, &e);
}
kernel void out (global uint* g, local uchar* t) {
  for (int i = get_local_id(0); i < 8; i += 2) t[i] = i + 1;
  barrier(CLK_LOCAL_MEM_FENCE);
  event_t e = async_work_group_strided_copy(g, (local uint*)t, 2, 2, 0);
  wait_group_events(1, &e);
}
"""


@pytest.mark.parametrize("engine", ["explicit", "smt"])
@pytest.mark.parametrize(
    ("launch", "question"),
    [
        ("in global 2, local 2", "b[0]=1 /\\ b[3]=4 /\\ b[4]=9 /\\ b[7]=12"),
        ("out global 2, local 2", "g[0]=0x04030201 /\\ g[1]=0x08070605 /\\ g[2]=0x08070605 /\\ g[3]=0x100f0e0d"),
    ],
)
def test_copies_with_strides_move_whole_elements(launch: str, question: str, engine: str) -> None:
    initial = ("g[4] = {0x04030201, 0x08070605, 0x0c0b0a09, 0x100f0e0d}", "uint t[2]" if "in" in launch else "t[8]")
    request = KernelRequest((launch,), initial=initial, questions=(f"forall ({question})",))
    source = KernelSource("s.cl", STRIDED.replace("WAIT", "wait_group_events(1, &e);"), request)
    found = check(source, engine=engine)

    assert (found.undefined, found.holds) == ((), True)


def test_a_copy_with_strides_that_is_not_waited_for_races() -> None:
    request = KernelRequest(("in global 2, local 2",), initial=("uint t[2]", "g[4]"))
    found = check(KernelSource("s.cl", STRIDED.replace("WAIT", ""), request))

    assert "data-race" in {one.kind for one in found.undefined}


def test_commands_copy_and_fill_what_has_parts() -> None:
    text = """OPENCL commands
{ uint x[2]={1, 2}; uint y[2]; uint z=0; queue q = in_order dev 0; }
kernel K (global uint* x) { ((global uchar*)x)[1] = 7; }
P0@host (global uint* x, global uint* y, global uint* z) {
  clEnqueueNDRangeKernel(q, K, 1, 1);
  clEnqueueCopyBuffer(q, x, y);
  clEnqueueFillBuffer(q, x, 0x01020304);
  clEnqueueNDRangeKernel(q, K, 1, 1);
  clEnqueueCopyBuffer(q, x, y);
  clEnqueueWriteBuffer(q, x, CL_TRUE, y);
  clEnqueueMapBuffer(q, x, CL_TRUE, CL_MAP_READ);
  uint r = x[1];
  clEnqueueUnmapMemObject(q, x);
  clFinish(q);
}
forall (x[0]=0x01020704 /\\ x[1]=0x01020304 /\\ y[0]=0x01020704 /\\ 0:r=0x01020304)
"""
    for engine in ("explicit", "smt"):
        found = check(Source("commands", text), engine=engine)
        assert found.holds
        assert not found.undefined
    assert run(Source("commands", text), runs=2).positive == 2


def test_a_read_command_returns_what_was_declared() -> None:
    text = """OPENCL commands
{ uint x=1; queue q = in_order dev 0; }
kernel K (global uint* x) { ((global uchar*)x)[1] = 7; }
P0@host (global uint* x) {
  clEnqueueNDRangeKernel(q, K, 1, 1);
  uint r0 = clEnqueueReadBuffer(q, x, CL_TRUE);
  uint r1; clEnqueueReadBuffer(q, x, CL_TRUE, &r1);
}
forall (0:r0=0x701 /\\ 0:r1=0x701)
"""
    assert check(Source("commands", text)).holds


@pytest.mark.parametrize(
    ("body", "length"),
    [
        ("o[get_global_id(0)] = ((global uint*)p)[get_global_id(0)];", 16),
        ("o[0] = *(global uint*)p;", 4),
        ("o[0] = *(global uint*)(p + 4);", 8),
        ("o[0] = ((global ushort*)p)[get_global_id(0) / 2];", 8),
        ("o[0] = ((global uint*)p)[o[get_global_id(0)]];", 16),
    ],
)
def test_sizes_are_guessed_by_what_is_seen(body: str, length: int) -> None:
    text = f"kernel void K(global uchar* p, global uint* o) {{ if (get_global_id(0) < 4) {{ {body} }} }}"
    found = check(KernelSource("parts.cl", text, KernelRequest(("K global 4",))), engine="explicit")

    assert sum(name.startswith("p") for name in found.states[0].values) == length


def test_tests_are_converted_as_declared() -> None:
    text = "OPENCL conv\n{ int x[2]={0, 258}; }\nP0@wg 0, dev 0 (global int* x) {\n"
    text += "  unsigned char* p = (unsigned char*)x; p[1] = 1;\n}\nexists (x[0]=0x100)\n"
    converted = convert_test(Source("conv", text), "sycl")

    assert "int x[2]={0, 258};" in converted
    assert check(Source("conv", converted)).holds
