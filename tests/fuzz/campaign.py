"""Inputs one after the other, until the time is used up or something is found."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from random import Random
from time import monotonic
from typing import TYPE_CHECKING

from fuzz.shrink import shrink
from fuzz.targets import TARGETS

if TYPE_CHECKING:
    from collections.abc import Iterable

    from fuzz.complaint import Complaint


@dataclass(frozen=True)
class Finding:
    """A defect: the input of this number of the seed, made smaller, and what it does."""

    target: str
    seed: str
    number: int
    text: str
    complaint: Complaint


@dataclass
class Campaign:
    """What was tried and what was found; one finding of each kind is kept."""

    seed: str
    inputs: Counter[str] = field(default_factory=Counter)
    findings: dict[tuple[str, str], Finding] = field(default_factory=dict)

    def attempt(self, target: str, number: int) -> None:
        """Attack a target with the input of this number."""
        attacked = TARGETS[target]
        text = attacked.make(Random(f"{self.seed}/{target}/{number}"))  # noqa: S311 - nothing secret
        complaint = attacked.complaint(text)
        self.inputs[target] += 1
        if complaint is None or (target, complaint.kind) in self.findings:
            return

        def shows(smaller: str) -> bool:
            found = attacked.complaint(smaller)
            return found is not None and found.kind == complaint.kind

        small = shrink(text, shows)
        shown = attacked.complaint(small) or complaint
        self.findings[target, complaint.kind] = Finding(target, self.seed, number, small, shown)

    def go_on(self, targets: Iterable[str], seconds: float) -> None:
        """Attack these targets in turn; each gets an equal part of the time."""
        chosen = tuple(targets)
        spent = dict.fromkeys(chosen, 0.0)
        start = monotonic()
        number = Counter[str]()
        while monotonic() < start + seconds:
            target = min(chosen, key=spent.__getitem__)
            before = monotonic()
            self.attempt(target, number[target])
            number[target] += 1
            spent[target] += monotonic() - before
