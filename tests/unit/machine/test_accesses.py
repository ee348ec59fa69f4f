"""What is remembered of the accesses of a location: the last of each instruction, of a thousand threads too."""

from __future__ import annotations

from mcm.machine.access_records import Accesses, AccessRecord


def access(event: int, thread: int, *, site: int = 0, writes: bool = False) -> AccessRecord:
    return AccessRecord(1 << event, thread, site, writes, None)


def remembered(*accesses: AccessRecord) -> Accesses:
    found = Accesses()
    for one in accesses:
        found = found.and_also(one)
    return found


def test_an_access_replaces_earlier_ones_of_its_instruction() -> None:
    found = remembered(access(0, 3), access(1, 3), access(2, 3, site=1), access(3, 4), access(4, 3, writes=True))

    assert {one.event for one in found} == {1 << 1, 1 << 2, 1 << 3, 1 << 4}


def test_the_order_of_threads_makes_no_difference() -> None:
    many = [access(n, n, writes=n % 3 == 0) for n in range(0, 900, 7)]

    assert remembered(*many) == remembered(*reversed(many))
    assert hash(remembered(*many)) == hash(remembered(*reversed(many)))


def test_a_read_is_compared_with_writes_and_a_write_with_all() -> None:
    found = remembered(access(0, 0), access(1, 500), access(2, 900, writes=True))

    assert [one.thread for one in found.in_conflict_with(access(3, 1))] == [900]
    assert sorted(one.thread for one in found.in_conflict_with(access(3, 1, writes=True))) == [0, 500, 900]


def test_the_accesses_of_a_thread_are_found() -> None:
    found = remembered(access(0, 0), access(1, 500), access(2, 500, writes=True))

    assert sorted(one.event for one in found.by(500) if one.thread == 500) == [1 << 1, 1 << 2]
    assert not any(one.thread == 900 for one in found.by(900))
