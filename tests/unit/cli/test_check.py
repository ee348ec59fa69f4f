from __future__ import annotations

import io
import json
import sys
from importlib.resources import files
from typing import TYPE_CHECKING, Any

import jsonschema
import pytest

from mcm.cli.exit_code import ExitCode

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from conftest import Ended


def documents(ended: Ended) -> Any:
    document = json.loads(ended.out)
    jsonschema.Draft202012Validator(
        json.loads(files("mcm.report").joinpath("schema.json").read_text(encoding="utf-8"))
    ).validate(document)
    return document["results"]


def test_one_file_needs_no_option(mcm: Callable[..., Ended], sb: Path) -> None:
    ended = mcm("check", sb)

    assert ended.code == ExitCode.AS_EXPECTED
    assert ended.out.startswith("SB under opencl-3.0: allowed\n")
    assert ended.err == ""


@pytest.mark.parametrize(
    ("change", "code"),
    [
        (("Sometimes no-race", "Never"), ExitCode.NOT_AS_EXPECTED),
        (("Sometimes no-race", "Sometimes race"), ExitCode.NOT_AS_EXPECTED),
        (("Expect.opencl-3.0=Sometimes no-race\n", ""), ExitCode.AS_EXPECTED),
        (("Expect.opencl-3.0", "Expect.opencl-3.1"), ExitCode.AS_EXPECTED),
        (("Expect.opencl-3.0", "Expect.opencl-30"), ExitCode.BAD_INPUT),
        (("memory_order_relaxed);", "memory_order_relax);"), ExitCode.BAD_INPUT),
    ],
)
def test_exit_codes(mcm: Callable[..., Ended], sb: Path, change: tuple[str, str], code: ExitCode) -> None:
    sb.write_text(sb.read_text(encoding="utf-8").replace(*change), encoding="utf-8")

    assert mcm("check", sb).code == code


def test_an_unknown_model_in_an_expectation_is_an_error_with_a_suggestion(mcm: Callable[..., Ended], sb: Path) -> None:
    sb.write_text(sb.read_text(encoding="utf-8").replace("opencl-3.0", "opencl-30"), encoding="utf-8")

    assert (
        "error[E146]: an expectation for 'opencl-30', which is no model; did you mean 'opencl-3.0'?"
        in mcm("check", sb).out
    )


def _content(kind: str) -> bytes:
    match kind:
        case "binary":
            return b"OPENCL t\n\0\0"
        case "empty":
            return b""
        case "comments only":
            return b"(* nothing *)\n"
        case "large":
            return b"OPENCL t\n" + b"//" + b" " * 10_000_000
        case "nested":
            return b"OPENCL t\n{ }\nP0 (global int* x) { int r0 = " + b"(" * 5_000 + b"1" + b")" * 5_000 + b"; }\n"
        case "nested statements":
            return b"OPENCL t\n{ }\nP0 (global int* x) { " + b"if (1) {" * 5_000 + b"}" * 5_000 + b" }\n"
        case _:
            return b"\xff\xfe\x00\x00"


@pytest.mark.parametrize(
    "kind", ["binary", "empty", "comments only", "large", "nested", "nested statements", "another encoding"]
)
def test_input_that_is_no_test_gets_a_message(mcm: Callable[..., Ended], tmp_path: Path, kind: str) -> None:
    path = tmp_path / "t.litmus"
    path.write_bytes(_content(kind))

    ended = mcm("check", path)

    assert ended.code == ExitCode.BAD_INPUT
    assert f"{path}:" in ended.out
    assert "error[E0" in ended.out
    assert "Traceback" not in ended.out + ended.err


def test_what_cannot_be_read_is_named_and_the_rest_is_checked(
    mcm: Callable[..., Ended], sb: Path, tmp_path: Path
) -> None:
    empty = tmp_path / "empty"
    empty.mkdir()

    ended = mcm("check", tmp_path / "missing.litmus", empty, sb, "--jobs", 2)

    assert ended.code == ExitCode.BAD_INPUT
    assert "missing.litmus: cannot be read\n" in ended.out
    assert "no such file" in ended.out
    assert "this folder holds no *.litmus file" in ended.out
    assert "SB under opencl-3.0: allowed" in ended.out
    assert "3 tests: 1 allowed, 2 cannot be read" in ended.out


