"""Reasons for findings."""

from __future__ import annotations

from msgspec import Struct


class Reason(Struct, frozen=True):
    """A reason in words, and the IDs of the rules that it rests on."""

    text: str
    rules: tuple[str, ...] = ()
