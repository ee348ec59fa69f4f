"""Memory of a floating type that is accessed as integers, and the other way."""

from __future__ import annotations

import pytest

from mcm import InputError, Source, check, run

ADD = """OPENCL add
"Two work-items add to a float by a loop around a compare-exchange of integers."
{ float sum = 1; }
void add(volatile global float* a, float v) {
  uint old = as_uint(0.0f), assumed;
  do {
    assumed = old;
    old = atomic_cmpxchg((volatile global uint*)a, assumed, as_uint(as_float(assumed) + v));
  } while (old != assumed);
}
kernel K (global float* sum) { add(sum, 1.5f); }
launch K global 2, local 1;
forall (sum=4)
"""


@pytest.mark.parametrize(
    "text",
    [
        ADD,
        ADD.replace("float", "double").replace("uint", "ulong").replace("0.0f", "0.0"),
        ADD.replace("(volatile global uint*)a", "p").replace(
            "uint old", "volatile global uint* p = (volatile global uint*)a; uint old"
        ),
        ADD.replace("as_uint(0.0f), assumed;", "atomic_or((volatile global uint*)a, 0u), assumed;"),
        ADD.replace(
            ADD[ADD.index("  do {") : ADD.index("}\nkernel")],
            "  while (!atomic_compare_exchange_weak((volatile global atomic_uint*)a, &old, "
            "as_uint(as_float(old) + v))) {}\n",
        ).replace(", assumed", ""),
    ],
    ids=["floats", "doubles", "variable", "update", "compare-exchange of C11"],
)
def test_adding_to_a_float(text: str) -> None:
    source = Source("add", text)

    for engine in ("explicit", "smt"):
        found = check(source, engine=engine)
        assert found.holds
        assert not found.undefined
    assert [dict(one.state.values)["sum"] for one in run(source, runs=20).states] == [4]


ACCESSES = {
    "int r0 = *(global int*)(f + 1) == 0x40000000;": "0:r0=1",
    "uint r0 = ((global uint*)f)[1];": "0:r0=0x40000000",
    "((global uint*)f)[0] = 0x40400000u;": "f[0]=3",
    "int r0 = ((global uint*)f)[0] = 0x40400000u;": "f[0]=3 /\\ 0:r0=0x40400000",
    "uint r0 = atomic_xchg((global uint*)f, 0x40400000u);": "f[0]=3 /\\ 0:r0=0x3f800000",
    "atomic_store((global atomic_uint*)f, 0x40400000u);": "f[0]=3",
    "uint r0 = atomic_load((global atomic_uint*)f);": "0:r0=0x3f800000",
    "*(global float*)n = 2.0f;": "n=0x40000000",
    "int r0 = *(global float*)(global float*)n == 1.0f;": "0:r0=1",
    "float r0 = *(global float*)(global uint*)f;": "0:r0=1",
    "set((global int*)f);": "f[0]=3",
    "set((global int*)f); set(n);": "f[0]=3 /\\ n=0x40400000",
    "*(global uint*)f += 0x400000;": "f[0]=1.5",
    "uint r0 = (*(global uint*)f)++;": "0:r0=0x3f800000",
    "uint r0 = ++*(global uint*)f;": "0:r0=0x3f800001",
    "*(global float*)n *= 3;": "n=0x40400000",
    "int r0 = atomic_compare_exchange_strong((global atomic_uint*)f, (global uint*)n, 0u);": "0:r0=1 /\\ f[0]=0",
    "int r0 = atomic_compare_exchange_strong((global atomic_uint*)(f + 1), (global uint*)n, 0u);": (
        "0:r0=0 /\\ f[1]=2 /\\ n=0x40000000"
    ),
    "int r0 = atomic_compare_exchange_strong((global atomic_uint*)n, (global uint*)(f + 1), 0u);": (
        "0:r0=0 /\\ n=0x3f800000 /\\ f[1]=1"
    ),
    "int r0 = atomic_max((global int*)f, 0x40400000);": "f[0]=3 /\\ 0:r0=0x3f800000",
    "uint r0 = atomic_or((global uint*)(f + 1), 0x400000u);": "f[1]=3 /\\ 0:r0=0x40000000",
    "uint r0 = atomic_add((global uint*)f, 0u);": "f[0]=1 /\\ 0:r0=0x3f800000",
    "atomic_fetch_xor((global atomic_uint*)f, 0x80000000u);": "f[0]=-1",
    "uint e = 1; int r0 = atomic_compare_exchange_strong((global atomic_uint*)f, &e, 0u);": (
        "f[0]=1 /\\ 0:r0=0 /\\ 0:e=0x3f800000"
    ),
    "uint e[2]; e[1] = 0x3f800000; atomic_compare_exchange_strong((global atomic_uint*)f, &e[1], 0x40400000u);": (
        "f[0]=3"
    ),
}


