"""Where the tests of a suite are judged: each executor takes the same tasks and gives the same outcomes."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, Protocol

import click
from msgspec import Struct

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from mcm.cli.work import Answer, Outcome, Task, Work


_DASK: Final = "dask://"


class Executor(Protocol):
    """Does tasks, each once; outcomes come in the order of the tasks, and are noticed as soon as they are there.

    `is_remote`: files of this machine may not be there, so that tests are sent as texts.
    """

    @property
    def is_remote(self) -> bool:
        """Whether the work is done on other machines."""

    def run(
        self, work: Work[Task, Answer], tasks: Sequence[Task], notice: Callable[[int, Outcome[Answer]], None]
    ) -> Iterator[tuple[Task, Outcome[Answer]]]:
        """The outcomes. An interrupt ends the work; before it is passed on, what is done is given, in its place."""


class LocalProcesses(Struct, frozen=True):
    """Worker processes of this machine; `load` is done before they are started."""

    jobs: int
    load: Callable[[], object]
    is_remote: bool = False

    def run(
        self, work: Work[Task, Answer], tasks: Sequence[Task], notice: Callable[[int, Outcome[Answer]], None]
    ) -> Iterator[tuple[Task, Outcome[Answer]]]:
        """As `Executor.run`."""
        # Imported here: `mcm test --help` needs none of it.
        from mcm.cli.workers import run_in_workers

        self.load()
        return run_in_workers(work, tasks, max(1, min(self.jobs, len(tasks))), notice)


def executor_of(address: str | None, jobs: int, load: Callable[[], object]) -> Executor:
    """The executor that an address names; None and `local` are worker processes here."""
    if address in {None, "local"}:
        return LocalProcesses(jobs, load)
    if address is not None and address.startswith(_DASK):
        return _dask(address.removeprefix(_DASK))
    message = f"unknown executor '{address}'; expected 'local' or {_DASK}HOST:PORT"
    raise click.BadParameter(message, param_hint="--executor")


def _dask(place: str) -> Executor:
    """The cluster whose scheduler is at a place; usage error where its library is missing."""
    if not place:
        message = f"no scheduler is named; expected {_DASK}HOST:PORT"
        raise click.BadParameter(message, param_hint="--executor")
    from importlib.util import find_spec

    if find_spec("distributed") is None:
        message = "Dask is not installed: pip install 'mcm[dask]'"
        raise click.BadParameter(message, param_hint="--executor")
    from mcm.cli.dask_executor import DaskCluster

    return DaskCluster(f"tcp://{place}")
