"""A fixed number of inputs for each target, of a fixed seed; and each input that once showed a defect.

What another seed finds is no fault of the change that is tested: `python -m tests.fuzz` looks for that.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import pytest

from fuzz.campaign import Campaign
from fuzz.complaint import CounterexampleError
from fuzz.corpus import FOUND
from fuzz.shrink import shrink
from fuzz.targets import TARGETS, Target

if TYPE_CHECKING:
    from pathlib import Path

pytestmark = pytest.mark.slow

INPUTS: Final = {
    "parser": 150,
    "cat": 100,
    "fmt": 100,
    "check": 40,
    "sycl": 60,
    "convert": 20,
    "expectations": 200,
    "engines": 4,
    "machine": 6,
    "command": 6,
    "command-cat": 3,
    "settings": 3,
}
SUFFIXES: Final = {target.suffix for target in TARGETS.values()}
PAST: Final = sorted(path for path in FOUND.iterdir() if path.suffix in SUFFIXES)


@pytest.mark.parametrize("target", TARGETS)
def test_nothing_is_found_with_a_fixed_seed(target: str) -> None:
    campaign = Campaign("fixed")
    for number in range(INPUTS[target]):
        campaign.attempt(target, number)
    assert not campaign.findings


@pytest.mark.parametrize("path", PAST, ids=lambda path: path.name)
def test_what_was_found_once_is_not_found_again(path: Path) -> None:
    for name, target in TARGETS.items():
        if target.suffix == path.suffix:
            assert target.complaint(path.read_bytes().decode("utf-8", "surrogatepass")) is None, name


def fails_with_two_ones(text: str) -> None:
    if text.count("1") >= 2:
        raise CounterexampleError("two ones", text)


def test_what_is_found_is_made_smaller() -> None:
    target = Target(lambda _: "", fails_with_two_ones)
    assert target.complaint("1 2") is None
    assert shrink("0 1 2\n3 1\n4\n", lambda text: target.complaint(text) is not None) == "11"


def test_any_exception_is_a_finding() -> None:
    def fails(_: str) -> None:
        raise KeyError(1)

    found = Target(lambda _: "", fails).complaint("")
    assert found is not None
    assert found.kind == "KeyError in fails"
