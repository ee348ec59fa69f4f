from __future__ import annotations

import json
from importlib.resources import files
from typing import TYPE_CHECKING, Any

import jsonschema
import msgspec
import pytest
from msgspec.structs import replace

from mcm.answer.result import Invalid, Unreadable
from mcm.report.json_format import json_pieces, render_json
from mcm.report.json_records import SCHEMA_FILE, Document, encode, schema_text
from mcm.version import __version__

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from mcm.answer.result import Judged, Problem, Result, Undecided
    from mcm.base.diagnostic import Diagnostic
    from mcm.program.header import Expectation


@pytest.fixture(scope="module")
def schema() -> Any:
    return json.loads(files("mcm.report").joinpath("schema.json").read_text(encoding="utf-8"))


@pytest.mark.parametrize("name", ["schema.json", "lines-schema.json", "run-schema.json", "explanation-schema.json"])
def test_a_schema_is_a_schema(name: str) -> None:
    text = files("mcm.report").joinpath(name).read_text(encoding="utf-8")
    jsonschema.Draft202012Validator.check_schema(json.loads(text))


def test_a_full_result_is_valid_and_complete(
    make: Callable[..., Judged],
    race: Problem,
    warning: Diagnostic,
    expect: Callable[..., Expectation],
    schema: Any,
) -> None:
    result = make(
        undefined=(race,),
        impl_defined=(race,),
        flags=(replace(race, kind="my_flag"),),
        diagnostics=(warning,),
        expected=expect(observation="Sometimes", race=True),
        as_expected=True,
        bounded=(race.sites[0].span,),
    )

    document = json.loads(render_json([result]))

    jsonschema.Draft202012Validator(schema).validate(document)
    assert document["tool"] == "mcm"
    assert document["version"] == __version__
    (shown,) = document["results"]
    assert shown["states"][0] == {
        "values": {"0:r0": 0, "1:r0": 0, "x": 1},
        "satisfies": True,
        "thin_air": False,
        "executions": None,
        "example_of": None,
    }
    assert shown["undefined"] == [
        {
            "kind": "data-race",
            "location": None,
            "events": [
                {
                    "thread": "P0",
                    "line": 4,
                    "col": 3,
                    "text": "*x = 1",
                    "iteration": None,
                    "iterations": [],
                    "access": "write",
                },
                {
                    "thread": "P1",
                    "line": 7,
                    "col": 12,
                    "text": "*x",
                    "iteration": None,
                    "iterations": [],
                    "access": "read",
                },
            ],
            "why": "neither access is atomic; no happens-before orders them",
            "rules": ["DR-1"],
        }
    ]
    assert shown["diagnostics"][0]["notes"] == [
        {"message": "first declared here", "file": "MP.litmus", "line": 3, "col": 10},
        {"message": "write global", "file": None, "line": None, "col": None},
    ]
    assert shown["expected"]["race"] is True
    assert shown["complete"] is False
    assert shown["bounded"] == [{"line": 4, "col": 3}]


@pytest.mark.parametrize(
    "changes",
    [
        {"condition": None, "reachable": None, "holds": None, "observation": None},
        {"states": (), "bare": None},
    ],
    ids=["no condition", "no states"],
)
def test_every_answer_is_valid(make: Callable[..., Judged], schema: Any, changes: dict[str, Any]) -> None:
    jsonschema.Draft202012Validator(schema).validate(json.loads(render_json([make(**changes)])))


def test_every_other_kind_of_result_is_valid(undecided: Undecided, warning: Diagnostic, schema: Any) -> None:
    subject = {"file": "SB.litmus", "model": "opencl-3.0", "bound": 2, "diagnostics": (warning,)}

    document = json.loads(render_json([undecided, Invalid(**subject, test="SB"), Unreadable(**subject)]))

    jsonschema.Draft202012Validator(schema).validate(document)
    assert [result["status"] for result in document["results"]] == ["undecided", "invalid", "error"]
    assert [result["verdict"] for result in document["results"]] == ["undecided", "invalid", "invalid"]
    assert document["results"][0]["reason"] == "timeout"
    assert document["results"][0]["complete"] is False


def test_numbers_that_json_lacks_are_text(make: Callable[..., Judged], schema: Any) -> None:
    state = replace(make().states[0], values={"0:r0": float("inf"), "0:r1": 0.5, "0:r2": "&x"})

    document = json.loads(render_json([make(states=(state,))]))

    jsonschema.Draft202012Validator(schema).validate(document)
    assert document["results"][0]["states"][0]["values"] == {"0:r0": "inf", "0:r1": 0.5, "0:r2": "&x"}


def test_the_file_of_the_schema_is_up_to_date() -> None:
    assert SCHEMA_FILE.read_text(encoding="utf-8") == schema_text(), "renew with `python -m mcm.report.json_records`"


def test_the_types_read_what_they_write(make: Callable[..., Judged]) -> None:
    text = render_json([make()])

    assert encode(msgspec.json.decode(text, type=Document)) == text


def test_the_schema_refuses_what_is_not_in_it(make: Callable[..., Judged], schema: Any) -> None:
    document = json.loads(render_json([make()]))
    document["results"][0]["surprise"] = 1

    with pytest.raises(jsonschema.ValidationError, match="surprise"):
        jsonschema.Draft202012Validator(schema).validate(document)


def test_a_document_comes_in_pieces_none_of_which_waits_for_the_next_result(make: Callable[..., Judged]) -> None:
    given = 0

    def results() -> Iterator[Result]:
        nonlocal given
        for name in ("a", "b", "c"):
            given += 1
            yield make(test=f'{name}\n"[]"')

    text = ""
    for number, piece in enumerate(json_pieces(results()), start=1):
        assert given == min(number, 3)
        text += piece
    document = json.loads(text)
    assert [one["test"][0] for one in document["results"]] == ["a", "b", "c"]
    assert text == msgspec.json.format(text, indent=2)
    assert json.loads(render_json([]))["results"] == []
