"""Kernel files on the command line: check, run, convert and fmt take the same options."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

from mcm.cli.exit_code import ExitCode

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from conftest import Ended

KERNEL = """#ifdef WEAK
#define order memory_order_relaxed
#else
#define order memory_order_release
#endif
kernel void send(global atomic_int *flag, global int *data, int value) {
  if (get_global_id(0) == 0) {
    *data = value;
    atomic_store_explicit(flag, 1, order);
  } else if (atomic_load_explicit(flag, memory_order_acquire) == 1) {
    int r = *data;
  }
}
"""


@pytest.fixture
def kernel(tmp_path: Path) -> Path:
    path = tmp_path / "send.cl"
    path.write_text(KERNEL, encoding="utf-8")
    return path


LAUNCHED = ("--launch", "send global 2, local 1", "--init", "value = 5")


def test_check(mcm: Callable[..., Ended], kernel: Path) -> None:
    clean = mcm("check", kernel, *LAUNCHED, "--exists", "send[1]:r=5")
    assert clean.code == ExitCode.AS_EXPECTED
    assert "send under opencl-3.0: allowed" in clean.out

    racy = json.loads(mcm("check", kernel, *LAUNCHED, "-D", "WEAK", "--format", "json").out)
    (result,) = racy["results"]
    assert {problem["kind"] for problem in result["undefined"]} == {"data-race"}
    assert {event["line"] for problem in result["undefined"] for event in problem["events"]} == {8, 11}


def test_convert(mcm: Callable[..., Ended], kernel: Path) -> None:
    ended = mcm("convert", kernel, *LAUNCHED, "--exists", "send[1]:r=5", "--to", "sycl")

    assert ended.code == ExitCode.AS_EXPECTED
    assert ended.out.startswith("SYCL send\n")
    assert ended.out.endswith("exists (send[1]:r=5)\n")


def test_several_files_go_to_workers(mcm: Callable[..., Ended], kernel: Path, sb: Path) -> None:
    ended = mcm("check", "-q", kernel, sb, *LAUNCHED)

    assert ended.code == ExitCode.AS_EXPECTED
    assert "2 tests" in ended.out


def test_run(mcm: Callable[..., Ended], kernel: Path) -> None:
    ended = mcm("run", kernel, *LAUNCHED, "-n", "20", "--forall", "data=5")

    assert ended.code == ExitCode.AS_EXPECTED
    assert "Positive: 20, Negative: 0" in ended.out


def test_fmt_prints_and_never_overwrites(mcm: Callable[..., Ended], kernel: Path) -> None:
    printed = mcm("fmt", kernel, *LAUNCHED)
    assert printed.out.startswith("OPENCL send\n\n{ value=5; flag=0; data=0; }\n")

    litmus = kernel.with_suffix(".litmus")
    litmus.write_text(printed.out, encoding="utf-8")
    assert mcm("check", litmus).out == mcm("check", kernel, *LAUNCHED).out.replace("send.cl", "send.litmus")

    for mode in ("--in-place", "--check"):
        refused = mcm("fmt", mode, kernel, *LAUNCHED)
        assert refused.code == ExitCode.BAD_INPUT
        assert "E182" in refused.err
    assert kernel.read_text(encoding="utf-8") == KERNEL


def test_options_without_a_kernel_file_are_wrong_usage(mcm: Callable[..., Ended], sb: Path) -> None:
    ended = mcm("check", sb, "--launch", "K global 2")

    assert ended.code == ExitCode.BAD_INPUT
    assert "--launch is for kernel files" in ended.err


_PROGRAM = """int main(int argc, char** argv) {
  sycl::queue q;
  int* x = sycl::malloc_shared<int>(2, q);
  x[0] = argc > 1 ? std::stoi(argv[1]) : 4;
  x[1] = argc > 2 && std::string(argv[2]) == "a b";
}
"""


@pytest.mark.parametrize(
    ("words", "values"),
    [((), "4, x[1]=0"), (("--args", "7 'a b'"), "7, x[1]=1"), (("--args=-7", "--args", "'a b'"), "-7, x[1]=1")],
)
def test_arguments_of_a_program(mcm: Callable[..., Ended], tmp_path: Path, words: tuple[str, ...], values: str) -> None:
    program = tmp_path / "sample.cpp"
    program.write_text(_PROGRAM, encoding="utf-8")
    asked = "x[0]=" + values.replace(", ", " /\\ ")

    assert "Always" in mcm("check", program, *words, "--forall", asked).out
    assert "Positive: 20, Negative: 0" in mcm("run", program, *words, "-n", "20", "--forall", asked).out


def test_arguments_that_are_wrong_usage(mcm: Callable[..., Ended], kernel: Path, tmp_path: Path) -> None:
    program = tmp_path / "sample.cpp"
    program.write_text(_PROGRAM, encoding="utf-8")
    of_kernels, unclosed = mcm("check", kernel, "--args", "4"), mcm("check", program, "--args", "'4")

    assert of_kernels.code == unclosed.code == ExitCode.BAD_INPUT
    assert "--args is for SYCL programs (.cpp)" in of_kernels.err
    assert "no closing quotation" in unclosed.err


def test_without_a_launch_the_kernels_are_named(mcm: Callable[..., Ended], kernel: Path) -> None:
    ended = mcm("check", kernel)

    assert ended.code == ExitCode.BAD_INPUT
    assert "send.cl:6:13: error[E181]" in ended.out + ended.err
    assert "--launch 'send global 4, local 2'" in ended.out + ended.err
