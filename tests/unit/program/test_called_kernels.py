"""Kernels that other kernels call, kernels without parameters, and fence flags that are added."""

from __future__ import annotations

import pytest

from mcm import InputError, KernelRequest, KernelSource, check, parse

TEXT = """
kernel void clear(global int* a, int n) {
  for (int i = get_global_id(0); i < n; i += get_global_size(0)) a[i] = 0;
}
kernel void both(global int* x, global int* y, int n) {
  clear(x, n);
  clear(y, n);
  y[get_global_id(0)] = 1;
}
void together(void) { barrier(CLK_LOCAL_MEM_FENCE + CLK_GLOBAL_MEM_FENCE); }
kernel void none(void) { together(); }
kernel void handed(global int* x) {
  x[get_local_id(0)] = 1;
  together();
  x[1 - get_local_id(0)] += 2;
}
kernel void twice(void) { barrier(CLK_LOCAL_MEM_FENCE + CLK_LOCAL_MEM_FENCE); }
kernel void wrong(void, int n) { }
kernel void few(global int* x) { clear(x); }
"""


def source(kernel: str, *initial: str, question: str = "") -> KernelSource:
    questions = (question,) if question else ()
    return KernelSource("k.cl", TEXT, KernelRequest((f"{kernel} global 2, local 2",), (), initial, questions))


def test_a_kernel_is_a_function_too() -> None:
    question = "forall (x[0]=0 /\\ x[3]=0 /\\ y[1]=1 /\\ y[2]=0)"
    found = check(source("both", "x = {5, 5, 5, 5}", "y = {5, 5, 5, 5}", "n = 4", question=question))
    assert found.holds
    assert not found.undefined
    assert check(source("clear", "a = {5, 5}", "n = 2", question="forall (a[1]=0)")).holds


def test_arguments_are_checked() -> None:
    with pytest.raises(InputError, match="'clear' takes 2 arguments, found 1"):
        parse(source("few", "x[2]"))


def test_no_parameters() -> None:
    assert not check(source("none")).undefined
    with pytest.raises(InputError, match="expected a name, found ','"):
        parse(source("wrong", "n = 1"))


def test_flags_may_be_added() -> None:
    assert not check(source("handed", question="forall (x[0]=3)")).undefined
    with pytest.raises(InputError, match="adds a memory fence flag to itself"):
        parse(source("twice"))
