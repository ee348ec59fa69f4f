"""parse(print(tree)) == tree, for generated trees and for every litmus file at hand."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from msgspec.structs import replace

from mcm.base.diagnostic import InputError
from mcm.base.dialect import BY_WORD
from mcm.base.source import Source, Span
from mcm.syntax import ast, places, question
from mcm.syntax.parse import parse
from mcm.syntax.precedence import CONNECTIVES, OPERATORS
from mcm.syntax.print_expressions import show_expression
from mcm.syntax.printer import print_litmus
from mcm.syntax.read import read_source

pytestmark = pytest.mark.slow

ROOT = Path(__file__).resolve().parent.parent.parent
PEERS = ROOT.parent / "shared" / "peers"

Strategy = st.SearchStrategy[Any]

NOWHERE = Span(Source("generated", ""), 0, 0)
MODEST = settings(max_examples=40, derandomize=True, deadline=None, suppress_health_check=list(HealthCheck))


def node(kind: type, *arguments: Strategy, **named: Strategy) -> Strategy:
    # Not `builds(kind, …)`: Hypothesis would evaluate annotations whose names exist for type checkers only.
    return st.builds(lambda *given, **options: kind(*given, span=NOWHERE, **options), *arguments, **named)


def optional(strategy: Strategy) -> Strategy:
    return st.none() | strategy


def several(strategy: Strategy, least: int = 0, most: int = 3) -> Strategy:
    return st.lists(strategy, min_size=least, max_size=most).map(tuple)


# --- words -----------------------------------------------------------------------------------------------------------

identifiers = st.sampled_from(
    ["x", "y", "r0", "P1x", "flag", "t", "wg", "dev", "event_1", "not_yet", "existsx", "_a", "in_order"]
)
names = node(ast.Name, identifiers)
numbers = st.sampled_from(["0", "1", "42", "017", "0x1Fu", "0b101", "5ul", "1.5f", ".5", "1e3", "0x1p-3", "2LL"])
literals = node(ast.NumberLiteral, numbers)
small = st.integers(0, 99)

qualifiers = st.sampled_from(
    ["global", "__global", "local", "__local", "constant", "generic", "private", "volatile", "const"]
)
type_words = st.sampled_from(
    ["int", "uint", "atomic_int", "atomic_flag", "size_t", "bool", "unsigned", "long", "event", "float"]
)
pointers = several(several(st.sampled_from(["const", "restrict", "volatile", "global"]), most=2), most=2)


@st.composite
def type_names(draw: st.DrawFn, *, with_pointers: bool = True) -> ast.TypeName:
    words = draw(st.lists(qualifiers, max_size=2))
    before = draw(st.sampled_from([[], [], ["unsigned"], ["long"]]))
    stars = draw(pointers) if with_pointers else ()
    return ast.TypeName((*words, *before), draw(type_words), stars, span=NOWHERE)


# --- expressions -----------------------------------------------------------------------------------------------------


def grow(inner: Strategy) -> Strategy:
    places = (
        names
        | node(ast.Index, inner.filter(lambda base: not isinstance(base, ast.NumberLiteral)), inner)
        | node(ast.Prefix, st.just("*"), inner)
    )
    return st.one_of(
        places,
        node(ast.Prefix, st.sampled_from(["-", "+", "!", "~", "*", "&", "++", "--"]), inner),
        node(ast.Postfix, st.sampled_from(["++", "--"]), inner),
        node(ast.Infix, st.sampled_from([*OPERATORS, ","]), inner, inner),
        node(
            ast.Assignment,
            st.sampled_from(["=", "+=", "-=", "*=", "/=", "%=", "&=", "|=", "^=", "<<=", ">>="]),
            places,
            inner,
        ),
        node(ast.Conditional, inner, inner, inner),
        node(ast.Call, names, several(inner)),
        # `event` is a type where a name or a star follows: `(event) x` is a name in parentheses.
        node(ast.Cast, type_names().filter(lambda written: written.pointers or written.base != "event"), inner),
    )


expressions = st.recursive(names | literals, grow, max_leaves=12)
initializers = expressions | node(ast.InitializerList, several(expressions))

# --- statements ------------------------------------------------------------------------------------------------------

declarators = node(ast.Declarator, names, pointers, optional(expressions), optional(initializers))
declarations = node(ast.Declaration, type_names(with_pointers=False), several(declarators, least=1))
expression_statements = node(ast.ExpressionStatement, expressions)
simple_statements = st.one_of(
    declarations,
    expression_statements,
    node(ast.Empty),
    node(ast.Return, optional(expressions)),
    node(ast.Break),
    node(ast.Continue),
)


def ends_open(statement: ast.Statement) -> bool:
    """Whether an `else` behind the statement would be read as part of it; no text can say such a tree."""
    match statement:
        case ast.If(_, then, otherwise):
            return otherwise is None or ends_open(otherwise) or ends_open(then)
        case ast.While(_, body) | ast.For(_, _, _, body) | ast.Labelled(_, body):
            return ends_open(body)
        case _:
            return False


def compound(inner: Strategy) -> Strategy:
    closed = inner.filter(lambda statement: not ends_open(statement))
    initial = optional(declarations | expression_statements)
    return st.one_of(
        node(ast.Block, several(inner)),
        node(ast.If, expressions, inner),
        node(ast.If, expressions, closed, inner),
        node(ast.While, expressions, inner),
        node(ast.DoWhile, inner, expressions),
        node(ast.For, initial, optional(expressions), optional(expressions), inner),
        node(ast.Labelled, names, inner),
    )


statements = st.recursive(simple_statements, compound, max_leaves=5)
blocks = node(ast.Block, several(statements, most=4))

# --- the file --------------------------------------------------------------------------------------------------------

allocations = optional(
    st.sampled_from(["buffer", "coarse_svm", "fine_svm", "fine_svm_atomics", "system_svm", "program_scope"])
)
parameters = several(node(ast.Parameter, type_names(), names, optional(expressions)))
bare_types = optional(type_names(with_pointers=False) | st.just(ast.TypeName(("local",), "", span=NOWHERE)))
initial_items = st.one_of(
    node(
        ast.InitialValue,
        names,
        st.just(value=True),
        allocations,
        bare_types,
        value=optional(initializers.filter(lambda value: not isinstance(value, ast.Infix) or value.operator != ",")),
    ),
    node(
        ast.InitialValue,
        names,
        st.just(value=False),
        allocations,
        bare_types,
        st.integers(0, 2),
        optional(expressions),
        optional(initializers),
    ),
    node(ast.InitialRegister, small, names, expressions),
    node(ast.QueueObject, names, st.sampled_from(["in_order", "out_of_order"]), small),
    node(ast.UserEventObject, names),
)
placements = several(
    node(ast.PlacementPart, st.sampled_from(["sg", "wg", "ki", "dev"]), small)
    | node(ast.PlacementPart, st.just("host")),
    most=4,
)
launch_parts = several(
    st.one_of(
        node(ast.LaunchPart, st.sampled_from(["global", "local"]), several(small, least=1)),
        node(ast.LaunchPart, st.sampled_from(["sub", "dev", "ki"]), several(small, least=1, most=1)),
    ),
    least=1,
)
units = st.one_of(
    node(ast.Thread, small, placements, parameters, blocks),
    node(ast.Kernel, names, parameters, blocks),
    node(ast.Callback, names, parameters, blocks),
    node(ast.Launch, names, launch_parts),
)
scope_nodes = st.recursive(
    node(places.ScopeNode, st.just("work_group"), st.just(()), several(small, least=1)),
    lambda inner: node(places.ScopeNode, st.sampled_from(["device", "work_group"]), several(inner), several(small)),
    max_leaves=4,
)
references = st.one_of(
    node(question.RegisterReference, small | st.tuples(identifiers, small), names, optional(small)),
    node(question.LocationReference, names, optional(small), optional(small)),
    node(question.LocationReference, names, optional(small), st.none(), st.just(value=True)),
)
terms = references | node(question.NumberTerm, st.integers(-9, 99)) | node(question.AddressTerm, names, optional(small))
comparisons = node(question.Comparison, st.sampled_from(["=", "==", "!=", "<", ">", "<=", ">="]), terms, terms)
propositions = st.recursive(
    comparisons | node(question.Truth, st.booleans()),
    lambda inner: (
        node(question.Negation, inner) | node(question.Connective, st.sampled_from([*CONNECTIVES]), inner, inner)
    ),
    max_leaves=8,
)
comments = node(
    ast.Comment,
    st.sampled_from(
        [
            "// one *) (* line",
            "/* block\n   of two */",
            "(* herd *)",
            "(* a (* nested *) one *)",
            "(* 1) first *)",
            "//",
            "// end",
        ]
    ),
)


def is_harmless(comment: ast.Comment) -> bool:
    """Whether the comment may stand in the midst of C: there unbalanced parentheses would leave `(*` ambiguous."""
    return comment.text.count("(") == comment.text.count(")") and "*) (*" not in comment.text


test_names = st.from_regex(r"[A-Za-z0-9][A-Za-z0-9_+.\[\]|-]{0,12}( [a-z]{1,3})?", fullmatch=True)
keys = node(
    ast.KeyLine,
    st.sampled_from(["Expect.opencl-3.0", "Covers", "Origin"]),
    st.sampled_from(["", "Never no-race", "https://example.org/a//b", "SW-G-1, DR-1"]),
)
trees = node(
    ast.Litmus,
    st.sampled_from(list(BY_WORD)),
    test_names,
    documentation=several(st.sampled_from(["Message passing", "", 'a \\" quote // no comment'])),
    keys=several(keys),
    initial=several(initial_items),
    units=several(units, most=2),
    scope_tree=several(scope_nodes, most=2),
    regions=several(node(places.RegionEntry, names, qualifiers.filter(lambda word: word not in {"volatile", "const"}))),
    locations=several(references),
    filter=optional(propositions),
    condition=optional(node(question.Condition, st.sampled_from(["exists", "~exists", "forall"]), propositions)),
    comments=several(comments),
)


@MODEST
@given(trees)
def test_printing_and_parsing_gives_the_tree_back(tree: ast.Litmus) -> None:
    printed = print_litmus(tree)

    again = parse(Source("printed", printed))

    assert again == tree
    assert print_litmus(again) == printed


def without_a_pair(text: str, opening: int) -> str:
    """The text without the parenthesis at `opening` and its partner."""
    depth = 0
    for offset in range(opening, len(text)):
        depth += {"(": 1, ")": -1}.get(text[offset], 0)
        if depth == 0:
            return f"{text[:opening]} {text[opening + 1 : offset]} {text[offset + 1 :]}"
    raise AssertionError(text)


@MODEST
@given(expressions)
def test_no_parenthesis_is_superfluous(expression: ast.Expression) -> None:
    """Taking away any pair of parentheses of a printed expression changes its meaning or makes it wrong."""
    printed = show_expression(expression)
    before, behind = "C t\n{}\nP0 () { ", "; }\n"

    for found in re.finditer(r"(?<![\w])\(", printed):
        changed = without_a_pair(printed, found.start())
        try:
            (unit,) = parse(Source("changed", f"{before}{changed}{behind}")).units
        except InputError:
            continue
        assert unit.body != ast.Block((ast.ExpressionStatement(expression, span=NOWHERE),), span=NOWHERE), changed


@MODEST
@given(trees, st.lists(st.tuples(st.integers(0, 10_000), comments.filter(is_harmless)), max_size=6))
def test_comments_anywhere_are_kept_in_their_order(tree: ast.Litmus, inserted: list[tuple[int, ast.Comment]]) -> None:
    """Wherever white space may stand a comment may, and printing loses none and changes nothing else."""
    text = print_litmus(replace(tree, comments=()))
    blanks = [found.start() for found in re.finditer(r"\s", text) if found.start() >= text.index("{")]
    places = sorted((blanks[place % len(blanks)], place, comment.text) for place, comment in inserted)
    for offset, _, comment in reversed(places):
        text = f"{text[:offset]} {comment}\n{text[offset:]}"

    commented = parse(Source("commented", text))
    printed = print_litmus(commented)
    again = parse(Source("printed", printed))

    assert [comment.text for comment in commented.comments] == [comment for _, _, comment in places]
    assert replace(commented, comments=()) == replace(tree, comments=())
    assert again == commented
    assert print_litmus(again) == printed


def files() -> list[Path]:
    found = sorted((ROOT / "litmus").rglob("*.litmus"))
    # Those in SYCL have a printer and a test of their own.
    return [path for path in found if "invalid" not in path.parts and "sycl" not in path.parts]


def round_trip(path: Path) -> None:
    tree = parse(read_source(path))

    printed = print_litmus(tree)
    again = parse(Source(str(path), printed))

    assert again == tree
    assert [comment.text for comment in again.comments] == [comment.text for comment in tree.comments]
    assert print_litmus(again) == printed


def test_every_litmus_file_of_the_repository_survives() -> None:
    assert files()
    for path in files():
        round_trip(path)


def test_every_peer_file_survives() -> None:
    if not PEERS.is_dir():
        pytest.skip(f"the peer tests are not here: {PEERS} is missing")
    found = sorted(PEERS.rglob("*.litmus"))
    assert len(found) == 143
    for path in found:
        round_trip(path)
