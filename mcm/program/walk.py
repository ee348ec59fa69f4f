"""Everything inside a body, for passes that look for certain instructions."""

from __future__ import annotations

from dataclasses import fields
from typing import TYPE_CHECKING

from mcm.program.instruction import Written

if TYPE_CHECKING:
    from collections.abc import Iterator


def walk(node: Written) -> Iterator[Written]:
    """The node and all places, expressions and statements inside it, outer before inner, in the order written."""
    yield node
    for field in fields(node):
        part = getattr(node, field.name)
        parts = part if isinstance(part, tuple) else (part,)
        for inner in parts:
            if isinstance(inner, Written):
                yield from walk(inner)
