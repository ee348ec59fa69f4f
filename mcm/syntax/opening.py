"""Diagnostics for texts whose first line does not name a test of a known dialect."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from mcm.base.diagnostic import Diagnostic, Note
from mcm.base.dialect import BY_WORD
from mcm.base.source import Span
from mcm.base.suggest import did_you_mean

if TYPE_CHECKING:
    from mcm.base.source import Source

# What herd7 and its relatives read.
_ELSEWHERE: Final = frozenset(
    "AArch64 ARM ASL BPF Bell CPP JAVA LISA MIPS PPC PTX RISCV VULKAN X86 X86_64 AARCH64".split()  # noqa: SIM905
)


def no_test(source: Source, *, has_comments: bool) -> Diagnostic:
    """The text has only white space and comments."""
    found = "only comments" if has_comments else "the file is empty"
    return Diagnostic("E006", f"{found}: expected a litmus test, which begins with {_dialects()}", Span(source, 0, 0))


def no_name(word: Span) -> Diagnostic:
    """The name behind the dialect is missing."""
    return Diagnostic("E012", f"expected the name of the test after '{word.text}', found nothing", word)


# The first words of files that are no litmus tests, and how such files are named.
_OF_KERNELS: Final = frozenset("kernel __kernel __attribute__ constant __constant #pragma".split())  # noqa: SIM905
_OF_EITHER: Final = frozenset(
    "#include #define #ifdef #ifndef #if typedef struct static inline void int".split()  # noqa: SIM905
)
_OF_PROGRAMS: Final = frozenset("using namespace template class auto".split())  # noqa: SIM905

# Other names of the languages.
_OTHER_NAMES: Final = {"C11": "C", "C17": "C", "C++": "C", "CPP": "C", "CL": "OPENCL", "OPENCL-C": "OPENCL"}


def unknown_dialect(word: Span) -> Diagnostic:
    """The first word is not a dialect: another tool's language, or a misspelling."""
    found = word.text
    if found in _ELSEWHERE:
        note = Note("litmus tests for instruction sets and other languages are read by herd7")
        return Diagnostic(
            "E011", f"the dialect '{found}' is not supported; supported are {_dialects()}", word, notes=(note,)
        )
    meant = _OTHER_NAMES.get(found.upper())
    hint = did_you_mean(found, BY_WORD) if meant is None else f"; did you mean '{meant}'?"
    message = f"unknown dialect '{found}'; expected {_dialects()} as the first word{hint}"
    return Diagnostic("E010", message, word, notes=tuple(map(Note, _kernel_file(found))))


def _kernel_file(word: str) -> list[str]:
    """What is said of a text that begins as kernels or programs do: they are read as they are, by their names."""
    kinds = [
        *(["OpenCL C kernels in a file that ends in .cl"] if word in _OF_KERNELS | _OF_EITHER else []),
        *(["SYCL programs in one that ends in .cpp"] if word in _OF_PROGRAMS | _OF_EITHER else []),
    ]
    return [f"mcm reads {' and '.join(kinds)} as they are"] if kinds else []


def _dialects() -> str:
    *others, last = BY_WORD
    return f"{', '.join(others)} or {last}"
