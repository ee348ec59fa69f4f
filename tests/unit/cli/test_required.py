"""What is required of kernel files and programs decides about the exit code, under each model that is asked."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from mcm import KernelRequest, KernelSource, check_all

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from conftest import Ended

KERNEL = """kernel void swap(global int* x, local int* t) {
  int l = get_local_id(0);
  t[l] = x[get_global_id(0)];
#ifndef CARELESS
  barrier(CLK_LOCAL_MEM_FENCE);
#endif
  x[get_global_id(0)] = t[1 - l];
}
"""
PROGRAM = """#include <sycl/sycl.hpp>
int main() {
  sycl::queue q;
  int* x = sycl::malloc_shared<int>(1, q);
  q.single_task([=] { x[0] = 1; })%s;
  x[0] = 2;
  q.wait();
}
"""


@pytest.fixture
def kernel(tmp_path: Path) -> str:
    path = tmp_path / "swap.cl"
    path.write_text(KERNEL, encoding="utf-8")
    return str(path)


def check(run: Callable[..., Ended], path: str, *options: str) -> tuple[int, str]:
    found = run("check", path, "--launch", "swap global 4, local 2", *options)
    return found.code, found.out + found.err


ALWAYS = ["--require", "Always", "--require", "no-race", "--forall", "x[0]=0"]
NEVER = ["--require", "Never no-race", "--exists", "x[0]=0"]
WITHOUT_BARRIERS = ["--require", "defined", "--without", "BAR-3"]


@pytest.mark.parametrize(
    ("options", "code", "told"),
    [
        pytest.param(["--require", "no-race"], 0, "expected no-race: as expected", id="met"),
        pytest.param(["--require", "no-race", "-D", "CARELESS"], 1, "expected no-race: NOT as expected", id="not-met"),
        pytest.param(["-D", "CARELESS"], 0, "data race", id="nothing-required"),
        pytest.param(WITHOUT_BARRIERS, 1, "expected defined: NOT", id="without-a-rule"),
        pytest.param(ALWAYS, 0, "expected Always no-race: as", id="words"),
        pytest.param(NEVER, 1, "expected Never no-race: NOT", id="question"),
        pytest.param(["--require", "no-rac"], 2, "did you mean 'no-race'", id="misspelt"),
        pytest.param(["--require", "Never"], 2, "the test has none", id="without-a-question"),
        pytest.param(["--require", " "], 2, "--require:1:1: error[E040]: expected what has to be so", id="nothing"),
    ],
)
def test_it_decides_about_the_exit_code(
    mcm: Callable[..., Ended], kernel: str, options: list[str], code: int, told: str
) -> None:
    found, output = check(mcm, kernel, *options)
    assert told in output
    assert found == code


def test_it_is_about_each_model_that_is_asked(mcm: Callable[..., Ended], kernel: str) -> None:
    models = ["-m", "opencl-2.0", "-m", "sc", "-q"]
    code, output = check(mcm, kernel, "--require", "no-race", "-D", "CARELESS", *models)
    assert code == 1
    assert "1 of 2 as expected (1 NOT)" in output


@pytest.mark.parametrize(("waits", "code"), [("", 1), (".wait()", 0)])
def test_programs_are_required_to_be_so_too(mcm: Callable[..., Ended], tmp_path: Path, waits: str, code: int) -> None:
    path = tmp_path / "waits.cpp"
    path.write_text(PROGRAM % waits, encoding="utf-8")
    assert mcm("check", str(path), "--require", "no-race").code == code


def test_litmus_tests_state_it_themselves(mcm: Callable[..., Ended]) -> None:
    found = mcm("check", "MP.litmus", "--require", "no-race")
    assert found.code == 2
    assert "--require is for kernel files (.cl) and SYCL programs (.cpp)" in found.err


def test_the_litmus_test_of_a_kernel_states_it(mcm: Callable[..., Ended], kernel: str) -> None:
    printed = mcm("fmt", kernel, "--launch", "swap global 4, local 2", "--require", "no-race").out
    assert printed.startswith("OPENCL swap\nExpect.opencl-3.0=no-race\n")


def test_in_python_it_is_part_of_the_request() -> None:
    request = KernelRequest(launches=("global 4, local 2",), definitions=("CARELESS",), expected=("no-race",))
    source = KernelSource("swap.cl", KERNEL, request)
    assert [result.as_expected for result in check_all(source, models=("opencl-3.0", "sc"))] == [False, True]
