"""What tells the syntaxes of litmus tests apart; the texts are read in the same way."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, Final

from msgspec import Struct

from mcm.syntax.assembly import Assembly
from mcm.syntax.build_parts import callback, function, kernel, thread
from mcm.syntax.parts import Part
from mcm.syntax.tables import part_tables, tables

if TYPE_CHECKING:
    from collections.abc import Mapping

    from mcm.base.diagnostic import Diagnostic
    from mcm.base.source import Source
    from mcm.lalr.tables import Tables
    from mcm.syntax.builder import Builder, Children
    from mcm.syntax.sections import Marks


# A diagnostic for what begins at one of some offsets of a text.
Foreign = Callable[..., "Diagnostic | None"]


class Language(Struct, frozen=True):
    """A syntax: the tables for a whole file and for its parts, what collects the parts, and how to cut a file in parts.

    `units` make a part of its head and its body. `marks` is asked for only where a file has mistakes; `foreign` then
    explains what begins at an offset of the text, if that belongs to a larger language.
    """

    tables: Callable[[], Tables]
    part_tables: Callable[[], Tables]
    assembly: type[Assembly]
    units: Mapping[Part, Callable[[Builder, Children], Any]]
    marks: Callable[[], Marks]
    foreign: Foreign | None = None


def _marks() -> Marks:
    # Imported here: most files have no mistakes.
    from mcm.syntax.sections import C_MARKS  # noqa: PLC0415

    return C_MARKS


def _foreign(source: Source, text: str, *offsets: int) -> Diagnostic | None:
    # Imported here: its patterns are for files with mistakes.
    from mcm.syntax.foreign import foreign  # noqa: PLC0415

    return foreign(source, text, *offsets)


C_FAMILY: Final = Language(
    tables,
    part_tables,
    Assembly,
    {Part.THREAD: thread, Part.KERNEL: kernel, Part.FUNCTION: function, Part.CALLBACK: callback},
    _marks,
    _foreign,
)
