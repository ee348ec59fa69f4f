"""Logs of several tools, read and compared."""

from __future__ import annotations

from typing import Final

import pytest

from mcm import InputError, Log, LogDifferenceKind, Source, compare_logs, read_log, render_log_comparison

HERD = """Test SB Allowed
States 3
0:r0=0; 1:r0=1;
0:r0=1; 1:r0=0;
0:r0=1; 1:r0=1;
No
Witnesses
Positive: 0 Negative: 3
Condition exists (0:r0=0 /\\ 1:r0=0)
Observation SB Never 0 3
Time SB 0.00
Hash=0

Test empty Required
States 1

Ok
Witnesses
Positive: 1 Negative: 0
Condition forall (true)
Observation empty Always 1 0

"""

LITMUS7 = """%%%%%%%%%%%%%%%%%%%%%%%%
% Results for SB.litmus %
%%%%%%%%%%%%%%%%%%%%%%%%
C SB

Test SB Allowed
Histogram (4 states)
2     *>0:r0=0; 1:r0=0; [z]=0x10;
499998:>0:r0=1; 1:r0=0; [z]=0x10;
499999:>0:r0=0; 1:r0=1; [z]=0x10;
1     :>0:r0=1; 1:r0=1; [z]=0x10;
Ok

Witnesses
Positive: 2, Negative: 999998
Condition exists (0:r0=0 /\\ 1:r0=0) is validated
Hash=0
Observation SB Sometimes 2 999998
Time SB 0.50
"""

JSON = """{"tool": "mcm", "version": "1", "results": [
{"file": "SB.litmus", "test": "SB", "model": "c11", "status": "ok", "complete": true, "reason": null, "undefined": [],
 "states": [{"values": {"0:r0": 0, "1:r0": 1}}]}]}"""


def log(text: str, name: str = "log") -> Log:
    return read_log(Source(name, text))


def shown(log: Log, test: str) -> dict[str, int | None]:
    return {str(state): count for state, count in log.tests[test].states.items()}


def test_a_log_of_herd() -> None:
    read = log(HERD)

    assert not read.is_observed
    assert shown(read, "SB") == {"0:r0=0; 1:r0=1": None, "0:r0=1; 1:r0=0": None, "0:r0=1; 1:r0=1": None}
    assert shown(read, "empty") == {"": None}


def test_a_log_of_hardware_with_its_histogram() -> None:
    read = log(LITMUS7)

    assert read.is_observed
    assert shown(read, "SB")["0:r0=0; 1:r0=0; z=16"] == 2
    assert len(read.tests["SB"].states) == 4


def test_runs_of_one_test_are_added() -> None:
    assert shown(log(LITMUS7 + LITMUS7), "SB")["0:r0=0; 1:r0=0; z=16"] == 4


def test_json_of_mcm() -> None:
    assert shown(log(JSON), "SB") == {"0:r0=0; 1:r0=1": None}


OTHER: Final = '{"model": "sc", "states": [], "complete": true, "status": "ok", "undefined": []}'


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("what is this\n", "no log"),
        ("{}", "expected 'results' of mcm check, or 'runs' of mcm run"),
        ("{", "no log"),
        (HERD.partition("0:r0=1; 1:r0=1;")[0], "the test 'SB' is cut off"),
        (HERD.partition("No\n")[0], "the test 'SB' is cut off"),
        (HERD + HERD, "the test 'SB' is in this log twice"),
        (JSON.replace('"results": [', f'"results": [{OTHER}, '), "a log of several models (c11, sc)"),
        (JSON.replace('"complete"', '"finished"'), "missing required field `complete`"),
        (JSON.replace('"values"', '"numbers"'), "missing required field `values`"),
        ('{"results": [\ud800', "no log"),
    ],
)
def test_what_is_no_whole_log_is_refused(text: str, message: str) -> None:
    with pytest.raises(InputError) as refused:
        log(text)

    assert refused.value.diagnostics[0].code == "E412"
    assert message in refused.value.diagnostics[0].message


def test_what_is_observed_but_forbidden_comes_first() -> None:
    more = HERD.replace("Test empty", "Test alone")

    compared = compare_logs(log(more, "herd"), log(LITMUS7, "hardware"))

    assert [(one.kind, one.test) for one in compared.differences] == [
        (LogDifferenceKind.OBSERVED_BUT_FORBIDDEN, "SB"),
        (LogDifferenceKind.MISSING, "alone"),
    ]
    text = render_log_comparison(compared)
    assert text.startswith("Observed but forbidden:\n  SB\n    only hardware: 0:r0=0; 1:r0=0 (2 times)\n\n")
    assert text.endswith("2 tests: 0 alike, 1 observed but forbidden, 1 on one side only")


def test_what_is_allowed_and_not_observed_is_no_difference() -> None:
    seen = LITMUS7.replace("Histogram (4", "Histogram (1").replace("2     *>0:r0=0; 1:r0=0; [z]=0x10;\n", "")
    seen = seen.replace("499999:>0:r0=0; 1:r0=1; [z]=0x10;\n1     :>0:r0=1; 1:r0=1; [z]=0x10;\n", "")

    compared = compare_logs(log(seen), log(HERD.partition("Test empty")[0]))

    assert (compared.differences, compared.alike, compared.unobserved) == ((), 1, 2)


def test_two_that_allow_differ_in_their_states() -> None:
    compared = compare_logs(log(HERD.partition("Test empty")[0], "herd"), log(JSON, "mcm"))

    (difference,) = compared.differences
    assert difference.kind is LogDifferenceKind.STATES
    assert [str(state) for state in difference.only_first] == ["0:r0=1; 1:r0=0", "0:r0=1; 1:r0=1"]
    assert difference.only_second == {}


@pytest.mark.parametrize(
    ("old", "new", "kind"),
    [
        ("\nNo\n", "\nUndef\n", LogDifferenceKind.UNDEFINED),
        ("\nNo\n", "\nLoop No\n", LogDifferenceKind.OPEN),
        ("r0=", "q0=", LogDifferenceKind.OPEN),
    ],
)
def test_what_is_not_known_to_be_forbidden_is_not_called_so(old: str, new: str, kind: LogDifferenceKind) -> None:
    compared = compare_logs(log(HERD.partition("Test empty")[0].replace(old, new)), log(LITMUS7))

    assert [difference.kind for difference in compared.differences] == [kind]
