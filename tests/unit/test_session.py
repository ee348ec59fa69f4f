"""Sessions keep what they have read, as long as it says the same, and may be shared by threads."""

from __future__ import annotations

import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from mcm import InputError, Invalid, InvalidTestError, Session, Unreadable, Verdict, check, parse
from mcm.answer.answer import Answer
from mcm.answer.result import FIRST_PROBLEM
from mcm.base.recent import Recent

if TYPE_CHECKING:
    from collections.abc import Iterator

ROOT = Path(__file__).parents[2]
SMALL = "C small\n{ }\nP0 (atomic_int* x) { atomic_store(x, 1); }\nexists (x=1)\n"
REFUSED = (
    "OPENCL t\nExpect.opencl-3.0=invalid\n{ }\n"
    "P0 (global atomic_int* x) { atomic_store_explicit(x, 1, memory_order_acquire, memory_scope_device); }\n"
)


@pytest.fixture
def quick_switches() -> Iterator[None]:
    before = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    yield
    sys.setswitchinterval(before)


def test_what_was_read_is_kept_by_content(tmp_path: Path) -> None:
    session, path = Session(), tmp_path / "t.litmus"
    path.write_text(SMALL, encoding="utf-8")
    first = session.parse(path)
    assert session.parse(path) is first

    path.write_text(SMALL.replace("x=1", "x=2"), encoding="utf-8")

    assert session.parse(path) is not first
    assert session.check(path).holds is False


def test_a_model_is_read_again_when_a_file_of_it_changes(tmp_path: Path) -> None:
    session = Session()
    (tmp_path / "mine.cat").write_text('"Mine"\ninclude "part.cat"\n', encoding="utf-8")
    (tmp_path / "part.cat").write_text("acyclic po | rf | mo | fr as order\n", encoding="utf-8")
    first = session.load_model(tmp_path / "mine.cat")
    assert session.load_model(tmp_path / "mine.cat") == first

    (tmp_path / "part.cat").write_text("acyclic po as order\n", encoding="utf-8")

    assert session.load_model(tmp_path / "mine.cat").model.checks != first.model.checks


def test_a_session_is_bounded() -> None:
    kept: Recent[int] = Recent(2)
    for number in (1, 2, 1, 3):
        kept.get(number, lambda number=number: number)

    made = []
    for number in (1, 3, 2):
        kept.get(number, lambda number=number: made.append(number) or number)

    assert made == [2]
    assert kept.kept() == (3, 2)


