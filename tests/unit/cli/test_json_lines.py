"""`mcm check --format json-lines`: a line for each state as it is found, and one for each result."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import jsonschema
import pytest

from mcm import EngineName, Options, Source, shared_session
from mcm.answer.shown_states import ShownState
from mcm.report.json_format import state_record
from mcm.report.json_lines import JsonLines
from mcm.report.json_records import encode_line, schema_text
from mcm.report.line_records import SCHEMA_FILE, Line, StateLine

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from cli.conftest import Ended

VALIDATOR = jsonschema.Draft202012Validator(json.loads(SCHEMA_FILE.read_text(encoding="utf-8")))

READERS = """C readers
{}
P0 (atomic_int* x) { atomic_store_explicit(x, 1, memory_order_relaxed); }
P1 (atomic_int* x) { int a = atomic_load_explicit(x, memory_order_relaxed); int b = 7; }
P2 (atomic_int* x) { int a = atomic_load_explicit(x, memory_order_relaxed); }
P3 (atomic_int* x) { int a = atomic_load_explicit(x, memory_order_relaxed); }
P4 (atomic_int* x) { int a = atomic_load_explicit(x, memory_order_relaxed); }
P5 (atomic_int* x) { int a = atomic_load_explicit(x, memory_order_relaxed); }
exists (1:a=1 /\\ 2:a=0)
"""
# Values are computed from each other: 0 is read in any case, and 42 out of thin air.
CIRCLE = """C circle
{}
P0 (atomic_int* x, atomic_int* y) {
  int a = atomic_load_explicit(x, memory_order_relaxed); atomic_store_explicit(y, a, memory_order_relaxed); }
P1 (atomic_int* x, atomic_int* y) {
  int a = atomic_load_explicit(y, memory_order_relaxed); atomic_store_explicit(x, a, memory_order_relaxed); }
