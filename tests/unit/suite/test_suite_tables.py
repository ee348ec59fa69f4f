"""Tables of expectations, and the tests that their rows are about."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from mcm import InputError, Source, match_rows, read_table

if TYPE_CHECKING:
    from pathlib import Path

    from mcm import Expectation


def claims(expectation: Expectation) -> dict[str, object]:
    names = ("observation", "race", "holds", "reachable", "invalid")
    return {name: value for name in names if (value := getattr(expectation, name)) is not None}


def rows(text: str) -> list[tuple[str, str, dict[str, object], str]]:
    """Subject, model, claims, and the characters that say so."""
    found = read_table(Source("table", text))
    return [(r.subject, r.expectation.model, claims(r.expectation), r.expectation.span.text) for r in found]


def test_our_own_columns() -> None:
    text = 'file,model,expect\n# a comment\na/b.litmus,c11,Never no-race\n"c, d.litmus",rc11,"Sometimes race"\ne,,\n'

    assert rows(text) == [
        ("a/b.litmus", "c11", {"observation": "Never", "race": False}, "Never no-race"),
        ("c, d.litmus", "rc11", {"observation": "Sometimes", "race": True}, '"Sometimes race"'),
    ]


def test_columns_of_0_and_1_may_name_a_model() -> None:
    assert rows("file,holds,race_free,holds_rc11\nx.litmus,1,0,\ny.litmus,,1,0\n") == [
        ("x.litmus", "default", {"holds": True}, "1"),
        ("x.litmus", "default", {"race": True}, "0"),
        ("y.litmus", "default", {"race": False}, "1"),
        ("y.litmus", "rc11", {"holds": False}, "0"),
    ]


def test_dartagnan() -> None:
    assert rows("litmus/C11/a.litmus,1\nlitmus/C11/b.litmus, 0\n") == [
        ("litmus/C11/a.litmus", "default", {"holds": True}, "1"),
        ("litmus/C11/b.litmus", "default", {"holds": False}, "0"),
    ]


def test_kinds() -> None:
    assert rows("SB Allowed\nMP Forbid\nCoRR Required\n") == [
        ("SB", "default", {"reachable": True}, "Allowed"),
        ("MP", "default", {"reachable": False}, "Forbid"),
        ("CoRR", "default", {"observation": "Always"}, "Required"),
    ]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "this table states nothing"),
        ("# nothing\n", "this table states nothing"),
        ("what is this\n", "found 'what is this'"),
        ("a.litmus,1\nb.litmus,2\n", "expected 'PATH,0' or 'PATH,1', found 'b.litmus,2'"),
        ("SB Allowed\nMP\n", "expected 'NAME Allowed', 'NAME Forbidden' or 'NAME Required', found 'MP'"),
        ("file,expct\n", "'expct' is no column"),
        ("file,expect\na.litmus\n", "expected 2 cells"),
        ("file,expect\na.litmus,Nevr\n", "unknown word 'Nevr'"),
        ("file,holds\na.litmus,yes\n", "expected 0 or 1 in column 'holds', found 'yes'"),
    ],
)
def test_what_is_in_no_form_is_refused(text: str, message: str) -> None:
    with pytest.raises(InputError, match="table") as refused:
        read_table(Source("table", text))

    assert message in refused.value.diagnostics[0].message


def test_all_wrong_lines_are_named() -> None:
    with pytest.raises(InputError) as refused:
        read_table(Source("table", "a.litmus,1\nb.litmus,2\nc.litmus,0\nd.litmus,x\n"))

    assert [diagnostic.span.line for diagnostic in refused.value.diagnostics] == [2, 4]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    for name in ("a/x.litmus", "b/x.litmus", "b/y.litmus"):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text("(* a comment *)\nC Name-of-Y\n{ }\n" if "y" in name else "C X\n{ }\n")
    return tmp_path


def matched(folder: Path, table: str, *names: str) -> tuple[set[str], list[str], int]:
    found = match_rows(read_table(Source(str(folder / "table.csv"), table)), [str(folder / name) for name in names])
    reasons = [judgement.reason for test in found.wrong for judgement in test.judgements]
    return {path.removeprefix(f"{folder}/") for path in found.expectations}, reasons, found.elsewhere


def test_rows_by_path(folder: Path) -> None:
    every = ("a/x.litmus", "b/x.litmus", "b/y.litmus")

    assert matched(folder, "a/x.litmus,1\n", *every) == ({"a/x.litmus"}, [], 0)  # beside the table
    assert matched(folder, "somewhere/b/y.litmus,1\n", *every)[1] == [
        "no selected test has the path 'somewhere/b/y.litmus'"
    ]
    assert matched(folder, "y.litmus,1\n", *every) == ({"b/y.litmus"}, [], 0)  # the end of a path
    assert matched(folder, "a/x.litmus,1\nb/y.litmus,0\n", "a/x.litmus") == ({"a/x.litmus"}, [], 1)
    ((reason,),) = (matched(folder, "x.litmus,1\n", *every)[1],)
    assert reason.startswith("several tests have the path 'x.litmus': ")


def test_rows_by_name(folder: Path) -> None:
    assert matched(folder, "Name-of-Y Allowed\n", "a/x.litmus", "b/y.litmus") == ({"b/y.litmus"}, [], 0)
    assert matched(folder, "Z Allowed\n", "b/y.litmus")[1] == ["no selected test has the name 'Z'"]
