"""A test with another question."""

from __future__ import annotations

from typing import TYPE_CHECKING

from msgspec.structs import replace

from mcm.base.source import Source
from mcm.front_end.kernel_source import KernelSource

if TYPE_CHECKING:
    from mcm.front_end.test import Test


def with_question(test: Test, proposition: str) -> Source:
    """The text of a test that asks whether an execution can end so; the lines before its question stay as they are."""
    source, question = test.source, f"exists ({proposition})"
    if isinstance(source, KernelSource):
        return replace(source, request=replace(source.request, questions=(question,)))
    text, condition = source.text, test.tree.condition
    if condition is None:
        return Source(source.name, f"{text.rstrip()}\n{question}\n")
    return Source(source.name, text[: condition.span.start] + question + text[condition.span.end :])
