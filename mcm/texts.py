"""What users mean by a test: a text, or a file."""

from __future__ import annotations

from typing import TYPE_CHECKING

from mcm.base.source import Source
from mcm.syntax.read import read_source

if TYPE_CHECKING:
    from os import PathLike


def source_of(test: str | PathLike[str] | Source) -> Source:
    """The text that a user means: a string of several lines is one, any other names a file."""
    match test:
        case Source():
            return test
        case str() if _is_text(test):
            return Source("text", test.replace("\r\n", "\n").replace("\r", "\n"))
        case _:
            return read_source(test)


def _is_text(test: str) -> bool:
    """A string of several lines, or one that names no file, as what is read of an empty file."""
    return "\n" in test or "\r" in test or not test.strip()


def name_of(test: str | PathLike[str] | Source) -> str:
    """The name that reports give to a text."""
    match test:
        case Source():
            return test.name
        case str() if _is_text(test):
            return "text"
        case _:
            return str(test)
