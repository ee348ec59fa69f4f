"""Functions of a kernel file that have a name of litmus tests or of an extension: they are what the file says."""

from __future__ import annotations

import pytest

from mcm import InputError, Judged, KernelRequest, KernelSource, check

MEET = "t[i] = i; fence(); o[get_global_id(0)] = t[1 - i]; }"
KERNEL = f"kernel void k(global int* o, local int* t) {{ int i = get_local_id(0), fence_1 = 0; {MEET}"


def checked(text: str, asked: str) -> Judged:
    request = KernelRequest(("k global 4, local 2",), questions=(f"forall ({asked})",))
    found = check(KernelSource("own.cl", text, request))
    assert isinstance(found, Judged)
    return found


@pytest.mark.parametrize(
    ("function", "races"),
    [
        ("void fence(void) { barrier(CLK_LOCAL_MEM_FENCE); }\n", False),
        ("#define F fence\ninline void fence(void);\nvoid F() { barrier(CLK_LOCAL_MEM_FENCE); }\n", False),
        ("void fence(void) { mem_fence(CLK_LOCAL_MEM_FENCE); }\n", True),
    ],
    ids=["barrier", "declared", "only-a-fence"],
)
def test_a_fence_of_the_file(function: str, *, races: bool) -> None:
    found = checked(function + KERNEL, "o[0]=1 /\\ o[1]=0")
    assert ("data-race" in {one.kind for one in found.undefined}) is races
    assert found.holds is not races


def test_names_of_c_and_of_extensions() -> None:
    text = """
    struct s { int fence; };
    void atomic_thread_fence(int o) { barrier(CLK_LOCAL_MEM_FENCE); }
    int sub_group_elect(void) { return get_local_id(0) == 1; }
    kernel void k(global int* o, local int* t) {
      struct s q = { 5 };
      int i = get_local_id(0);
      t[i] = sub_group_elect();
      atomic_thread_fence(3);
      o[get_global_id(0)] = t[1 - i] + q.fence;
    }"""
    found = checked(text, "o[0]=6 /\\ o[1]=5")
    assert (found.holds, found.undefined, found.diagnostics) == (True, (), ())


def test_a_kernel_may_have_the_name() -> None:
    text = "kernel void fence(global int* o) { fence(CLK_GLOBAL_MEM_FENCE, memory_order_acquire); *o = 1; }"
    found = check(KernelSource("own.cl", text, KernelRequest(("fence global 1",), questions=("forall (o=1)",))))
    assert isinstance(found, Judged)
    assert found.holds


def test_mistakes_name_them_as_the_file_does() -> None:
    text = "void fence(global int* p) { *p = 1; } kernel void k(global int* o) { fence(o, 1); }"
    with pytest.raises(InputError) as caught:
        check(KernelSource("own.cl", text, KernelRequest(("k global 1",))))
    assert [one.message for one in caught.value.diagnostics] == ["'fence' takes 1 argument, found 2"]
