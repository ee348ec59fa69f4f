from __future__ import annotations

import json
import re
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import click
import jsonschema
import pytest

from mcm.cli.group import run
from mcm.execute import execute
from mcm.report.json_records import schema_text
from mcm.report.run_records import SCHEMA_FILE as RUN_SCHEMA
from mcm.report.run_records import RunDocument

if TYPE_CHECKING:
    from collections.abc import Callable

    from conftest import Ended
    from mcm.answer.run_result import RunResult
    from mcm.execute import RunOptions
    from mcm.front_end.test import Test

PATTERNS = Path(__file__).resolve().parents[3] / "litmus" / "opencl" / "patterns"
MP = str(PATTERNS / "MP.litmus")
VALIDATOR = jsonschema.Draft202012Validator(json.loads(RUN_SCHEMA.read_text(encoding="utf-8")))


@pytest.fixture
def mcm(capsys: pytest.CaptureFixture[str]) -> Callable[..., tuple[int, str, str]]:
    def call(*arguments: str) -> tuple[int, str, str]:
        code = run(["run", *arguments])
        output = capsys.readouterr()
        return code, output.out, output.err

    return call


def test_the_histogram_has_the_form_of_litmus7(mcm: Callable[..., tuple[int, str, str]]) -> None:
    code, output, _ = mcm(MP, "--runs", "500", "--seed", "3")

    assert code == 0
    lines = output.splitlines()
    assert lines[:2] == ["Test MP Allowed", "Histogram (2 states)"]
    counts = [re.fullmatch(r"(\d+) *([*:])>1:r0=(\d); 1:r1=(-?\d);", line) for line in lines[2:4]]
    assert all(counts)
    (old, _, *_), (stale, mark, *values) = (match.groups() for match in counts if match)
    assert int(old) + int(stale) == 500
    assert (mark, values) == ("*", ["1", "0"])
    assert lines[4:8] == ["Ok", "", "Witnesses", f"Positive: {stale}, Negative: {old}"]
    assert lines[8] == r"Condition exists (1:r0=1 /\ 1:r1=0) is validated"
    assert lines[10] == f"Observation MP Sometimes {stale} {old}"


def test_a_seed_decides_the_runs(mcm: Callable[..., tuple[int, str, str]]) -> None:
    def histogram(seed: str) -> list[str]:
        return mcm(MP, "--runs", "200", "--seed", seed)[1].splitlines()[:10]

    assert histogram("1") == histogram("1")
    assert histogram("1") != histogram("2")


def test_races_are_reported_with_both_places(mcm: Callable[..., tuple[int, str, str]]) -> None:
    _, _, remarks = mcm(MP, "--schedule", "exhaustive")

    assert "data race (DR-1): they are not both atomic" in remarks
    assert re.search(r"P0 .*MP\.litmus:15:3: \*x = 1\n +P1 .*MP\.litmus:21:23: \*x\n", remarks)


def test_a_trace_can_be_replayed(mcm: Callable[..., tuple[int, str, str]]) -> None:
    _, trace, _ = mcm(MP, "--trace", "--seed", "5")
    schedule = trace.splitlines()[-2].removeprefix("schedule: ")
    _, again, _ = mcm(MP, "--trace", "--replay", schedule)

    assert trace.splitlines()[1:] == again.splitlines()[1:]
    assert "(reads " in trace


def test_clover_tells_of_its_context_switches(mcm: Callable[..., tuple[int, str, str]]) -> None:
    reduction = PATTERNS.parent / "barriers" / "reduction.two.litmus"
    _, trace, _ = mcm(str(reduction), "--schedule", "clover", "--trace")

    assert "worker 0 of device 0 reserves work-group 0 of kernel instance 0, the last" in trace
    assert "the first barrier makes room for 2 contexts" in trace
    assert "the barrier saves the context of P1 and goes back to that of P0" in trace
    assert "the group is complete: P0, P1 go on" in trace


