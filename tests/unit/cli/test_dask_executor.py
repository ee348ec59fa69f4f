"""A suite on a Dask cluster of two workers, of which one is killed."""

from __future__ import annotations

import os
import signal
import sys
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from mcm.cli.dask_executor import DaskCluster
from mcm.cli.work import Answered, Work

distributed = pytest.importorskip("distributed", reason="the extra mcm[dask] is not installed")
cloudpickle = pytest.importorskip("cloudpickle")

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from conftest import Ended

pytestmark = [pytest.mark.slow, pytest.mark.filterwarnings("ignore")]


@pytest.fixture(scope="module")
def cluster() -> Iterator[str]:
    """The address of a cluster with two processes, which know this module by value."""
    module = sys.modules[__name__]
    cloudpickle.register_pickle_by_value(module)
    with distributed.LocalCluster(n_workers=2, threads_per_worker=1, processes=True, dashboard_address=None) as local:
        yield local.scheduler_address.replace("tcp://", "dask://")
    cloudpickle.unregister_pickle_by_value(module)


def square_or_die(folder: str, task: int, _keep: object) -> int:
    """The square; the first worker that is given 3 dies of it."""
    mark = Path(folder) / "dead"
    if task == 3 and not mark.exists():
        mark.write_text("", encoding="utf-8")
        os.kill(os.getpid(), signal.SIGKILL)
    (Path(folder) / f"{task}").write_text("", encoding="utf-8")
    return task * task


def prepare() -> None:
    pass


def test_a_killed_worker_loses_nothing_and_doubles_nothing(cluster: str, tmp_path: Path) -> None:
    work = Work(partial(square_or_die, str(tmp_path)), prepare)
    noticed: list[int] = []

    outcomes = list(
        DaskCluster(cluster.replace("dask://", "tcp://")).run(work, range(12), lambda number, _: noticed.append(number))
    )

    assert (tmp_path / "dead").exists()
    assert outcomes == [(number, Answered(number * number)) for number in range(12)]
    assert sorted(noticed) == list(range(12))


def test_the_command_gives_the_same_as_here(mcm: Callable[..., Ended], cluster: str, sb: Path, tmp_path: Path) -> None:
    text = sb.read_text(encoding="utf-8")
    folder = tmp_path / "suite"
    folder.mkdir()
    for name in "abc":
        stated = "Never" if name == "b" else "Sometimes"
        (folder / f"{name}.litmus").write_text(text.replace("=Sometimes no-race", f"={stated}"), encoding="utf-8")

    here, there = mcm("test", "-j", "1", folder), mcm("test", folder, "--executor", cluster)

    assert here.code == 1
    assert (there.code, there.out) == (here.code, here.out)


def test_an_address_without_a_cluster_is_an_error(mcm: Callable[..., Ended], sb: Path) -> None:
    assert "unknown executor" in mcm("test", sb, "--executor", "slurm://x").err
    assert "expected dask://HOST:PORT" in mcm("test", sb, "--executor", "dask://").err
