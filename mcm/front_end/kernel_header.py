"""The header of the test that a kernel file or a program is: what is required of it stands beside the file."""

from __future__ import annotations

from typing import TYPE_CHECKING

from msgspec.structs import replace

from mcm.front_end.kernel_source import KernelSource
from mcm.front_end.test import InvalidTestError
from mcm.program.resolve.header import resolve_header

if TYPE_CHECKING:
    from mcm.base.source import Source
    from mcm.program.header import Header
    from mcm.syntax import ast
    from mcm.syntax.fingerprint import Commented


def header_of(tree: ast.Litmus, source: Source, written: Commented) -> Header:
    """The header; InvalidTestError where what is required is no expectation."""
    is_required = isinstance(source, KernelSource) and bool(source.request.expected)
    header = replace(resolve_header(tree, is_whole=True), written=written, is_for_all=is_required)
    wrong = [diagnostic for diagnostic in header.diagnostics if diagnostic.is_error]
    if wrong:
        raise InvalidTestError(header, *wrong)
    return header
