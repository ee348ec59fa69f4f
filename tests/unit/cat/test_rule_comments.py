"""Rules in comments."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from mcm.base.diagnostic import InputError
from mcm.cat.model import Rule
from mcm.relation.show import show
from mcm.relation.term import Empty, Nothing

if TYPE_CHECKING:
    from collections.abc import Callable

    from mcm.cat.model import Model

COMMENT = """(* @rule SW-G-1 SW-5
   @section Some specification,
     7.17.4
   @statement It is   so (* really *). *)
"""
RULE = Rule("SW-G-1", "Some specification, 7.17.4", "It is so (* really *).", also=("SW-5",))


@pytest.mark.parametrize("gap", ["", "\n\n", "(* another comment *)\n", "// and another\n"])
def test_comment_directly_above_a_check(gap: str, model: Callable[..., Model]) -> None:
    (check,) = model(f"{COMMENT}{gap}acyclic po").checks
    assert check.rule == RULE
    assert check.rule.identifiers == ("SW-G-1", "SW-5")


def test_comment_above_something_else_is_not_taken(model: Callable[..., Model]) -> None:
    loaded = model(f"{COMMENT}let a = po\nacyclic a\nflag ~empty a as f")
    assert loaded.definitions[0].rule == RULE
    assert loaded.checks[0].rule is None
    assert loaded.flags[0].rule is None


def test_flag_carries_its_rule(model: Callable[..., Model]) -> None:
    (flag,) = model(f"{COMMENT}flag ~empty po as f").flags
    assert flag.rule == RULE


def test_definition_becomes_empty_without_its_rule_unless_it_says_otherwise(model: Callable[..., Model]) -> None:
    head = "@section s @statement t."
    loaded = model(
        f"(* @rule A-1 {head} *)\nlet a = po\n"
        f"(* @rule A-2 {head} *)\nlet b = R\n"
        f"(* @rule A-3 @without a | rf {head} *)\nlet c = po ; po\n"
        f"(* @rule A-4 @fixed {head} *)\nlet d = rf\n"
        "let e = rf"
    )
    a, b, c, d, e = loaded.definitions
    assert a.without is Empty()
    assert b.without is Nothing()
    assert c.without is not None
    assert show(c.without) == "a | rf"
    assert d.without is d.term
    assert e.without is None


def test_each_application_of_a_function_with_a_rule_is_a_definition(model: Callable[..., Model]) -> None:
    loaded = model(f"{COMMENT}let f(s) = [s] ; po\nlet g(s) = [s]\nacyclic f(R) | f(W) | f(R) | g(R)")
    assert [(d.name, show(d.term), d.rule) for d in loaded.definitions] == [
        ("f(R)", "[R] ; po", RULE),
        ("f(W)", "[W] ; po", RULE),
    ]
    assert loaded.definitions[0].span.text == "let f(s) = [s] ; po"


def test_words_for_explanations_may_stand_without_a_rule(model: Callable[..., Model]) -> None:
    loaded = model(
        '(* @phrase "{a} is\n  before {b}" *)\nlet a = po\n(* @phrase "{a} twice" *)\nlet f(r) = r ; r\n'
        '(* @phrase "{a}, {b}" @rule A-1 @section s @statement t. *)\nacyclic a | f(rf)\nlet b = rf'
    )

    assert [(d.name, d.phrase, d.rule) for d in loaded.definitions] == [
        ("a", "{a} is before {b}", None),
        ("f(rf)", "{a} twice", None),
        ("b", None, None),
    ]
    assert [(c.phrase, c.rule and c.rule.identifier) for c in loaded.checks] == [("{a}, {b}", "A-1")]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("@phrase {a} is", "'@phrase' is followed by no text in quotes"),
        ('@phrase ""', "'@phrase' is followed by no text in quotes"),
        ('@phrase "{g} is"', "'{g}' in a phrase is no event"),
        ('@phrase "{a.__class__}"', "'{a.__class__}' in a phrase is no event"),
        ('@phrase "{a"', "'{a\"' in a phrase is no event"),
        ('@phrase "}"', "'}' in a phrase is no event"),
        ('@phrase "{}"', "'{}' in a phrase is no event"),
    ],
)
def test_words_that_say_nothing(text: str, message: str, model: Callable[..., Model]) -> None:
    with pytest.raises(InputError) as raised:
        model(f"(* {text} *)\nlet a = po\nacyclic a")

    assert [d.code for d in raised.value.diagnostics] == ["E310"]
    assert message in raised.value.diagnostics[0].message


def test_draw_comments_say_how_relations_are_drawn(model: Callable[..., Model]) -> None:
    loaded = model(
        "(* @draw green dashed *)\nlet a = po\n(* @rule A-1 @section s @statement t. @draw teal *)\nlet b = rf\n"
    )

    assert [each.draw and each.draw.words for each in loaded.definitions] == ["green dashed", "teal solid"]


@pytest.mark.parametrize("words", ["", "mauve", "red wavy", "dashed red", "red dashed dotted"])
def test_what_is_no_style_is_said(model: Callable[..., Model], words: str) -> None:
    with pytest.raises(InputError) as caught:
        model(f"(* @draw {words} *)\nlet a = po\n")

    (diagnostic,) = caught.value.diagnostics
    assert diagnostic.code == "E310"
    assert "colours are black, grey" in diagnostic.message
