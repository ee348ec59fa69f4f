"""The seam at which languages join: a front end for each syntax, chosen by the first word of a text."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, Protocol

from mcm.base.dialect import OPENCL, C
from mcm.front_end import c_family
from mcm.syntax.lexical import dialect_of

if TYPE_CHECKING:
    from mcm.base.source import Source
    from mcm.front_end.test import Test


class FrontEnd(Protocol):
    """What a language offers: a module with these functions. They raise InputError with all that is wrong."""

    def read(self, source: Source, /) -> Test:
        """The test that a text is; InvalidTestError (an InputError) where only its meaning is wrong."""

    def format(self, source: Source, /) -> str:
        """The text in the standard layout, whatever it means."""


_FRONT_ENDS: Final[dict[str, FrontEnd]] = {OPENCL.name: c_family, C.name: c_family}


def front_end(source: Source) -> FrontEnd:
    """The front end of a text; InputError when its first word is not a dialect."""
    return _FRONT_ENDS[dialect_of(source).name]


def read_test(source: Source) -> Test:
    """The test that a text is; InputError with all that is wrong."""
    return front_end(source).read(source)


def format_test(source: Source) -> str:
    """The text in the standard layout; InputError when its syntax is wrong."""
    return front_end(source).format(source)
