"""Every rule of the table has a litmus test, and a rule that is taken away is missed."""

from __future__ import annotations

import pytest
from shipped_tests import (
    LITMUS,
    Header,
    Removal,
    default_model_of,
    findings_of,
    headers,
    removals,
    result_of,
    rule_tests,
    verdict_of,
)

from mcm.catalogue import registry
from mcm.catalogue.rules import rules

# The rows of model-rules 2.1 and 3, the front-end rows of 6.1, the capability rows of 6.3, SYCL's own of 6.2 and 6.5.
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
    *("BAR-DIV", "SGB-1", "COLL-1", "COLL-2", "COLL-3"),
    *(f"HOST-{n}" for n in range(1, 19)),
    "HOST-4q",
    *(f"MAP-{n}" for n in range(1, 5)),
    *(f"CC-{n}" for n in range(1, 7)),
    *(f"HOST-SVM-{n}" for n in range(1, 4)),
    *("PIPE-1", "IMG-1", "IMG-2"),
    # Of OpenCL C, which the table does not list.
    *("ASYNC-1", "ASYNC-2", "ASYNC-3"),
    *("PIPE-2", "PIPE-3", "PIPE-4"),
    *("C-DIV", "C-PTR", "MEM-BOUNDS"),
    *(f"AS-{n}" for n in range(1, 8)),
    *(f"CAP-{n}" for n in range(1, 5)),
    *(f"DPC-{n}" for n in range(1, 11)),
    *("SYCL-SC-1", "SYCL-SC-2", "SYCL-UB-1", "SYCL-UB-2", "SYCL-UB-3", "SYCL-HOST-1", "SYCL-CAP-1", "SYCL-COLL-1"),
    *(f"SYCL-BAR-{n}" for n in range(1, 4)),
    *(f"SYCL-CMD-{n}" for n in range(1, 6)),
)

WITHOUT_A_TEST = {
    "LIVE-1": "no finite execution can break a promise that stores become visible in finite time",
    "AS-3": "speaks of the arguments of kernels, which the language does not declare yet",
}

NOT_LOAD_BEARING = {
    **dict.fromkeys(
        ("AS-1", "AS-2", "AS-4", "AS-6", "AS-7", "BAR-9", "SCOPE-9"),
        "whoever breaks it is rejected or warned before any model is asked",
    ),
    **dict.fromkeys(
        ("SW-5", "SW-6", "SW-7", "SCOPE-11", "RS-5"),
        "says what a definition looks at (flags, the scope of a fence, the object between): no model does without it",
    ),
    **dict.fromkeys(
        ("BAR-5", "BAR-7"),
        "says which calls are one dynamic barrier, which is settled before there is a model",
    ),
    **dict.fromkeys(
        ("BAR-6", "BAR-8", "BAR-10", "SC-6"),
        "follows from other rules: it says that nothing more is ordered than they order",
    ),
    "HOST-15": "says that such a child waits for nothing",
    "HOST-17": "names the states of commands, of which HOST-13, HOST-16 and HOST-4q speak",
    "MAP-1": "says that a map is a command: its order is that of HOST-1 to HOST-5",
    "CC-3": "SCOPE-4, for kernels that were enqueued separately",
    "CC-4": "says that elements are objects of their own: DR-1 does the rest",
    "CC-5": "says that nothing but HOST-1 to HOST-16 orders kernels on buffers",
    **dict.fromkeys(
        ("HOST-SVM-1", "HOST-SVM-2", "HOST-SVM-3"), "say where SCOPE-5 holds, by the kind of memory and for the host"
    ),
    **dict.fromkeys(
        ("ASYNC-2", "ASYNC-3", "PIPE-3", "PIPE-4", "COLL-2"), "a fault of the program, which no model states"
    ),
    "AS-5": "the region of an access is that of the object reached, which is settled before there is a model",
    "CAP-1": "concerns what a device offers",
    "CAP-2": "SCOPE-7 in the words of capabilities",
    "CC-2": "the exception that CC-1 makes for kernels that start kernels",
    "CAP-4": "concerns what a device offers",
    **dict.fromkeys(("CAP-3", "SYCL-CAP-1"), "concerns what a device offers"),
    **dict.fromkeys(
        ("DPC-1", "DPC-2", "DPC-3"), "says which orders an operation has, which is settled before any model"
    ),
    "DPC-9": "SYCL-CMD-1 to SYCL-CMD-4 in the words of the chapter",
    "DPC-10": "says that nothing promises progress: a note, whatever the model",
    "SYCL-UB-3": "a fault of the program, which no model states",
    "DPC-6": "SYCL-UB-2, for what an older text allowed",
    "DPC-7": "SYCL-UB-1, of relaxed operations",
    "DPC-8": "SYCL-BAR-1, and the fences of BAR-1",
    "COLL-3": "says who takes part in a call, which is settled before there is a model",
    "COLL-1": "says that other group functions order nothing",
    "RMW-2": "a compare-exchange that fails is made a load before there is a model",
    "SC-7": "says that the rules about fences do not look at scopes and flags",
    "SGB-1": "is the rules about barriers, read with sub-groups for groups",
    "SW-8": "inside a unit every such pair is sequenced already, or would read from the future (VIS-3)",
}

