"""Answers that leave something open say so in every format, and in the exit code."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

from mcm.cli.exit_code import ExitCode

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from conftest import Ended

COUNTS = (
    "C counts\n{ }\nP0 (atomic_int* x, atomic_int* y) { while (atomic_load(x) == 0) { atomic_fetch_add(y, 1); } }\n"
    "P1 (atomic_int* x) { atomic_store(x, 1); }\n"
)
SWAPPED = (
    "OPENCL swapped\n{ }\n"
    "P0@wg 0 (global int* x) { A: barrier(CLK_GLOBAL_MEM_FENCE); B: barrier(CLK_GLOBAL_MEM_FENCE); }\n"
    "P1@wg 0 (global int* x) { B: barrier(CLK_GLOBAL_MEM_FENCE); A: barrier(CLK_GLOBAL_MEM_FENCE); }\n"
    "exists (x=0)\n"
)
NOBODY_WRITES = (
    "C nobody{header}\n{{ }}\nP0 (atomic_int* f) {{ while (atomic_load(f) == 0) {{ }} }}\n"
    "P1 (atomic_int* g) {{ atomic_store(g, 1); }}\nexists (g=0)\n"
)
PASSES_ON = (
    "OPENCL on{header}\n{{ }}\n"
    "P0@wg 0 (global atomic_int* f) {{ atomic_store(f, 1); }}\n"
    "P1@wg 1 (global atomic_int* f) {{\n  while (atomic_load(f) == 0) {{ }}\n}}\nexists (f=1)\n"
)


@pytest.fixture
def check(mcm: Callable[..., Ended], tmp_path: Path) -> Callable[..., Ended]:
    def run(text: str, *arguments: str) -> Ended:
        path = tmp_path / "t.litmus"
        path.write_text(text, encoding="utf-8")
        return mcm("check", path, *arguments)

    return run


@pytest.mark.parametrize("condition", ["exists (y=77)", "~exists (y=77)", "forall (x=1)"])
def test_what_was_not_found_within_the_bound_is_undecided(check: Callable[..., Ended], condition: str) -> None:
    text = check(COUNTS + condition)
    quiet = check(COUNTS + condition, "--quiet")
    herd = check(COUNTS + condition, "--format", "herd")
    (result,) = json.loads(check(COUNTS + condition, "--format", "json").out)["results"]

    assert {text.code, quiet.code, herd.code} == {ExitCode.UNDECIDED}
    assert text.out.startswith("counts under c11: undecided (bound)\n")
    assert "bounded: the loop at " in text.out
    assert "note: what was found within the bound decides nothing (--accept-bounded takes it for an answer)" in text.out
    assert "undecided (bound)" in quiet.out
    assert ("Loop No" if condition.startswith("exists") else "Loop Ok") in herd.out.splitlines()
    assert (result["status"], result["reason"], result["verdict"]) == ("undecided", "bound", "undecided")
    assert result["complete"] is False
    assert result["reachable"] is (True if condition.startswith("forall") else None)
    assert (result["holds"], result["observation"]) == (None, None)


@pytest.mark.parametrize(
    ("condition", "verdict"), [("exists (y=1)", "allowed"), ("~exists (y=1)", "allowed"), ("forall (y=0)", "violated")]
)
def test_what_was_found_within_the_bound_is_certain(check: Callable[..., Ended], condition: str, verdict: str) -> None:
    ended = check(COUNTS + condition, "--quiet")

    assert ended.code == ExitCode.AS_EXPECTED
    assert f"{verdict}, bounded" in ended.out


def test_bounded_answers_may_be_accepted(check: Callable[..., Ended]) -> None:
    ended = check(f"{COUNTS}exists (y=77)", "--accept-bounded")

    assert ended.code == ExitCode.AS_EXPECTED
    assert ended.out.startswith("counts under c11: forbidden\n")
    assert "longer runs were not looked at" in ended.out


@pytest.mark.parametrize("condition", ["exists (x=0)", "~exists (x=0)", "forall (x=7)"])
def test_without_a_complete_execution_nothing_is_forbidden_or_required(
    check: Callable[..., Ended], condition: str, tmp_path: Path
) -> None:
    model = tmp_path / "nothing.cat"
    model.write_text(
        '"Nothing"\n(* @rule NO-1\n   @section none\n   @statement Nothing is allowed. *)\n'
        "empty po & (W * W) & (~IW * ~IW) as never\n"
    )
    text = "C two\n{ }\nP0 (atomic_int* x, atomic_int* y) { atomic_store(x, 1); atomic_store(y, 1); }\n" + condition

    ended = check(text, "--model", str(model))
    (result,) = json.loads(check(text, "--model", str(model), "--format", "json").out)["results"]

    assert ended.code == ExitCode.AS_EXPECTED
    assert ended.out.startswith("two under nothing: no complete execution\n")
    assert "the model excludes them by never [NO-1]" in ended.out
    assert (result["verdict"], result["reason"], result["complete"]) == ("no-execution", None, True)
    assert (result["holds"], result["observation"], result["excluded_by"]) == (None, None, ["NO-1"])


@pytest.mark.parametrize("engine", ["explicit", "smt"])
def test_swapped_barriers_are_excluded_by_the_rule_that_they_break(check: Callable[..., Ended], engine: str) -> None:
    ended = check(SWAPPED, "--engine", engine)

    assert ended.out.startswith("swapped under opencl-3.0: undefined (barrier divergence)\n")
    assert "  P0 waits forever at line 3: for the others of its group to arrive\n" in ended.out
    assert "the model excludes them by happens-before-acyclic [HB-ACYC]" in ended.out


@pytest.mark.parametrize("engine", ["explicit", "smt"])
def test_a_unit_that_waits_for_ever_is_named(check: Callable[..., Ended], engine: str) -> None:
    text = NOBODY_WRITES.format(header="")

    ended = check(text, "--engine", engine)
    (result,) = json.loads(check(text, "--format", "json", "--engine", engine).out)["results"]

    assert ended.out.startswith("nobody under c11: no complete execution\n")
    assert "  no execution is complete, so that there is no final state to satisfy it\n" in ended.out
    assert "  P0 waits forever at line 3: for f to change from 0\n" in ended.out
    assert "no consistent execution is complete: units wait forever in each of them" in ended.out
    assert result["blocked"] == [{"thread": "P0", "line": 3, "waits_for": "f to change from 0"}]


def test_a_comparison_with_the_machine_has_no_table_where_nothing_ends(check: Callable[..., Ended]) -> None:
    ended = check(NOBODY_WRITES.format(header=""), "--run")

    assert ended.code == ExitCode.AS_EXPECTED
    assert ended.out == (
        "nobody under c11: no complete execution\n"
        "  exists ([g]=0)\n"
        "  no execution is complete, so that there is no final state to satisfy it\n\n"
        "  note: no consistent execution is complete: units wait forever in each of them\n"
        "  the machine was blocked: P0 waits forever at line 3 for f to change from 0\n"
    )


@pytest.mark.parametrize(
    ("stated", "code"),
    [
        ("may-block", ExitCode.AS_EXPECTED),
        ("terminates", ExitCode.NOT_AS_EXPECTED),
        ("Never", ExitCode.AS_EXPECTED),
        ("Sometimes", ExitCode.NOT_AS_EXPECTED),
        ("Always", ExitCode.NOT_AS_EXPECTED),
    ],
)
def test_a_test_may_state_that_it_blocks(check: Callable[..., Ended], stated: str, code: ExitCode) -> None:
    assert check(NOBODY_WRITES.format(header=f"\nExpect.c11={stated}")).code == code


@pytest.mark.parametrize(
    ("progress", "noted"), [([], True), (["fair"], False), (["hsa"], False), (["unfair"], True), (["obe"], True)]
)
def test_an_end_that_depends_on_others_is_noted(check: Callable[..., Ended], progress: list[str], noted: bool) -> None:
    ended = check(PASSES_ON.format(header=""), *(word for one in progress for word in ("--progress", one)))

    assert ended.code == ExitCode.AS_EXPECTED
    assert ("P1 ends only if other units go on: at line 5 it waits for f to change" in ended.out) == noted


LOCK = (
    "OPENCL lock\n{ }\n"
    "P0@wg 0 (global atomic_int* l) { while (atomic_exchange(l, 1) == 1) { } atomic_store(l, 0); }\n"
    "P1@wg 1 (global atomic_int* l) { while (atomic_exchange(l, 1) == 1) { } atomic_store(l, 0); }\nexists (l=0)\n"
)


@pytest.mark.parametrize(("progress", "noted"), [("fair", 0), ("obe", 0), ("hsa", 1), ("unfair", 2)])
def test_who_waits_for_a_lock_waits_for_a_unit_that_has_begun(
    check: Callable[..., Ended], progress: str, noted: int
) -> None:
    ended = check(LOCK, "--progress", progress)

    assert ended.code == ExitCode.AS_EXPECTED
    assert ended.out.count("ends only if other units go on") == noted


RETRIES = (
    "OPENCL retries\nExpect.opencl-3.0=Always terminates\n{{ [x]=0; }}\n"
    "P0@wg 0 (global atomic_int* x) {{ int e = 0; while (!atomic_compare_exchange_{0}(x, &e, e + 1)) {{ }} }}\n"
    "P1@wg 1 (global atomic_int* x) {{ int e = 0; while (!atomic_compare_exchange_{0}(x, &e, e + 1)) {{ }} }}\n"
    "forall (x=2)\n"
)


@pytest.mark.parametrize("engine", ["explicit", "smt"])
@pytest.mark.parametrize("form", ["weak", "strong"])
def test_who_fails_by_chance_waits_for_nobody(check: Callable[..., Ended], form: str, engine: str) -> None:
    ended = check(RETRIES.format(form), "--progress", "unfair", "--engine", engine)

    assert ended.code == ExitCode.AS_EXPECTED
    assert "ends only if" not in ended.out


def test_many_units_that_wait_alike_are_named_together(check: Callable[..., Ended]) -> None:
    lock = "do { while (atomic_load(l)) {} } while (atomic_exchange(l, 1)); atomic_store(l, 0);"
    text = "OPENCL alike\n{}\nkernel K (global atomic_int* l) { %s }\nlaunch K global %d, local 1, dev 0;\nforall (l=0)"
    notes = [[line for line in check(text % (lock, n)).out.splitlines() if "other units" in line] for n in (2, 5)]

    assert [note.split(" end")[0].strip() for note in notes[0]] == ["note: K[0]", "note: K[1]"]
    assert [note.split(" end")[0].strip() for note in notes[1]] == ["note: K[0], K[1] and 3 more"]


def test_what_a_device_promises_decides_whether_a_test_terminates(check: Callable[..., Ended]) -> None:
    text = PASSES_ON.format(header="\nExpect.opencl-3.0=terminates")

    assert check(text).code == ExitCode.AS_EXPECTED
    assert check(text, "--progress", "fair").code == ExitCode.AS_EXPECTED
    assert check(text, "--progress", "unfair").code == ExitCode.NOT_AS_EXPECTED


def test_too_many_events_are_a_reason_and_no_mistake_of_the_test(check: Callable[..., Ended]) -> None:
    text = "C long\n{ }\nP0 (int* x) { for (int i = 0; i < 30; i++) { *x = i; } }\nexists (x=29)\n"

    ended = check(text, "--events", "20")

    assert ended.code == ExitCode.UNDECIDED
    assert ended.out.startswith("long under c11: undecided (events)\n")
    assert "more events than may be elaborated (--events)" in ended.out
    assert check(text).code == ExitCode.AS_EXPECTED


def test_a_race_in_executions_that_never_end_is_found(check: Callable[..., Ended]) -> None:
    ended = check(
        "OPENCL spin\n{ }\nP0@wg 0 (global int* x, global int* f) { *x = 1; *f = 1; }\n"
        "P1@wg 1 (global int* x, global int* f) { while (*f == 0) { } int r = *x; }\nexists (1:r=0)\n"
    )

    assert ended.out.startswith("spin under opencl-3.0: undefined (data race)\n")


def test_the_states_of_an_undefined_program_mean_nothing(check: Callable[..., Ended]) -> None:
    ended = check("C r\n{ }\nP0 (int* x) { *x = 1; }\nP1 (int* x) { int r0 = *x; }\nexists (1:r0=0)\n")

    before, _, after = ended.out.partition("  The program is undefined, so these states mean nothing for it:\n")
    assert before
    assert after.split()[0] == "1:r0"


def test_a_large_program_with_a_race_is_answered_by_a_run(check: Callable[..., Ended]) -> None:
    text = (
        "OPENCL large\n{ }\nkernel k (global int* x) { *x = get_global_id(0); }\n"
        "launch k global 64, local 16;\nexists (x=0)\n"
    )

    (result,) = json.loads(check(text, "--format", "json").out)["results"]

    assert (result["engine"], result["verdict"], result["reason"]) == ("machine", "undefined", "first-problem")
    assert result["complete"] is False
    assert [event["line"] for event in result["undefined"][0]["events"]] == [3, 3]


def test_a_race_of_several_units_is_found_before_their_states(check: Callable[..., Ended]) -> None:
    adds = "int r = 0; for (int i = 0; i < 3; i++) { r += atomic_fetch_add(c, i + l); }"
    text = (
        "OPENCL many\n{ }\nkernel k (global atomic_int* c, global int* x) {\n"
        f"  int l = get_global_id(0); {adds} *x = r;\n}}\n"
        "launch k global 8, local 8;\nexists (x=0)\n"
    )

    (result,) = json.loads(check(text, "--format", "json").out)["results"]

    assert (result["verdict"], result["reason"], result["complete"]) == ("undefined", "first-problem", False)


def test_with_a_filter_a_run_decides_nothing(check: Callable[..., Ended]) -> None:
    text = (
        "OPENCL large\n{ }\nkernel k (global int* x) { *x = get_global_id(0); }\n"
        "launch k global 17, local 1;\nfilter (x=77)\nexists (x=0)\n"
    )

    assert check(text).out.startswith("large under opencl-3.0: forbidden\n")


def test_a_race_in_a_loop_names_the_element_and_the_iterations(check: Callable[..., Ended]) -> None:
    ended = check(
        "C loop\n{ int a[4]; }\nP0 (int* a) { for (int i = 0; i < 3; i++) { a[i] = i; } }\n"
        "P1 (int* a) {\n  a[2] = 7;\n}\nexists (a[2]=7)\n"
    )

    assert "data race on a[2] [DR-1]\n" in ended.out
    assert "a[i] = i; } }  (iteration 3)\n" in ended.out
    assert "a[2] = 7;\n" in ended.out


@pytest.mark.parametrize("engine", ["explicit", "smt"])
@pytest.mark.parametrize("condition", ["exists (1:r0=0)", "forall (1:r0=0)", ""])
def test_a_filter_that_no_execution_passes_is_named(check: Callable[..., Ended], condition: str, engine: str) -> None:
    text = (
        "C f\n{{ }}\nP0 (atomic_int* x) {{ atomic_store(x, 1); }}\n"
        "P1 (atomic_int* x) {{ int r0 = atomic_load(x); }}\nfilter (1:r0={value})\n{condition}\n"
    )
    note = "note: no execution passes the filter of the test: there is no final state to look at"

    assert note in check(text.format(value=7, condition=condition), "--engine", engine).out
    assert note not in check(text.format(value=1, condition=condition), "--engine", engine).out