exists (0:a=42)
"""


def lines_of(ended: Ended) -> list[dict[str, Any]]:
    lines = [json.loads(line) for line in ended.out.splitlines()]
    for line in lines:
        VALIDATOR.validate(line)
    return lines


def states_of(lines: list[dict[str, Any]]) -> list[str]:
    return sorted(json.dumps(line["state"]) for line in lines if line["kind"] == "state")


def test_the_schema_is_that_of_the_types() -> None:
    renew = "run python -m mcm.report.line_records"
    assert SCHEMA_FILE.read_text(encoding="utf-8") == schema_text(Line), renew


@pytest.mark.parametrize("engine", ["explicit", "smt", "auto"])
@pytest.mark.parametrize("options", [(), ("--count",)], ids=["", "count"])
@pytest.mark.parametrize("text", [READERS, CIRCLE], ids=["readers", "circle"])
def test_the_lines_have_what_the_document_has(
    engine: str, options: tuple[str, ...], text: str, mcm: Callable[..., Ended], tmp_path: Path
) -> None:
    file = tmp_path / "test.litmus"
    file.write_text(text, encoding="utf-8")
    arguments = ("check", file, "--model", "c11", "--engine", engine, *options)

    told = mcm(*arguments, "--format", "json-lines")
    whole = mcm(*arguments, "--format", "json")

    lines = lines_of(told)
    (result,) = json.loads(whole.out)["results"]
    # What a state is also an example of is known later than the state.
    examples = [state for state in result["states"] if state["example_of"] is not None and not state["thin_air"]]
    if "--count" not in options:
        assert [line["state"] for line in lines if line["kind"] == "example"] == examples
        result["states"] = [{**state, "example_of": None} if state in examples else state for state in result["states"]]
    assert states_of(lines) == sorted(map(json.dumps, result["states"]))
    last = lines[-1]
    assert (last["kind"], last["states"], last["satisfying"]) == (
        "result",
        len(result["states"]),
        sum(state["satisfies"] for state in result["states"]),
    )
    unlike = {"seconds": 0, "states": []}
    assert {**last["result"], **unlike} == {**result, **unlike}
    assert told.code == whole.code


@pytest.mark.slow
def test_lines_are_the_same_whichever_way_tests_are_checked(mcm: Callable[..., Ended], tmp_path: Path) -> None:
    (tmp_path / "a.litmus").write_text(READERS, encoding="utf-8")
    (tmp_path / "b.litmus").write_text("C broken\n{", encoding="utf-8")
    (tmp_path / "c.litmus").write_text(CIRCLE, encoding="utf-8")

    one, two = (mcm("check", tmp_path, "-m", "c11", "-m", "c20", "-f", "json-lines", "-j", jobs) for jobs in (1, 2))

    # Times differ.
    first, second = ([{**line, "result": None} for line in lines_of(ended)] for ended in (one, two))
    assert first == second
    assert [line["kind"] for line in first].count("result") == 5
    assert one.code == two.code == 2


@pytest.mark.slow
def test_a_state_is_told_of_once_although_engines_are_asked_again(
    mcm: Callable[..., Ended], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    # So few nodes that the search finds some states each time, and the solver the others.
    for limit in ("NODE_BUDGET", "LIKELY_TO_END"):
        monkeypatch.setattr(f"mcm.engine.choose.{limit}", 8)
    monkeypatch.setattr("mcm.engine.explicit.budget._NODES_PER_STATE", 0)
    threads = [f"P{n} (atomic_int* x) {{ atomic_fetch_add(x, {2**n}); }}" for n in range(2)]
    readers = [f"P{n} (atomic_int* x) {{ int a = atomic_load_explicit(x, memory_order_relaxed); }}" for n in (2, 3)]
    file = tmp_path / "test.litmus"
    file.write_text("\n".join(["C sums", "{}", *threads, *readers, "locations [2:a; 3:a;]"]), encoding="utf-8")

    lines = lines_of(mcm("check", file, "--model", "rc11", "--format", "json-lines"))

    states = states_of(lines)
    assert lines[-1]["result"]["engine"] == "smt"
    # Both readers see 0, 1 or 3, or both see 0, 2 or 3: twice nine states, of which four are the same.
    assert len(states) == len(set(states)) == lines[-1]["states"] == 14


def test_without_states_only_results_are_told_of(mcm: Callable[..., Ended], tmp_path: Path) -> None:
    file = tmp_path / "test.litmus"
    file.write_text(READERS, encoding="utf-8")

    (line,) = lines_of(mcm("check", file, "--format", "json-lines", "--no-states"))

    assert (line["states"], line["result"]["verdict"]) == (0, "allowed")


def test_states_come_before_the_search_ends() -> None:
    found: list[ShownState] = []

    class EnoughError(Exception):
        pass

    def tell(model: str, state: ShownState) -> None:
        assert model == "c11"
        found.append(state)
        if len(found) == 3:
            raise EnoughError

    options = Options(models=("c11",), engine=EngineName.EXPLICIT, on_state=tell)
    with pytest.raises(EnoughError):
        shared_session().results(Source("readers", READERS), options)

    assert len(found) == 3


def test_runs_have_no_lines(mcm: Callable[..., Ended], tmp_path: Path) -> None:
    ended = mcm("check", tmp_path, "--format", "json-lines", "--run")

    assert ended.code == 2
    assert "--run has no lines of states" in ended.err


def test_a_line_is_what_its_type_says() -> None:
    state = ShownState(
        {"0:r": -3, 'a["\u00e9"]': "&x", "f": float("inf"), "g": 0.5}, satisfies=True, thin_air=False, executions=None
    )
    lines: list[str] = []

    JsonLines("\u00e9.litmus", lines.append).state("c11", state)

    record = StateLine(file="\u00e9.litmus", model="c11", state=state_record(state))
    assert lines == [encode_line(record) + "\n"]
