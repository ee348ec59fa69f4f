"""The preprocessor for kernel files: pcpp, told where each token comes from."""

from __future__ import annotations

import os
import re
from io import StringIO
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar, Final

from pcpp import Action, OutputDirective, Preprocessor

from mcm.base.deadline import poll
from mcm.base.diagnostic import Diagnostic, InputError
from mcm.base.source import Source, Span
from mcm.front_end.pieces import Piece, line_of
from mcm.syntax.read import read_source

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

# What OpenCL C defines itself. The feature macros are those of a device that offers everything.
_PREDEFINED: Final = {
    "__OPENCL_VERSION__": "300",
    "__OPENCL_C_VERSION__": "300",
    "CL_VERSION_1_0": "100",
    "CL_VERSION_1_1": "110",
    "CL_VERSION_1_2": "120",
    "CL_VERSION_2_0": "200",
    "CL_VERSION_3_0": "300",
    "__ENDIAN_LITTLE__": "1",
    **{
        f"__opencl_c_{feature}": "1"
        for feature in (
            *("atomic_order_acq_rel", "atomic_order_seq_cst", "atomic_scope_device", "atomic_scope_all_devices"),
            *("generic_address_space", "int64", "program_scope_global_variables", "subgroups"),
            *("work_group_collective_functions", "device_enqueue", "pipes", "images", "read_write_images", "fp64"),
        )
    },
    # Extensions, by which kernels that were written for OpenCL 1.x ask whether they may use what these offer.
    **{
        f"cl_khr_{extension}": "1"
        for extension in (
            *("fp64", "fp16", "byte_addressable_store", "int64_base_atomics", "int64_extended_atomics"),
            *(f"subgroup_{one}" for one in ("ballot", "non_uniform_vote", "non_uniform_arithmetic", "shuffle")),
            *("subgroup_shuffle_relative", "subgroup_clustered_reduce", "subgroup_rotate", "subgroups"),
            *(f"{region}_int32_{part}_atomics" for region in ("global", "local") for part in ("base", "extended")),
        )
    },
}
# It is what '#pragma' is, in macros.
_PRAGMA: Final = {"_Pragma(text)": ""}
# What SYCL defines itself, of the latest revision; headers of SYCL however they are included.
_OF_SYCL: Final = {
    "SYCL_LANGUAGE_VERSION": "202012",
    "__cplusplus": "201703",
    "__has_include": "__has_include",
    "EXIT_SUCCESS": "0",
    "EXIT_FAILURE": "1",
}
_OF_LIBRARY: Final = re.compile(r"(?:^|/)(?:SYCL|CL|sycl)/|sycl\.hpp$")
_HAS_INCLUDE: Final = re.compile(r"__has_include\s*\(\s*(?P<name><[^>\n]*>|\"[^\"\n]*\")\s*\)")
# Of the library, and different in each run.
_NOT_DEFINED: Final = ("__DATE__", "__TIME__", "__PCPP__")

_MOST_TOKENS: Final = 200_000
_MOST_EXPANDED: Final = 10_000
_MOST_PROBLEMS: Final = 20
# How the library begins where a macro is used with other arguments than it has.
_ABOUT_MACRO: Final = re.compile(r"macro (?P<name>[A-Za-z_]\w*) ")
_WORD: Final = re.compile(r"[A-Za-z_]\w*")
_NAMES: Final = rf"{_WORD.pattern}(?:\s*,\s*{_WORD.pattern})*(?:\s*,\s*\.\.\.)?"
_PARAMETERS: Final = rf"\(\s*(?:{_NAMES}|\.\.\.)?\s*\)"
_DEFINITION: Final = re.compile(rf"(?P<name>{_WORD.pattern}(?:{_PARAMETERS})?)(?:=(?P<value>.*))?", re.DOTALL)


def preprocessed(source: Source, definitions: Sequence[str], folders: Sequence[str]) -> list[Piece]:
    """The text behind the preprocessor, without comments.

    `definitions` are as of a compiler's `-D`: `NAME`, `NAME=VALUE` or `NAME(a, b)=VALUE`; `folders` are searched for
    what is included. Raises InputError for wrong lines of the preprocessor, and for what it cannot find.
    """
    return list(_Reader(source, definitions, folders).pieces())


def preprocessed_with(
    source: Source, definitions: Sequence[str], folders: Sequence[str], options: Sequence[Piece]
) -> tuple[list[Piece], list[list[Piece]]]:
    """The same, and what options of the command line say when the macros of the file are known."""
    reader = _Reader(source, definitions, folders)
    found = list(reader.pieces())
    return found, [list(reader.expanded(option)) for option in options]


def preprocessed_program(source: Source, definitions: Sequence[str], folders: Sequence[str]) -> list[Piece]:
    """The text of a C++ program behind the preprocessor; headers of libraries say nothing that is not known."""
    return list(_ReaderOfPrograms(source, definitions, folders).pieces())


