"""A check on some of the events of a closure forbids no cycle of others."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from mcm import EngineName, Judged, check

if TYPE_CHECKING:
    from pathlib import Path

THREAD = """P{} (atomic_int* {}, atomic_int* {}) {{
  int r0 = atomic_load_explicit({}, memory_order_{});
  atomic_store_explicit({}, 1, memory_order_{});
}}
"""


def thread(number: int, read: str, written: str, order: str) -> str:
    return THREAD.format(number, read, written, read, order, written, order)


# Load buffering twice: of relaxed accesses, and of sequentially consistent ones.
TEST = "\n".join(
    (
        "C two-load-bufferings",
        "{}",
        thread(0, "x", "y", "relaxed"),
        thread(1, "y", "x", "relaxed"),
        thread(2, "z", "w", "seq_cst"),
        thread(3, "w", "z", "seq_cst"),
    )
)


@pytest.mark.parametrize("engine", [EngineName.EXPLICIT, EngineName.SMT])
@pytest.mark.parametrize(("threads", "is_reachable"), [((0, 1), True), ((2, 3), False)], ids=["others", "those events"])
def test_only_cycles_through_some_events_are_forbidden(
    engine: EngineName, threads: tuple[int, int], tmp_path: Path, *, is_reachable: bool
) -> None:
    # given
    model = tmp_path / "m.cat"
    model.write_text('"m"\nempty (po | rf)+ & [SC] as no-cycle-of-sc\n', encoding="utf-8")
    first, second = threads
    text = f"{TEST}\nexists ({first}:r0=1 /\\ {second}:r0=1)"
    # when
    result = check(text, model=model, engine=engine)
    # then
    assert isinstance(result, Judged)
    assert result.reachable is is_reachable
