"""Two solvers behind one door: the same answers, and what is said where one is not installed."""

from __future__ import annotations

import subprocess
import sys
from itertools import product
from pathlib import Path
from typing import TYPE_CHECKING, Final
from weakref import ref

import pytest
from msgspec.structs import replace
from smt_inputs import LB_DATA, MP, SB, assert_witnessed, counters, query, seeded

from mcm.answer.query import Limits, SolverName
from mcm.catalogue.registry import get
from mcm.engine.smt import solver
from mcm.engine.smt.budget import Budget, UndecidedError
from mcm.engine.smt.decide import decide
from mcm.engine.smt.solver import chosen_solver, missing_distribution, new_solver
from mcm.engine.smt.unsat_core import forbidding_rules

if TYPE_CHECKING:
    from mcm.answer.answer import Answer
    from mcm.answer.query import Query

_LITMUS: Final = Path(__file__).parents[4] / "litmus"
_SAMPLES: Final = sorted([*_LITMUS.glob("c11/*.litmus"), *_LITMUS.glob("opencl/[bpr]*/*.litmus")])
_NEEDS_CADICAL: Final = pytest.mark.skipif(
    missing_distribution(SolverName.CADICAL) is not None, reason="python-sat is not installed (`mcm[fast]`)"
)
_SOLVERS: Final = [SolverName.Z3, pytest.param(SolverName.CADICAL, marks=_NEEDS_CADICAL)]


def _with_cadical(asked: Query) -> Query:
    return replace(asked, solver=SolverName.CADICAL)


def _with_z3(asked: Query) -> Query:
    return replace(asked, solver=SolverName.Z3)


def _said(answer: Answer) -> tuple[object, ...]:
    """What an answer says, whichever executions it gives for it: a race has two events, and either may come first."""
    flags = {
        (flag.name, frozenset(flag.witness.skeleton.events[event].span for event in flag.events))
        for flag in answer.flags
    }
    return answer.states, answer.reachable, flags, {each.fault for each in answer.faults}, set(answer.bounded)


@pytest.mark.parametrize("name", _SOLVERS)
def test_clauses_are_decided_under_assumptions(name: SolverName) -> None:
    for seed in range(40):
        random = seeded(seed)
        clauses = [
            [random.choice((1, -1)) * random.randint(1, 6) for _ in range(3)] for _ in range(random.randint(1, 30))
        ]
        assumed = [random.choice((1, -1)) * random.randint(1, 6) for _ in range(2)]
        solver = new_solver(Budget(Limits()), name)
        # In two portions, with a question between them.
        for portion in (clauses[:10], clauses[10:]):
            solver.add([literal for clause in portion for literal in (*clause, 0)])
            solver.solve()

        def holds(values: tuple[bool, ...], clause: list[int]) -> bool:
            return any(values[abs(literal) - 1] == (literal > 0) for literal in clause)

        wanted = [*clauses, *([literal] for literal in assumed)]
        solutions = {
            values for values in product((False, True), repeat=6) if all(holds(values, clause) for clause in wanted)
        }
        assert solver.solve(assumed) == bool(solutions)
        if solutions:
            true = solver.truth(range(1, 7))
            assert tuple(variable in true for variable in range(1, 7)) in solutions


@pytest.mark.parametrize("name", _SOLVERS)
def test_a_variable_that_no_clause_names_is_false(name: SolverName) -> None:
    solver = new_solver(Budget(Limits()), name)
    solver.add([1, 0])
    assert solver.solve()
    assert solver.truth([1, 9]) == {1}


@pytest.mark.parametrize("several", [False, True])
def test_variables_may_be_far_apart(*, several: bool) -> None:
    """Their numbers do not matter, neither to clauses that come one by one nor to many at once."""
    solver = new_solver(Budget(Limits()))
    last = 10**9
    chain = [literal for variable in range(last - 100, last) for literal in (-variable, variable + 1, 0)]
    for clauses in [chain] if several else [chain[first : first + 3] for first in range(0, len(chain), 3)]:
        solver.add(clauses)
    assert solver.solve([last - 100])
    assert solver.truth([last - 100, last, last + 1]) == {last - 100, last}
    assert not solver.solve([last - 100, -last])


@pytest.mark.slow
@_NEEDS_CADICAL
@pytest.mark.parametrize("path", _SAMPLES, ids=lambda path: f"{path.parent.name}/{path.stem}")
def test_both_solvers_give_the_same_answers(path: Path) -> None:
    text = path.read_text(encoding="utf-8")
    model = "c11" if path.parent.name == "c11" else "opencl-3.0"
    asked = query(text, model)
    reference, answer = decide(_with_z3(asked)), decide(_with_cadical(asked))
    assert answer.undecided is None
    assert _said(answer) == _said(reference)
    assert_witnessed(answer, get(model))


