"""The syntax of SYCL tests: that of the C family, with the classes, templates and lambdas of grammar/sycl.lark."""

from __future__ import annotations

import re
from functools import cache
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any, Final

from mcm.lalr.tables import read_tables
from mcm.sycl import build, build_classes
from mcm.sycl.tree import ClassDefinition, Command, Host, ObjectDeclaration
from mcm.syntax.again import makes_again
from mcm.syntax.assembly import Assembly
from mcm.syntax.build_parts import function, thread
from mcm.syntax.language import Language
from mcm.syntax.parts import Part
from mcm.syntax.tables import BUILD

if TYPE_CHECKING:
    from mcm.base.diagnostic import Diagnostic
    from mcm.base.source import Source
    from mcm.lalr.tables import Tables
    from mcm.syntax.sections import Marks

# How deep braces stand in each other in a class, where a file with a mistake is taken apart.
_BRACES: Final = 6
_BUILD: Final = SimpleNamespace(**(vars(BUILD) | vars(build) | vars(build_classes)))


@cache
def _tables() -> Tables:
    return read_tables("sycl", _BUILD, makes_again)


@cache
def _part_tables() -> Tables:
    return read_tables("sycl_parts", _BUILD, makes_again)


class _Assembly(Assembly):
    """Collects host programs and kernels among the other units."""

    def add(self, part: Any) -> None:
        """Add a part."""
        if not isinstance(part, Host | Command | ObjectDeclaration | ClassDefinition):
            super().add(part)
        elif self.is_shallow((part,)):
            self.add_unit(part)  # type: ignore[arg-type]  # SYCL's own units stand among the others

    def is_first(self, part: Part, span: Any) -> bool:
        """As in other tests: there may be several kernels, and several host programs are several threads."""
        return part in {Part.HOST, Part.COMMAND, Part.OBJECT} or super().is_first(part, span)


def _marks() -> Marks:
    # Imported here: most files have no mistakes.
    from mcm.syntax.sections import FUNCTION, VARIABLES, Marks  # noqa: PLC0415

    # Types may be qualified, and templates.
    head = FUNCTION.replace(r"[A-Za-z_]\w*[\s*]+", r"[A-Za-z_][\w:]*(?:\s*<[\w\s:,]*>)?[\s*]+")
    # The bodies of the functions of a class have braces, and those in them.
    braces = r"\{[^{}]*\}"
    for _ in range(_BRACES):
        braces = rf"\{{(?:[^{{}}]|{braces})*\}}"
    begin = re.compile(
        r"(?P<initial_state>\{)|(?P<thread_head>P\d+(?=\s*[@({]))|(?P<host_head>host(?=\s*\{))"
        r"|(?P<locations>locations\b)|(?P<execution_filter>filter\b)"
        r"|(?P<condition>~\s*exists\b|exists\b|forall\b)"
        rf"|(?P<structure>(?:struct|class)\s+\w+\s*{braces}\s*;)"
        r"|(?P<object_declaration>(?:sycl::)?queue\s+\w+\s*[;({=])"
        rf"|(?P<file_variables>(?:(?:static|inline)\s+)*(?:const|constexpr)\s+{VARIABLES})"
        rf"|(?P<prototype>{head}\s*;)|(?P<function_head>{head}(?=\s*\{{))"
        r"|(?P<command>[A-Za-z_][\w:]*\s*(?:\.|->))"
    )
    line_begins_part = re.compile(
        r"\n[ \t]*(?P<word>P\d+(?=\s*[@({])|host(?=\s*\{)|locations(?=\s*\[)|filter(?=\s*\()"
        r"|(?:~\s*)?exists\b(?=\s*[(~\w\[])|forall\b(?=\s*[(~\w\[]))"
    )
    tail = r"\b(?:locations|filter|forall)\b|~\s*exists\b|\bexists\b|^[ \t]*(?:P\d+\s*[@(]|host\s*\{|\w+\s*\.)"
    thread_begins = re.compile(r"\n[ \t]*P\d+(?=\s*@|\s*\([^;()]*\)\s*\{)")
    words = ("exists", "forall", "locations", "filter", "host")
    expected = "a thread, a kernel ('q.parallel_for(…)'), 'host { … }' or the condition"
    return Marks(begin, line_begins_part, thread_begins, re.compile(tail, re.MULTILINE), words, expected)


def _foreign(source: Source, text: str, *offsets: int) -> Diagnostic | None:
    # Imported here: most files have no mistakes.
    from mcm.sycl.foreign import foreign  # noqa: PLC0415

    return foreign(source, text, *offsets)


SYCL_LANGUAGE: Final = Language(
    _tables,
    _part_tables,
    _Assembly,
    {Part.THREAD: thread, Part.FUNCTION: function, Part.HOST: build.host},
    _marks,
    _foreign,
)
