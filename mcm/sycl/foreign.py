"""Constructs of C++ that are not part of the litmus language, each with the nearest form that is."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from mcm.base.diagnostic import Diagnostic
from mcm.base.source import Span

if TYPE_CHECKING:
    from mcm.base.source import Source

_ARRAY: Final = "an array, 'int a[4];', is"
_SHOWN: Final = "what a test shows are its variables, 'exists (0:r0=1)'"
_POINTER: Final = "a pointer, 'int* p = &x[0];', is"
_FUNCTION: Final = "a function of one type, 'static int f(int* p) { … }', is"
_BRANCH: Final = "'if', 'return' and loops are"

# What begins each, what it is called, and what to write.
_CONSTRUCTS: Final = (
    (r"(?:std::)?(?:vector|array|deque|list|map|tuple|pair|optional)\s*<", "a container", _ARRAY),
    (r"std::(?:vector|array|deque|list|map|tuple|pair|optional)\b", "a container", _ARRAY),
    (r"(?:sycl::)?(?:vec|marray)\s*<|sycl::(?:vec|marray)\b", "a vector", _ARRAY),
    (r"if\s+constexpr\b", "'if constexpr'", "'if' is"),
    (r"(?:std::)?(?:make_shared|make_unique|shared_ptr|unique_ptr)\b", "an owning pointer", _POINTER),
    (r"assert\b", "'assert'", "the condition of the test, 'forall (0:r0=1)', is"),
    (r"std::(?:thread|jthread|mutex|async|future)\b", "a thread of C++", "'P1@host (int* x) { … }' is"),
    (r"std::atomic(?:_int|_bool)?\b|atomic\s*<", "'std::atomic'", "'std::atomic_ref<int>(*x)' in host code is"),
    (r"(?:std::)?(?:cout|cerr|printf|puts)\b|(?:sycl::)?stream\b", "output", _SHOWN),
    (r"try\b|catch\b|throw\b", "an exception", _BRANCH),
    (r"goto\b", "'goto'", _BRANCH),
    (r"new\b|delete\b", "'new' and 'delete'", "memory of the initial state, or 'malloc_shared<int>(1, q)', is"),
    (r"template\b", "a template", _FUNCTION),
    (r"class\b|struct\b|union\b|enum\b", "a class or another type of your own", "separate variables are"),
    (r"using\b|typedef\b|namespace\b", "a declaration of a name for a type", "the type itself, written out, is"),
    (r"this\b", "'this'", "names of the initial state are"),
    (r"auto\s*\[", "a structured binding", "one variable at a time is"),
    (r"for\s*\([^;()]*:(?!:)", "a loop over a range", "'for (int i = 0; i < 4; i++)' is"),
    (r"(?:const\s+)?[\w:]+\s*&&?\s*\w+", "a reference", _POINTER),
    (r"(?:co_await|co_yield|co_return)\b", "a coroutine", _BRANCH),
)
_PATTERN: Final = re.compile("|".join(f"(?P<c{number}>{one})" for number, (one, _, _) in enumerate(_CONSTRUCTS)))
_FIRST_WORD: Final = re.compile(r"[\w:]+|\S")


def foreign(source: Source, text: str, *offsets: int) -> Diagnostic | None:
    """A diagnostic for the construct of C++ that begins at one of some offsets; None where none does."""
    for offset in offsets:
        found = _PATTERN.match(text, offset)
        if found is not None:
            word = _FIRST_WORD.match(text, offset)
            assert word is not None
            assert found.lastgroup is not None
            return Diagnostic("E207", sentence(int(found.lastgroup[1:])), Span(source, *word.span()))
    return None


def foreign_name(name: str) -> str | None:
    """What is said of a name that only C++ has; None of others.

    >>> foreign_name("std::cout")
    "output: this is C++, but not part of the litmus language; what a test shows are its variables, 'exists (0:r0=1)'"
    """
    found = _PATTERN.match(name)
    return None if found is None or found.lastgroup is None else sentence(int(found.lastgroup[1:]))


def sentence(number: int) -> str:
    """What is said of a construct."""
    _, what, nearest = _CONSTRUCTS[number]
    return f"{what}: this is C++, but not part of the litmus language; {nearest}"
