"""What is wrong with how an input was dealt with."""

from __future__ import annotations

from typing import NamedTuple


class Complaint(NamedTuple):
    """`kind` tells defects apart; `detail` is for people."""

    kind: str
    detail: str


class CounterexampleError(Exception):
    """An answer is wrong."""

    def __init__(self, kind: str, detail: str) -> None:
        super().__init__(kind, detail)
        self.complaint = Complaint(kind, detail)
