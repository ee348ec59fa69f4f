"""Parameters that point to bytes, of buffers whose elements are stated: images with rows of so many bytes."""

from __future__ import annotations

import pytest

from mcm import InputError, KernelRequest, KernelSource, check, parse, run

TEXT = """
#define at(p, y, x) *(global T*)(p + mad24(y, step, mad24(x, (int)sizeof(T), offset)))
kernel void K(global const uchar* src, global uchar* dst, int step, int offset) {
  int x = get_global_id(0), y = get_global_id(1);
  src += offset - offset;
  at(dst, y, x) = at(src, x, y) + 1;
}
kernel void moved(global uchar* dst, int step) {
  dst += get_global_id(0) * step;
  atomic_inc((volatile global int*)dst);
}
kernel void seen(global int* dst) { dst[1] = 4; }
"""


def source(launch: str, *initial: str, kind: str = "int", questions: tuple[str, ...] = ()) -> KernelSource:
    return KernelSource("k.cl", TEXT, KernelRequest((launch,), (f"T={kind}",), initial, questions))


@pytest.mark.parametrize(("kind", "size"), [("int", 4), ("short", 2), ("float", 4), ("ulong", 8), ("uchar", 1)])
def test_rows_of_bytes(kind: str, size: int) -> None:
    initial = (f"{kind} src[5] = {{0, 1, 2, 3, 4}}", f"{kind} dst[5]", f"step = {2 * size}", f"offset = {size}")
    question = "forall (dst[0]=0 /\\ dst[1]=2 /\\ dst[2]=4 /\\ dst[3]=3 /\\ dst[4]=5)"
    asked = source("K global 2 2", *initial, kind=kind, questions=(question,))
    found = check(asked)
    assert found.holds
    assert not found.undefined
    assert run(asked, runs=2).states[0].state.satisfies


def test_offsets_between_elements_are_told() -> None:
    asked = source("moved global 3, local 1", "int dst[3]", "step = 2")
    (fault, *_) = check(asked).undefined
    assert fault.kind == "out-of-bounds"
    assert "the offset is no multiple of 4, the size of 'int'" in fault.why
    assert fault.sites[0].text == "get_global_id(0) * step"


def test_kernels_that_see_other_types() -> None:
    request = KernelRequest(("moved global 1", "seen global 1"), ("T=int",), ("int dst[2]", "step = 4"))
    found = check(KernelSource("k.cl", TEXT, request))
    assert dict(found.states[0].values)["dst[1]"] == 4
    with pytest.raises(InputError, match="'dst' is 'int' here, but 'uchar'"):
        parse(KernelSource("k.cl", TEXT, KernelRequest(request.launches, ("T=int",), ("dst[8]", "step = 4"))))


def test_unstated_bytes_say_what_to_state() -> None:
    with pytest.raises(InputError, match="stated as 'int x\\[4\\]' in the initial state"):
        parse(source("moved global 1", "step = 4"))