def test_what_fails_is_not_kept() -> None:
    kept: Recent[int] = Recent(2)
    with pytest.raises(ZeroDivisionError):
        kept.get("x", lambda: 1 // 0)
    assert kept.get("x", lambda: 1) == 1


@pytest.mark.parametrize(
    ("test", "model", "code"),
    [
        ("C t\n{\n", None, "E030"),
        (Path("absent.litmus"), None, "E001"),
        ("absent.litmus", None, "E001"),
        (SMALL, "c12", "E400"),
        (SMALL, "absent.cat", "E401"),
    ],
)
def test_wrong_input_is_an_input_error(test: str | Path, model: str | None, code: str) -> None:
    with pytest.raises(InputError) as caught:
        Session().check(test, model)
    assert code in {diagnostic.code for diagnostic in caught.value.diagnostics}


def test_a_rule_that_the_model_lacks_is_an_input_error() -> None:
    with pytest.raises(InputError, match=r"no rule 'COH-RX' in c11; did you mean 'COH-RR'\?"):
        Session().check(SMALL, "c11", without=["COH-RX"])


def test_a_test_that_a_compiler_must_reject_is_an_error_alone_and_a_result_among_others() -> None:
    with pytest.raises(InvalidTestError):
        Session().check(REFUSED)
    (refused,) = Session().check_all(REFUSED)
    (unreadable,) = Session().check_all("C t\n{\n")

    assert isinstance(refused, Invalid)
    assert (refused.test, refused.model, refused.as_expected) == ("t", "opencl-3.0", True)
    assert isinstance(unreadable, Unreadable)


def test_a_model_of_a_built_in_ones_name_goes_by_its_path(tmp_path: Path) -> None:
    path = tmp_path / "c11.cat"
    path.write_text('"Little is forbidden"\nacyclic po as order\n', encoding="utf-8")
    text = SMALL.replace("{ }", "Expect.c11=Never\nExpect.c11.cat=Always\n{ }")

    built_in, mine = Session().check_all(text, ["c11", path])

    assert (built_in.model, built_in.as_expected) == ("c11", False)
    assert (mine.model, mine.as_expected) == (str(path), True)


def test_states_and_races_keep_an_execution_when_asked() -> None:
    path = ROOT / "litmus/opencl/patterns/MP.rlx.litmus"
    result = Session().check(path, executions=True)

    assert all(state.execution for state in result.states)
    (race,) = result.races
    write, read = (event.number for event in race.execution.events if event.span in {site.span for site in race.sites})
    assert (write, read) not in race.execution.relation("rf")
    assert (write, read) in race.execution.relation("loc")


def test_values_of_results_do_not_change() -> None:
    (state,) = Session().check(SMALL).states
    with pytest.raises(TypeError):
        state.values["x"] = 2
    with pytest.raises(AttributeError):
        state.satisfies = False


@pytest.mark.slow
@pytest.mark.parametrize("engine", ["explicit", "smt"])
@pytest.mark.usefixtures("quick_switches")
def test_threads_may_share_a_session(engine: str) -> None:
    folder = ROOT / "litmus/c11"
    tests = sorted(folder.rglob("*.litmus"))[:12]
    models = ("c11", "rc11", "sc")
    expected = [_answers(Session(), test, models, engine) for test in tests]
    shared = Session(size=3)

    with ThreadPoolExecutor(8) as pool:
        found = list(pool.map(lambda test: _answers(shared, test, models, engine), tests * 3))

    assert found == expected * 3


def _answers(session: Session, test: Path, models: tuple[str, ...], engine: str) -> list[object]:
    results = session.check_all(test, models, engine=engine)
    return [(result.verdict, result.states, result.undefined) for result in results]


@pytest.mark.slow
@pytest.mark.usefixtures("quick_switches")
def test_threads_may_load_models_at_once(tmp_path: Path) -> None:
    for number in range(24):
        (tmp_path / f"m{number}.cat").write_text('"Mine"\ninclude "c11.cat"\n', encoding="utf-8")
    shared = Session()

    with ThreadPoolExecutor(8) as pool:
        loaded = list(pool.map(lambda number: shared.load_model(tmp_path / f"m{number}.cat").model, range(24)))

    # Terms are interned: equal ones are the same object, whichever thread made them.
    (first, *others) = ([check.term for check in model.checks] for model in loaded)
    assert all(one is other for terms in others for one, other in zip(first, terms, strict=True))


def test_a_program_of_one_unit_is_not_run(monkeypatch: pytest.MonkeyPatch) -> None:
    def run(*_: object) -> None:
        pytest.fail("one unit races with nobody")

    monkeypatch.setattr("mcm.confirm.undefined_behaviour", run)
    writes = " ".join(f"*x = {i};" for i in range(1, 121))
    result = check(parse(f"C writes\n{{ x = 0; }}\nP0 (int* x) {{ {writes} }}\nexists (x=120)\n"))
    assert result.verdict is Verdict.ALLOWED


def test_runs_decide_where_the_search_and_the_solver_do_not(monkeypatch: pytest.MonkeyPatch) -> None:
    undecided = Answer("smt", states=(), flags=(), faults=(), bounded=(), reachable=None, undecided="timeout")
    monkeypatch.setattr("mcm.engine.choose.NODE_BUDGET", 1)
    monkeypatch.setattr("mcm.engine.smt.decide.decide", lambda _: undecided)
    # However few events there are, nobody searches on.
    monkeypatch.setattr("mcm.engine.choose._FEW_TO_SEARCH", 0)
    threads = "".join(f"P{number} (int* x) {{ *x = {number}; }}\n" for number in range(3))
    result = check(parse(f"C racy\n{{ }}\n{threads}exists (x=2)\n"))
    assert (result.verdict, result.reason) == (Verdict.UNDEFINED, FIRST_PROBLEM)
    ordered = threads.replace("int*", "atomic_int*").replace("*x =", "atomic_exchange(x,").replace(";", ");")
    assert check(parse(f"C ordered\n{{ }}\n{ordered}exists (x=2)\n")).verdict is Verdict.UNDECIDED
