"""What is said of models that make no sense: codes, places, words."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from mcm.base.codes import CODES
from mcm.base.diagnostic import render

if TYPE_CHECKING:
    from collections.abc import Callable

    from mcm.base.diagnostic import Diagnostic

    Complaints = Callable[..., tuple[Diagnostic, ...]]

# Each function applies the one before it twice, so that the last is applied a million times over.
DOUBLING = "".join(f"let f{i + 1}(r) = f{i}(f{i}(r))\n" for i in range(20))

CASES = [
    ("let x = po @ rf", "E300", "1:12", "cat has no use for the character '@'"),
    ('include "part', "E300", "1:9", "this string is never closed"),
    ("let x = | po", "E301", "1:9", "found '|' where a set or relation was expected"),
    ("let x = (po", "E301", "1:11", "the statement ends here, but ')' or ',' was expected"),
    ("acyclic po & | rf", "E301", "1:14", "found '|'"),
    ("acyclic po rf", "E306", "1:9", "'po' is no function"),
    ("(* open\nlet x = po", "E302", "1:1", "this comment is never closed"),
    ("let x = match R with {} -> 0 || e ++ S -> e end", "E303", "1:9", "'match' on a set is not supported"),
    ("let x = match po with", "E301", "1:21", "the statement ends here, but"),
    ("forall x in R do empty po end", "E303", "1:1", "does not support: only an execution knows the members of a set"),
    ("enum T = 'a", "E303", "1:1", "'enum' is cat, but a part of cat that mcm does not support: programs of OpenCL,"),
    ("let x = po ++ rf", "E303", "1:9", "'++' adds a member to a set"),
    ("let x = {R}", "E303", "1:9", "sets of listed events are not supported"),
    ('"m" withoutinit acyclic po', "E303", "1:5", "executions without initial writes"),
    ("with S from cross({R})", "E303", "1:19", "sets of listed events are not supported"),
    ("let x = tag2events(R)", "E303", "1:9", "'tag2events' is applied to what only an execution knows"),
    ("with S from po", "E303", "1:13", "'with … from' knows 'linearisations' and the orders of 'cross.cat' only"),
    ("let rec f(x) = x and r = po", "E303", "1:22", "relations and functions that are defined by recursion"),
    ("let rec f(x) = f(x) let y = f(po)", "E313", "1:29", "functions are applied more than 50 times"),
    ("call p(po)", "E304", "1:6", "unknown procedure 'p'"),
    ("procedure p(x) = empty x end call p(po, rf)", "E306", "1:30", "'p' takes 1 argument, but 2 given"),
    ("let (a, b) = po", "E306", "1:14", "2 names need a tuple of 2, but this is a relation"),
    ("let x = R^2^2", "E305", "1:9", "postfix ^2 needs a set of events, but this is a relation"),
    ("let x = (po, rf) | po", "E305", "1:9", "'|' needs two sets or two relations"),
    ("let x = 'tag", "E303", "1:9", "is cat"),
    ("let rec x = [domain(x)] ; po", "E303", "1:13", "recursion through a set"),
    ("let x = looc", "E304", "1:9", "unknown name 'looc'; did you mean 'loc'?"),
    ("acyclic domian(rf)", "E304", "1:9", "unknown name 'domian'; did you mean 'domain'?"),
    ("let f(a) = a | bogus", "E304", "1:16", "unknown name 'bogus'"),
    ("let x = R ; po", "E305", "1:9", "';' needs a relation, but this is a set of events"),
    ("let x = [po]", "E305", "1:10", "[…] needs a set of events, but this is a relation"),
    ("let x = po | R", "E305", "1:9", "'|' needs two sets or two relations"),
    ("acyclic R", "E305", "1:9", "'acyclic' needs a relation"),
    ("let x = po * rf", "E305", "1:9", "'*' needs a set of events"),
    ("let x = R^-1", "E305", "1:9", "postfix ^-1 needs a relation"),
    ("let x = domain(R)", "E305", "1:16", "'domain' needs a relation"),
    ("let x = toid(R, W)", "E306", "1:9", "'toid' takes 1 argument, but 2 given"),
    ("let x = po(R)", "E306", "1:9", "'po' is no function"),
    ("let x = toid | po", "E306", "1:9", "'toid' is a function of 1 argument; give it some: toid(S)"),
    ("with S from linearisations(R)", "E306", "1:13", "takes a set of events and the relation to be contained"),
    ("let rec x = po \\ x", "E307", "1:13", "there may be no least solution"),
    ("let rec x = po & ~(rf ; x)", "E307", "1:13", "there may be no least solution"),
    ("let x = po \N{UNION} rf", "E300", "1:12", "no use for the character '\N{UNION}'; did you mean '|'?"),
    ("let x = po || rf", "E301", "1:12", "found '||' where"),
    ("let x = po || rf", "E301", "1:12", "; did you mean '|'?"),
    ("let x = po + rf", "E301", "1:14", "'+' behind a relation is its closure, the union of two is '|'"),
    ("let x = po\nacyclc x as y", "E301", "2:10", "was expected; did you mean 'acyclic'?"),
    ("let x = x | po", "E304", "1:9", "unknown name 'x'; a definition that uses itself begins with 'let rec'"),
    ("let x = po let y = x | z", "E304", "1:24", "unknown name 'z'"),
    ('include "absent.cat"', "E308", "1:9", "there is no file 'absent.cat' to include"),
    ("with po from linearisations(R, po)", "E311", "1:6", "'po' is taken"),
    ("let f0(r) = po\n" + DOUBLING + "acyclic f20(po)", "E313", "22:9", "functions are applied more than"),
    ("(* nothing *)", "E315", "1:1", "the file holds no definition and no check"),
    ("let x = " + "(" * 400 + "po" + "+)" * 400, "E312", "1:409", "nests deeper than"),
]


@pytest.mark.parametrize(("text", "code", "position", "message"), CASES)
def test_complaint(text: str, code: str, position: str, message: str, complaints: Complaints) -> None:
    (complaint,) = complaints(text)
    assert (complaint.code, f"{complaint.span.line}:{complaint.span.column}") == (code, position)
    assert message in complaint.message
    assert code in CODES


def test_every_code_of_models_is_shown_here_or_below() -> None:
    shown = {code for _, code, _, _ in CASES} | {"E309", "E310", "E314"}
    assert shown == {code for code in CODES if code.startswith("E3")}


def test_files_that_include_each_other_twice_are_too_many(complaints: Complaints) -> None:
    files = {f"f{i}": f'include "f{i + 1}.cat"\ninclude "f{i + 1}.cat"' for i in range(30)} | {"f30": "acyclic po"}
    (complaint,) = complaints('include "f0.cat"', **files)
    assert (complaint.code, complaint.span.text) == ("E314", '"f30.cat"')


@pytest.mark.parametrize("more", ["let b = rf", "and b = rf", "acyclic po"])
def test_a_tag_without_takes_one_expression(more: str, complaints: Complaints) -> None:
    (complaint,) = complaints(f"(* @rule X\n @section s\n @statement t\n @without po\n {more} *)\nlet a = po")
    assert (complaint.code, complaint.span.line) == ("E301", 5)


def test_places_are_right_in_every_statement_of_a_long_file(complaints: Complaints) -> None:
    lines = [f"let a{i} = po" for i in range(300)] + ["let = po", "let b = rf @ po", "let c = po |"]
    found = complaints("\n".join(lines))
    assert [(c.code, c.span.line, c.span.column) for c in found] == [
        ("E301", 301, 5),
        ("E300", 302, 12),
        ("E301", 303, 12),
    ]


def test_all_syntax_errors_are_reported(complaints: Complaints) -> None:
    found = complaints("let a = po |\nlet b = rf\nacyclic (a\nflag ~empty as x\nlet c = ; po")
    assert [(c.code, c.span.line) for c in found] == [("E301", 1), ("E301", 3), ("E301", 4), ("E301", 5)]


def test_all_errors_of_meaning_are_reported_but_none_that_follows_from_another(complaints: Complaints) -> None:
    found = complaints("let a = bogus | wrong\nlet b = a ; po\nacyclic b ; R\nempty a\nacyclic nothing")
    assert [(c.code, c.span.text) for c in found] == [
        ("E304", "bogus"),
        ("E304", "wrong"),
        ("E304", "nothing"),
    ]


def test_error_inside_a_function_names_the_application(complaints: Complaints) -> None:
    (complaint,) = complaints("let f(s) = [s] ; po\nacyclic f(rf)")
    assert complaint.code == "E305"
    assert complaint.span.line == 1
    assert [(note.message, note.span and note.span.text) for note in complaint.notes] == [
        ("in this application", "f(rf)")
    ]


def test_file_that_includes_itself(complaints: Complaints) -> None:
    (complaint,) = complaints('include "a.cat"', a='include "b.cat"', b='include "a.cat"')
    assert complaint.code == "E309"
    assert "a.cat → b.cat → a.cat" in complaint.message


def test_errors_of_included_files_are_shown_there(complaints: Complaints) -> None:
    (complaint,) = complaints('include "a.cat"', a="let x =\n  bogus")
    assert render(complaint) == "a.cat:2:3: error[E304]: unknown name 'bogus'\n    bogus\n    ^^^^^"


@pytest.mark.parametrize(
    ("comment", "message"),
    [
        ("@rule @section s @statement t.", "'@rule' is followed by no rule ID"),
        ("@rule lower-1 @section s @statement t.", "'lower-1' is no rule ID"),
        ("@rule A-1 @statement t.", "lacks '@section'"),
        ("@rule A-1", "lacks '@section' and '@statement'"),
    ],
)
def test_malformed_rule_comments(comment: str, message: str, complaints: Complaints) -> None:
    (complaint,) = complaints(f"(* {comment} *)\nacyclic po")
    assert complaint.code == "E310"
    assert message in complaint.message


def test_error_in_what_a_definition_becomes(complaints: Complaints) -> None:
    (complaint,) = complaints("(* @rule A-1 @without bogus @section s @statement t. *)\nlet a = po")
    assert (complaint.code, complaint.span.text) == ("E304", "bogus")
