"""Litmus tests as tests of pytest."""

from __future__ import annotations

from typing import Final

import pytest

pytest_plugins = ("pytester",)
pytestmark = pytest.mark.slow

SB: Final = """OPENCL SB
Expect.opencl-3.0=Sometimes no-race
Expect.sc=FALSE
{ }
P0@wg 0 (global atomic_int* x, global atomic_int* y) {
  atomic_store_explicit(x, 1, memory_order_relaxed);
  int r0 = atomic_load_explicit(y, memory_order_relaxed);
}
P1@wg 1 (global atomic_int* x, global atomic_int* y) {
  atomic_store_explicit(y, 1, memory_order_relaxed);
  int r0 = atomic_load_explicit(x, memory_order_relaxed);
}
exists (0:r0=0 /\\ 1:r0=0)
"""


def run(folder: pytest.Pytester, *options: str) -> tuple[int, str]:
    """The exit code and output of pytest in a folder, with our plugin and no others.

    In a process of its own: after a run in this one, modules that it was the first to import would be imported twice.
    """
    ended = folder.runpytest_subprocess("-q", "-p", "mcm.pytest_plugin.plugin", "-p", "no:cacheprovider", *options)
    return int(ended.ret), ended.stdout.str() + ended.stderr.str()


@pytest.fixture
def folder(pytester: pytest.Pytester, monkeypatch: pytest.MonkeyPatch) -> pytest.Pytester:
    monkeypatch.setenv("PYTEST_DISABLE_PLUGIN_AUTOLOAD", "1")
    (pytester.path / "SB.litmus").write_text(SB.replace("FALSE", "Never"), encoding="utf-8")
    (pytester.path / "test_other.py").write_text("def test_other(): pass\n", encoding="utf-8")
    return pytester


def test_litmus_tests_are_collected_where_they_are_asked_for(folder: pytest.Pytester) -> None:
    assert "1 passed" in run(folder)[1]
    assert "3 passed" in run(folder, "--mcm")[1]
    assert "2 passed" in run(folder, "SB.litmus")[1]
    (folder.path / "pytest.ini").write_text("[pytest]\nmcm = true\nmcm_models = sc\n", encoding="utf-8")
    assert "2 passed" in run(folder)[1]


def test_an_expectation_is_an_item(folder: pytest.Pytester) -> None:
    _, out = run(folder, "--mcm", "--collect-only")

    assert "SB.litmus::opencl-3.0\nSB.litmus::sc\n" in out
    assert "1 passed, 2 deselected" in run(folder, "--mcm", "-k", "opencl-3.0")[1]
    assert "2 passed, 1 deselected" in run(folder, "--mcm", "-m", "litmus")[1]
    assert "1 passed" in run(folder, "SB.litmus::sc")[1]


def test_a_failure_is_told_with_carets_reason_and_state(folder: pytest.Pytester) -> None:
    (folder.path / "SB.litmus").write_text(SB.replace("FALSE", "Sometimes"), encoding="utf-8")

    code, out = run(folder, "--mcm")

    assert code == 1
    assert "SB.litmus:3:1: sc: expected Sometimes, found Never\n  Expect.sc=Sometimes\n  ^^^^^^^^^^^^^^^^^^^\n" in out
    assert "SC-TOTAL: " in out
    assert "state 0:r0=1; 1:r0=1" in out
    assert "Traceback" not in out


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        (
            SB.replace("Expect.sc=FALSE\n", "").replace("Expect.opencl-3.0=Sometimes no-race\n", ""),
            "states no expectation",
        ),
        ("OPENCL broken\n{ }\nP0 () { x = ; }\n", "error[E040]"),
    ],
)
def test_what_cannot_be_judged_fails(folder: pytest.Pytester, text: str, shown: str) -> None:
    (folder.path / "SB.litmus").write_text(text, encoding="utf-8")

    code, out = run(folder, "--mcm")

    assert code == 1
    assert shown in out
    assert "1 failed, 1 passed" in out


def test_what_takes_too_long_fails(folder: pytest.Pytester) -> None:
    code, out = run(folder, "--mcm", "--mcm-timeout", "0.000001", "SB.litmus")

    assert code != 0
    assert "timeout" in out


def test_several_processes_judge_each_expectation_once(folder: pytest.Pytester) -> None:
    ended = folder.runpytest_subprocess("-q", "-p", "mcm.pytest_plugin.plugin", "-p", "xdist", "--mcm", "-n", "2")

    ended.assert_outcomes(passed=3)


@pytest.mark.parametrize(
    ("option", "shown"),
    [
        ("--mcm-model=c11x", "--mcm-model c11x: unknown model 'c11x'; did you mean 'c11'?"),
        ("--mcm-model=no.cat", "--mcm-model no.cat: no such file"),
        ("--mcm-timeout=0", "--mcm-timeout: expected a number of seconds above 0, found '0.0'"),
        ("--override-ini=mcm_timeout=soon", "--mcm-timeout: expected a number of seconds above 0, found 'soon'"),
    ],
)
def test_settings_that_mean_nothing_are_refused(folder: pytest.Pytester, option: str, shown: str) -> None:
    code, out = run(folder, option, "SB.litmus")
    assert code == pytest.ExitCode.USAGE_ERROR
    assert shown in out


def test_all_models_are_models(folder: pytest.Pytester) -> None:
    assert "2 passed" in run(folder, "--mcm-model=all", "SB.litmus")[1]
