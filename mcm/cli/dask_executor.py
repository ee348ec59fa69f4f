"""A suite on an existing Dask cluster: `mcm test --executor dask://HOST:PORT`."""

from __future__ import annotations

from threading import Lock
from typing import TYPE_CHECKING, Any, Final
from uuid import uuid4

import click
from msgspec import Struct

from mcm import __version__
from mcm.cli.interrupts import interrupts_taken
from mcm.cli.work import INTERRUPTED, Answered, Failed, Lost, Work, do

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from distributed import Client, Future

    from mcm.cli.work import Answer, Outcome, Task

# How long the scheduler and its first worker may take to answer, in seconds.
_PATIENCE: Final = 30

# A worker may have several threads; the solver is not made for that.
_ONE_AT_A_TIME: Final = Lock()


class DaskCluster(Struct, frozen=True):
    """The workers of a cluster whose scheduler has an address; they need mcm in the same version, and no files.

    A task whose worker dies is given to another by the scheduler, and lost if that happens again and again.
    """

    address: str
    is_remote: bool = True

    def run(
        self, work: Work[Task, Answer], tasks: Sequence[Task], notice: Callable[[int, Outcome[Answer]], None]
    ) -> Iterator[tuple[Task, Outcome[Answer]]]:
        """As `Executor.run`. Raises ClickException where there is no such cluster, or it cannot judge tests."""
        from distributed import as_completed

        client = _client(self.address)
        # Limits of a process are not set: the workers are somebody else's. The engines keep to theirs.
        there = Work(work.perform, _nothing)
        batch = uuid4().hex
        futures: dict[Future, int] = {
            client.submit(_do_there, there, task, key=f"mcm-{batch}-{number}", pure=False): number
            for number, task in enumerate(tasks)
        }
        finished: dict[int, Outcome[Answer]] = {}
        coming = as_completed(list(futures), loop=client.loop)
        told = 0
        try:
            for number, task in enumerate(tasks):
                while number not in finished:
                    with interrupts_taken():
                        done = next(coming)
                    finished[futures[done]] = _outcome(done)
                    notice(futures[done], finished[futures[done]])
                told += 1
                yield task, finished.pop(number)
        except KeyboardInterrupt:
            for number in range(told, len(tasks)):
                yield tasks[number], finished.get(number) or Lost(INTERRUPTED)
            raise
        finally:
            client.cancel(list(futures))
            client.close()


def _nothing() -> None:
    """What is done before tasks are performed."""


def _do_there(work: Work[Task, Answer], task: Task) -> Outcome[Answer]:
    """Do a task in a worker of the cluster."""
    kept: list[Answer] = []
    with _ONE_AT_A_TIME:
        outcome = do(work, task, kept.append)
    return Lost(outcome.reason, kept[-1]) if isinstance(outcome, Lost) and kept else outcome


def _outcome(future: Future) -> Outcome[Any]:
    from distributed import CancelledError
    from distributed.scheduler import KilledWorker

    try:
        outcome: Answered[Any] | Lost[Any] | Failed = future.result()
    except KilledWorker:
        return Lost("crash: its workers died")
    except CancelledError:
        return Lost("the cluster has lost it")
    except Exception as error:  # noqa: BLE001 - whatever goes wrong on the way to the worker or back
        return Lost(f"cluster: {type(error).__name__}: {error}")
    return outcome


def _client(address: str) -> Client:
    """A client of the scheduler, once a worker is there and all have this version of mcm."""
    from distributed import Client

    try:
        client = Client(address, timeout=_PATIENCE, set_as_default=False)
    except (OSError, ValueError) as error:
        raise click.ClickException(f"no Dask scheduler at '{address}': {error}") from error
    try:
        client.wait_for_workers(1, timeout=_PATIENCE)
        versions = client.run(_version)
    except OSError as error:
        client.close()
        raise click.ClickException(f"the Dask cluster at '{address}' has no workers: {error}") from error
    except ImportError as error:
        client.close()
        raise click.ClickException(f"the workers of the Dask cluster at '{address}' lack mcm: {error}") from error
    other = sorted({str(version) for version in versions.values()} - {__version__})
    if other:
        client.close()
        raise click.ClickException(
            f"the Dask cluster at '{address}' has mcm {', '.join(other)}, expected {__version__}"
        )
    return client


def _version() -> str:
    """The version of mcm in a worker."""
    return __version__
