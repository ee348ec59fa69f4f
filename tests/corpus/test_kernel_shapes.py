"""Kernels of the shapes that public ones have: each is read as it is, and has the verdict and the results of its head.

A file in `kernel_shapes` holds many, each behind a line `//# name | launch | initial values | verdict | result`. The
verdict is `defined`, or the kind of a mistake that is found; what is defined ends with this result in all executions.
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from mcm import Judged, KernelRequest, KernelSource, check

if TYPE_CHECKING:
    from collections.abc import Iterator

pytestmark = pytest.mark.slow

FOLDER = Path(__file__).parent / "kernel_shapes"


def shapes() -> Iterator[tuple[str, tuple[str, ...], str]]:
    for path in sorted(FOLDER.glob("*.txt")):
        parts = re.split(r"^//# (.*)$", path.read_text(encoding="utf-8"), flags=re.MULTILINE)
        for head, text in zip(parts[1::2], parts[2::2], strict=True):
            name, *fields = (field.strip() for field in head.split("|"))
            yield name, tuple(fields), text


SHAPES = list(shapes())


def test_there_are_many() -> None:
    assert len({name for name, _, _ in SHAPES}) == len(SHAPES) > 150


@pytest.mark.parametrize(("fields", "text"), [shape[1:] for shape in SHAPES], ids=[shape[0] for shape in SHAPES])
def test_shape(fields: tuple[str, ...], text: str) -> None:
    launch, values, verdict, *results = fields
    initial = tuple(value.strip() for value in values.split(";") if value.strip())
    questions = tuple(f"forall ({result})" for result in results if result)
    found = check(KernelSource("shape.cl", text, KernelRequest((launch,), initial=initial, questions=questions)))

    assert isinstance(found, Judged)
    kinds = {problem.kind for problem in found.undefined}
    if verdict == "defined":
        assert (kinds, found.holds) == (set(), True if questions else found.holds)
    else:
        assert verdict in kinds
