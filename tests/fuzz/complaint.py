"""What is wrong with how an input was dealt with."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from mcm import render

if TYPE_CHECKING:
    from mcm import InputError


class Complaint(NamedTuple):
    """`kind` tells defects apart; `detail` is for people."""

    kind: str
    detail: str


class CounterexampleError(Exception):
    """An answer is wrong."""

    def __init__(self, kind: str, detail: str) -> None:
        super().__init__(kind, detail)
        self.complaint = Complaint(kind, detail)


def require_drawable(error: InputError) -> None:
    """There is a complaint, and it can be sent to a terminal."""
    assert error.diagnostics
    for diagnostic in error.diagnostics:
        assert render(diagnostic).replace("\n", "").replace("\t", "").isprintable()
