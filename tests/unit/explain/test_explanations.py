"""Explanations as the library gives them."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from jsonschema import Draft202012Validator

from mcm import InputError, Session, Source, check, render_explanations, render_explanations_json, without_executions
from mcm.answer.explanation import Kind
from mcm.report.explanation_records import SCHEMA_FILE, ExplanationDocument
from mcm.report.json_records import schema_text

LITMUS = Path(__file__).parents[3] / "litmus"
COHERENCE = Source(
    "t.litmus",
    "C coherence\n{ }\nP0 (atomic_int* x) { atomic_store_explicit(x, 1, memory_order_relaxed); }\n"
    "P1 (atomic_int* x) {\n  int r0 = atomic_load_explicit(x, memory_order_relaxed);\n"
    "  int r1 = atomic_load_explicit(x, memory_order_relaxed);\n}\nexists (1:r0=1 /\\ 1:r1=0)\n",
)
RACE = Source("t.litmus", "C race\n{ }\nP0 (int* x) { *x = 1; }\nP1 (int* x) { int r0 = *x; }\nexists (1:r0=1)\n")


def test_a_result_explains_itself() -> None:
    explanation = check(COHERENCE).explain()

    assert explanation.kind is Kind.FORBIDDEN
    assert [one.rules for one in explanation.rule_sets] == [("MO-1", "SB-1", "COH-RR")]
    assert explanation.rule_sets[0].alone == explanation.rule_sets[0].rules
    (story,) = explanation.stories
    assert story.broken is not None
    assert story.broken.check == "read-read-coherence"
    assert [edge.name for edge in story.broken.edges] == ["fr", "rf", "hb"]
    assert [reading.observed for reading in story.readings] == ["1:r0=1", "1:r1=0"]
    assert story.sentences[-1].breaks
    assert story.sentences[-1].path == "line 6 →fr line 3 →rf line 5 →hb line 6"


def test_another_outcome_can_be_asked_for() -> None:
    explanation = Session().explain(COHERENCE, state="1:r0=0 /\\ 1:r1=1")

    assert explanation.kind is Kind.ALLOWED
    assert explanation.stories[0].sentences[0].text == "an interleaving shows it: P1 line 5, P0 line 3, P1 line 6"
    assert explanation.schedule is not None


def test_a_problem_comes_first() -> None:
    session = Session()

    assert session.explain(RACE).kind is Kind.PROBLEM
    assert session.explain(RACE, problem=1).kind is Kind.PROBLEM
    assert session.explain(RACE, state="1:r0=0").kind is Kind.ALLOWED
    with pytest.raises(IndexError):
        session.explain(RACE, problem=2)


def test_a_wrong_state_is_pointed_at() -> None:
    with pytest.raises(InputError) as raised:
        Session().explain(COHERENCE, state="1:r7=0")

    assert raised.value.diagnostics[0].code == "E136"


def test_a_result_from_elsewhere_says_that_it_cannot() -> None:
    with pytest.raises(ValueError, match="ask Session"):
        without_executions(check(COHERENCE)).explain()


def test_json_fits_its_schema() -> None:
    assert SCHEMA_FILE.read_text(encoding="utf-8") == schema_text(ExplanationDocument)
    found = (check(COHERENCE).explain(), check(RACE).explain(), Session().explain(RACE, state="1:r0=0"))

    document = json.loads(render_explanations_json(found))

    Draft202012Validator(json.loads(SCHEMA_FILE.read_text(encoding="utf-8"))).validate(document)
    assert [one["kind"] for one in document["explanations"]] == ["forbidden", "problem", "allowed"]


def test_hostile_names_are_escaped() -> None:
    text = RACE.text.replace("C race", "C \x1b[31mrace")

    assert "\x1b" not in render_explanations([check(Source("t.litmus", text)).explain()])


def test_rules_without_words_stand_with_what_they_are_part_of(tmp_path: Path) -> None:
    model = tmp_path / "own.cat"
    model.write_text(
        '"own"\n(* @rule A-1 @section s @statement t. *)\nlet order = po\nlet fr = rf^-1 ; mo\n'
        '(* @rule A-2 @section s @statement t. @phrase "{a} may not precede {b}" *)\n'
        "irreflexive fr ; rf ; order as mine\n"
    )

    explanation = check(COHERENCE, model).explain()

    assert explanation.rule_sets[0].rules == ("A-1", "A-2")
    (sentence,) = explanation.stories[0].sentences
    assert sentence.text == "P1 line 6 may not precede P0 line 3"
    assert sentence.rules == ("A-2", "A-1")


BUFFERING = Source(
    "t.litmus",
    "C buffering\n{ }\nP0 (atomic_int* x, atomic_int* y) {\n  int r0 = atomic_load_explicit(x, memory_order_relaxed);\n"
    "  atomic_store_explicit(y, 1, memory_order_relaxed);\n}\nP1 (atomic_int* x, atomic_int* y) {\n"
    "  int r1 = atomic_load_explicit(y, memory_order_relaxed);\n"
    "  atomic_store_explicit(x, 1, memory_order_relaxed);\n}\n"
    "exists (0:r0=1 /\\ 1:r1=1)\n",
)


@pytest.mark.parametrize(
    ("text", "rules"),
    [
        ('include "c11.cat"\nacyclic po | rf as no-load-buffering', ("no-load-buffering",)),
        ("acyclic po | rf", ("acyclic",)),
        ("let cycle = (po | rf)+\nirreflexive cycle as own", ("own",)),
        ("with S from linearisations(M, po | rf)", ("S",)),
        ("with S from linearisations(M, po)\nirreflexive S ; rf as own", ("own", "S")),
    ],
)
def test_a_check_without_a_rule_counts_under_its_own_name(text: str, rules: tuple[str, ...], tmp_path: Path) -> None:
    model = tmp_path / "own.cat"
    model.write_text(f"{text}\n")

    explanation = check(BUFFERING, model).explain()

    assert explanation.kind is Kind.FORBIDDEN
    assert [(one.rules, one.alone) for one in explanation.rule_sets] == [(rules, rules)]
    assert explanation.stories[0].sentences[-1].breaks
    assert set(rules) <= {rule for sentence in explanation.stories[0].sentences for rule in sentence.rules}
    assert "no such execution" not in render_explanations([explanation])


def test_what_values_alone_exclude_is_no_matter_of_rules(tmp_path: Path) -> None:
    model = tmp_path / "own.cat"
    model.write_text("acyclic po | rf\n")

    explanation = Session().explain(BUFFERING, model, state="0:r0=7")

    assert explanation.rule_sets == ()
    assert json.loads(render_explanations_json([explanation]))["explanations"][0]["rule_sets"] == []
    assert explanation.stories == ()
    assert "The program has no such execution" in explanation.sentences[0].text


@pytest.mark.parametrize(
    ("path", "steps"),
    [
        (
            "sycl/host/host-accessor",
            "P0 line 12, P0 line 18 (api-call), K0[0] line 15, P0 line 18 (return), P0 line 19",
        ),
        ("sycl/host/in-order-queue", "P0 line 12, P0 line 17, K0[0] line 14, K1[0] line 18:10, K1[0] line 18:5, "),
    ],
)
def test_an_interleaving_goes_on_where_it_has_waited(path: str, steps: str) -> None:
    (story, *_) = Session().explain(shipped(path)).stories
    assert story.sentences[0].text.startswith(f"an interleaving shows it: {steps}")


def test_in_an_interleaving_all_enter_a_barrier_before_one_leaves_it() -> None:
    explanation = Session().explain(shipped("opencl/spec/BAR-2"), state="1:r0=1")

    text = explanation.stories[0].sentences[0].text
    assert text == (
        "an interleaving shows it: "
        "P0 line 15, P0 line 16 (entry), P1 line 19 (entry), P0 line 16 (exit), P1 line 19 (exit), P1 line 20"
    )


def shipped(name: str) -> Source:
    path = LITMUS / f"{name}.litmus"
    return Source(path.name, path.read_text(encoding="utf-8"))
