"""Constructs of C++ that are not part of the litmus language, each with the nearest form that is."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from mcm.base.diagnostic import Diagnostic
from mcm.base.source import Span

if TYPE_CHECKING:
    from mcm.base.source import Source

_ARRAY: Final = "an array, 'int a[4];', is"
_VECTOR: Final = "'vec<int, 4> v(0);', with numbers for its components, is"
_STRUCTURE: Final = "'struct S { int a; int f() { return a; } };' outside units is"
_SHOWN: Final = "what a test shows are its variables, 'exists (0:r0=1)'"
_POINTER: Final = "a pointer, 'int* p = &x[0];', is"
_FUNCTION: Final = "a function of one type, 'static int f(int* p) { … }', is"
_BRANCH: Final = "'if', 'return' and loops are"

_RANGE: Final = "'parallel_for(nd_range<1>(4, 2), [=](nd_item<1> it) { … })' with 'group_barrier' is"
_ATOMIC: Final = "'atomic_ref<int, memory_order::relaxed, memory_scope::device> a(*x);' is"
_LEAVE: Final = "leave it out"
_LAMBDA: Final = "a lambda, '[=](nd_item<1> it) { … }', is"
_TYPE: Final = "the type itself, written out, is"
_SCALAR: Final = r"(?:unsigned|int|uint|long|ulong|short|char|float|double|bool|size_t|auto)"

# What begins each, what it is called, and what to write.
_CONSTRUCTS: Final = (
    (r"(?:std::)?vector\s*<\s*(?:sycl::)?event\s*>", "a list of events", "'h.depends_on({e, f})' is"),
    (r"(?:\w+::)*command_graph\b", "a graph of commands", "a queue with 'depends_on' and events is"),
    (
        r"(?:\w+::)*group_local_memory\w*",
        "local memory that a kernel makes",
        "'local_accessor<int, 1> t(range<1>(4), h);' in a command group is",
    ),
    (
        r"(?:sycl::)?(?:host_)?(?:un)?sampled_image\w*|(?:sycl::)?image_sampler\b|(?:sycl::)?image\s*<",
        "an image",
        "a buffer with accessors is",
    ),
    (r"(?:std::)?mdspan\b", "a view of several dimensions", "'x[i * n + j]', or a buffer with a range of several, is"),
    (
        r"(?:\w+::)*group_ballot$",
        "a mask of a sub-group",
        "'any_of_group', or 'reduce_over_group(sg, p ? 1 << i : 0, bit_or<int>())', is",
    ),
    (r"class\s+\w+\s*;", "the declaration of a class", "the name of a kernel needs none, 'q.single_task<class K>(…)'"),
    (rf"(?:if|while|switch)\s*\(\s*(?:const\s+)?{_SCALAR}\b", "a declaration in a condition", "one before it is"),
    (r"(?:and|or|not|xor|bitand|bitor|compl)\b", "an operator in letters", "'&&', '||', '!' are"),
    (r"(?:sycl::|std::)?atomic_ref\s+\w", "an atomic_ref without the arguments of its template", _ATOMIC),
    (r"sycl::atomic\b", "'sycl::atomic'", _ATOMIC),
    (r"(?:decltype|typename)\b", "a type that is computed", _TYPE),
    (r"(?:static_assert|mutable|noexcept)\b", "this word", _LEAVE),
    (r"\[\[", "an attribute here", _LEAVE),
    (rf"{_SCALAR}\s*\{{", "a value in braces", "'int(1)' is"),
    (r"(?:sycl::|std::)?malloc(?:_\w+)?$", "memory in bytes", "'malloc_shared<int>(4, q)' is"),
    (r"(?:sycl::)?joint_\w+$", "this algorithm over a range", "'joint_reduce(g, x, x + 4, plus<>())' is"),
    (r"(?:std::)?(?:vector|array|deque|list|map|tuple|pair|optional)\s*<", "a container", _ARRAY),
    (r"std::(?:vector|array|deque|list|map|tuple|pair|optional)\b", "a container", _ARRAY),
    (r"(?:sycl::)?(?:vec|marray)\s*<|sycl::(?:vec|marray)\b", "a vector such as this", _VECTOR),
    (r"(?:std::)?(?:make_shared|make_unique|shared_ptr|unique_ptr)\b", "an owning pointer", _POINTER),
    (r"assert\b", "'assert'", "the condition of the test, 'forall (0:r0=1)', is"),
    (r"std::(?:thread|jthread|mutex|async|future)\b", "a thread of C++", "'P1@host (int* x) { … }' is"),
    (r"std::atomic(?:_int|_bool)?\b|atomic\s*<", "'std::atomic'", "'std::atomic_ref<int>(*x)' in host code is"),
    (r"(?:std::)?(?:cout|cerr|printf|puts)\b|(?:sycl::)?stream\b", "output", _SHOWN),
    (r"try\b|catch\b|throw\b", "an exception", _BRANCH),
    (
        r"(?:std::)?rand$",
        "a number that is different in each run, 'rand', in code that kernels may call",
        "one that the host makes is",
    ),
    (r"goto\b", "'goto'", _BRANCH),
    (r"new\b|delete\b", "'new' and 'delete'", "memory of the initial state, or 'malloc_shared<int>(1, q)', is"),
    (r"template\b", "a template", _FUNCTION),
    (
        r"(?:class|struct)\s+\w+\s*(?:final\s*)?:(?!:)",
        "a class that inherits from another",
        "a member of that class is",
    ),
    (r"virtual\b", "a virtual function", "a function that is called by the name of its class is"),
    (r"class\b|struct\b|union\b|enum\b", "a class or another type of your own here", _STRUCTURE),
    (r"using\b|typedef\b|namespace\b", "a namespace, or a declaration of a name for a type, such as this", _TYPE),
    (r"this\b", "'this'", "names of the initial state are"),
    (r"auto\s*&?&?\s*\[", "a structured binding such as this", "'auto [a, b] = p;' is"),
    (r"for\s*\([^;()]*:(?!:)", "a loop over a range", "'for (int i = 0; i < 4; i++)' is"),
    (r"(?:const\s+)?[\w:]+\s*&&?\s*\w+", "a reference", _POINTER),
    (r"(?:co_await|co_yield|co_return)\b", "a coroutine", _BRANCH),
    (r"(?:sycl|std|ext|cl|syclcompat|dpct|oneapi)::[\w:]+$", "this name", "what the page on SYCL lists is"),
)
_PATTERN: Final = re.compile("|".join(f"(?P<c{number}>{one})" for number, (one, _, _) in enumerate(_CONSTRUCTS)))
_FIRST_WORD: Final = re.compile(r"[\w:]+|\S")
_LAST_WORD: Final = re.compile(r"[A-Za-z_][\w:]*(?=[\s(]*\Z)")
# An object of a class, as an argument or behind `=`.
_OBJECT: Final = re.compile(r"(?<=[(,=])\s*(?!(?:else|do)\b)[A-Za-z_][\w:]*\s*\Z")
_OF_A_CLASS: Final = "an object of a class of your own"


def foreign(source: Source, text: str, *offsets: int) -> Diagnostic | None:
    """A diagnostic for the construct of C++ that begins at one of some offsets; None where none does.

    The last of several offsets is what the parser did not expect: the construct may begin a word before it.
    """
    for offset in offsets:
        if (found := _at(source, text, offset)) is not None:
            return found
    if len(offsets) < 2:
        return None
    line = text.rfind("\n", 0, offsets[-1]) + 1
    before = text[max(line, offsets[0]) : offsets[-1]]
    if (word := _LAST_WORD.search(before)) is not None:
        start = offsets[-1] - len(before) + word.start()
        if (found := _at(source, text, start)) is not None:
            return found
    if text.startswith("{", offsets[-1]) and (name := _OBJECT.search(before)) is not None:
        start = offsets[-1] - len(name.group().lstrip())
        return Diagnostic("E207", _sentence(_OF_A_CLASS, _LAMBDA), Span(source, start, offsets[-1]))
    return None


def _at(source: Source, text: str, offset: int) -> Diagnostic | None:
    found = _PATTERN.match(text, offset)
    if found is None:
        return None
    word = _FIRST_WORD.match(text, offset)
    assert word is not None
    assert found.lastgroup is not None
    return Diagnostic("E207", _named(int(found.lastgroup[1:]), word.group()), Span(source, *word.span()))


def foreign_name(name: str) -> str | None:
    """What is said of a name that only C++ has; None of others.

    >>> foreign_name("std::cout")
    "output: this is C++, but not part of the litmus language; what a test shows are its variables, 'exists (0:r0=1)'"
    """
    found = _PATTERN.match(name)
    if found is None or found.lastgroup is None:
        return None
    return _named(int(found.lastgroup[1:]), name)


def _named(number: int, name: str) -> str:
    """What is said of a construct, with the name that it has where it is known by that alone."""
    return re.sub(r"^this \w+", lambda _: f"'{name}'", sentence(number))


def sentence(number: int) -> str:
    """What is said of a construct."""
    _, what, nearest = _CONSTRUCTS[number]
    return _sentence(what, nearest)


def _sentence(what: str, nearest: str) -> str:
    return f"{what}: this is C++, but not part of the litmus language; {nearest}"
