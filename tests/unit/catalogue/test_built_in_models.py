"""The built-in models: all load, all cite, and neighbours differ only where they say so."""

from __future__ import annotations

from pathlib import Path

import pytest

import mcm.catalogue
from mcm.base.dialect import BY_WORD
from mcm.cat.model import Check, Flag, Model, Shape
from mcm.catalogue.registry import get, names
from mcm.catalogue.rules import rules, without
from mcm.execution.vocabulary import RELATIONS, SETS
from mcm.relation.occurrence import free_variables
from mcm.relation.show import show
from mcm.relation.term import Base, BaseSet, Term, children

FOLDER = Path(mcm.catalogue.__file__).parent
MODELS = [get(name) for name in names()]

# The rows of the rule table that a model can state, and the axioms that replace some of them in other models.
ROWS = {
    "ASYNC-1",
    *("SB-1", "SB-2", "MO-1", "MO-2", "RS-1", "RS-2", "RS-3", "RS-4", "RS-5"),
    *(f"SCOPE-{n}" for n in (1, 2, 3, 4, 5, 6, 7, 8, 10, 11)),
    *(f"SW-{region}-{n}" for region in "GL" for n in range(1, 5)),
    *("SW-5", "SW-6", "SW-7", "SW-8", "SW-SC", "SW-DUAL"),
    *("HB-G", "HB-L", "HB-SEP", "HB-ACYC", "VIS-1", "VIS-2", "VIS-3", "INIT-1", "INIT-2"),
    *("COH-WW", "COH-RR", "COH-RW", "COH-WR", "RMW-1"),
    *(f"DR-{n}" for n in range(1, 8)),
    *(f"SC-{n}" for n in range(8)),
    *("SC-F1", "SC-F2", "SC-F3", "SC-F4"),
    *(f"BAR-{n}" for n in (1, 2, 3, 4, 5, 6, 7, 8, 10)),
    *("SGB-1", "CC-1", "CC-2", "CC-6", "IMG-1", "IMG-2", "PIPE-1", "PIPE-2"),
    *(f"HOST-{n}" for n in range(1, 19) if n != 17),
    *("HOST-4q", "MAP-2", "MAP-3", "MAP-4"),
}
SYCL_ROWS = {
    *("SYCL-SC-1", "SYCL-SC-2", "SYCL-UB-1", "SYCL-UB-2", "SYCL-HOST-1", "SYCL-COLL-1", "DPC-4", "DPC-5", "DPC-6"),
    *(f"SYCL-BAR-{n}" for n in range(1, 4)),
    *(f"SYCL-CMD-{n}" for n in range(1, 6)),
}
AXIOMS = {"SC-SCOPED", "SC-SIMP", "SC-PSC", "SC-TOTAL", "SC-COLL", "OOTA-1"}


def demands_of(model: Model) -> tuple[Check | Flag, ...]:
    return (*model.checks, *model.flags)


def directly(model: Model) -> dict[str, str]:
    """What each definition says, other definitions by name."""
    return {d.name: show(d.term) for d in model.definitions}


def difference(one: str, other: str) -> set[str]:
    a, b = directly(get(one)), directly(get(other))
    return {name for name in a.keys() | b.keys() if a.get(name) != b.get(name)}


def meaning(model: Model) -> tuple[object, ...]:
    """All that decides what a model says."""
    demands = tuple((t.name, t.shape, t.negated, t.term) for t in demands_of(model))
    return (demands, model.linearisations)


def test_models_are_listed_and_titled() -> None:
    assert len(set(names())) == len(names())
    assert [model.name for model in MODELS] == list(names())
    assert len({model.title for model in MODELS}) == len(MODELS)


def test_every_cat_file_is_a_model_or_part_of_one() -> None:
    used = {f"{name}.cat" for name in names()} | {"stdlib.cat"}
    for model in MODELS:
        used |= {part.span.source.name for part in (*model.definitions, *demands_of(model))}
        used |= {line.split('"')[1] for name in used for line in _includes(name)}
    assert used == {path.name for path in FOLDER.glob("*.cat")}


def _includes(name: str) -> list[str]:
    lines = (FOLDER / name).read_text(encoding="utf-8").splitlines()
    return [line for line in lines if line.startswith("include")]


