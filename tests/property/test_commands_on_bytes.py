"""Commands on memory of random structures leave what they leave in bytes that are laid out by hand."""

from __future__ import annotations

import math
import random
import struct

import pytest

from mcm import InputError, Judged, Source, check_all
from tests.property.bytes_generate import Program, command, program

# What may be said of a command that is refused.
REFUSED = (
    "in the middle of",
    "divided into members",
    "different numbers of",
    "overlaps",
    " bytes",
    " byte ",
    "not known",
)


def told(tried: Program, text: str) -> Judged | None:
    """The only state that a program leaves; None where its last command is refused as one may be."""
    try:
        (found,) = check_all(Source("t.litmus", text), models=("sycl-2020",))
    except InputError as error:
        diagnostics = error.diagnostics
    else:
        if isinstance(found, Judged):
            assert not found.undefined
            assert len(found.states) == 1
            return found
        diagnostics = found.diagnostics
    assert all(any(words in one.message for words in REFUSED) for one in diagnostics), (diagnostics, tried)
    return None


def same(one: object, other: float) -> bool:
    """Whether a state has a value, which is shown with as few digits as tell a float."""
    if isinstance(one, float) and not math.isnan(one) and struct.pack("<f", one) == struct.pack("<f", other):
        return True
    return one == other or (one != one and other != other)  # noqa: PLR0124 - NaN


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(16))
def test_bytes_are_where_they_should_be(seed: int) -> None:
    tried = program(seed)
    chosen = random.Random(seed)  # noqa: S311 - nothing secret
    done = 0
    for _ in range(8):
        text, target, begin, written = command(tried, chosen)
        found = told(tried, tried.text(text))
        if found is None:
            continue
        done += 1
        target.content[begin : begin + len(written)] = written
        tried.commands.append(text)
        values = dict(found.states[0].values)
        for memory in tried.objects:
            for name, value in memory.values():
                assert same(values[name], value), (name, tried.text())
    assert done
