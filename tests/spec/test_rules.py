"""Every rule of the table has a litmus test, and a rule that is taken away is missed."""

from __future__ import annotations

import pytest
from shipped_tests import DEFAULT_MODEL, SPEC, Header, Removal, headers, removals, result_of, verdict_of

# The rows of model-rules 2.1, the front-end rows of 6.1 and the capability rows of 6.3.
RULES = (
    *("SB-1", "SB-2", "MO-1", "MO-2", "RS-1", "RS-2", "RS-3", "RS-4", "RS-5"),
    *(f"SCOPE-{n}" for n in range(1, 12)),
    *(f"SW-{region}-{n}" for region in "GL" for n in range(1, 5)),
    *("SW-5", "SW-6", "SW-7", "SW-8", "SW-SC", "SW-DUAL"),
    *("HB-G", "HB-L", "HB-SEP", "HB-ACYC"),
    *("VIS-1", "VIS-2", "VIS-3", "INIT-1", "INIT-2"),
    *("COH-WW", "COH-RR", "COH-RW", "COH-WR", "RMW-1", "RMW-2", "LIVE-1"),
    *(f"DR-{n}" for n in range(1, 8)),
    *(f"SC-{n}" for n in range(8)),
    *("SC-F1", "SC-F2", "SC-F3", "SC-F4", "OOTA-1"),
    *(f"BAR-{n}" for n in range(1, 11)),
    *("BAR-DIV", "SGB-1", "COLL-1"),
    *(f"AS-{n}" for n in range(1, 8)),
    *("CAP-1", "CAP-2", "CAP-4"),
)

# Rules that are elsewhere in the table and that some tests touch as well.
OTHER_RULES = frozenset({"CC-1", "CC-3", "HOST-SVM-3", "IMG-1"})

WITHOUT_A_TEST = {
    "LIVE-1": "no finite execution can break a promise that stores become visible in finite time",
    "AS-3": "speaks of the arguments of kernels, which the language does not declare yet",
    "AS-6": "concerns the address spaces of DPC++",
    "AS-7": "concerns multi_ptr of SYCL",
}

NOT_LOAD_BEARING: dict[str, str] = {}

EXPLAINED = [header for header in headers(SPEC) if header.values("Undefined")]


@pytest.mark.parametrize("rule", RULES)
def test_rule_has_a_test_or_a_reason(rule: str) -> None:
    covering = [header.path.stem for header in headers(SPEC) if rule in header.covers]
    assert bool(covering) != (rule in WITHOUT_A_TEST), covering or "neither a test nor a reason"


@pytest.mark.parametrize("header", headers(SPEC), ids=lambda header: header.path.stem)
def test_file_is_named_after_a_rule_that_it_covers(header: Header) -> None:
    assert header.name == header.path.stem
    assert any(f"{header.path.stem}.".startswith(f"{rule}.") for rule in header.covers)
    assert set(header.covers) <= set(RULES) | OTHER_RULES


@pytest.mark.parametrize("header", headers(SPEC), ids=lambda header: header.path.stem)
def test_file_meets_every_expectation(header: Header) -> None:
    expectations = header.values("Expect")
    assert DEFAULT_MODEL in expectations
    for model in expectations:
        result = result_of(header.path, model)
        assert result.as_expected is True, f"{model}: expected {expectations[model]}, found {verdict_of(result)}"


@pytest.mark.parametrize("header", EXPLAINED, ids=lambda header: header.path.stem)
def test_file_is_undefined_for_the_stated_reason(header: Header) -> None:
    for model, kinds in header.values("Undefined").items():
        found = {problem.kind for problem in result_of(header.path, model).undefined}
        assert found == ({kinds} - {"none"})


@pytest.mark.parametrize("removal", removals(SPEC), ids=str)
def test_verdict_flips_without_the_rule(removal: Removal) -> None:
    intact = verdict_of(result_of(removal.header.path, removal.model))
    deprived = verdict_of(result_of(removal.header.path, removal.model, removal.rules))
    assert intact != removal.verdict
    assert deprived == removal.verdict


@pytest.mark.parametrize("rule", RULES)
def test_rule_bears_load_or_there_is_a_reason(rule: str) -> None:
    flipped = any(rule in removal.rules for removal in removals(SPEC))
    assert flipped != (rule in NOT_LOAD_BEARING or rule in WITHOUT_A_TEST)