@pytest.mark.parametrize("model", MODELS, ids=lambda model: model.name)
def test_every_check_and_flag_states_its_rule(model: Model) -> None:
    for test in demands_of(model):
        assert test.rule is not None, test.name
    for entry in rules(model):
        assert set(entry.rule.identifiers) <= ROWS | SYCL_ROWS | AXIOMS, entry.name
        assert entry.rule.section
        assert entry.rule.statement.endswith(".")
        assert entry.rule.statement[0].isupper() or entry.rule.statement.startswith("all_svm_devices")
        assert entry.name in entry.text


@pytest.mark.parametrize("model", MODELS, ids=lambda model: model.name)
def test_one_rule_is_one_check(model: Model) -> None:
    leading = [test.rule.identifier for test in demands_of(model) if test.rule is not None]
    assert len(set(leading)) == len(leading)
    assert len({test.name for test in demands_of(model)}) == len(demands_of(model))


def test_opencl_states_every_row_that_a_model_can_state() -> None:
    stated = {identifier for entry in rules(get("opencl-3.0")) for identifier in entry.rule.identifiers}
    assert stated == ROWS


def test_sycl_states_every_row_of_its_own_that_a_model_can_state() -> None:
    stated = {identifier for entry in rules(get("sycl-2020")) for identifier in entry.rule.identifiers}
    assert stated - ROWS == SYCL_ROWS


def test_what_sycl_next_leaves_out_is_that_scopes_are_the_same() -> None:
    assert meaning(without(get("sycl-2020"), {"SYCL-SC-2"})) == meaning(get("sycl-next"))


@pytest.mark.parametrize("model", MODELS, ids=lambda model: model.name)
def test_terms_are_closed_and_speak_of_the_vocabulary(model: Model) -> None:
    orders = {order.name for order in model.linearisations}
    waiting: list[Term] = [test.term for test in demands_of(model)]
    seen = set(waiting)
    while waiting:
        term = waiting.pop()
        assert not free_variables(term)
        match term:
            case BaseSet(name):
                assert name in SETS
            case Base(name):
                assert name in RELATIONS or name in orders
            case _:
                new = [part for part in children(term) if part not in seen]
                waiting += new
                seen |= set(new)


def test_versions_2_0_and_3_0_say_the_same() -> None:
    assert meaning(get("opencl-2.0")) == meaning(get("opencl-3.0"))


def test_version_3_1_is_3_0_without_equal_scopes() -> None:
    assert meaning(get("opencl-3.1")) == meaning(without(get("opencl-3.0"), ["SCOPE-6"]))
    assert meaning(get("opencl-3.1")) != meaning(get("opencl-3.0"))


@pytest.mark.parametrize(
    ("one", "other", "where"),
    [
        (
            "opencl-2.0",
            "opencl-2.0-cond",
            {"ordered-by-S", "fine-svm-with-atomics", "of-device-scope", "not-c1", "not-c2"},
        ),
        ("opencl-3.0", "opencl-3.0+sc-both", {"global-actions", "local-actions"}),
        ("c11", "c11-simp", {"ordered-by-S", "fence-before", "fence-after"}),
    ],
)
def test_neighbours_differ_only_in(one: str, other: str, where: set[str]) -> None:
    assert {name for name in difference(one, other) if not name.startswith("S-")} == where


def test_the_scoped_models_differ_from_opencl_in_scopes_and_s_only() -> None:
    functions = (
        "incl-",
        "in-kernel-instance(",
        "in-sub-group(",
        "in-work-group(",
        "on-",
        "scopes-agree(",
        "fence-fence(",
    )
    found = difference("opencl-2.0-cond", "opencl-popl")
    assert {name for name in found if not name.startswith(functions)} == {
        *("buffers", "svm", "svm-atomics", "elsewhere", "inclusive"),
        *("WG-on-local", "ALL-on-local", "ALL-on-plain"),
        *(
            "same-end",
            "in-earlier-kernel",
            "unmapped-before",
            "while-unmapped",
            "used-by-commands",
            "buffer-conflict",
            "changing",
        ),
    }


def test_default_models() -> None:
    assert {word: dialect.default_model for word, dialect in BY_WORD.items()} == {
        "OPENCL": "opencl-3.0",
        "OpenCL": "opencl-3.0",
        "C": "c11",
        "SYCL": "sycl-2020",
    }
    assert {dialect.default_model for dialect in BY_WORD.values()} <= set(names())


def test_sequential_consistency_has_no_flags() -> None:
    model = get("sc")
    assert model.flags == ()
    assert [check.shape for check in model.checks] == [Shape.ACYCLIC, Shape.IRREFLEXIVE]
