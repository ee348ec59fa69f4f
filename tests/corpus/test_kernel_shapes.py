"""Kernels of the shapes that public ones have: each is read as it is, and has the verdict and the results of its head.

A file in `kernel_shapes` holds many, each behind a line `//# name | launch | initial values | verdict | result`. The
verdict is `defined`, or the kind of a mistake that is found; what is defined ends with this result in all executions.
Lines `//! text => other text => kind @ line` below the head say which mistake is found with another text, and a part of
a line that it is told of.
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


def mistakes() -> Iterator[tuple[str, tuple[str, ...], str, str, str]]:
    """Of each shape with a mistake: its name, the head of the shape, its text, the kind, and a part of a line."""
    for name, fields, text in SHAPES:
        for number, found in enumerate(MISTAKE.finditer(text)):
            right, wrong = found["right"].strip(), found["wrong"].strip()
            plain = MISTAKE.sub("", text)
            assert right in plain, f"{name} has no {right}"
            yield f"{name}-{number}", fields, plain.replace(right, wrong, 1), found["kind"], found["line"] or ""


MISTAKE = re.compile(r"^//! (?P<right>.*?) =>(?P<wrong>.*?)=> (?P<kind>[\w-]+)(?: @ (?P<line>.*))?\n", re.MULTILINE)
SHAPES = list(shapes())
MISTAKES = list(mistakes())


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


@pytest.mark.parametrize(
    ("fields", "text", "kind", "line"), [mistake[1:] for mistake in MISTAKES], ids=[mistake[0] for mistake in MISTAKES]
)
def test_mistake(fields: tuple[str, ...], text: str, kind: str, line: str) -> None:
    launch, values, *_ = fields
    initial = tuple(value.strip() for value in values.split(";") if value.strip())
    found = check(KernelSource("shape.cl", text, KernelRequest((launch,), initial=initial)))

    assert isinstance(found, Judged)
    sites = [site.span for problem in found.undefined if problem.kind == kind for site in problem.sites]
    told = [text[text.rfind("\n", 0, site.start) + 1 :].partition("\n")[0] for site in sites]
    assert any(line in each for each in told)
