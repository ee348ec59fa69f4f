"""Whether a test gives names to types or numbers: few do, and the others are read at once."""

from __future__ import annotations

import re
from typing import Final

# As text: they are compiled where one of their words occurs. `using namespace sycl;` names nothing.
NAMING: Final = r"\b(?:typedef\b|enum\b|(?:struct|union)\s*\{)"
NAMING_OF_CPP: Final = (
    r"\b(?:typedef\b|enum\b|(?:struct|class)\s+\w+\s*\{|using\b(?!\s+namespace\b)|namespace\s+\w+\s*=)"
)
_WORDS: Final = ("typedef", "enum", "struct", "union")
_WORDS_OF_CPP: Final = (*_WORDS, "class", "using", "namespace")


def names_types(text: str, *, of_cpp: bool = False) -> bool:
    """Whether a text may give names to types or numbers.

    >>> names_types("typedef int T;"), names_types("using namespace sycl;", of_cpp=True), names_types("enumerate")
    (True, False, False)
    """
    is_likely = any(word in text for word in (_WORDS_OF_CPP if of_cpp else _WORDS))
    return is_likely and re.search(NAMING_OF_CPP if of_cpp else NAMING, text) is not None