@pytest.mark.parametrize(("body", "condition"), ACCESSES.items())
def test_accesses(body: str, condition: str) -> None:
    text = "OPENCL views\n{ float f[2] = {1, 2}; int n = 0x3f800000; }\n"
    text += "void set(global int* p) { *p = 0x40400000; }\n"
    text += f"P0@wg 0 (global float* f, global int* n) {{ {body} }}\nforall ({condition})\n"

    for engine in ("explicit", "smt"):
        assert check(Source("views", text), engine=engine).holds
    ran = run(Source("views", text), runs=3)
    assert (ran.positive, ran.problems) == (3, ())


@pytest.mark.parametrize(
    ("body", "message"),
    [
        ("global int* p; global int* private* q = &p; p = (global int*)f;", "a pointer whose address is taken"),
        ("*m = (global int*)f;", "a pointer that is not used for one access, as memory of type 'float' seen as 'int'"),
        ("*(global char*)*m = 1;", "an access of another size, as memory of type 'int' seen as 'char'"),
        ("*(n[0] ? (global int*)f : *m) = 1;", "an access that may be of memory of several types, as memory of type"),
        ("global int* p = *m; p = (global int*)f; *p = 1;", "a pointer that is kept in a variable"),
    ],
)
def test_what_has_no_such_form(body: str, message: str) -> None:
    text = "OPENCL views\n{ float f[2] = {1, 2}; int n = 0; m = &n; }\nvoid set(global int* p) { *p = 1; }\n"
    text += f"P0@wg 0 (global float* f, global int* n, global int* global* m) {{\n{body}\n}}\nexists (n=1)\n"

    with pytest.raises(InputError) as error:
        check(Source("views", text))
    (found,) = [one for one in error.value.diagnostics if one.is_error]
    assert (found.code, found.span.line) == ("E100", 5)
    assert message in found.message


SIGNS = {
    "uint r0 = ((global uint*)s)[0] / 2u;": "0:r0=0x7fffffff",
    "int r0 = *(global int*)u < 0;": "0:r0=1",
    "global uint* p = (global uint*)s; p++; p = p + 1; p -= 1; int r0 = *p == 5 && p[-1] > 5;": "0:r0=1",
    "global uint* p = (global uint*)s; int r0 = *p++ > 5u; int r1 = *p;": "0:r0=1 /\\ 0:r1=5",
    "*(global uint*)s = 0xfffffffe;": "s[0]=-2",
    "uint r0 = (*(global uint*)s = 0xfffffffe) / 2u;": "0:r0=0x7fffffff",
    "*(global int*)u = -2;": "u=0xfffffffe",
    "*(global int*)u /= 2;": "u=0",
    "*(global uint*)s /= 2u;": "s[0]=0x7fffffff",
    "*(global uchar*)c /= 2;": "c=127",
    "uint r0 = (*(global uint*)s)--;": "0:r0=0xffffffff /\\ s[0]=-2",
    "uint r0 = atomic_max((global uint*)s, 7u);": "0:r0=0xffffffff /\\ s[0]=-1",
    "int r0 = atomic_min((global int*)u, 7);": "0:r0=-1 /\\ u=0xffffffff",
    "int r0 = atomic_max((global int*)u, 7);": "0:r0=-1 /\\ u=7",
    "uint r0 = atomic_add((global uint*)s, 1u); int r1 = r0 > 5;": "0:r1=1 /\\ s[0]=0",
    "uint r0 = atomic_xchg((global uint*)s, 0xfffffff0u);": "0:r0=0xffffffff /\\ s[0]=-16",
    "uint r0 = atomic_cmpxchg((global uint*)s, 0xffffffffu, 0xfffffff0u);": "0:r0=0xffffffff /\\ s[0]=-16",
    "uint e = 0; int r0 = atomic_compare_exchange_strong((global atomic_uint*)s, &e, 1u); int r1 = e > 5;": (
        "0:r0=0 /\\ 0:r1=1 /\\ s[0]=-1"
    ),
    "int e = -1; int r0 = atomic_compare_exchange_strong((global atomic_uint*)s, (uint*)&e, 1u);": "0:r0=1 /\\ s[0]=1",
    "int e = 3; int r0 = atomic_compare_exchange_strong((global atomic_int*)u, &e, 1);": "0:r0=0 /\\ 0:e=-1",
    "uint w = 0xffffffff; int r0 = *(int*)&w < 0; *(int*)&w -= 1;": "0:r0=1 /\\ 0:w=0xfffffffe",
    "int a[2] = {3, -1}; uint* p = (uint*)a; int r0 = p[1] > 5; p[1] /= 2u; int r1 = a[1];": (
        "0:r0=1 /\\ 0:r1=0x7fffffff"
    ),
    "int r0 = larger((global uint*)s, 5); int r1 = larger(u, 5); int r2 = larger((global uint*)(s + 1), 5);": (
        "0:r0=1 /\\ 0:r1=1 /\\ 0:r2=0"
    ),
    "int r0 = (n[0] ? (global uint*)s : (global uint*)(s + 1))[0] > 5;": "0:r0=0",
    "int r0 = (global uint*)s == (global uint*)(s + 1) - 1; int r1 = !(global uint*)s || (global uint*)s != 0;": (
        "0:r0=1 /\\ 0:r1=1"
    ),
    "event_t e = async_work_group_copy((local int*)l, (global int*)u, 1, 0); wait_group_events(1, &e);"
    "int r0 = l[0] > 5;": "0:r0=1",
    "int r0 = *(global int*)((global char*)s + 4); int r1 = (global char*)(s + 2) - (global char*)s;": (
        "0:r0=5 /\\ 0:r1=8"
    ),
    "global char* p = (global char*)s; p += 4; int r0 = *(global int*)(p + sizeof(int) * n[0]);": "0:r0=5",
    "int k = 1; int r0 = *(global int*)(4 * k + (global uchar*)s);": "0:r0=5",
    "int k = 1; int r0 = *(global int*)((global short*)s + k * 2);": "0:r0=5",
}


