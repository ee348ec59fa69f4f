"""What is computed with addresses that integers hold: whether they are aligned, and how far they lie apart."""

from __future__ import annotations

import pytest

from mcm import EngineName, InputError, KernelRequest, KernelSource, check, run


def source(value: str, result: str = "true") -> KernelSource:
    """A kernel that leaves a value in `o`."""
    declared = "local int t[4]; int v[4]; char c[8]; uint m = 7; global int* p = a + get_global_size(0);"
    declared += " uintptr_t h = (uintptr_t)(a + 3); size_t first = (size_t)a;"
    text = (
        f"global int g[4]; kernel void K(global int* a, global int* b, global long* o) {{ {declared} *o = {value}; }}"
    )
    initial = ("a[4]", "b[4]", "o[1]")
    return KernelSource(
        "k.cl", text, KernelRequest(("K global 1",), initial=initial, questions=(f"forall ({result})",))
    )


@pytest.mark.parametrize(
    ("value", "number"),
    [
        ("(uintptr_t)a & 127", 0),
        ("(uintptr_t)p & 15", 4),
        ("15 & (uintptr_t)(p + 1)", 8),
        ("(size_t)(p + 2) % 8", 4),
        ("(uint)(size_t)(p + 1) & 7u", 0),
        ("(uintptr_t)((global char*)p + 1) & 7", 5),
        ("(uintptr_t)t & 3", 0),
        ("(uintptr_t)&v[1] & 3", 0),
        ("(uintptr_t)(global int*)0 & 3", 0),
        ("h & 15", 12),
        ("(uintptr_t)(g + 1) & 3", 0),
        ("(16 - (h & 15)) / 4", 1),
        ("(size_t)p - (size_t)a", 4),
        ("(size_t)a - (size_t)p", -4),
        ("(long)((size_t)(p + 1) - first) / (long)sizeof(int)", 2),
        ("(int)(h - first)", 12),
        ("(size_t)&c[5] - (size_t)c", 5),
        ("(uintptr_t)(get_local_id(0) ? b : p) & 7", 4),
    ],
)
def test_what_the_place_in_an_object_says(value: str, number: int) -> None:
    asked = source(value, f"o[0]={number}")
    for engine in (EngineName.EXPLICIT, EngineName.SMT):
        found = check(asked, engine=engine)
        assert found.holds
        assert not found.undefined
    assert all(one.state.satisfies for one in run(asked, runs=1, seed=1).states)


@pytest.mark.parametrize(
    ("value", "message"),
    [
        ("(uintptr_t)g & 15", "the place of 'g' is up to the implementation"),
        ("(uintptr_t)t & 15", "the place of 't' is up to the implementation"),
        ("(uintptr_t)&v[1] & 7", "up to the implementation"),
        ("(size_t)a - (size_t)b", "how far apart objects lie is up to the implementation"),
        ("(size_t)a & m", "holds an address"),
        ("(size_t)a & 6", "holds an address"),
        ("(size_t)a % 12", "holds an address"),
        ("16 % (size_t)a", "holds an address"),
        ("(size_t)a + 4", "holds an address"),
    ],
)
def test_what_an_implementation_decides_is_refused(value: str, message: str) -> None:
    with pytest.raises(InputError) as caught:
        check(source(value))
    (first, *_) = caught.value.diagnostics
    assert first.code == "E122"
    assert message in first.message