def test_real_threads_show_what_is_allowed(mcm: Callable[..., tuple[int, str, str]]) -> None:
    code, output, _ = mcm(str(PATTERNS / "MP.dv.litmus"), "--schedule", "threads", "--runs", "20")

    assert code == 0
    assert re.search(r"^Observation MP\.dv Never 0 20$", output, re.MULTILINE)


@pytest.mark.parametrize(("limit", "visited"), [(1, "1 configuration was"), (3, "3 configurations were")])
def test_a_search_that_is_cut_off_is_no_success(
    mcm: Callable[..., tuple[int, str, str]], limit: int, visited: str
) -> None:
    code, _, remarks = mcm(MP, "--schedule", "exhaustive", "--limit", str(limit))

    assert code == 3
    assert f"not all schedules: {visited} visited" in remarks


def test_a_limit_of_just_the_configurations_that_there_are_cuts_nothing_off(
    mcm: Callable[..., tuple[int, str, str]], tmp_path: Path
) -> None:
    # A configuration before the write and one after it.
    alone = tmp_path / "alone.litmus"
    alone.write_text("OPENCL alone\n{ [x]=0; }\nP0 (global int* x) { *x = 1; }\nexists (x=1)\n")
    codes = [mcm(str(alone), "--schedule", "exhaustive", "--limit", limit)[0] for limit in ("1", "2")]

    assert codes == [3, 0]


def test_a_file_that_is_no_test_is_named(mcm: Callable[..., tuple[int, str, str]], tmp_path: Path) -> None:
    broken = tmp_path / "broken.litmus"
    broken.write_text("OPENCL x\n{}\nP0 (global int* x) { *y = 1; }\n")
    code, output, complaint = mcm(str(broken), MP, "--runs", "1")

    assert code == 2
    assert "broken.litmus:3:23: error[E101]" in complaint
    assert output.startswith("Test MP ")


def test_what_work_items_do_alike_is_told_once(mcm: Callable[..., tuple[int, str, str]], tmp_path: Path) -> None:
    racing = tmp_path / "racing.litmus"
    racing.write_text(
        "OPENCL racing\n{}\nkernel k (global int* x) { *x = 1; int z = 0; int q = 1 / z; }\nlaunch k global 4;\n"
        "exists (x=1)\n"
    )
    _, _, remarks = mcm(str(racing), "--schedule", "clover")

    lines = [line.strip() for line in remarks.splitlines()]
    assert lines[1] == (
        "data race (DR-1): they are not both atomic, and neither happens before the other; "
        "likewise 5 more times, by other work-items"
    )
    assert [line.partition(" ")[0] for line in lines[2:4]] == ["k[0]", "k[1]"]
    assert lines[4] == (
        "unspecified quotient (C-DIV): the divisor is zero, so that the result may be any value; "
        "likewise 3 more times, by other work-items"
    )
    assert len(lines) == 6


@pytest.mark.parametrize(
    ("schedule", "complaint"),
    [
        ("", "it ends after 0 steps, and P0 is not at its end"),
        ("0", "it ends after 1 step, and P0 is not at its end"),
        ("0 0 7", "its step 3 is of thread 7, and threads go from 0 to 1"),
        ("0 0 0", "its step 3 is of thread 0, but P0 has finished"),
        ("0/5", "its step 1 is 0/5, and only 0 can be done there"),
        ("0 0 1/2", "its step 3 is 1/2, and only 1, 1/1 can be done there"),
        ("0 0 1 1", "the program has ended after 3 steps of 4"),
    ],
)
def test_a_schedule_that_does_not_fit_is_explained(
    mcm: Callable[..., tuple[int, str, str]], schedule: str, complaint: str
) -> None:
    with pytest.raises(click.ClickException) as caught:
        mcm(MP, "--replay", schedule)

    assert caught.value.message == f"the schedule does not fit the program: {complaint}"


