"""What `(*` means: it begins a comment, or in C an expression such as `(*y == 1)`.

In the body of a thread it begins a comment if a `*)` closes it and the text could not be C: either the closing `)` is
the partner of the opening parenthesis, which no expression that begins with `*` and ends with `*` can be, or words
stand side by side, or behind a `)`, as they do in prose.
"""

from __future__ import annotations

import re
from functools import cached_property
from typing import Final

# As text, here and below: each is compiled when a text needs it, which few do.
_NESTING: Final = r"\(\*|\*\)"
_PARENTHESIS: Final = r"[()]"
_SIDE_BY_SIDE: Final = re.compile(r"([A-Za-z_]\w*)\s+(?=[A-Za-z_])")
_WORD_FOLLOWS: Final = r"\s*\w"
_CONTROL: Final = r"\b(?:if|while|for|switch)\s*\Z"
_CONTROL_WIDTH: Final = 40
# Two words of prose stand near the beginning; to search on to the end would take quadratic time in all.
_LONGEST_LOOK: Final = 400
_TYPE_PREFIX: Final = (
    r"(?:__)?(?:global|local|constant|generic|private|const|volatile|restrict)|_Atomic|(?:un)?signed"
    r"|long|short|int|char"
)


class Parentheses:
    """The matching parentheses of one text, computed when they are first needed."""

    def __init__(self, text: str) -> None:
        self._text = text

    def comment_end(self, offset: int) -> int | None:
        """The offset behind the `*)` that closes the `(*` at `offset`, comments nested; None if nothing does."""
        end = self._text.find("*)", offset + 2)
        if end < 0:
            return None
        # Most comments have none inside.
        is_nested = self._text.find("(*", offset + 2, end + 1) >= 0
        closing = self._comments.get(offset) if is_nested else end
        return None if closing is None else closing + 2

    def is_dereference(self, offset: int) -> bool:
        """Whether the `(*` at `offset`, in the body of a thread, begins an expression."""
        comment_end, group_end = self.comment_end(offset), self._groups.get(offset)
        if comment_end is None:
            line_end = self._text.find("\n", offset)
            end = line_end if line_end >= 0 else len(self._text)
        elif group_end == comment_end - 1 or self._is_followed_by_word(offset, group_end):
            return False
        else:
            end = comment_end - 2
        end = end if group_end is None else min(end, group_end)
        return not _is_prose(self._text[offset + 2 : min(end, offset + _LONGEST_LOOK)])

    def _is_followed_by_word(self, offset: int, group_end: int | None) -> bool:
        """Whether a word follows `(…)`, which in C happens only behind the parentheses of `if`, `while` and `for`."""
        if group_end is None or not re.compile(_WORD_FOLLOWS).match(self._text, group_end + 1):
            return False
        return re.compile(_CONTROL).search(self._text, max(0, offset - _CONTROL_WIDTH), offset) is None

    @cached_property
    def _comments(self) -> dict[int, int]:
        """For each `(*` the offset of the `*)` that closes it, comments nested."""
        return _match_up(_NESTING, "(*", self._text)

    @cached_property
    def _groups(self) -> dict[int, int]:
        """For each `(` the offset of the `)` that closes it in C."""
        return _match_up(_PARENTHESIS, "(", self._text)


def _match_up(pattern: str, opening: str, text: str) -> dict[int, int]:
    partners: dict[int, int] = {}
    waiting: list[int] = []
    for found in re.finditer(pattern, text):
        if found.group() == opening:
            waiting.append(found.start())
        elif waiting:
            partners[waiting.pop()] = found.start()
    return partners


def _is_prose(text: str) -> bool:
    return any(not re.fullmatch(_TYPE_PREFIX, found.group(1)) for found in _SIDE_BY_SIDE.finditer(text))
