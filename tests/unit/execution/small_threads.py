"""Skeletons of short OpenCL threads over `atomic_int* x, y` and `int* d, a`, and what tests ask about them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from mcm.base.source import Source
from mcm.execution.elaborate import elaborate
from mcm.execution.event import EventKind
from mcm.front_end.read import read_test

if TYPE_CHECKING:
    from mcm.execution.skeleton import Skeleton, Stop, StopKind


def skeletons(
    *bodies: str, initial: str = "", bound: int = 2, waiting: bool = False, asks: str = "exists (x=0)", **options: int
) -> tuple[Skeleton, ...]:
    """The skeletons of one thread for each body, all in one work-group."""
    parameters = "(global atomic_int* x, global atomic_int* y, global int* d, global int* a)"
    threads = "\n".join(f"P{i}@wg 0, dev 0 {parameters} {{ {b} }}" for i, b in enumerate(bodies))
    text = f"OPENCL test\n{{ {initial or '[x]=0; [y]=0; [d]=0; int a[2]={1,2};'} }}\n{threads}\n{asks}\n"
    source = Source("test.litmus", text)
    return elaborate(read_test(source).program, bound, waiting=waiting, **options)


def skeleton(
    *bodies: str, initial: str = "", bound: int = 2, waiting: bool = False, asks: str = "exists (x=0)"
) -> Skeleton:
    """The skeleton, where there is one only."""
    (only,) = skeletons(*bodies, initial=initial, bound=bound, waiting=waiting, asks=asks)
    return only


def kinds(result: Skeleton) -> list[EventKind]:
    """The kinds of events, in order, initial writes left out."""
    return [event.kind for event in result.events if event.kind is not EventKind.INITIAL]


def threads_events(result: Skeleton) -> list[int]:
    """The events of threads, in order."""
    return [event.identifier for event in result.events if event.kind is not EventKind.INITIAL]


def stops(result: Skeleton, kind: StopKind) -> list[Stop]:
    """The stops of one kind."""
    return [stop for stop in result.stops if stop.kind is kind]