@pytest.mark.parametrize(
    ("arguments", "complaint"),
    [
        (["--replay", "0 x"], "'x' is not a step of a schedule"),
        (["--replay", "@no-such-file"], "cannot read 'no-such-file': No such file"),
        (["--replay", MP], f"a file is given as @{MP}"),
        (["--replay", "0", MP], "--replay needs the one test"),
        (["--replay", "0", "--seed", "1"], "--seed means nothing with --replay"),
        (["--replay", "0", "--schedule", "clover"], "--schedule means nothing with --replay"),
        (["--schedule", "clover", "--runs", "5"], "--runs means nothing with --schedule clover"),
        (["--limit", "5"], "--limit means nothing with --schedule random"),
        (["--trace", "--runs", "2"], "--trace tells of one run"),
        (["--runs", "0"], "0 is not in the range"),
    ],
)
def test_options_that_make_no_sense_are_refused(
    mcm: Callable[..., tuple[int, str, str]], arguments: list[str], complaint: str
) -> None:
    with pytest.raises(click.UsageError) as caught:
        mcm(MP, *arguments)

    assert complaint in caught.value.format_message()


def test_warnings_about_a_test_are_shown(mcm: Callable[..., tuple[int, str, str]], tmp_path: Path) -> None:
    test = tmp_path / "t.litmus"
    test.write_text("OPENCL t\n{ }\nP0 (global int* x) { *x = 1; }\nexists (y=1)\n")
    code, out, err = mcm(str(test), "-n", "3")
    assert (code, "W105" in out) == (0, False)
    assert f"{test}:4:9: warning[W105]: no thread uses location 'y'" in err
    _, out, err = mcm(str(test), "-n", "3", "-f", "json")
    ((run,), warnings) = json.loads(out)["runs"], [one["code"] for one in json.loads(out)["runs"][0]["diagnostics"]]
    assert (run["test"], warnings, err) == ("t", ["W105"], "")


def test_of_which_group_a_barrier_is_is_told(mcm: Callable[..., tuple[int, str, str]], tmp_path: Path) -> None:
    """Barriers of work-groups and of sub-groups are counted apart."""
    test = tmp_path / "t.litmus"
    test.write_text(
        "OPENCL t\n{ }\nkernel K (global int* x) {\n  if (get_sub_group_id() == 0) {\n"
        "    if (get_local_id(0) == 0) { sub_group_barrier(0); }\n"
        "  } else { work_group_barrier(0); }\n}\nlaunch K global 4, local 4, sub 2;\nexists (x=0)\n"
    )
    _, _, err = mcm(str(test), "-n", "3")
    assert "K[0] waits forever at line 5 for the others of its sub-group to arrive" in err
    assert "wait forever at line 6 for the others of its group to arrive" in err
    assert "K[2] and K[3] wait there, K[0] waits at barrier #1 of a sub-group, K[1] has finished" in err


def test_a_schedule_can_come_from_a_file(mcm: Callable[..., tuple[int, str, str]], tmp_path: Path) -> None:
    recorded = tmp_path / "schedule"
    recorded.write_text("0 0\n1/1 1\n")
    code, output, remarks = mcm(MP, "--replay", f"@{recorded}")

    assert code == 0
    assert "1:r0=1" in output
    assert remarks.startswith("MP: 1 run, replay on views\n")


@pytest.mark.slow
@pytest.mark.parametrize("schedule", ["random", "threads"])
def test_runs_that_never_end_are_given_up(
    mcm: Callable[..., tuple[int, str, str]], tmp_path: Path, schedule: str
) -> None:
    endless = tmp_path / "endless.litmus"
    endless.write_text(
        "OPENCL endless\n{}\nP0 (global int* x) { for (unsigned i = 0; i < 4000000000u; i++) { } }\nexists (x=1)\n"
    )
    code, _, remarks = mcm(str(endless), "--schedule", schedule, "--runs", "60")

    assert code == 3
    assert "10 runs without a final state: undecided (step limit)" in remarks
    assert "  undecided: no run came to an end" in remarks


