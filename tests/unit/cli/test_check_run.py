from __future__ import annotations

import json
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

import jsonschema
import pytest

import mcm
from mcm.cli.group import run
from mcm.machine.shorten import shortened

if TYPE_CHECKING:
    from collections.abc import Callable

ROOT = Path(__file__).resolve().parents[3]
LITMUS = ROOT / "litmus"
SCHEMA = ROOT / "mcm" / "report" / "schema.json"
VALIDATOR = jsonschema.Draft202012Validator(json.loads(SCHEMA.read_text(encoding="utf-8")))
SB = str(LITMUS / "opencl" / "patterns" / "SB.litmus")


@pytest.fixture
def check(capsys: pytest.CaptureFixture[str]) -> Callable[..., tuple[int, str, str]]:
    def call(*arguments: str) -> tuple[int, str, str]:
        code = run(["check", "--run", *arguments])
        output = capsys.readouterr()
        return code, output.out, output.err

    return call


def test_each_state_is_shown_with_who_saw_it(check: Callable[..., tuple[int, str, str]]) -> None:
    code, output, _ = check(SB)

    assert code == 0
    table = [line.split() for line in output.splitlines() if "allowed" in line and "under" not in line]
    assert ["*", "0", "0", "allowed", "-", "-", "seen"] in table
    assert ["0", "1", "allowed", "-", "seen", "seen"] in table
    assert ["1", "1", "allowed", "seen", "seen", "seen"] in table


def test_what_a_stronger_model_forbids_may_be_seen_on_views(check: Callable[..., tuple[int, str, str]]) -> None:
    code, output, _ = check(SB, "--model", "sc")

    assert code == 0
    assert ["*", "0", "0", "forbidden", "-", "-", "seen"] in [line.split() for line in output.splitlines()]


def test_the_machine_of_one_language_does_not_contradict_the_model_of_another(
    check: Callable[..., tuple[int, str, str]],
) -> None:
    """C11 knows no scopes: what races in OpenCL it may order."""
    code, output, _ = check(str(LITMUS / "opencl" / "spec" / "SCOPE-6.two-groups.litmus"), "--model", "c11")

    assert code == 0
    assert "the machine met: data race" in output
    assert "not compared: c11 finds no data race where opencl-3.0 does, whose rules the machine follows" in output
    assert "CONTRADICTION" not in output


@pytest.fixture
def strong(tmp_path: Path) -> str:
    model = tmp_path / "strong.cat"
    model.write_text('"a model that forbids all communication"\nempty rf & ext & (~IW * _) as nothing-is-read\n')
    return str(model)


@pytest.fixture
def wrong(strong: str, monkeypatch: pytest.MonkeyPatch) -> str:
    """The same model, taken for one that is as weak as any."""
    monkeypatch.setattr("mcm.explain.machine_rules.asks_no_more", lambda *_: True)
    return strong


@pytest.mark.parametrize("format_", ["text", "json"])
def test_a_model_of_a_user_may_be_stronger_than_the_machine(
    check: Callable[..., tuple[int, str, str]], strong: str, format_: str
) -> None:
    test = str(LITMUS / "opencl" / "patterns" / "CoRR.litmus")
    code, output, _ = check(test, "--model", strong, "--format", format_)

    assert code == 0
    assert "strong forbids what sc allows, whose rules the memory interleaving follows" in output