def test_a_folder_of_code_says_that_files_are_named_one_by_one(mcm: Callable[..., Ended], tmp_path: Path) -> None:
    (tmp_path / "sum.cl").write_text("kernel void k(global int* x) { }", encoding="utf-8")

    ended = mcm("check", tmp_path)

    assert ended.code == ExitCode.BAD_INPUT
    assert f"a file of code is named by itself, such as '{tmp_path / 'sum.cl'}'" in ended.out


def test_a_thread_that_cannot_be_read_is_not_said_to_be_missing(mcm: Callable[..., Ended], tmp_path: Path) -> None:
    path = tmp_path / "unread.litmus"
    path.write_text("C unread\n{ }\nP0 (atomic_int* x) { atomic_store(x, 1) }\nexists (x=1)\n", encoding="utf-8")

    ended = mcm("check", path)

    assert ended.code == ExitCode.BAD_INPUT
    assert "E041" in ended.out + ended.err
    assert "has no thread" not in ended.out + ended.err


def test_folders_are_searched_and_results_come_in_order(mcm: Callable[..., Ended], sb: Path, tmp_path: Path) -> None:
    text = sb.read_text(encoding="utf-8")
    for number in range(12):
        folder = tmp_path / f"f{number % 3}"
        folder.mkdir(exist_ok=True)
        (folder / f"T{number:02}.litmus").write_text(text, encoding="utf-8")

    single = mcm("check", tmp_path, "--jobs", 1, "--format", "json")
    several = mcm("check", tmp_path, "--jobs", 3, "--format", "json")

    names = [result["file"] for result in documents(single)]
    assert names == sorted(names)
    assert len(names) == 13
    assert names == [result["file"] for result in documents(several)]


@pytest.mark.usefixtures("sb")
def test_a_list_of_files(mcm: Callable[..., Ended], tmp_path: Path) -> None:
    listing = tmp_path / "list"
    listing.write_text("# tests\nSB.litmus\n\nSB.litmus # again\n", encoding="utf-8")

    assert [result["test"] for result in documents(mcm("check", f"@{listing}", "-f", "json"))] == ["SB", "SB"]


def test_standard_input(mcm: Callable[..., Ended], sb: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(sb.read_bytes())))

    (result,) = documents(mcm("check", "-", "-f", "json"))

    assert (result["file"], result["verdict"]) == ("-", "allowed")


def test_every_model_that_is_asked_for_answers(mcm: Callable[..., Ended], sb: Path) -> None:
    results = documents(mcm("check", sb, "-m", "sc", "-m", "opencl-3.0", "-m", "sc", "-f", "json"))

    assert [(result["model"], result["verdict"]) for result in results] == [
        ("sc", "forbidden"),
        ("opencl-3.0", "allowed"),
    ]


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["-m", "opencl3.0"], "did you mean 'opencl-3.0'?"),
        (["-m", "missing.cat"], "cannot read 'missing.cat'"),
        (["--without", "COH-RRR"], "did you mean 'COH-RR'?"),
        (["--caps", "fulll"], "did you mean 'full'?"),
        (["--bound", "-1"], "--bound"),
        (["--timeout", "0"], "--timeout"),
        (["--engine", "best"], "'best' is not one of"),
        (["--format", "xml"], "'xml' is not one of"),
    ],
)
def test_usage_errors(mcm: Callable[..., Ended], sb: Path, options: list[str], message: str) -> None:
    ended = mcm("check", sb, *options)

    assert ended.code == ExitCode.BAD_INPUT
    assert message in ended.err
    assert ended.out == ""


