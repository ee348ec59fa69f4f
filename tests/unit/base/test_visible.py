from __future__ import annotations

import sys
import unicodedata

import pytest

from mcm.base.visible import visible


def test_what_is_shown_as_itself_stays() -> None:
    text = r"exists (0:r0=0 /\ [x]=1) · naïve 日本 😀"
    assert visible(text) == text


@pytest.mark.parametrize("character", ["\u3164", "\u2800", "\ufe0f", "\u034f", "\U000e0100", "\u00ad", "\u00a0"])
def test_what_cannot_be_seen_is_escaped(character: str) -> None:
    assert visible(f"a{character}b").isascii()


@pytest.mark.slow
def test_no_control_or_format_character_of_unicode_is_left() -> None:
    shown = visible("".join(map(chr, range(sys.maxunicode + 1))))
    assert not {unicodedata.category(one) for one in set(shown)} & {"Cc", "Cf", "Cs", "Cn", "Co", "Zl", "Zp"}
