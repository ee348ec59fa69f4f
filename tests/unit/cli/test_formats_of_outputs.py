"""The format that the name of an output says."""

from __future__ import annotations

import click
import pytest

from mcm.cli.formats import format_of

KNOWN = ("text", "html", "svg", "dot", "json")


@pytest.mark.parametrize(
    ("output", "meant"),
    [
        ("why.svg", "svg"),
        ("why.HTM", "html"),
        ("why.gv", "dot"),
        ("why", "text"),
        ("why.notes", "text"),
        (None, "text"),
    ],
)
def test_the_ending_says_the_format(output: str | None, meant: str) -> None:
    assert format_of(None, output, KNOWN) == meant


@pytest.mark.parametrize("output", ["why.png", "why.PDF", "a/b.jpeg"])
def test_a_picture_that_is_not_written_is_refused(output: str) -> None:
    with pytest.raises(click.BadParameter, match=r"is a format that is not written; a picture is \.svg, or \.dot"):
        format_of(None, output, KNOWN)
    assert format_of("text", output, KNOWN) == "text"