def test_a_model_of_a_user_that_says_the_same_is_held_to_it(
    check: Callable[..., tuple[int, str, str]], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Its results are those of `strong` here, so that the machine contradicts them."""
    model = tmp_path / "same.cat"
    model.write_text('include "opencl-3.0.cat"\n')
    race = str(LITMUS / "opencl" / "spec" / "SCOPE-6.two-groups.litmus")
    assert check(race, "--model", str(model))[0] == 0
    monkeypatch.setattr("mcm.explain.races.explain_flags", lambda *_, **__: ())
    mcm.shared_session.cache_clear()
    code, output, _ = check(race, "--model", str(model))

    assert code == 70
    assert "CONTRADICTION: a data race was met" in output
    assert "not compared" not in output


def test_a_model_without_a_flag_for_races_says_so(check: Callable[..., tuple[int, str, str]], tmp_path: Path) -> None:
    model = tmp_path / "none.cat"
    model.write_text("acyclic po & rf as none\n")
    code, output, _ = check(str(LITMUS / "opencl" / "spec" / "SCOPE-6.two-groups.litmus"), "--model", str(model))

    assert code == 0
    assert "not compared: none raises no flag 'data_race'" in output


def test_a_model_that_forbids_what_was_seen_is_a_defect(check: Callable[..., tuple[int, str, str]], wrong: str) -> None:
    test = str(LITMUS / "opencl" / "patterns" / "CoRR.litmus")
    code, output, _ = check(test, "--model", wrong)

    assert code == 70
    assert "CONTRADICTION" in output
    assert "with 1 switch between threads, the least number:" in output
    command = next(line for line in output.splitlines() if "mcm run" in line)
    schedule = command.partition('--replay "')[2].rstrip('"')
    assert run(["run", test, "--memory", "interleaving", "--replay", schedule]) == 0


def test_a_schedule_that_may_not_be_the_least_is_not_called_so(
    check: Callable[..., tuple[int, str, str]], wrong: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("mcm.execute.shortened", partial(shortened, limit=1))
    test = str(LITMUS / "opencl" / "patterns" / "CoRR.litmus")

    assert "with 1 switch between threads, shortened; others may have fewer:" in check(test, "--model", wrong)[1]
    document = json.loads(check(test, "--model", wrong, "--format", "json")[1])
    VALIDATOR.validate(document)
    found = document["results"][0]["run"]["contradictions"]
    assert {one["switches"] for one in found} == {1, 2}
    assert not any(one["least"] for one in found)


def test_json_has_the_same_data(check: Callable[..., tuple[int, str, str]]) -> None:
    code, output, _ = check(SB, "--format", "json")

    assert code == 0
    document = json.loads(output)
    VALIDATOR.validate(document)
    (result,) = document["results"]
    assert result["model"] == "opencl-3.0"
    assert [column["complete"] for column in result["run"]["columns"]] == [False, True, True]
    both_old = next(state for state in result["run"]["states"] if set(state["values"].values()) == {0})
    assert both_old["allowed"]
    assert both_old["satisfies"]
    assert both_old["seen"] == {"clover": 0, "interleaving": 0, "views": 1}


def test_herd_format_has_the_blocks_of_a_check_without_runs(
    check: Callable[..., tuple[int, str, str]], capsys: pytest.CaptureFixture[str], wrong: str
) -> None:
    code, output, remarks = check(SB, "--format", "herd", "--quiet")

    assert code == 0
    assert remarks == ""
    assert run(["check", SB, "--format", "herd"]) == 0
    assert without_time(output) == without_time(capsys.readouterr().out)
    test = str(LITMUS / "opencl" / "patterns" / "CoRR.litmus")
    code, output, remarks = check(test, "--format", "herd", "--model", wrong)
    assert code == 70
    assert output.startswith("Test CoRR Allowed\n")
    assert "CONTRADICTION" in remarks


def without_time(text: str) -> list[str]:
    return [line for line in text.splitlines() if not line.startswith("Time ")]


def test_quiet_has_one_line_for_each_test(
    check: Callable[..., tuple[int, str, str]], capsys: pytest.CaptureFixture[str], wrong: str
) -> None:
    code, output, remarks = check(SB, "--quiet")

    assert run(["check", SB, "--quiet"]) == code == 0
    assert output == capsys.readouterr().out
    assert remarks == ""
    test = str(LITMUS / "opencl" / "patterns" / "CoRR.litmus")
    code, output, remarks = check(test, "--quiet", "--model", wrong)
    assert code == 70
    assert len(output.splitlines()) == 3
    assert "CONTRADICTION" in remarks


DIVERGENCE = """OPENCL divergence
{}
P0 () { work_group_barrier(CLK_GLOBAL_MEM_FENCE); }
P1 () { int r = 1; }
exists (1:r=1)
"""


@pytest.mark.parametrize("arguments", [(), ("--quiet",), ("--format", "herd"), ("--format", "json")])
def test_a_problem_that_the_model_does_not_report_is_a_defect(
    check: Callable[..., tuple[int, str, str]],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    arguments: tuple[str, ...],
) -> None:
    test = tmp_path / "divergence.litmus"
    test.write_text(DIVERGENCE)
    assert check(str(test), *arguments)[0] == 0
    monkeypatch.setattr("mcm.explain.races.explain_faults", lambda *_: ())
    mcm.shared_session.cache_clear()
    code, output, remarks = check(str(test), *arguments)

    assert code == 70
    if "json" not in arguments:
        assert "CONTRADICTION: a barrier divergence was met (P0 in line 3 and P1 in line 4)" in output + remarks
        return
    document = json.loads(output)
    VALIDATOR.validate(document)
    (found,) = document["results"][0]["run"]["contradictions"]
    assert (found["values"], found["problem"]["kind"]) == (None, "barrier-divergence")
    (blocked,) = document["results"][0]["run"]["blocked"]
    assert blocked == [{"thread": "P0", "line": 3, "waits_for": "the others of its group to arrive"}]


def test_worker_processes_give_the_same_output(check: Callable[..., tuple[int, str, str]]) -> None:
    tests = [
        SB,
        str(LITMUS / "invalid" / "E101-unknown-name.litmus"),
        str(LITMUS / "opencl" / "patterns" / "MP.litmus"),
    ]

    assert check(*tests, "--jobs", "1") == check(*tests, "--jobs", "2")


def test_the_time_limit_holds_for_each_test(check: Callable[..., tuple[int, str, str]]) -> None:
    code, output, _ = check(SB, "--timeout", "60", "--format", "json")

    assert code == 0
    assert "run" in json.loads(output)["results"][0]


def test_a_test_that_is_no_program_is_in_the_document_without_runs(
    check: Callable[..., tuple[int, str, str]],
) -> None:
    code, output, _ = check(str(LITMUS / "invalid" / "E101-unknown-name.litmus"), "--format", "json")

    assert code == 2
    document = json.loads(output)
    VALIDATOR.validate(document)
    (result,) = document["results"]
    assert result["status"] == "invalid"
    assert "run" not in result


def test_a_test_that_is_no_program_has_nothing_to_run(check: Callable[..., tuple[int, str, str]]) -> None:
    code, output, complaint = check(str(LITMUS / "invalid" / "E101-unknown-name.litmus"))

    assert code == 2
    assert output == ""
    assert "error[E101]" in complaint


@pytest.mark.parametrize(
    ("test", "why"), [("opencl/patterns/LB.litmus", "(load buffering)"), ("c11/LB+data.litmus", "(thin air)")]
)
def test_what_models_allow_beyond_the_machine_is_named(
    check: Callable[..., tuple[int, str, str]], test: str, why: str
) -> None:
    _, output, _ = check(str(LITMUS / test))

    (line,) = [line for line in output.splitlines() if "(" in line and line.startswith("  *")]
    assert why in line
