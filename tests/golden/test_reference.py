"""The pages of the language reference: each program is a test that is as expected, and no construct is missing."""

from __future__ import annotations

import re

import pytest
from golden_shell import ROOT

from mcm import Source, check
from mcm.program.resolve.signatures import SIGNATURES, GroupFunction, Signature
from mcm.program.resolve.spelling import ALLOCATIONS, FLAGS, ORDERS, SCALARS, SCOPES
from mcm.program.resolve.work_item_functions import DIMENSIONED, PLAIN

FOLDER = ROOT / "docs" / "reference"
PAGES = sorted(path for path in FOLDER.glob("*.md") if path.name != "README.md")
PROGRAM = re.compile(
    r"^```(?:opencl|cpp|c)\n(?P<text>(?:OPENCL|SYCL|C) (?P<name>\S+)\n.*?)^```$", re.DOTALL | re.MULTILINE
)
PROGRAMS = [found for page in PAGES for found in PROGRAM.finditer(page.read_text(encoding="utf-8"))]
TEXT = "\n".join(page.read_text(encoding="utf-8") for page in PAGES)


@pytest.mark.parametrize("found", PROGRAMS, ids=[found["name"] for found in PROGRAMS])
def test_a_program_is_as_expected(found: re.Match[str]) -> None:
    result = check(Source(found["name"], found["text"]))

    assert result.expected
    assert result.as_expected is True


def test_every_block_is_a_program() -> None:
    assert len(PROGRAMS) == len(re.findall(r"^```\w", TEXT, re.MULTILINE))


def is_of_active(signature: Signature) -> bool:
    """Whether a function takes together the work-items that come."""
    return isinstance(signature.operation, GroupFunction) and signature.operation.of_active


def test_every_function_and_constant_is_named() -> None:
    # `work_group_reduce_min` and the like are named by their endings, `_explicit` and sub-group forms by a sentence.
    words = set(re.findall(r"\w+", TEXT))
    names = {
        name.removesuffix("#word") if is_of_active(one) else name.removesuffix("_explicit").replace("sub_", "work_")
        for name, one in SIGNATURES.items()
    }
    names = {name if "shuffle" not in name else "sub_group_shuffle" for name in names}
    names |= {*ALLOCATIONS, *FLAGS, *ORDERS, *SCOPES, *DIMENSIONED, *PLAIN}
    missing = {name for name in names if name not in words and f"_{name.rpartition('_')[2]}" not in words}

    assert {name for name in missing if not name.startswith("atom_")} == set()


def test_every_type_is_named() -> None:
    words = set(re.findall(r"\w+", TEXT))
    between = {f"{sign}int{bits}_t" for sign in ("", "u") for bits in (8, 16, 32, 64)} | {"_Bool"}

    assert {name for name in SCALARS if name not in words} <= between