def test_the_same_again_is_told_once(mcm: Callable[..., tuple[int, str, str]], tmp_path: Path) -> None:
    spin = tmp_path / "spin.litmus"
    loop = "int n = 0; while (atomic_load(x) == 0) { n++; }"
    spin.write_text(f"OPENCL spin\n{{}}\nP0 (global atomic_int* x) {{ {loop} }}\nexists (x=1)\n")
    code, trace, remarks = mcm(str(spin), "--trace")

    assert code == 3
    assert "    3  P0  line 3: atomic_load(x)  (reads 0), 1000 times\n" in trace
    assert "1 run without a final state: undecided (step limit)" in remarks


FILTERED = """OPENCL filtered
{}
P0 (global atomic_int* x) { int a = atomic_load(x); int b = atomic_load(x); }
P1 (global atomic_int* x) { atomic_store(x, 1); }
filter (0:b=1)
exists (0:a=1)
"""


def test_a_filter_may_name_what_the_condition_does_not(
    mcm: Callable[..., tuple[int, str, str]], tmp_path: Path
) -> None:
    test = tmp_path / "filtered.litmus"
    test.write_text(FILTERED)
    _, output, _ = mcm(str(test), "--schedule", "exhaustive")
    assert output.splitlines()[1:4] == ["Histogram (2 states)", "1     :>0:a=0;", "1     *>0:a=1;"]

    # With a third register, two of the states that are looked at show as one; each is counted once, or by its runs.
    test.write_text(FILTERED.replace("0:b=1", "0:b=0 \\/ 0:b=1"))
    _, output, _ = mcm(str(test), "--schedule", "exhaustive")
    assert output.splitlines()[1:4] == ["Histogram (2 states)", "1     :>0:a=0;", "1     *>0:a=1;"]
    _, output, _ = mcm(str(test), "--runs", "100")
    counts = [int(line.split()[0]) for line in output.splitlines()[2:4]]
    assert sum(counts) == 100


