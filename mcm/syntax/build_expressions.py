"""From grammar rules to nodes: words, types and expressions (see `builder`)."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any

from msgspec.structs import replace

from mcm.base.source import Span
from mcm.lalr.token import Token
from mcm.syntax.ast import (
    Assignment,
    BlockLiteral,
    Call,
    Cast,
    CompoundLiteral,
    Conditional,
    Declarator,
    Empty,
    Index,
    Infix,
    InitializerList,
    Member,
    Name,
    Node,
    NumberLiteral,
    Parameter,
    Postfix,
    Prefix,
    SizeOf,
    Text,
    TypeName,
)
from mcm.syntax.element_index import element_index
from mcm.syntax.number import LONGEST_NUMBER
from mcm.syntax.precedence import OPERATORS, fold

if TYPE_CHECKING:
    from mcm.syntax.ast import Expression
    from mcm.syntax.builder import Builder, Children


# --- words ---


def NAME(builder: Builder, word: str, end: int) -> Name:  # noqa: N802 - named as in the grammar
    """An identifier."""
    return Name(word, span=Span(builder.source, end - len(word), end))


# A member of a structure or a vector by the names of both, `p.a`.
DOTTED = NAME


def NUMBER(builder: Builder, word: str, end: int) -> NumberLiteral:  # noqa: N802
    """A number literal or a character; a number that is too long for any integer type is reported."""
    span = Span(builder.source, end - len(word), end)
    if word[0] == "'":
        return NumberLiteral(span.text, span=span)
    if len(word) > LONGEST_NUMBER:
        message = f"the number '{word[:10]}…' has {len(word)} characters, more than {LONGEST_NUMBER}"
        builder.refuse("E023", message, span)
    return NumberLiteral(word, span=span)


def repetition(_: Builder, children: Children) -> Children:
    """The items of a repetition; they become children of the rule that contains it."""
    return children


def failed(builder: Builder, children: Children) -> Empty:
    """A placeholder where recovery fed ERROR; the tree that holds it is discarded."""
    return Empty(span=builder.span(children[0], children[0]))


# --- types ---


def specifiers(builder: Builder, children: Children) -> TypeName:
    """Qualifiers and type words in any order; the last type word is the base."""
    named = [child for child in children if child.type not in {"LPAR", "RPAR"}]
    words = [child.text for child in named]
    base = ""
    for i in range(len(words) - 1, -1, -1):
        if named[i].type == "TYPE":
            base = words.pop(i)
            break
    return TypeName(tuple(words), base, span=builder.span(children[0], children[-1]))


def type_of(builder: Builder, children: Children) -> TypeName:
    """`typeof(…)` of an expression, or of a type."""
    named = next(child for child in children if not isinstance(child, Token))
    words = tuple(child.text for child in children if isinstance(child, Token) and child.type == "QUALIFIER")
    span = builder.span(children[0], children[-1])
    if isinstance(named, TypeName):
        return TypeName((*words, *named.qualifiers), named.base, named.pointers, named.of, span=span)
    return TypeName(words, "", (), named, span=span)


def pointer(_: Builder, children: Children) -> Children:
    """`*` and its qualifiers, as tokens, because the rules around it need their positions."""
    return children


def type_name(builder: Builder, children: Children) -> TypeName:
    """A type with the stars behind it."""
    return pointed(builder, children[0], children[1:])


def pointed(builder: Builder, type_name: TypeName, pointers: list[Children]) -> TypeName:
    """A type with the stars between it and a name."""
    if not pointers:
        return type_name
    span = builder.span(type_name, pointers[-1][-1])
    found = (*type_name.pointers, *_pointer_qualifiers(pointers))
    return TypeName(type_name.qualifiers, type_name.base, found, type_name.of, span=span)


def length(_: Builder, children: Children) -> Children:
    """`[expression]` behind a declared name, brackets included."""
    return children


class RowPointer(Node, frozen=True):
    """`(*name)[length]…` of a declaration, from its first parenthesis on."""

    name: Name
    lengths: tuple[Expression, ...]


def row_pointer(builder: Builder, children: Children) -> RowPointer:
    """`(*name)[4]`."""
    place = next(number for number, child in enumerate(children) if isinstance(child, Name))
    brackets = children[place + 2 :]
    span = builder.span(children[0], brackets[-1][2])
    lengths = [length for _, length, _ in brackets if length is not None]
    if place > 2 or len(lengths) < len(brackets):
        message = "not yet supported: a pointer to an array but '(*name)[length]'"
        builder.refuse("E100", message, span)
    return RowPointer(children[place], tuple(lengths), span=span)


def parameter(builder: Builder, children: Children) -> Parameter:
    """`type * name [length]`; `int a[]` is a pointer, `int a[][4]` one to rows, as `int (*a)[4]` is."""
    if isinstance(rows := children[-1], RowPointer):
        type_name, *pointers = children[:-1]
        written = pointed(builder, type_name, pointers)
        return Parameter(written, rows.name, inner=rows.lengths, span=builder.span(type_name, rows))
    place = next(number for number, child in enumerate(children) if isinstance(child, Name))
    type_name, *pointers = children[:place]
    lengths = [brackets[1] for brackets in children[place + 1 :]]
    written = pointed(builder, type_name, pointers)
    if len(lengths) == 1 and lengths[0] is None:
        written, lengths = replace(written, pointers=(*written.pointers, ())), []
    if None in lengths[1:]:
        builder.refuse("E132", "only the first length of an array may be left out", children[place].span)
        lengths = lengths[:1]
    return Parameter(
        written,
        children[place],
        lengths[0] if lengths else None,
        tuple(lengths[1:]),
        span=builder.span(type_name, children[-1][2] if lengths else children[place]),
    )


def unnamed_parameter(builder: Builder, children: Children) -> Parameter:
    """`type *` in the declaration of a function."""
    type_name, *pointers = children
    written = pointed(builder, type_name, pointers)
    end = written.span.end
    return Parameter(written, Name("", span=Span(builder.source, end, end)), span=written.span)


def declarator(builder: Builder, children: Children) -> Declarator:
    """`* name [length] = initializer`."""
    rows = next((child for child in children if isinstance(child, RowPointer)), None)
    if rows is not None:
        stars = _pointer_qualifiers(children[: children.index(rows)])
        initializer = None if children[-1] is rows else children[-1]
        span = builder.span(children[0][0] if stars else rows, initializer or rows)
        return Declarator(rows.name, stars, None, initializer, rows.lengths, span=span)
    name = 0
    while isinstance(children[name], list):
        name += 1
    rest = children[name + 1 :]
    brackets = [child for child in rest if isinstance(child, list)]
    initializer = rest[-1] if len(rest) > len(brackets) else None
    first = children[0][0] if name else children[name]
    last = initializer or (brackets[-1][2] if brackets else children[name])
    length, is_counted = counted(builder, brackets, initializer)
    return Declarator(
        children[name],
        _pointer_qualifiers(children[:name]),
        length,
        initializer,
        tuple([inner for _, inner, _ in brackets[1:]]),
        is_counted=is_counted,
        span=builder.span(first, last),
    )


def counted(
    builder: Builder, brackets: list[Children], initializer: Expression | InitializerList | None
) -> tuple[Expression | None, bool]:
    """The first length of an array, and whether it was left to its initial values, which are counted then."""
    if not brackets:
        return None, False
    for opening, length, closing in brackets[1:]:
        if length is None:
            builder.refuse("E132", "only the first length of an array can be counted", builder.span(opening, closing))
    opening, length, closing = brackets[0]
    if length is not None:
        return length, False
    span = builder.span(opening, closing)
    if not isinstance(initializer, InitializerList):
        message = "an array without a length has its values in a list, '{…}', which is counted; found none"
        builder.refuse("E132", message, span)
    elif len(brackets) > 1 and not initializer.rows:
        builder.refuse("E132", "the rows of an array are counted where each is a list, '{{…}, {…}}'", span)
    return NumberLiteral(str(_count(builder, initializer)), span=span), True


def _count(builder: Builder, initializer: Expression | InitializerList | None) -> int:
    """How many elements a list of values needs."""
    if not isinstance(initializer, InitializerList):
        return 1
    place = most = 0
    values = initializer.items or initializer.rows
    for designator in initializer.designators or (None,) * len(values):
        index = None if designator is None else element_index(designator)
        if index is not None:
            place = index
        elif designator is not None:
            message = f"elements are counted by numbers, found '{designator.span.text}'; give the array its length"
            builder.refuse("E132", message, designator.span)
        place += 1
        most = max(most, place)
    return most


def initializer_list(builder: Builder, children: Children) -> InitializerList:
    """`{a, b}`, `{{a, b}, {c, d}}`, `{.x = a, [1] = b}`."""
    span, found = builder.span(children[0], children[-1]), children[1:-1:2]
    designators = tuple([child[0] if isinstance(child, tuple) else None for child in found])
    found = [child[1] if isinstance(child, tuple) else child for child in found]
    has_lists = any(isinstance(child, InitializerList) for child in found)
    rows = tuple([_row(child) for child in found]) if has_lists else ()
    is_designated = any(designator is not None for designator in designators)
    return InitializerList(() if rows else tuple(found), rows, designators if is_designated else (), span=span)


def _row(node: Expression | InitializerList) -> InitializerList:
    """A list, or a value among lists."""
    return node if isinstance(node, InitializerList) else InitializerList((node,), is_bare=True, span=node.span)


def designated_member(_: Builder, children: Children) -> tuple[Expression, Expression | InitializerList]:
    """`.member = value`, as what it is for and the value."""
    return children[1], children[-1]


def designated_element(builder: Builder, children: Children) -> tuple[Expression, Expression | InitializerList]:
    """`[index] = value`, in the same way."""
    if isinstance(children[1], Name):
        message = f"the index of an element must be a constant, found '{children[1].text}'"
        builder.refuse("E131", message, children[1].span)
    return children[1], children[-1]


# --- expressions ---


def comma(builder: Builder, children: Children) -> Infix:
    """`left, right`."""
    return Infix(",", children[0], children[2], span=builder.span(children[0], children[2]))


def assign(builder: Builder, children: Children) -> Assignment:
    """`target = value`."""
    target, operator, value = children
    _check_target(builder, target, operator)
    return Assignment(operator.text, target, value, span=builder.span(target, value))


def _check_target(builder: Builder, target: Expression, operator: Token) -> None:
    match target:
        case Name() | Index() | Member() | Prefix("*"):
            return
        case Infix():
            # `x = 1` without semicolon, then `*y = 2` on the next line, reads as `x = 1 * y = 2`.
            broken = target
            while isinstance(broken.right, Infix):
                broken = broken.right
            if "\n" in builder.source.text[broken.left.span.end : broken.right.span.start]:
                _miss_semicolon(builder, broken.left, broken.operator)
                return
    places = "a variable, '*pointer' or 'array[index]'"
    message = f"cannot assign to '{target.span.text}'; expected {places} before '{operator.text}'"
    builder.refuse("E048", message, target.span)


def _miss_semicolon(builder: Builder, before: Expression, found: str) -> None:
    # Imported here: it is about errors only.
    from mcm.syntax.expected import last_word  # noqa: PLC0415

    end = before.span.end
    message = f"expected ';' after '{last_word(builder.source.text, end)}', found '{found}'"
    builder.refuse("E041", message, Span(builder.source, end, end))


def ternary(builder: Builder, children: Children) -> Conditional:
    """`condition ? then : otherwise`."""
    condition, _, then, _, otherwise = children
    return Conditional(condition, then, otherwise, span=builder.span(condition, otherwise))


def infix_chain(builder: Builder, children: Children) -> Expression:
    """A flat chain of binary operators, folded by their precedence."""
    if len(children) == 3:
        return _infix(builder, children[1].text, children[0], children[2])
    operands: list[Expression] = children[::2]
    return fold(operands, [operator.text for operator in children[1::2]], OPERATORS, partial(_infix, builder))


def _infix(builder: Builder, operator: str, left: Expression, right: Expression) -> Expression:
    return Infix(operator, left, right, span=builder.span(left, right))


def prefix(builder: Builder, children: Children) -> Prefix:
    """`operator operand`."""
    operator, operand = children
    return Prefix(operator.text, operand, span=builder.span(operator, operand))


def postfix(builder: Builder, children: Children) -> Postfix:
    """`operand operator`."""
    operand, operator = children
    return Postfix(operator.text, operand, span=builder.span(operand, operator))


def cast(builder: Builder, children: Children) -> Cast:
    """`(type) operand`."""
    parenthesis, type_name, _, operand = children
    return Cast(type_name, operand, span=builder.span(parenthesis, operand))


def size_of(builder: Builder, children: Children) -> SizeOf:
    """`sizeof operand`, `sizeof(type[2])`."""
    span = builder.span(children[0], children[-1])
    if len(children) == 2:
        return SizeOf(children[1], span=span)
    for opening, length, closing in children[3:-1]:
        if length is None:
            builder.refuse("E132", "an array whose size is asked for has a length", builder.span(opening, closing))
    return SizeOf(children[2], tuple([length for _, length, _ in children[3:-1]]), span=span)


def compound_literal(builder: Builder, children: Children) -> CompoundLiteral:
    """`(type){…}`."""
    opening, type_name, *brackets, _, initializer = children
    if len(brackets) > 1:
        message = "not yet supported: an array of several dimensions without a name; declare a variable"
        builder.refuse("E100", message, builder.span(opening, initializer))
    length, is_counted = counted(builder, brackets, initializer)
    return CompoundLiteral(type_name, initializer, length, is_counted, span=builder.span(opening, initializer))


def text(builder: Builder, children: Children) -> Text:
    """`"…" "…"`."""
    span = builder.span(children[0], children[-1])
    # The lexical pass has made the characters blank.
    return Text(" ".join([builder.source.text[one.start : one.end] for one in children]), span=span)


def parenthesised(builder: Builder, children: Children) -> Any:
    """The inner expression with the parentheses in its span; the tree has no node for them."""
    opening, inner, closing = children
    return replace(inner, span=builder.span(opening, closing))


def call(builder: Builder, children: Children) -> Call:
    """`function(arguments)`."""
    return Call(children[0], tuple(children[2:-1:2]), span=builder.span(children[0], children[-1]))


def run_block(builder: Builder, children: Children) -> BlockLiteral:
    """`({ … })`."""
    return BlockLiteral((), children[1], is_run=True, span=builder.span(children[0], children[-1]))


def block_literal(builder: Builder, children: Children) -> BlockLiteral:
    """`^{ … }`."""
    _, *parameters, body = children
    return BlockLiteral(parameters[0] if parameters else (), body, span=builder.span(children[0], body))


def index(builder: Builder, children: Children) -> Index:
    """`base[index]`."""
    base, _, index, bracket = children
    if isinstance(base, NumberLiteral):
        # `[x]=0 [y]=0` without semicolon.
        _miss_semicolon(builder, base, "[")
    return Index(base, index, span=builder.span(base, bracket))


def member(builder: Builder, children: Children) -> Member:
    """`base.name` or `base->name`."""
    base, operator, name = children
    return Member(base, operator.text, name, span=builder.span(base, name))


def _pointer_qualifiers(pointers: list[Children]) -> tuple[tuple[str, ...], ...]:
    return tuple([tuple([word.text for word in pointer[1:]]) for pointer in pointers])
