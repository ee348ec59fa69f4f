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
        ("*(global uint*)f += 1;", "this operation, as memory of type 'float' seen as 'uint'"),
        ("atomic_compare_exchange_strong((global atomic_uint*)f, (global uint*)n, 1u);", "this operation"),
        ("ulong r = *(global ulong*)f;", "an access of another size, as memory of type 'float' seen as 'ulong'"),
        ("global int* p = n; p = (global int*)f; *p = 1;", "a pointer that is kept in a variable"),
        (
            "set((global int*)f); set(n);",
            "a pointer that is kept in a variable, as memory of type 'float' seen as 'int'",
        ),
    ],
)
def test_what_has_no_such_form(body: str, message: str) -> None:
    text = "OPENCL views\n{ float f[2] = {1, 2}; int n = 0; }\nvoid set(global int* p) { *p = 1; }\n"
    text += f"P0@wg 0 (global float* f, global int* n) {{\n{body}\n}}\nexists (n=1)\n"

    with pytest.raises(InputError) as error:
        check(Source("views", text))
    (found,) = [one for one in error.value.diagnostics if one.is_error]
    assert (found.code, found.span.line) == ("E100", 5)
    assert message in found.message