EXPLAINED = [header for header in rule_tests() if header.values("Undefined")]


@pytest.mark.parametrize("rule", RULES)
def test_rule_has_a_test_or_a_reason(rule: str) -> None:
    covering = [header.path.stem for header in rule_tests() if rule in header.covers]
    assert bool(covering) != (rule in WITHOUT_A_TEST), covering or "neither a test nor a reason"


def test_files_are_named_after_a_rule_that_they_cover() -> None:
    for header in rule_tests():
        name = header.path.stem
        assert header.name == name
        assert any(f"{name}.".startswith(f"{rule}.") for rule in header.covers), name
        assert set(header.covers) <= set(RULES), name


@pytest.mark.parametrize("header", rule_tests(), ids=lambda header: header.path.stem)
def test_file_meets_every_expectation(header: Header) -> None:
    expectations = header.values("Expect")
    assert default_model_of(header) in expectations
    for model in expectations:
        result = result_of(header.path, model)
        assert result.as_expected is True, f"{model}: expected {expectations[model]}, found {verdict_of(result)}"


@pytest.mark.parametrize("header", EXPLAINED, ids=lambda header: header.path.stem)
def test_file_is_undefined_for_the_stated_reason(header: Header) -> None:
    for model, kinds in header.values("Undefined").items():
        found = {problem.kind for problem in result_of(header.path, model).undefined}
        assert found == ({kinds} - {"none"})


@pytest.mark.parametrize("removal", removals(headers(LITMUS)), ids=str)
def test_verdict_flips_without_the_rule(removal: Removal) -> None:
    intact = findings_of(result_of(removal.header.path, removal.model))
    deprived = findings_of(result_of(removal.header.path, removal.model, removal.rules))
    assert intact != removal.verdict
    assert deprived == removal.verdict


@pytest.mark.parametrize("rule", RULES)
def test_rule_bears_load_or_there_is_a_reason(rule: str) -> None:
    flipped = any(rule in removal.rules for removal in removals(rule_tests()))
    assert flipped != (rule in NOT_LOAD_BEARING or rule in WITHOUT_A_TEST)


@pytest.mark.parametrize("model", registry.names())
def test_what_a_model_can_do_without_is_missed_somewhere(model: str) -> None:
    removable = {i for entry in rules(registry.get(model)) if entry.removable for i in entry.rule.identifiers}
    missed = {rule for removal in removals(headers(LITMUS)) for rule in removal.rules}
    assert removable <= missed | set(NOT_LOAD_BEARING)
