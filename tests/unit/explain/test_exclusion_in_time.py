"""Why no execution is complete is asked where it is told, and not for long: the verdict is known without it."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from mcm import Options, Source, shared_session

if TYPE_CHECKING:
    from mcm.answer.query import Query

# Everybody waits for the other one.
WAITING = Source(
    "waiting",
    "C waiting\n{ }\n"
    "P0 (atomic_int* x, atomic_int* y) { while (atomic_load(y) == 0) { } atomic_store(x, 1); }\n"
    "P1 (atomic_int* x, atomic_int* y) { while (atomic_load(x) == 0) { } atomic_store(y, 1); }\n"
    "exists (x=1)\n",
)


@pytest.fixture
def asked(monkeypatch: pytest.MonkeyPatch) -> list[float | None]:
    """The seconds that each question may take."""
    found: list[float | None] = []

    def excluded_by(query: Query) -> tuple[str, ...] | None:
        found.append(query.limits.seconds)
        return None

    monkeypatch.setattr("mcm.pipeline.excluded_by", excluded_by)
    return found


@pytest.mark.parametrize(
    ("options", "expected"),
    [
        (Options(), [5.0]),
        (Options(explains=False), []),
    ],
)
def test_nothing_is_asked_that_nobody_tells(asked: list[float | None], options: Options, expected: list[float]) -> None:
    (result,) = shared_session().results(WAITING, options)

    assert result.has_execution is False
    assert asked == expected


def test_who_gives_time_gives_it_for_this_too(asked: list[float | None]) -> None:
    shared_session().results(WAITING, Options(goes_on=True))

    assert asked == [Options().limits.seconds]