def test_a_model_of_ones_own(mcm: Callable[..., Ended], sb: Path, tmp_path: Path) -> None:
    model = tmp_path / "mine.cat"
    model.write_text(
        '"Mine"\nlet fr = rf^-1 ; mo\nacyclic po | rf | mo | fr as all\nflag ~empty rf as reads\n', encoding="utf-8"
    )

    (result,) = documents(mcm("check", sb, "-m", model, "-f", "json"))

    assert (result["model"], result["verdict"]) == ("mine", "forbidden")
    assert {problem["kind"] for problem in result["flags"]} == {"reads"}


def test_a_mistake_in_a_model_is_drawn(mcm: Callable[..., Ended], sb: Path, tmp_path: Path) -> None:
    model = tmp_path / "mine.cat"
    model.write_text('"Mine"\nacyclic po | rff as all\n', encoding="utf-8")

    ended = mcm("check", sb, "-m", model)

    assert ended.code == ExitCode.BAD_INPUT
    assert "mine.cat:2:14: error[E3" in ended.err
    assert "^^^" in ended.err


def test_without_states_the_condition_is_still_answered(mcm: Callable[..., Ended], sb: Path) -> None:
    (result,) = documents(mcm("check", sb, "--no-states", "-f", "json"))

    assert result["states"] == []
    assert (result["reachable"], result["observation"], result["as_expected"]) == (True, "Sometimes", True)


@pytest.mark.parametrize("engine", ["explicit", "smt", "auto"])
def test_the_engine_is_named(mcm: Callable[..., Ended], sb: Path, engine: str) -> None:
    (result,) = documents(mcm("check", sb, "--engine", engine, "-f", "json"))

    assert result["engine"] == ("explicit" if engine == "auto" else engine)
    assert len(result["states"]) == 4


def test_executions_are_counted(mcm: Callable[..., Ended], sb: Path) -> None:
    ended = mcm("check", sb, "--count", "-f", "herd")

    assert "Positive: 1 Negative: 3\nCondition" in ended.out


def test_herds_format_names_errors_on_the_other_stream(mcm: Callable[..., Ended], sb: Path, tmp_path: Path) -> None:
    ended = mcm("check", tmp_path / "missing.litmus", sb, "-f", "herd")

    assert ended.code == ExitCode.BAD_INPUT
    assert ended.out.startswith("Test SB Allowed\nStates 4\n")
    assert "missing.litmus:1:1: error[E001]: no such file" in ended.err


def test_a_rule_less(mcm: Callable[..., Ended], tmp_path: Path) -> None:
    path = tmp_path / "CoRR.litmus"
    load = "atomic_load_explicit(x, memory_order_relaxed)"
    path.write_text(
        "C CoRR\n{ }\nP0 (atomic_int* x) { atomic_store_explicit(x, 1, memory_order_relaxed); }\n"
        f"P1 (atomic_int* x) {{ int r0 = {load}; int r1 = {load}; }}\nexists (1:r0=1 /\\ 1:r1=0)\n",
        encoding="utf-8",
    )

    assert mcm("check", path).out.startswith("CoRR under c11: forbidden\n")
    assert mcm("check", path, "--without", "COH-RR").out.startswith("CoRR under c11 without COH-RR: allowed\n")


def test_a_device_profile_refuses_what_it_lacks(mcm: Callable[..., Ended], sb: Path) -> None:
    ended = mcm("check", sb, "--caps", "opencl-3.0-minimum")

    assert ended.code == ExitCode.BAD_INPUT
    assert "error[E150]" in ended.out
    assert mcm("check", sb, "--caps", "full").code == ExitCode.AS_EXPECTED


def test_models_side_by_side(mcm: Callable[..., Ended], sb: Path) -> None:
    ended = mcm("check", sb, "-m", "all")

    assert ended.code == ExitCode.AS_EXPECTED
    assert "  opencl-3.1          allowed    Sometimes, in 1 of 4 states\n" in ended.out
    assert "  sc                  forbidden  Never, in 0 of 3 states\n" in ended.out
    assert "  between c20 and sc: SC-TOTAL\n" in ended.out


