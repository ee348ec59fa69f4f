"""What the body of a test mentions that is taken apart before it is resolved. Its text tells, as most mention nothing.

None of it stands on both sides of a semicolon, but for comments. So the pieces between them are asked one by one, and
those that several tests have, as most are, only once.
"""

from __future__ import annotations

import re
from functools import lru_cache
from typing import Final

from mcm.program.resolve.spelling import ANONYMOUS, VECTOR_STEP
from mcm.syntax import ast
from mcm.syntax.fingerprint import commented
from mcm.syntax.parsed_text import text_of
from mcm.syntax.walk import walk


def text_of_body(tree: ast.Litmus) -> str:
    """The text of a test from its initial state on: what is looked for below is not in a header."""
    initial = tree.initial_span
    is_in_text = tree.parsed is None and initial is not None and initial.source is tree.span.source
    text = text_of(tree)
    return text[initial.start :] if is_in_text and initial is not None else text


# What makes a type a structure or a vector; as text, compiled where there may be one.
_RECORD: Final = r"\b(?:struct|union)\b|\b(?:u?(?:char|short|int|long)|half|float|double)(?:[2348]|16)\b"
# Functions that give vectors, or take some, where no type is named.
_MENTIONED: Final = (
    rf"{_RECORD}|\b(?:as|convert)_[a-z]+(?:[2348]|16)(?:_sat)?(?:_rt[ezpn])?\b"
    r"|\bv(?:load|store)a?(?:_half)?(?:[2348]|16)\b"
)
# What the name of a vector, or of such a function, ends with: names of registers do not, and it is rarer in a text than
# the letters before it.
_SIZE: Final = re.compile(r"[arnl][rtgefd](?:[2348]|16)(?:\b|_)")


# Brackets or braces behind each other, perhaps with a comment between.
_DIMENSIONS: Final = re.compile(r"[\])]\s*[\[/(]|\{\s*[{/(]")


def mentions_dimensions(tree: ast.Litmus, text: str) -> bool:
    """Whether a test with this body may use arrays of several dimensions, or lists of lists."""
    if any(isinstance(item, ast.InitialValue) and item.inner for item in tree.initial):
        return True
    if not _has_dimensions(text):
        return False
    # Mostly that is a brace with a comment behind it.
    bare = commented(tree).bare if tree.comments else None
    return bare is None or "][" in bare or ")[" in bare or "{{" in bare


def _has_dimensions(text: str) -> bool:
    return _DIMENSIONS.search(text) is not None


_POINTER_TO_VOID: Final = re.compile(r"\bvoid\b(?:\s+\w+)*\s*\*")
# A list, or a value behind a comma in it, that says what it is for or is a list itself; or a comment between.
_NESTED_LIST: Final = re.compile(r"[{,]\s*(?:\.\s*[A-Za-z_]|/[/*]|\(\*|\[[^\];]*\]\s*=|\{)")


def mentions_void_pointers(text: str) -> bool:
    """Whether a test with this body may have pointers to `void`."""
    return "void" in text and _POINTER_TO_VOID.search(text) is not None


def mentions_sizes(tree: ast.Litmus, text: str) -> bool:
    """Whether a test with this body has `sizeof`, or `vec_step`."""
    may_have = _names_sizes(text) or not _is_as_written(tree, text)
    return may_have and any(map(_is_size, walk((tree,))))


def _names_sizes(text: str) -> bool:
    return "sizeof" in text or VECTOR_STEP in text


def _is_size(node: ast.Node) -> bool:
    return isinstance(node, ast.SizeOf) or (isinstance(node, ast.Call) and node.function.text == VECTOR_STEP)


def mentions_lists(tree: ast.Litmus, text: str) -> bool:
    """Whether a test with this body has lists of initial values that have to be put in order."""
    has_records = mentions_records(tree, text)
    # `{ [x] = 0; }` is the initial state, whose brace comes first.
    if not (has_records or _nests_lists(text[1:])) and _is_as_written(tree, text):
        return False
    lists = (node for node in walk((tree,)) if isinstance(node, ast.InitializerList))
    return any(has_records or one.rows or one.designators for one in lists)


def _nests_lists(text: str) -> bool:
    return _NESTED_LIST.search(text) is not None


def _is_as_written(tree: ast.Litmus, text: str) -> bool:
    """Whether a test has all that it has in its text; what is put together may have it in none of its own lines."""
    initial = tree.initial_span
    return initial is not None and initial.source is tree.span.source and text.startswith("{")


# A host's user events are no words of device-side enqueue.
_OF_BLOCKS: Final = ("enqueue_kernel", "enqueue_marker", "create_user_event", "set_user_event_status")


