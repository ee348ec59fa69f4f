"""A test in the other language, laid out and read again: what does not come back as a test has no form there."""

from __future__ import annotations

from typing import TYPE_CHECKING

from mcm.base.diagnostic import InputError
from mcm.base.dialect import OPENCL, SYCL
from mcm.base.source import Source
from mcm.convert.opencl import to_opencl
from mcm.convert.refusal import refused
from mcm.convert.sycl import to_sycl
from mcm.front_end.read import format_test, read_test

if TYPE_CHECKING:
    from mcm.base.dialect import Dialect
    from mcm.front_end.test import Test

LANGUAGES = {"sycl": SYCL, "opencl": OPENCL}


def convert_test(source: Source, language: str) -> str:
    """The text of a test in a language of `LANGUAGES`, ValueError for another one.

    InputError where it cannot be read, or has no form there.
    """
    if language not in LANGUAGES:
        message = f"the language is one of {', '.join(map(repr, LANGUAGES))}, found {language!r}"
        raise ValueError(message)
    test = read_test(source)
    wanted: Dialect = LANGUAGES[language]
    if test.program.dialect is wanted:
        return format_test(source)
    if test.program.dialect not in LANGUAGES.values():
        raise refused(test.tree, f"{test.program.dialect.language} tests are not converted")
    text = to_sycl(test) if wanted is SYCL else to_opencl(test)
    try:
        again = Source(source.name, format_test(Source(source.name, text)))
        found = read_test(again)
    except InputError as error:
        raise refused(test.tree, error.diagnostics[0].message) from None
    _require_same_memory(test, found)
    return again.text


def _require_same_memory(test: Test, found: Test) -> None:
    """An atomic type without an atomic access exists in OpenCL only, global memory without a value in SYCL only."""
    objects = {(item.name, item.group): item for item in found.program.objects}
    for item in test.program.objects:
        other = objects.get((item.name, item.group), item)
        if item.atomic and not other.atomic:
            raise refused(test.tree, f"'{item.name}' has an atomic type, and nothing accesses it atomically")
        if None in item.initial and None not in other.initial:
            raise refused(test.tree, f"'{item.name}' begins without a value")
