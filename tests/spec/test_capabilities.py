"""What the shipped tests need of a device (CAP-1 to CAP-4, SYCL-CAP-1): as their headers state, no more and no less."""

from __future__ import annotations

import pytest
from shipped_tests import SPEC, SYCL_SPEC, Header, default_model_of, headers, source_of, verdict_of

from mcm import check_all
from mcm.front_end.read import read_test
from mcm.program.capability import required_features

STATED = [header for header in (*headers(SPEC), *headers(SYCL_SPEC)) if any(key == "Needs" for key, _ in header.keys)]


def features(header: Header) -> tuple[str, ...]:
    needs = dict(header.keys)["Needs"]
    return () if needs == "none" else tuple(word.strip() for word in needs.split(","))


def verdict(header: Header, profile: str) -> str:
    (result,) = check_all(source_of(header.path), models=(default_model_of(header),), profile=profile)
    return verdict_of(result)


@pytest.mark.parametrize("header", STATED, ids=lambda header: header.path.stem)
def test_needs_are_those_stated(header: Header) -> None:
    source = source_of(header.path)
    needed = [requirement.feature for requirement in required_features(read_test(source).program)]
    assert sorted(needed) == sorted(features(header))


@pytest.mark.parametrize("header", STATED, ids=lambda header: header.path.stem)
def test_the_minimum_device_runs_what_needs_nothing(header: Header) -> None:
    minimum = "sycl-2020-minimum" if header.path.parent == SYCL_SPEC else "opencl-3.0-minimum"
    assert (verdict(header, minimum) == "invalid") == bool(features(header))


@pytest.mark.parametrize(
    "header", [header for header in STATED if features(header)], ids=lambda header: header.path.stem
)
def test_a_device_with_the_stated_features_runs_it(header: Header) -> None:
    assert verdict(header, ",".join(features(header))) != "invalid"
