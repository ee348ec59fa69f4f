"""A file of code as users name it: the text of an OpenCL C file or a SYCL program, and what is to be done with it."""

from __future__ import annotations

import re
from typing import Final

from msgspec import Struct
from msgspec.structs import force_setattr

from mcm.base.dialect import OPENCL, SYCL, Dialect
from mcm.base.source import Source

# How the names of files of code end: kernels in OpenCL C, and SYCL programs.
_KERNELS: Final = ".cl"
_PROGRAMS: Final = (".cpp", ".cc", ".cxx")

# As text: litmus tests need none of it.
_UNFIT_FOR_A_NAME: Final = r"[^\w.+-]+"


class KernelRequest(Struct, frozen=True):
    """What to do with the kernels of a file.

    `launches` are written as in litmus tests, without `launch`: `K global 4, local 2`. `definitions` are those of the
    preprocessor (`NAME`, `NAME=VALUE`), `folders` where it looks for what is included. `initial` are items of an
    initial state, `questions` conditions with their quantifier: `exists (x=1)`. `arguments` are what a program is run
    with, `argv[1]` and those behind it. `expected` are the words of an expectation, `no-race`, about each model asked.
    """

    launches: tuple[str, ...] = ()
    definitions: tuple[str, ...] = ()
    initial: tuple[str, ...] = ()
    questions: tuple[str, ...] = ()
    folders: tuple[str, ...] = ()
    arguments: tuple[str, ...] = ()
    expected: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        """Take any sequence; TypeError for one text, whose letters would be taken apart."""
        for name in self.__struct_fields__:
            value = getattr(self, name)
            if isinstance(value, str):
                message = f"{name} is a sequence of texts, found one: ({value!r},)"
                raise TypeError(message)
            if not isinstance(value, tuple):
                force_setattr(self, name, tuple(value))


class KernelSource(Source, frozen=True, dict=True):
    """The text of a kernel file, with what is asked of it."""

    request: KernelRequest = KernelRequest()


def is_kernel_file(name: str) -> bool:
    """Whether a file of that name is OpenCL C or C++ as it is, and no litmus test."""
    return name.endswith((_KERNELS, *_PROGRAMS))


def is_program_file(name: str) -> bool:
    """Whether a file of that name is C++ as it is."""
    return name.endswith(_PROGRAMS)


def dialect_of(source: KernelSource) -> Dialect:
    """The dialect of the litmus test that a kernel file is."""
    return SYCL if is_program_file(source.name) else OPENCL


def title_of(source: KernelSource) -> str:
    """The first line of the litmus test that a kernel file is."""
    # Imported here: litmus tests need none of it.
    from pathlib import PurePath  # noqa: PLC0415

    return f"{dialect_of(source).name} {re.sub(_UNFIT_FOR_A_NAME, '-', PurePath(source.name).stem) or 'kernels'}\n"
