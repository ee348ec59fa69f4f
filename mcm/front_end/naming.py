"""Whether a test gives names to types or numbers: few do, and the others are read at once."""

from __future__ import annotations

import re
from typing import Final

# As text: it is compiled where one of its words occurs. `using namespace sycl;` names nothing.
NAMING: Final = r"\b(?:typedef\b|enum\b|using\b(?!\s+namespace\b)|namespace\s+\w+\s*=)"


def names_types(text: str) -> bool:
    """Whether a text may give names to types or numbers.

    >>> names_types("typedef int T;"), names_types("using namespace sycl;"), names_types("enumerate")
    (True, False, False)
    """
    is_likely = "typedef" in text or "enum" in text or "using" in text or "namespace" in text
    return is_likely and re.search(NAMING, text) is not None
