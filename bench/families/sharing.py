"""Small algorithms: a lock and a queue."""

from __future__ import annotations

from typing import Final

from bench.family import family
from bench.litmus import OPENCL, C, Test, all_of, fetch_add, load, store, thread, when

_CAPACITY: Final = 2


@family("ticket-lock", model="rc11", states=lambda n: 2**n - 1)
def ticket_lock(n: int) -> Test:
    """A ticket lock around an increment, n threads that each look once; those that got it must have counted.

    Whoever has the first ticket gets the lock, and then any others may, in the order of their tickets: every set of
    threads but the empty one.
    """
    body = (
        fetch_add("r0", "n", "relaxed"),
        load("r1", "s", "acquire"),
        "int r2 = 0;",
        when("r1 == r0", "*d = *d + 1;", store("s", "r0 + 1", "release"), "r2 = 1;"),
    )
    return Test(
        C,
        {"n": "atomic_int", "s": "atomic_int", "d": "int"},
        (thread(*body),) * n,
        all_of([*(f"{i}:r2=1" for i in range(n)), f"~(d={n})"]),
    )


@family("queue", model="opencl-3.0", states=lambda n: n + 1)
def bounded_queue(n: int) -> Test:
    """A queue of two slots between two work-groups: n items put in and taken out in order, until one side has to wait.

    The taker has got the first m items and nothing else, for some m from 0 to n.
    """
    return Test(
        OPENCL,
        {"h": "global atomic_int", "t": "global atomic_int"} | {f"b{i}": "global int" for i in range(_CAPACITY)},
        (thread(*_puts(0, n)), thread(*(f"int r{item} = 0;" for item in range(n)), *_takes(0, n))),
        all_of(f"1:r{item}={item + 1}" for item in range(n)),
    )


def _puts(item: int, n: int) -> tuple[str, ...]:
    """Put in the items from this one on; the first ones find room without a look."""
    if item == n:
        return ()
    put = (f"*b{item % _CAPACITY} = {item + 1};", store("t", item + 1, "release"), *_puts(item + 1, n))
    if item < _CAPACITY:
        return put
    return load(f"h{item}", "h", "acquire"), when(f"h{item} > {item - _CAPACITY}", *put)


def _takes(item: int, n: int) -> tuple[str, ...]:
    """Take out the items from this one on."""
    if item == n:
        return ()
    take = (f"r{item} = *b{item % _CAPACITY};", store("h", item + 1, "release"), *_takes(item + 1, n))
    return load(f"t{item}", "t", "acquire"), when(f"t{item} > {item}", *take)
