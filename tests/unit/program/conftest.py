"""Litmus text to programs and complaints."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

import pytest

from mcm.base.diagnostic import InputError
from mcm.base.source import Source
from mcm.front_end.read import read_test

if TYPE_CHECKING:
    from mcm.front_end.test import Test
    from mcm.program.program import Program


class Read(Protocol):
    def __call__(self, text: str) -> Test: ...


class Resolve(Protocol):
    def __call__(self, text: str) -> Program: ...


class Complain(Protocol):
    def __call__(self, text: str) -> list[str]: ...


@pytest.fixture
def read() -> Read:
    return lambda text: read_test(Source("t.litmus", text))


@pytest.fixture
def resolved(read: Read) -> Resolve:
    return lambda text: read(text).program


@pytest.fixture
def complaints(read: Read) -> Complain:
    """`E101 5:8` for every diagnostic, warnings included."""

    def of(text: str) -> list[str]:
        try:
            found = read(text).diagnostics
        except InputError as error:
            found = error.diagnostics
        return [f"{d.code} {d.span.line}:{d.span.column}" for d in found]

    return of


class Thread(Protocol):
    def __call__(self, body: str, parameters: str = ..., initial: str = ..., rest: str = ...) -> str: ...


@pytest.fixture
def thread() -> Thread:
    """The text of a test with one thread, whose body stands on line 4."""

    def text(
        body: str, parameters: str = "global int* x, global atomic_int* y", initial: str = "{}", rest: str = ""
    ) -> str:
        return f"OPENCL t\n{initial}\nP0 ({parameters}) {{\n{body}\n}}\n{rest}\n"

    return text