class _Reader(Preprocessor):  # type: ignore[misc]
    """Reads one file. Tokens that stand in a text know their place there, others are those of a macro."""

    predefined: ClassVar[Mapping[str, str]] = _PREDEFINED

    def __init__(self, source: Source, definitions: Sequence[str], folders: Sequence[str]) -> None:
        super().__init__()
        # The library knows files by names without `..`.
        self._main = os.path.abspath(source.name)  # noqa: PTH100 - pathlib has nothing that follows no links
        self._source = source
        self._sources = {self._main: source}
        # The file that is being read.
        self._now = source
        self._problems: list[Diagnostic] = []
        self._count = 0
        # Names of files stay as they are.
        self.rewrite_paths: list[tuple[str, str]] = []
        for name in _NOT_DEFINED:
            self.macros.pop(name, None)
        for name, value in {**_PRAGMA, **self.predefined}.items():
            self.define(f"{name} {value}")
        for definition in definitions:
            self._define(definition)
        for folder in (Path(source.name).parent, *map(Path, folders)):
            self.path.append(str(folder.absolute()))

    def _define(self, definition: str) -> None:
        written = Source("-D", definition)
        found = _DEFINITION.fullmatch(definition)
        if found is None:
            message = f"expected NAME, NAME=VALUE or NAME(a, b)=VALUE, found '{definition}'"
            raise InputError(Diagnostic("E180", message, Span(written, 0, len(definition))))
        self.define(f"{found['name']} {'1' if found['value'] is None else found['value']}")

    # --- where tokens come from ---

    def group_lines(self, text: str, where: str) -> Iterator[list[Any]]:
        """The tokens of each line, each with its place."""
        lexer = self.lexer.clone()
        lexer.input(text)
        lexer.lineno = 1
        line: list[Any] = []
        while token := lexer.token():
            token.source, token.place = where, token.lexpos
            token.width = lexer.lexpos - token.lexpos
            self._now = self._sources[where]
            line.append(token)
            if token.type in self.t_WS and token.value == "\n":
                yield line
                line = []
        if line:
            end = lexer.token() or line[-1]
            last = type(end)()
            last.type, last.value, last.lineno, last.lexpos = self.t_NEWLINE, "\n", line[-1].lineno, len(text)
            last.source, last.place, last.width = where, len(text), 0
            yield [*line, last]

    def define(self, tokens: Any) -> Any:
        """Define a macro: what it stands for has no place of its own."""
        for token in () if isinstance(tokens, str) else tokens:
            token.place = None
        return super().define(tokens)

    def expand_macros(self, tokens: list[Any], expanding_from: Sequence[str] = ()) -> list[Any]:
        """Expand macros; the number of tokens is limited."""
        poll()
        found: list[Any] = super().expand_macros(tokens, list(expanding_from))
        if expanding_from and len(found) > _MOST_EXPANDED:
            message = f"a macro becomes more than {_MOST_EXPANDED} words"
            raise InputError(Diagnostic("E180", message, line_of(self._now, self.linemacro or found[0].lineno)))
        return found

    # --- the result ---

    def pieces(self) -> Iterator[Piece]:
        """The whole text, token by token."""
        self.parse(self._source.text, self._source.name)
        behind: dict[str, int] = {}
        last = ""
        for token in iter(self.token, None):
            self._count += 1
            if self._count > _MOST_TOKENS:
                self._fail(token, f"this file becomes more than {_MOST_TOKENS} words")
            text = str(token.value)
            where = self._sources.get(getattr(token, "source", None) or self._main, self._source)
            place = getattr(token, "place", None)
            # `(*` opens a comment of litmus tests.
            if last.endswith("(") and text.startswith("*"):
                yield Piece(" ", None)
            if place is not None:
                behind[where.name] = place + token.width
                is_verbatim = where.text.startswith(text, place)
                yield Piece(text, Span(where, place, place + token.width), is_verbatim)
            else:
                yield Piece(text, self._use(token, where, behind.get(where.name, 0)), is_verbatim=False)
            last = text
        if self._problems:
            raise InputError(*self._problems)

    def expanded(self, option: Piece) -> Iterator[Piece]:
        """An option with macros of the text that has been read; as it is where it names none."""
        if option.span is None or self.macros.keys().isdisjoint(_WORD.findall(option.text)):
            yield option
            return
        where = option.span.source
        self._sources[where.name] = where
        tokens = [token for line in self.group_lines(option.text, where.name) for token in line]
        for token in self.expand_macros(tokens):
            place = getattr(token, "place", None)
            if place is None:
                yield Piece(f"{token.value} ", self._use(token, where, 0), is_verbatim=False)
            else:
                yield Piece(str(token.value), Span(where, place, place + token.width))

    def _use(self, token: Any, where: Source, start: int) -> Span:
        """The name that a token of a macro was put in place of: the first one on its line behind what came before."""
        names = getattr(token, "expanded_from", None) or [str(token.value)]
        line = line_of(where, token.lineno)
        pattern = re.compile(rf"\b{re.escape(names[-1])}\b")
        found = pattern.search(where.text, max(start, line.start), line.end) or pattern.search(
            where.text, line.start, line.end
        )
        return line if found is None else Span(where, found.start(), found.end())

    # --- what the library asks ---

    def on_file_open(self, is_system_include: bool, path: str) -> StringIO:  # noqa: ARG002, FBT001 - of the library
        """The text of a file that is included."""
        if not Path(path).exists():
            raise FileNotFoundError(path)
        source = read_source(os.path.relpath(path))
        self._sources[path] = source
        return StringIO(source.text)

    def on_include_not_found(
        self,
        is_malformed: bool,  # noqa: FBT001 - of the library
        is_system_include: bool,  # noqa: ARG002, FBT001
        folder: str,  # noqa: ARG002
        path: str,
    ) -> None:
        """Nothing is included."""
        what = "a malformed '#include'" if is_malformed else f"'{path}' cannot be found, and so not included"
        message = f"{what}; folders to search in are given with --include"
        raise InputError(Diagnostic("E180", message, line_of(self._source, self._line_of_include(path))))

    def _line_of_include(self, path: str) -> int:
        lines = self._source.text.split("\n")
        return next((n for n, line in enumerate(lines, 1) if "include" in line and path in line), 1)

    def on_directive_handle(self, directive: Any, tokens: Any, *rest: Any) -> Any:
        """A macro without a name is an error, which the library does not tell."""
        if directive.value == "define" and not tokens:
            self._fail(directive, "expected the name of a macro behind '#define'")
        return super().on_directive_handle(directive, tokens, *rest)

    def on_directive_unknown(self, directive: Any, tokens: Iterable[Any], *_: Any) -> bool:
        """`#error` is an error, `#pragma` means nothing to a memory model, anything else is not known."""
        rest = "".join(str(token.value) for token in tokens).strip()
        if directive.value == "error":
            self._note(directive, f"#error {rest}")
        elif directive.value not in {"pragma", "warning", "line"}:
            self._note(directive, f"unknown line of the preprocessor '#{directive.value}'")
        return True

    def on_error(self, file: str, line: int, message: str) -> None:
        """A mistake in a line of the preprocessor."""
        source = self._sources.get(file, self._source)
        told = message[:1].lower() + message[1:].rstrip()
        if len(self._problems) < _MOST_PROBLEMS:
            self._problems.append(Diagnostic("E180", told, _macro_in(line_of(source, line), told)))

    def on_unknown_macro_in_defined_expr(self, _: Any) -> bool:
        """A name that is not defined."""
        return False

    def on_unknown_macro_in_expr(self, _: str) -> int:
        """As in C, 0."""
        return 0

    def on_comment(self, _: Any) -> bool:
        """Comments become white space."""
        return False

    def _note(self, token: Any, message: str) -> None:
        source = self._sources.get(token.source, self._source)
        self._problems.append(Diagnostic("E180", message, line_of(source, token.lineno)))

    def _fail(self, token: Any, message: str) -> None:
        source = self._sources.get(getattr(token, "source", None) or self._main, self._source)
        raise InputError(Diagnostic("E180", message, line_of(source, token.lineno)))


