"""Sub-buffers: names for parts of buffers, in kernels, commands and conditions."""

from __future__ import annotations

import mcm

KERNELS = """
kernel A (global int* a) { a[0] = 1; }
kernel B (global int* s) { s[0] = 2; }
"""


def found(text: str, **options: str) -> mcm.Result:
    (result,) = mcm.check_all(f"OPENCL parts\n{text}", **options)
    return result


def kinds(result: mcm.Result) -> set[str]:
    return {problem.kind for problem in result.undefined}


def test_a_sub_buffer_is_the_elements_of_its_buffer() -> None:
    text = """{ buffer int a[3]={5,6,7}; s = clCreateSubBuffer(a, 1, 2); }
P0@wg 0, dev 0 (global int* s) { int r0 = s[0]; s[1] = 9; }
forall (0:r0=6 /\\ a[2]=9 /\\ s[1]=9)"""
    assert found(text).observation is mcm.Observation.ALWAYS


def test_commands_take_sub_buffers() -> None:
    text = """{ buffer int a[3]={5,6,7}; s = clCreateSubBuffer(a, 1, 1); t = clCreateSubBuffer(a, 2, 1);
  queue q = in_order dev 0; }
P0@host (global int* s, global int* t) {
  clEnqueueCopyBuffer(q, s, t);
  clEnqueueFillBuffer(q, s, 1);
  int r0 = clEnqueueReadBuffer(q, t, CL_TRUE);
}
forall (0:r0=6 /\\ a[0]=5 /\\ a[1]=1 /\\ a[2]=6)"""
    result = found(text)
    assert result.observation is mcm.Observation.ALWAYS
    assert not result.undefined


def test_what_is_mapped_is_the_sub_buffer() -> None:
    text = """{ buffer int a[2]={0,0}; s = clCreateSubBuffer(a, 1, 1); queue q = in_order dev 0; }
P0@host (global int* s, global int* a) {
  clEnqueueMapBuffer(q, s, CL_TRUE, CL_MAP_WRITE);
  LINE
}
exists (true)"""
    assert kinds(found(text.replace("LINE", "s[0] = 1;"))) == set()
    assert kinds(found(text.replace("LINE", "a[0] = 1;"))) == {"unmapped-access"}


def test_an_access_outside_the_sub_buffer_is_outside() -> None:
    text = """{ buffer int a[3]={5,6,7}; s = clCreateSubBuffer(a, 0, 2); }
P0@wg 0, dev 0 (global int* s) { int r0 = s[2]; }
exists (true)"""
    assert kinds(found(text)) == {"out-of-bounds"}


def test_one_kernel_that_is_given_both() -> None:
    text = """{ buffer int a[2]={0,0}; s = clCreateSubBuffer(a, 1, 1); }
kernel K (global int* a, global int* s) { if (get_global_id(0) == 0) a[0] = 1; else { int r0 = s[0]; } }
launch K global 2, local 2;
exists (true)"""
    assert kinds(found(text)) == {"overlapping-use"}


def test_both_engines_agree() -> None:
    text = f"""{{ buffer int a[2]={{0,0}}; s = clCreateSubBuffer(a, 1, 1); queue q = out_of_order dev 0; }}
{KERNELS}
P0@host () {{ clEnqueueNDRangeKernel(q, A, 1, 1); clEnqueueNDRangeKernel(q, B, 1, 1); }}
exists (true)"""
    one, other = (found(text, engine=engine) for engine in ("explicit", "smt"))
    assert kinds(one) == kinds(other) == {"overlapping-use"}
