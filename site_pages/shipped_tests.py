"""The tests that come with mcm, found by the rules that they say they cover."""

from __future__ import annotations

from collections import defaultdict
from typing import TYPE_CHECKING, NamedTuple

import mcm

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

    from mcm.program.header import Header

# Folders of files that are there to be refused, and of exercises.
_APART = {"invalid", "learn"}


class ShippedTest(NamedTuple):
    """A litmus file of the checkout: its path below the root, with slashes; its text; its header."""

    path: str
    source: mcm.Source
    header: Header


def covering_tests(root: Path) -> Mapping[str, Sequence[ShippedTest]]:
    """For each rule the tests that say in their headers that they cover it, in the order of their paths."""
    found: dict[str, list[ShippedTest]] = defaultdict(list)
    for path in sorted((root / "litmus").rglob("*.litmus")):
        if _APART.isdisjoint(path.parts):
            shipped = _shipped(path, root)
            for identifier in shipped.header.covers:
                found[identifier].append(shipped)
    return found


def _shipped(path: Path, root: Path) -> ShippedTest:
    relative = path.relative_to(root).as_posix()
    source = mcm.Source(relative, path.read_text(encoding="utf-8"))
    try:
        header = mcm.parse(source).header
    except mcm.InvalidTestError as invalid:  # some rules are shown by what is refused
        header = invalid.header
    return ShippedTest(relative, source, header)