def test_a_defect_in_one_test_does_not_lose_the_others(
    mcm: Callable[..., tuple[int, str, str]], monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail_for_one(test: Test, options: RunOptions) -> RunResult:
        if test.program.name == "SB":
            message = f"broken: {test.program.name}"
            raise KeyError(message)
        return execute(test, options)

    monkeypatch.setattr("mcm.execute.execute", fail_for_one)
    code, output, remarks = mcm(str(PATTERNS / "SB.litmus"), MP, "--runs", "10")

    assert code == 70
    assert output.count("Test MP Allowed") == 1
    assert "broken: SB" in remarks
    assert "defect of mcm" in remarks


def test_worker_processes_give_the_same_output(mcm: Callable[..., tuple[int, str, str]]) -> None:
    def output(jobs: str) -> tuple[int, list[str], str]:
        code, out, remarks = mcm(MP, str(PATTERNS / "SB.litmus"), "--runs", "50", "--jobs", jobs)
        return code, [line for line in out.splitlines() if not line.startswith("Time ")], remarks.partition(",")[0]

    assert output("1") == output("2")


def test_tests_that_are_not_run_are_in_the_document(mcm: Callable[..., tuple[int, str, str]], tmp_path: Path) -> None:
    wrong = tmp_path / "wrong.litmus"
    wrong.write_text("OPENCL wrong\n{}\nP0 () { r = 1; }\nexists (0:r=1)\n")
    code, output, remarks = mcm(MP, str(wrong), str(tmp_path / "none.litmus"), "--runs", "5", "--format", "json")

    assert (code, remarks) == (2, "")
    document = json.loads(output)
    VALIDATOR.validate(document)
    assert [run["test"] for run in document["runs"]] == ["MP"]
    assert [one["diagnostics"][0]["code"] for one in document["not_run"]] == ["E101", "E001"]


LARGE = """OPENCL large
{ }
P0@wg 0 (global atomic_int* x, global atomic_int* y) { for (int i = 0; i < 9; i++) { atomic_fetch_add(x, i); } }
P1@wg 1 (global atomic_int* x, global atomic_int* y) { for (int i = 0; i < 9; i++) { atomic_fetch_xor(x, i); } }
P2@wg 2 (global atomic_int* x, global atomic_int* y) { for (int i = 0; i < 9; i++) { atomic_store(x, i); } }
exists (x=1)
"""


@pytest.mark.slow
@pytest.mark.skipif(sys.platform != "linux", reason="needs a limit on the data of a process")
def test_a_search_that_needs_more_memory_than_it_may_have_is_given_up(
    mcm_apart: Callable[..., Ended], tmp_path: Path
) -> None:
    test = tmp_path / "large.litmus"
    test.write_text(LARGE)
    limits = "--limit", 10**9, "--memory-limit", 1, "--timeout", "inf"
    ended = mcm_apart("run", test, MP, "-s", "exhaustive", *limits, "--format", "json")

    assert ended.code == 3
    document = json.loads(ended.out)
    assert document["not_run"] == [{"file": str(test), "reason": "memory", "diagnostics": []}]
    assert [run["test"] for run in document["runs"]] == ["MP"]


SPIN = """OPENCL spin
{ int f = 0; int x = 0; }
P0@wg 0 (global atomic_int* f, global int* x) {
  if (atomic_load_explicit(f, memory_order_relaxed) == 0) { *x = 1; }
}
P1@wg 1 (global atomic_int* f) {
  while (atomic_load_explicit(f, memory_order_acquire, memory_scope_device) != 1) { }
}
P2@wg 2 (global atomic_int* f) { atomic_store_explicit(f, 1, memory_order_release, memory_scope_device); }
P3@wg 3 (global atomic_int* f) { atomic_store_explicit(f, 2, memory_order_release, memory_scope_device); }
exists (x=1)
"""


@pytest.fixture
def spin(tmp_path: Path) -> str:
    test = tmp_path / "spin.litmus"
    test.write_text(SPIN)
    return str(test)


def test_a_unit_that_waits_for_ever_is_reported_with_its_line(
    mcm: Callable[..., tuple[int, str, str]], spin: str
) -> None:
    code, output, remarks = mcm(spin, "--runs", "100")

    assert code == 0
    found = re.search(r"  (\d+) runs blocked: P1 waits forever at line 7 for f to change from 2\n", remarks)
    assert found
    counts = [int(line.split()[0]) for line in output.splitlines()[2:4]]
    assert sum(counts) + int(found[1]) == 100
    assert "  blocked: P1 waits forever at line 7 for f to change from 2\n" in mcm(spin, "-s", "exhaustive")[2]


@pytest.mark.slow
@pytest.mark.parametrize(
    "arguments",
    [("-s", "exhaustive"), ("-n", "50"), ("-s", "clover"), ("--trace", "--seed", "3"), ("-s", "threads", "-n", "5")],
)
def test_runs_as_json(mcm: Callable[..., tuple[int, str, str]], spin: str, arguments: tuple[str, ...]) -> None:
    code, output, remarks = mcm(spin, MP, "--format", "json", *arguments)

    assert code in {0, 3}
    assert remarks == ""
    document = json.loads(output)
    VALIDATOR.validate(document)
    assert [run["test"] for run in document["runs"]] == ["spin", "MP"]
    if arguments == ("-s", "exhaustive"):
        first = document["runs"][0]
        assert first["complete"]
        assert {(state["values"]["x"], state["satisfies"], state["runs"]) for state in first["states"]} == {
            (0, False, 1),
            (1, True, 1),
        }
        (blocked,) = first["blocked"]
        assert blocked["units"] == [{"thread": "P1", "line": 7, "waits_for": "f to change from 2"}]
        again = json.loads(mcm(spin, "--format", "json", "--replay", blocked["schedule"])[1])["runs"][0]
        assert again["blocked"][0]["units"] == blocked["units"]
        assert document["runs"][1]["problems"][0]["kind"] == "data-race"


def test_the_schema_of_runs_is_up_to_date() -> None:
    renew = "renew with `python -m mcm.report.run_records`"
    assert RUN_SCHEMA.read_text(encoding="utf-8") == schema_text(RunDocument), renew