def mentions_blocks(text: str) -> bool:
    """Whether a body may use blocks, or other words of device-side enqueue."""
    has_words = "enqueue_" in text or "_user_event" in text
    return "^" in text or (has_words and any(word in text for word in _OF_BLOCKS))


# An address of which something is accessed at once, where no macro is between.
_ADDRESSED: Final = re.compile(r"\*[\s(]*&|&[^;&]*?\)\s*->")
_RUN_BLOCK: Final = re.compile(r"\(\s*\{|typeof")


def mentions_run_blocks(text: str) -> bool:
    """Whether a body may have blocks with a value, `({ … })`, or `typeof`."""
    return _RUN_BLOCK.search(text) is not None


def mentions_addressed(text: str) -> bool:
    """Whether a body may access something by an address that it takes in the same expression, or a macro may.

    >>> mentions_addressed("c = *&a[0];"), mentions_addressed("(&p[i])->a = 1;"), mentions_addressed("f(&x); q->a;")
    (True, True, False)
    """
    return "&" in text and ("#" in text or _ADDRESSED.search(text) is not None)


def mentions_images(text: str) -> bool:
    """Whether a body may use images."""
    return "image" in text and any(word in text for word in ("image1d", "image2d", "image3d", "_image"))


def mentions_anonymous_members(text: str) -> bool:
    """Whether a body may have members without a name."""
    return ANONYMOUS in text


def mentions_jumps(text: str) -> bool:
    """Whether a body may have `goto`."""
    return "goto" in text


def mentions_structures(text: str) -> bool:
    """Whether a body may have structures by name."""
    return "struct" in text


def mentions_word_variables(text: str) -> bool:
    """Whether a body may have variables that hold memory orders, scopes or flags."""
    return "memory_order " in text or "memory_scope " in text or "cl_mem_fence_flags " in text


def mentions_pipes(text: str) -> bool:
    """Whether a body may use pipes."""
    return "pipe" in text


# Functions of OpenCL C that give two results (`library_functions`).
OF_LIBRARY: Final = ("sincos", "fract", "modf", "frexp")


def mentions_library(text: str) -> bool:
    """Whether a body may call functions that give two results."""
    return any(f"{name}(" in text or f"{name} (" in text for name in OF_LIBRARY)


def mentions_records(tree: ast.Litmus, text: str) -> bool:
    """Whether a test with this body may use structures or vectors."""
    return _names_records(text) or any(isinstance(unit, ast.Structure) for unit in tree.units)


def _names_records(text: str) -> bool:
    # `vec<int, 4>` is what SYCL calls a vector.
    return (
        "struct" in text
        or "vec" in text
        or "_group_ballot" in text
        or "_group_block_" in text
        or ("get_sub_group_" in text and "_mask" in text)
        or mentions_vectors(text)
    )


def mentions_vectors(text: str) -> bool:
    """Whether a body may use vectors by their names in OpenCL C, or by functions, or structures."""
    return _SIZE.search(text) is not None and re.search(_MENTIONED, text) is not None


def is_record(base: str) -> bool:
    """Whether the last word of a type makes it a structure or a vector."""
    return re.search(_RECORD, base) is not None


# --- the parts of a body in which there is something ------------------------------------------------------------------


def unusual_parts(text: str) -> str:
    """The pieces of a body that mention something, behind the brace that it begins with; together they mention all."""
    if "#" in text:
        # A macro may stand for an address that is taken elsewhere.
        return text
    begin = int(text.startswith("{"))
    return ";".join((text[:begin], *[piece for piece in text[begin:].split(";") if _mentions_something(piece)]))


def is_plain(tree: ast.Litmus, unusual: str) -> bool:
    """Whether nothing of a test is taken apart: it is as written, no part is `unusual`, and it has only threads."""
    is_usual = unusual == "{" and _is_as_written(tree, unusual)
    return is_usual and {type(unit) for unit in tree.units} == {ast.Thread}


@lru_cache(maxsize=4096)
def _mentions_something(piece: str) -> bool:
    """Whether what stands between two semicolons has an answer to one of the questions above."""
    return any(question(piece) for question in _QUESTIONS)


_QUESTIONS: Final = (
    mentions_anonymous_members,
    mentions_run_blocks,
    mentions_blocks,
    mentions_jumps,
    mentions_void_pointers,
    mentions_library,
    _names_sizes,
    mentions_structures,
    _nests_lists,
    _names_records,
    mentions_addressed,
    mentions_word_variables,
    _has_dimensions,
    mentions_images,
    mentions_pipes,
)
