"""Constructs of C and OpenCL C that the litmus language does not have, and their names in diagnostics."""

from __future__ import annotations

import re
from typing import Final

_CONSTRUCTS: Final[dict[str, str]] = {
    "enum": "an enumeration ('enum')",
    "typedef": "a type definition ('typedef')",
    "static": "the storage class 'static'",
    "extern": "the storage class 'extern'",
    "inline": "the word 'inline'",
    "asm": "inline assembly ('asm')",
    "__asm__": "inline assembly ('__asm__')",
    "sampler_t": "the type 'sampler_t'",
}
# As text: it is compiled when there is something to complain of.
_IMAGE_TYPE: Final = r"image\w*_t"
_MARKS: Final[dict[str, str]] = {
    '"': "a string literal",
    "'": "a character constant that is not one character between '…'",
    "...": "'...', a variable argument list or a range of designators,",
}

WORDS: Final = tuple(_CONSTRUCTS)

# Supported elsewhere.
_MISPLACED: Final = {
    "goto": "'goto' where no statement begins",
    "struct": "a structure ('struct') that is defined here",
    "union": "a union ('union') that is defined here",
}


def unsupported(found: str) -> str | None:
    """The sentence for a word or mark that begins a construct which is not supported; None for any other text.

    >>> unsupported("inline"), unsupported("image2d_msaa_t"), unsupported("r0")
    ("the word 'inline' is not supported", "the image type 'image2d_msaa_t' is not supported", None)
    """
    if found in _CONSTRUCTS:
        return f"{_CONSTRUCTS[found]} is not supported"
    if found in _MISPLACED:
        return f"{_MISPLACED[found]} is not supported"
    if re.fullmatch(_IMAGE_TYPE, found):
        return f"the image type '{found}' is not supported"
    if found in _MARKS:
        return f"{_MARKS[found]} is not supported"
    return None


def unsupported_directive(name: str) -> str:
    """The sentence for a preprocessor line."""
    return f"the preprocessor line '#{name}' is not supported"
