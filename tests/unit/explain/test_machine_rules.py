from __future__ import annotations

from typing import TYPE_CHECKING, Final

import pytest
from msgspec.structs import replace

from mcm import Judged, Result, Session, load_model, models
from mcm.catalogue.library import Library
from mcm.explain.machine_rules import MachineRules, asks_no_more

if TYPE_CHECKING:
    from pathlib import Path

    from mcm import ChosenModel

TEST: Final = r"""OPENCL t
{ }
P0 (global atomic_int* x) { atomic_store(x, 1); }
exists (x=1)
"""
NONE: Final = (("x", 1),)


def rules(verdict_of: dict[str, str]) -> tuple[MachineRules, list[str]]:
    """The rules for a program of whose states the reference models know those that are named, and who was asked."""
    session, asked = Session(), []

    def judge(model: ChosenModel) -> Result:
        asked.append(model.name)
        (result,) = session.check_all(TEST, (model.name,))
        assert isinstance(result, Judged)
        if verdict_of[model.name] == "forbidden":
            return replace(result, states=())
        return replace(result, reason="timeout") if verdict_of[model.name] == "open" else result

    return MachineRules(session.parse(TEST).program, judge), asked


def of_accesses(name: str) -> ChosenModel:
    """A built-in model as programs that only access global memory are judged by it."""
    return Library().choose(name, extent="accesses")


@pytest.fixture
def own(tmp_path: Path) -> ChosenModel:
    path = tmp_path / "own.cat"
    path.write_text("empty rf as own\n")
    return load_model(path)


def test_a_built_in_model_is_no_stronger_than_one_store() -> None:
    assert all(asks_no_more(load_model(name), load_model("sc")) for name in models())


@pytest.mark.parametrize(
    ("model", "other", "expected"),
    [
        ("opencl-2.0", "opencl-3.0", True),
        ("opencl-3.1", "opencl-3.0", False),
        ("c11", "opencl-3.0", False),
        ("sc", "opencl-3.0", False),
        ("opencl-3.0", "c11", False),
    ],
)
def test_terms_tell_whether_a_model_asks_no_more(model: str, other: str, *, expected: bool) -> None:
    assert asks_no_more(load_model(model), load_model(other)) is expected


def test_a_model_with_fewer_checks_asks_no_more(tmp_path: Path) -> None:
    (tmp_path / "less.cat").write_text("let fr = rf^-1 ; mo\nempty 0 as nothing\n")
    assert not asks_no_more(load_model(tmp_path / "less.cat"), load_model("c11"))
    c11 = load_model("c11")
    fewer = replace(c11, model=replace(c11.model, checks=c11.model.checks[1:]))
    assert asks_no_more(fewer, c11)
    assert not asks_no_more(c11, fewer)


def test_what_the_followed_model_excludes_too_has_no_excuse(own: ChosenModel) -> None:
    known, asked = rules({"sc": "forbidden", "opencl-3.0": "allowed"})
    assert known.excuse_state(own, "interleaving", NONE) is None
    excuse = known.excuse_state(own, "views", NONE)
    assert excuse == "own forbids what opencl-3.0 allows, whose rules the memory views follows"
    known.excuse_state(own, "views", NONE)
    assert asked == ["sc", "opencl-3.0"]


def test_nothing_is_concluded_where_the_followed_model_has_no_complete_answer(own: ChosenModel) -> None:
    known, _ = rules({"opencl-3.0": "open"})
    excuse = known.excuse_state(own, "views", NONE)
    assert excuse == "opencl-3.0, whose rules the machine follows, has no complete answer"


def test_the_model_that_is_followed_is_not_asked_twice() -> None:
    known, asked = rules({})
    assert known.excuse_state(of_accesses("opencl-3.0"), "views", NONE) is None
    assert known.excuse_state(of_accesses("opencl-2.0"), "views", NONE) is None
    assert known.excuse_state(of_accesses("c11"), "interleaving", NONE) is None
    assert asked == []