def _macro_in(line: Span, told: str) -> Span:
    """The macro in a line that a complaint of the library is about; the whole line where it is about none."""
    named = _ABOUT_MACRO.match(told)
    found = named and re.search(rf"\b{named['name']}\b", line.text)
    return Span(line.source, line.start + found.start(), line.start + found.end()) if found else line


class _ReaderOfPrograms(_Reader):
    """Reads a C++ program, whose macros are those of SYCL."""

    predefined = _OF_SYCL

    def group_lines(self, text: str, where: str) -> Iterator[list[Any]]:
        """The tokens of each line, with numbers in place of questions for headers, `__has_include(<sycl/sycl.hpp>)`."""
        for line in super().group_lines(text, where):
            written = "".join(str(token.value) for token in line)
            yield line if "__has_include" not in written else list(self._answered(line))

    def _answered(self, line: list[Any]) -> Iterator[Any]:
        number = 0
        while number < len(line):
            token = line[number]
            rest = "".join(str(one.value) for one in line[number:])
            asked = _HAS_INCLUDE.match(rest) if token.value == "__has_include" else None
            if asked is None:
                yield token
                number += 1
                continue
            length = 0
            while length < asked.end():
                length += len(str(line[number].value))
                number += 1
            token.type, token.value = "CPP_INTEGER", "1" if self._is_there(asked["name"]) else "0"
            yield token

    def _is_there(self, name: str) -> bool:
        """Whether a header can be included: those of libraries, and files of the program."""
        file = name[1:-1]
        is_library = name.startswith("<") or _OF_LIBRARY.search(file) is not None
        return is_library or any(Path(folder, file).exists() for folder in self.path)

    def on_include_not_found(
        self,
        is_malformed: bool,  # noqa: FBT001 - of the library
        is_system_include: bool,  # noqa: FBT001
        folder: str,
        path: str,
    ) -> None:
        """Headers of libraries stay outside; one of the program's own is missing."""
        if not is_malformed and (is_system_include or _OF_LIBRARY.search(path)):
            raise OutputDirective(Action.IgnoreAndRemove)
        super().on_include_not_found(is_malformed, is_system_include, folder, path)
