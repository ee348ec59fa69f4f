"""The interface of front ends, one for each syntax; the first word of a text chooses among them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, Protocol

from mcm.base.diagnostic import InputError
from mcm.base.dialect import OPENCL, SYCL, C
from mcm.base.source import Source
from mcm.front_end import c_family
from mcm.front_end.kernel_source import KernelSource, is_program_file, title_of
from mcm.front_end.test import InvalidTestError
from mcm.syntax.lexical import dialect_of

if TYPE_CHECKING:
    from mcm.front_end.test import Test
    from mcm.program.header import Header


class FrontEnd(Protocol):
    """The functions that the module of a front end has; both raise InputError with all problems of the text."""

    def read(self, source: Source, /) -> Test:
        """Parse and resolve a test; InvalidTestError (an InputError) when only its meaning is wrong."""

    def format(self, source: Source, /) -> str:
        """The text in the standard layout; its meaning is not checked."""


# Characters that a header may have where nothing but the header is read.
_LONGEST_HEADER: Final = 20_000

# Characters among which the first word is looked for before comments are.
_BEGINNING: Final = 80

_FRONT_ENDS: Final[dict[str, FrontEnd]] = {OPENCL.name: c_family, C.name: c_family}


def front_end(source: Source) -> FrontEnd:
    """The front end that reads a text; InputError when its first word is not a dialect."""
    if isinstance(source, KernelSource):
        # Imported here: the preprocessor takes its time, and few texts need it.
        if is_program_file(source.name):
            from mcm.front_end import program_file  # noqa: PLC0415

            return program_file
        from mcm.front_end import kernel_file  # noqa: PLC0415

        return kernel_file
    words = source.text[:_BEGINNING].split(None, 1)
    known = _FRONT_ENDS.get(words[0]) if words else None
    if known is not None:
        return known
    name = dialect_of(source).name
    if name == SYCL.name:
        # Imported here: most tests are not in SYCL.
        from mcm.front_end import sycl  # noqa: PLC0415

        return sycl
    return _FRONT_ENDS[name]


def read_test(source: Source) -> Test:
    """Parse and resolve a test of any dialect; InputError with all its problems, as `FrontEnd.read` says."""
    return front_end(source).read(source)


def header_of(source: Source) -> Header | None:
    """The header alone, its hash being that of this part of the text; None if there is something wrong in it.

    The text is read as far as the initial state, so that what follows takes no time.
    """
    beginning = title_of(source) if isinstance(source, KernelSource) else source.text[:_LONGEST_HEADER]
    head = beginning.partition("{")[0]
    try:
        return read_test(Source(source.name, head + "{ }")).header
    except InvalidTestError as error:
        return error.header
    except InputError:
        return None


def format_test(source: Source) -> str:
    """A test of any dialect in the standard layout; InputError when its syntax is wrong."""
    return front_end(source).format(source)
