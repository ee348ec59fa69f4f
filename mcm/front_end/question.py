"""A test with another question."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from msgspec.structs import replace

from mcm.base.diagnostic import InputError
from mcm.base.source import Source, Span
from mcm.front_end.kernel_source import KernelSource
from mcm.front_end.pieces_of_request import option, require_proposition

if TYPE_CHECKING:
    from collections.abc import Callable

    from mcm.base.diagnostic import Diagnostic
    from mcm.front_end.test import Test

_BEGIN: Final = "exists ("


def with_question(test: Test, proposition: str) -> Source:
    """The text of a test that asks whether an execution can end so; the lines before its question stay as they are."""
    source, question = test.source, f"{_BEGIN}{proposition})"
    if isinstance(source, KernelSource):
        return replace(source, request=replace(source.request, questions=(question,)))
    text, condition = source.text, test.tree.condition
    if condition is None:
        return Source(source.name, f"{text.rstrip()}\n{question}\n")
    return Source(source.name, text[: condition.span.start] + question + text[condition.span.end :])


def asked_about(test: Test, proposition: str, read: Callable[[Source], Test]) -> Test:
    """A test that asks whether an execution can end so; InputError with places in `--state` where that is wrong."""
    require_proposition(option("--state", proposition))
    asked = with_question(test, proposition)
    try:
        found = read(asked)
        return replace(found, diagnostics=tuple(_told(one, test, proposition) for one in found.diagnostics))
    except InputError as error:
        raise InputError(*(_told(one, test, proposition) for one in error.diagnostics)) from None


def _told(diagnostic: Diagnostic, test: Test, proposition: str) -> Diagnostic:
    """A complaint, told in the words of `--state` where it is about what that says."""
    if isinstance(test.source, KernelSource):
        # The proposition stands there as that of `--exists`, in parentheses.
        return _moved(diagnostic, 1, proposition) if diagnostic.span.source.name == "--exists" else diagnostic
    condition = test.tree.condition
    start = len(test.source.text.rstrip()) + 1 if condition is None else condition.span.start
    return _moved(diagnostic, start + len(_BEGIN), proposition)


def _moved(diagnostic: Diagnostic, start: int, proposition: str) -> Diagnostic:
    """A complaint about what the option says, in a text of its own; others stay where they are."""
    span = diagnostic.span
    if not start <= span.start <= start + len(proposition):
        return diagnostic
    if span.start >= start + len(proposition):
        # The parenthesis behind it is not the asker's.
        diagnostic = replace(diagnostic, message=diagnostic.message.replace("found ')'", "found its end", 1))
    ends = (min(place - start, len(proposition)) for place in (span.start, span.end))
    return replace(diagnostic, span=Span(Source("--state", proposition), *ends))
