"""Expectations that were not met, written anew."""

from __future__ import annotations

from mcm import Judgement, Place, Standing, restate


def missed(line: int, column: int, stated: str, excerpt: str, restated: str | None) -> Judgement:
    place = Place("t.litmus", line, column, len(stated), excerpt)
    return Judgement(
        file="t.litmus", model="c11", standing=Standing.NOT_MET, stated=stated, place=place, restated=restated
    )


def test_only_what_is_stated_changes() -> None:
    text = "C T\r\nExpect.c11=Never no-race\r\n{ }\r\n"
    line = "Expect.c11=Never no-race"

    change = restate("t.litmus", text, [missed(2, 1, line, line, "Expect.c11=Sometimes race")])

    assert change.after == "C T\r\nExpect.c11=Sometimes race\r\n{ }\r\n"
    assert change.difference().splitlines()[-2:] == ["-Expect.c11=Never no-race", "+Expect.c11=Sometimes race"]


def test_two_cells_of_a_line() -> None:
    line = "a.litmus,1,0"
    changes = [missed(1, 10, "1", line, "sometimes"), missed(1, 12, "0", line, "1")]

    assert restate("t.litmus", f"{line}\n", changes).after == "a.litmus,sometimes,1\n"


def test_what_cannot_be_said_or_has_changed_meanwhile_stays() -> None:
    line = "Expect.c11=divergence"
    refused = [missed(1, 1, line, line, None), missed(2, 1, "x", "x", "y"), missed(9, 1, "x", "x", "y")]

    change = restate("t.litmus", f"{line}\nz\n", refused)

    assert change.after == change.before
    assert change.refused == tuple(refused)