@_NEEDS_CADICAL
@pytest.mark.parametrize(("text", "model"), [(SB, "sc"), (MP, "rc11"), (LB_DATA, "c11"), (counters(3), "c11")])
def test_both_solvers_count_and_explain_alike(text: str, model: str) -> None:
    asked = query(text, model, counts=True)
    assert _said(decide(_with_cadical(asked))) == _said(decide(_with_z3(asked)))
    assert forbidding_rules(_with_cadical(asked)) == forbidding_rules(_with_z3(asked))


def test_clauses_are_read_in_parts_between_which_the_time_is_looked_at(monkeypatch: pytest.MonkeyPatch) -> None:
    asked = [query(text, model) for text, model in ((SB, "sc"), (MP, "rc11"), (counters(3), "c11"))]
    at_once = [_said(decide(each)) for each in asked]
    monkeypatch.setattr("mcm.engine.smt.z3_solver._MOST_LITERALS", 7)
    assert [_said(decide(each)) for each in asked] == at_once
    late = new_solver(Budget(Limits(seconds=0)), SolverName.Z3)
    with pytest.raises(UndecidedError, match="timeout"):
        late.add([1, 2, 0] * 100)


def test_large_formulas_go_to_the_fast_solver_where_it_is_there(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("mcm.engine.smt.solver.missing_distribution", lambda _: None)
    assert chosen_solver(SolverName.AUTO, 100_000) is SolverName.CADICAL
    assert chosen_solver(SolverName.AUTO, 100) is SolverName.Z3
    assert chosen_solver(SolverName.Z3, 100_000) is SolverName.Z3
    monkeypatch.setattr("mcm.engine.smt.solver.missing_distribution", lambda _: "python-sat")
    assert chosen_solver(SolverName.AUTO, 100_000) is SolverName.Z3


@_NEEDS_CADICAL
def test_an_answer_says_which_solver_was_used(monkeypatch: pytest.MonkeyPatch) -> None:
    asked = query(SB, "sc")
    assert decide(asked).solver == "z3"
    monkeypatch.setattr("mcm.engine.smt.solver._LARGE", 1)
    assert decide(asked).solver == "cadical"
    assert decide(_with_z3(asked)).solver == "z3"


@_NEEDS_CADICAL
def test_a_time_limit_ends_the_fast_solver(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("mcm.engine.smt.cadical._CONFLICTS", 100)
    # Ten pigeons do not fit into nine holes, and no solver of this kind finds that out soon.
    holes = range(9)
    clauses = [literal for pigeon in range(10) for literal in (*(pigeon * 9 + hole + 1 for hole in holes), 0)]
    for hole in holes:
        for one in range(10):
            for other in range(one):
                clauses += [-(one * 9 + hole + 1), -(other * 9 + hole + 1), 0]
    solver = new_solver(Budget(Limits(seconds=0)), SolverName.CADICAL)
    solver.add(clauses)
    with pytest.raises(UndecidedError, match="timeout"):
        solver.solve()


def test_a_solver_whose_time_is_up_is_freed_by_the_next_one() -> None:
    late = new_solver(Budget(Limits(seconds=0)), SolverName.Z3)
    inside = ref(late._solver)  # type: ignore[attr-defined]
    del late
    assert inside() is not None
    new_solver(Budget(Limits()), SolverName.Z3)
    assert inside() is None
    soon = new_solver(Budget(Limits()), SolverName.Z3)
    inside = ref(soon._solver)  # type: ignore[attr-defined]
    del soon
    assert inside() is None


@_NEEDS_CADICAL
def test_time_that_is_used_up_between_two_questions_ends_the_search() -> None:
    answer = decide(_with_cadical(query(SB, "rc11", limits=Limits(seconds=0))))
    assert answer.undecided == "timeout"


def test_the_missing_distribution_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(solver, "find_spec", lambda _: None)
    assert missing_distribution(SolverName.CADICAL) == "python-sat"
    assert missing_distribution(SolverName.Z3) is None


@pytest.mark.slow
@_NEEDS_CADICAL
def test_one_solver_does_not_load_the_other() -> None:
    for name, absent in (("cadical", "z3"), ("z3", "pysat")):
        code = (
            "import sys; from mcm.cli.main import main; from contextlib import suppress\n"
            f"with suppress(SystemExit): main(['check', '-q', '--engine', 'smt', '--solver', '{name}', sys.argv[1]])\n"
            f"sys.exit('{absent}' in sys.modules)"
        )
        command = [sys.executable, "-c", code, str(_LITMUS / "c11" / "SB+rlx.litmus")]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        assert (done.returncode, done.stderr) == (0, "")
