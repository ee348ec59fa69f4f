"""Where no bound is given and two iterations decide nothing, as many are looked at as runs of the machine need."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Final

import pytest

import mcm
from mcm.base.source import Source
from mcm.cli.main import main
from mcm.deepening import bound_of_runs, bounds_of_runs
from mcm.front_end.read import read_test
from mcm.program import instruction as hir
from mcm.program.walk import walk
from mcm.report.notes import notes_of

if TYPE_CHECKING:
    from pathlib import Path
    from typing import Literal

    from mcm.program.program import Program

ORDER: Final = "memory_order_seq_cst, memory_scope_work_group"
# Updates that synchronise: nothing is supposed of this program.
ROUNDS: Final = f"""
  for (;;) {{
    work_group_barrier(CLK_LOCAL_MEM_FENCE);
    if (l == 0) atomic_store_explicit(f, 0, {ORDER});
    work_group_barrier(CLK_LOCAL_MEM_FENCE);
    if (t[l] > 0) {{ t[l]--; atomic_fetch_or_explicit(f, 1, {ORDER}); }}
    work_group_barrier(CLK_LOCAL_MEM_FENCE);
    if (!atomic_load_explicit(f, {ORDER})) break;
    r0++;
  }}"""


def source(body: str = ROUNDS, *, most: int = 3) -> Source:
    return Source(
        "rounds",
        f"""OPENCL rounds
{{}}
kernel K (local int t[2], local atomic_int* f) {{
  int l = get_local_id(0), r0 = 0;
  t[l] = l ? 1 : {most};
  {body}
}}
launch K global 2, local 2, dev 0;
exists (0:r0 = {most} /\\ 1:r0 = {most})
""",
    )


def cut_loops(program: Program) -> list[mcm.Span]:
    return [node.span for node in walk(program.threads[0].body) if isinstance(node, hir.Loop)]


SOMETIMES_LONG: Final = """OPENCL sometimes-long
{ x = 0; y = 0; }
P0 (global atomic_int* x, global atomic_int* y) {
  int n = atomic_load(x), r0 = 0;
  while (atomic_fetch_add(y, 1) < n) { r0++; }
}
P1 (global atomic_int* x) { atomic_store(x, 4); }
"""
LONG: Final = Source("long", SOMETIMES_LONG + "exists (0:r0 = 4)")
ALL: Final = Source("long", SOMETIMES_LONG + "locations [ 0:r0; ]")


@pytest.mark.parametrize("engine", ["explicit", "smt"])
def test_as_many_iterations_are_looked_at_as_runs_need(engine: Literal["explicit", "smt"]) -> None:
    result = mcm.check(LONG, engine=engine)

    assert isinstance(result, mcm.Judged)
    assert (result.verdict, result.bound, result.bounded) == (mcm.Verdict.ALLOWED, 4, ())
    assert [dict(state.values) for state in result.states] == [{"0:r0": 0}, {"0:r0": 4}]


RACING_ROUND: Final = """
  for (int n = 0; !*f; n++) {
    if (l == 0 && n == 2) *f = 1;
    work_group_barrier(CLK_LOCAL_MEM_FENCE);
  }"""


def test_the_iteration_that_a_run_meets_a_race_in_is_looked_at() -> None:
    text = source(f"if (l == 0) *f = 0; work_group_barrier(CLK_LOCAL_MEM_FENCE); {RACING_ROUND}").text
    result = mcm.check(Source("rounds", text.replace("local atomic_int* f", "local int* f")))

    assert (result.verdict, result.bound) == (mcm.Verdict.UNDEFINED, 3)
    assert {problem.kind for problem in result.undefined} == {"data-race"}


def test_a_bound_that_is_given_is_kept() -> None:
    result = mcm.check(LONG, bound=2)

    assert isinstance(result, mcm.Undecided)
    assert (result.reason, result.bound, result.needed) == ("bound", 2, None)


def test_what_is_explained_is_looked_at_within_that_bound() -> None:
    result = mcm.check(LONG)

    assert isinstance(result, mcm.Judged)
    story = result.explain()
    assert story.verdict is mcm.Verdict.ALLOWED
    assert story.execution is not None


def test_where_all_states_are_asked_for_some_do_not_do() -> None:
    short, long = mcm.check(ALL, bound=2), mcm.check(ALL)

    assert isinstance(short, mcm.Judged)
    assert isinstance(long, mcm.Judged)
    assert ([state.values["0:r0"] for state in short.states], len(short.bounded)) == ([0], 1)
    assert ([state.values["0:r0"] for state in long.states], len(long.bounded)) == ([0, 4], 0)


def test_each_state_is_told_once(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "long.litmus"
    file.write_text(ALL.text, encoding="utf-8")

    with pytest.raises(SystemExit):
        main(["check", str(file), "--format", "json-lines"])

    lines = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    assert [line["state"]["values"]["0:r0"] for line in lines if line["kind"] == "state"] == [0, 4]


def test_a_search_that_does_not_end_in_time_leaves_the_first_answer() -> None:
    result = mcm.check(source(most=9), events=200)

    assert isinstance(result, mcm.Undecided)
    assert (result.reason, result.bound, result.needed) == ("bound", 2, 9)
    assert any("--bound 9, as runs of the machine need, was tried" in note for note in notes_of(result, str))


def test_a_loop_that_goes_round_too_often_is_not_looked_at_again(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("mcm.deepening.bound_of_runs", lambda *_: 65)

    result = mcm.check(LONG)

    assert isinstance(result, mcm.Undecided)
    assert (result.reason, result.bound, result.needed) == ("bound", 2, 65)
    assert any("it goes round 65 times and more" in note for note in notes_of(result, str))


def test_inner_loops_are_counted_anew_each_time() -> None:
    inner = f"while (r0 < 3) {{ r0++; if (atomic_load_explicit(f, {ORDER})) break; }}"
    body = f"for (int k = 0; k < 3; k++) {{ r0 = 0; atomic_store_explicit(f, 0, {ORDER}); {inner} }}"
    program = read_test(source(body)).program
    outer, loop = cut_loops(program)

    assert bound_of_runs(program, [loop]) == 2
    assert bound_of_runs(program, [outer]) == 2


def test_nothing_is_looked_at_where_runs_do_not_come_to_the_loop() -> None:
    program = read_test(source(f"if (t[0] == 9) {{ while (atomic_load_explicit(f, {ORDER})) {{ t[0]++; }} }}")).program

    assert bound_of_runs(program, cut_loops(program)) is None


TASKS: Final = Source(
    "tasks",
    """OPENCL tasks
{ next = 0; int done[3]; }
kernel K (global atomic_int* next, global int* done) {
  local int task;
  for (;;) {
    if (get_local_id(0) == 0) task = atomic_fetch_add_explicit(next, 1, memory_order_relaxed, memory_scope_device);
    work_group_barrier(CLK_LOCAL_MEM_FENCE);
    int t = task;
    work_group_barrier(CLK_LOCAL_MEM_FENCE);
    if (t >= 3) break;
    if (get_local_id(0) == 1) done[t] = t + 1;
  }
}
launch K global 4, local 2, dev 0;
forall (done[0]=1 /\\ done[1]=2 /\\ done[2]=3)
""",
)


@pytest.mark.slow
def test_one_work_group_may_take_all_tasks() -> None:
    """Runs in which work-groups take turns need fewer iterations, and a bound of so few would settle nothing."""
    program = read_test(TASKS).program
    bounds = list(bounds_of_runs(program, cut_loops(program)))
    found = mcm.check(TASKS)

    assert bounds[-1] == 3
    assert isinstance(found, mcm.Judged)
    assert (found.verdict, found.bounded) == (mcm.Verdict.REQUIRED, ())