@pytest.fixture
def slow(tmp_path: Path) -> Path:
    path = tmp_path / "slow.litmus"
    operations = "".join(
        f"  int r{i} = atomic_fetch_add(x, 1); int s{i} = atomic_exchange(y, r{i});\n" for i in range(4)
    )
    threads = "".join(f"P{number} (atomic_int* x, atomic_int* y) {{\n{operations}}}\n" for number in range(5))
    path.write_text(f"C slow\n{{ }}\n{threads}exists (x=1)\n", encoding="utf-8")
    return path


@pytest.mark.slow
@pytest.mark.parametrize(
    ("limit", "reason"),
    [
        (["--timeout", "0.5"], "timeout"),
        (["--memory", "40"], "memory"),
        # CaDiCaL takes less, and so much time.
        (["--memory", "160", "--engine", "smt", "--solver", "z3"], "memory"),
    ],
)
def test_time_and_memory_are_limited(
    mcm_apart: Callable[..., Ended], slow: Path, sb: Path, limit: list[str], reason: str
) -> None:
    ended = mcm_apart("check", slow, sb, *limit, "-f", "json")

    first, second = documents(ended)
    assert ended.code == ExitCode.UNDECIDED
    assert (first["status"], first["verdict"], first["reason"]) == ("undecided", "undecided", reason)
    assert second["verdict"] == "allowed"


def test_a_bounded_answer_to_an_expectation_is_no_success(mcm: Callable[..., Ended], tmp_path: Path) -> None:
    path = tmp_path / "spin.litmus"
    path.write_text(
        "C spin\nExpect.c11=Never\n{ }\n"
        "P0 (atomic_int* x, atomic_int* y) { while (atomic_load(x) == 0) { atomic_fetch_add(y, 1); } int r0 = 1; }\n"
        "P1 (atomic_int* x) { atomic_store(x, 1); }\nexists (0:r0=0)\n",
        encoding="utf-8",
    )

    ended = mcm("check", path)

    assert ended.code == ExitCode.UNDECIDED
    assert f"bounded: the loop at {path}:4 was cut after 2 iterations" in ended.out
    assert ended.out.startswith("spin under c11: undecided (bound)\n")


@pytest.mark.parametrize(
    "arguments", [["--help"], ["check", "--help"], ["models", "--help"], ["rules", "--help"], ["fmt", "--help"]]
)
def test_every_help_shows_an_example(mcm: Callable[..., Ended], arguments: list[str]) -> None:
    ended = mcm(*arguments)

    assert ended.code == ExitCode.AS_EXPECTED
    assert "Examples:\n    mcm " in ended.out


def test_a_misspelt_command(mcm: Callable[..., Ended]) -> None:
    ended = mcm("chek", "x")

    assert ended.code == ExitCode.BAD_INPUT
    assert "did you mean 'check'?" in ended.err


def test_a_solver_that_is_not_installed_is_named_with_what_brings_it(
    mcm: Callable[..., Ended], sb: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("mcm.engine.smt.solver.find_spec", lambda _: None)
    ended = mcm("check", sb, "--solver", "cadical")

    assert ended.code == ExitCode.BAD_INPUT
    assert "'cadical' needs python-sat, which is not installed: pip install 'mcm[fast]'" in ended.err
    assert mcm("check", sb, "--solver", "z3").code == ExitCode.AS_EXPECTED


def test_a_comparison_of_models_says_what_is_wrong_with_a_text_once(mcm: Callable[..., Ended], tmp_path: Path) -> None:
    test = tmp_path / "t.litmus"
    test.write_text("C broken\n{}\nP0 (atomic_int *x) { x = ; }\nexists (x=1)\n")
    ended = mcm("check", "--model", "all", test)
    assert ended.code == ExitCode.BAD_INPUT
    assert "t.litmus:3:26: error[E040]: expected an expression, found ';'" in ended.out

    test.write_text("OPENCL warned\n{ [x]=0 }\nP0 (volatile int* x) { *x = 1; }\nexists ([x]=0)\n")
    ended = mcm("check", "--model", "all", test)
    assert ended.out.count("warning[W100]") == 1
    assert ended.out.index("forbidden") < ended.out.index("warning[W100]")
