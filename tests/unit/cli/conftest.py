"""Commands, run as the shell would run them: in this process, or apart from it."""

from __future__ import annotations

import signal
import subprocess
import sys
from dataclasses import dataclass
from typing import TYPE_CHECKING

import pytest

from mcm import KernelRequest, shared_session
from mcm.cli.main import main

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

STORE_BUFFERING = r"""OPENCL SB
Expect.opencl-3.0=Sometimes no-race
{ }
P0@wg 0 (global atomic_int* x, global atomic_int* y) {
  atomic_store_explicit(x, 1, memory_order_relaxed);
  int r0 = atomic_load_explicit(y, memory_order_relaxed);
}
P1@wg 1 (global atomic_int* x, global atomic_int* y) {
  atomic_store_explicit(y, 1, memory_order_relaxed);
  int r0 = atomic_load_explicit(x, memory_order_relaxed);
}
exists (0:r0=0 /\ 1:r0=0)
"""


@dataclass(frozen=True)
class Ended:
    """What a command leaves behind."""

    code: int
    out: str
    err: str


@pytest.fixture(autouse=True, scope="session")
def signals_are_heard() -> Iterator[None]:
    """What a shell or `nohup` has made these tests ignore, the commands that they start would ignore as well."""
    names = ("SIGHUP", "SIGINT", "SIGQUIT", "SIGTERM")
    numbers = [getattr(signal, name) for name in names if hasattr(signal, name)]
    ignored = [number for number in numbers if signal.getsignal(number) == signal.SIG_IGN]
    for number in ignored:
        signal.signal(number, signal.SIG_DFL)
    yield
    for number in ignored:
        signal.signal(number, signal.SIG_IGN)


@pytest.fixture(autouse=True)
def kernel_files_are_forgotten() -> Iterator[None]:
    """What options of a command in this process say of kernel files is nothing to tests behind it."""
    yield
    shared_session().take_kernels(KernelRequest())
    shared_session().include_from(())


@pytest.fixture
def mcm(capsys: pytest.CaptureFixture[str]) -> Callable[..., Ended]:
    def run(*arguments: object) -> Ended:
        with pytest.raises(SystemExit) as ended:
            main([str(argument) for argument in arguments])
        out, err = capsys.readouterr()
        assert isinstance(ended.value.code, int)
        return Ended(ended.value.code, out, err)

    return run


@pytest.fixture
def mcm_apart() -> Callable[..., Ended]:
    """Runs a command in a process of its own, whose memory is not that of all tests before it."""

    def run(*arguments: object) -> Ended:
        command = [sys.executable, "-m", "mcm", *map(str, arguments)]
        ended = subprocess.run(command, capture_output=True, text=True, check=False)
        return Ended(ended.returncode, ended.stdout, ended.stderr)

    return run


@pytest.fixture
def sb(tmp_path: Path) -> Path:
    path = tmp_path / "SB.litmus"
    path.write_text(STORE_BUFFERING, encoding="utf-8")
    return path