@pytest.mark.parametrize(("body", "condition"), SIGNS.items())
def test_numbers_of_another_sign(body: str, condition: str) -> None:
    text = "OPENCL signs\n{ int s[2] = {-1, 5}; uint u = 0xffffffff; char c = -1; int n = 0; }\n"
    text += "int larger(global uint* p, uint than) { return *p > than; }\n"
    text += "P0@wg 0 (global int* s, global uint* u, global char* c, global int* n, local uint* l) {\n"
    text += f"{body} }}\nforall ({condition})\n"

    for engine in ("explicit", "smt"):
        found = check(Source("signs", text), engine=engine)
        assert found.holds, body
    ran = run(Source("signs", text), runs=3)
    assert (ran.positive, ran.problems) == (3, ())


def test_threads_that_differ_in_the_sign() -> None:
    text = """OPENCL differ
{ int ring[8]; }
P0 (global atomic_int* x) { atomic_store(x, -1); }
P1 (global atomic_uint* x, global int* ring) { uint r0 = atomic_load(x); int r1 = r0 > 5; ring[r0 % 8] = 1; }
exists (1:r1=1 /\\ ring[7]=1)
"""
    for engine in ("explicit", "smt"):
        found = check(Source("differ", text), engine=engine)
        assert found.holds
        assert not found.undefined
        assert len(found.states) == 2
    assert not run(Source("differ", text), runs=20).problems


@pytest.mark.parametrize(
    ("initial", "is_refused"), [("int x = -1; p = &x;", True), ("uint x = 7; p = &x;", False), ("p = &x;", False)]
)
def test_memory_that_holds_the_address_of_other_numbers(initial: str, is_refused: bool) -> None:
    text = f"OPENCL holds\n{{ {initial} }}\nP0 (global uint* global* p) {{ uint r0 = **p; }}\nforall (0:r0 < 8)\n"
    if not is_refused:
        assert check(Source("holds", text)).holds
        return
    with pytest.raises(InputError) as error:
        check(Source("holds", text))
    (found,) = [one for one in error.value.diagnostics if one.is_error]
    assert found.code == "E129"
    assert "'p' is 'global uint*' and holds the address of 'x', which is 'int'" in found.message


@pytest.mark.parametrize(
    "keeps", ["global uint* a[1]; a[0] = (global uint*)y;", "global uint* a[1] = {(global uint*)y};"]
)
def test_updates_through_arrays_of_such_pointers_have_one_order(keeps: str) -> None:
    text = f"""OPENCL arrays
{{ int y = -1; }}
P0 (global int* y) {{ {keeps} uint r0 = atomic_add(a[0], 2u); }}
P1 (global int* y) {{ {keeps} uint r0 = atomic_xchg(a[0], 5u); }}
exists (0:r0=5)
"""
    for engine in ("explicit", "smt"):
        found = check(Source("arrays", text), engine=engine)
        assert (found.holds, len(found.states)) == (True, 2)
    assert len(run(Source("arrays", text), runs=50).states) == 2
