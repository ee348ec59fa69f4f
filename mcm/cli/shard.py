"""The part of a suite that an option names."""

from __future__ import annotations

import re

import click
from msgspec import Struct


class Shard(Struct, frozen=True):
    """One of `count` parts of a suite that together are the whole; `number` is counted from 1."""

    number: int
    count: int


def shard_of(_context: click.Context, _parameter: click.Parameter, value: str | None) -> Shard | None:
    """The part that `3/8` names; usage error if it names none."""
    if value is None:
        return None
    found = re.fullmatch(r"(\d{1,6})/(\d{1,6})", value)
    if found is None or not 1 <= int(found[1]) <= int(found[2]):
        message = f"'{value}' is no part of a suite; expected K/N with K from 1 to N, such as 3/8"
        raise click.BadParameter(message)
    return Shard(int(found[1]), int(found[2]))
