"""Expressions, types and conditions as text, with the parentheses that precedence requires."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, assert_never

from mcm.syntax.ast import (
    Assignment,
    BlockLiteral,
    Call,
    Cast,
    CompoundLiteral,
    Conditional,
    Declaration,
    Declarator,
    Index,
    Infix,
    InitializerList,
    Member,
    Name,
    NumberLiteral,
    Parameter,
    Postfix,
    Prefix,
    SizeOf,
    Text,
    TypeName,
)
from mcm.syntax.chains import operands_of_chain
from mcm.syntax.precedence import CONNECTIVES, IMPLICATION, OPERATORS
from mcm.syntax.question import (
    AddressTerm,
    Comparison,
    Connective,
    LocationReference,
    Negation,
    NumberTerm,
    RegisterReference,
    Truth,
)

if TYPE_CHECKING:
    from mcm.syntax.ast import Expression, InitialValue
    from mcm.syntax.question import ConditionTerm, Proposition

# The precedence of each kind of expression; those of binary operators lie between CONDITIONAL and UNARY.
_COMMA: Final = 0
_ASSIGNMENT: Final = 1
CONDITIONAL: Final = 2
_UNARY: Final = CONDITIONAL + max(OPERATORS.values()) + 1
_POSTFIX: Final = _UNARY + 1
_PRIMARY: Final = _POSTFIX + 1
_LOWEST_OPERATOR: Final = CONDITIONAL + 1


def show_expression(expression: Expression, at_least: int = _COMMA) -> str:
    """The expression, in parentheses if its precedence is lower than `at_least`."""
    strength = _strength(expression)
    text = _bare(expression)
    return text if strength >= at_least else f"({text})"


def _strength(expression: Expression) -> int:
    match expression:
        case Infix(","):
            return _COMMA
        case Infix(operator):
            return CONDITIONAL + OPERATORS[operator]
        case Assignment():
            return _ASSIGNMENT
        case Conditional():
            return CONDITIONAL
        case Prefix() | Cast() | SizeOf():
            return _UNARY
        case Postfix() | Index() | Member() | CompoundLiteral():
            return _POSTFIX
        case Call() | Name() | NumberLiteral() | Text() | BlockLiteral():
            return _PRIMARY
        case _:
            assert_never(expression)


def _bare(expression: Expression) -> str:
    match expression:
        case NumberLiteral(text) | Name(text) | Text(text):
            return text
        case Infix():
            return _infix(expression)
        case Assignment(operator, target, value):
            return f"{show_expression(target, _LOWEST_OPERATOR)} {operator} {show_expression(value, _ASSIGNMENT)}"
        case Conditional(condition, then, otherwise):
            choices = f"{show_expression(then)} : {show_expression(otherwise, CONDITIONAL)}"
            return f"{show_expression(condition, _LOWEST_OPERATOR)} ? {choices}"
        case Prefix(operator, operand):
            shown = show_expression(operand, _UNARY)
            # `- -x` must not become `--x`.
            gap = " " if operator[-1] == shown[0] and operator[-1] in "+-&" else ""
            return f"{operator}{gap}{shown}"
        case Cast(type_name, operand):
            return f"({show_type(type_name)}) {show_expression(operand, _UNARY)}"
        case SizeOf(TypeName() as type_name, lengths):
            return f"sizeof({show_type(type_name)}{''.join(f'[{show_expression(length)}]' for length in lengths)})"
        case SizeOf(operand):
            assert not isinstance(operand, TypeName)
            return f"sizeof({show_expression(operand)})"
        case CompoundLiteral(type_name, initializer):
            return f"({show_type(type_name)}{show_lengths(expression)}){show_initializer(initializer)}"
        case Postfix(operator, operand):
            return f"{show_expression(operand, _POSTFIX)}{operator}"
        case Index(base, index):
            return f"{show_expression(base, _POSTFIX)}[{show_expression(index)}]"
        case Member(base, operator, name):
            return f"{show_expression(base, _POSTFIX)}{operator}{name.text}"
        case Call(function, arguments):
            return f"{function.text}({', '.join(show_expression(argument, _ASSIGNMENT) for argument in arguments)})"
        case BlockLiteral(parameters, body, is_run):
            # Imported here: statements contain expressions.
            from mcm.syntax.print_statements import in_one_line  # noqa: PLC0415

            if is_run:
                return f"({in_one_line(body)})"
            return f"^{show_parameters(parameters) if parameters else ''}{in_one_line(body)}"
        case _:
            assert_never(expression)


def _infix(expression: Infix) -> str:
    """Operators, of which each may be the left operand of the next one: chains may be long."""
    chain = [expression]
    while isinstance(left := chain[-1].left, Infix):
        chain.append(left)
    text = show_expression(left, _strength(chain[-1]))
    inner = None
    for operation in reversed(chain):
        strength = _strength(operation)
        if inner is not None and inner < strength:
            text = f"({text})"
        gap = "" if operation.operator == "," else " "
        text += f"{gap}{operation.operator} {show_expression(operation.right, strength + 1)}"
        inner = strength
    return text


# --- types and declarations ------------------------------------------------------------------------------------------


def show_type(type_name: TypeName) -> str:
    """`global int* const`."""
    base = type_name.base if type_name.of is None else f"__typeof__({show_expression(type_name.of)})"
    words = " ".join((*type_name.qualifiers, base) if base else type_name.qualifiers)
    return words + "".join(f"*{' ' if stars else ''}{' '.join(stars)}" for stars in type_name.pointers)


def show_initializer(initializer: Expression | InitializerList) -> str:
    """A value, or `{a, b}`."""
    match initializer:
        case InitializerList((item,), is_bare=True):
            return show_expression(item, _ASSIGNMENT)
        case InitializerList(items, rows, designators):
            shown = [*map(show_initializer, rows), *(show_expression(item, _ASSIGNMENT) for item in items)]
            if designators:
                shown = [_designator(one) + value for one, value in zip(designators, shown, strict=True)]
            return f"{{{', '.join(shown)}}}"
        case _:
            return show_expression(initializer, _ASSIGNMENT)


def _designator(designator: Expression | None) -> str:
    match designator:
        case None:
            return ""
        case Name(text):
            return f".{text} = "
        case _:
            return f"[{show_expression(designator)}] = "


def show_declaration(declaration: Declaration) -> str:
    """`int *p = &x, a[2];`."""
    declarators = ", ".join(_declarator(declarator) for declarator in declaration.declarators)
    return f"{show_type(declaration.type)} {declarators};"


def _declarator(declarator: Declarator) -> str:
    stars = "".join(f"*{' '.join(stars)}{' ' if stars else ''}" for stars in declarator.pointers)
    value = "" if declarator.initializer is None else f" = {show_initializer(declarator.initializer)}"
    name = f"{declarator.name.text}{show_lengths(declarator)}"
    if declarator.length is None and declarator.inner:
        name = f"(*{declarator.name.text}){''.join(f'[{show_expression(length)}]' for length in declarator.inner)}"
    return f"{stars}{name}{value}"


def show_lengths(item: Declarator | Parameter | InitialValue | CompoundLiteral) -> str:
    """`[4]`, `[2][3]`, `[]`, or nothing."""
    if item.length is None and isinstance(item, Parameter) and item.inner:
        return f"[]{''.join(f'[{show_expression(length)}]' for length in item.inner)}"
    if item.length is None:
        return ""
    first = "" if not isinstance(item, Parameter) and item.is_counted else show_expression(item.length)
    inner = () if isinstance(item, CompoundLiteral) else item.inner
    return f"[{first}]{''.join(f'[{show_expression(length)}]' for length in inner)}"


def show_parameters(parameters: tuple[Parameter, ...]) -> str:
    """`(global int* x, local int t[4])`."""
    shown = (
        f"{show_type(item.type)} {item.name.text}{outside_bodies(show_lengths(item))}".rstrip() for item in parameters
    )
    return f"({', '.join(shown)})"


def outside_bodies(text: str) -> str:
    """The text in a form for places where `(*` would open a comment.

    >>> outside_bodies("(*x)[1]")
    '( *x)[1]'
    """
    return text.replace("(*", "( *")


# --- conditions ------------------------------------------------------------------------------------------------------

# Higher than the precedence of any connective.
_NEGATION: Final = max(CONNECTIVES.values()) + 2


def show_proposition(proposition: Proposition, at_least: int = 0) -> str:
    """The proposition, in parentheses if its precedence is lower than `at_least`."""
    match proposition:
        case Truth(value):
            return "true" if value else "false"
        case Comparison(operator, left, right):
            shown = f"{show_term(left)}{operator}{show_term(right)}"
            # `~x=1` would be parsed in the same way, but is hard to read.
            return f"({shown})" if at_least == _NEGATION else shown
        case Negation(body):
            return f"~{show_proposition(body, _NEGATION)}"
        case Connective(operator, _, _):
            strength = CONNECTIVES[operator]
            groups_right = operator == IMPLICATION
            first, *others = operands_of_chain(proposition)
            before = show_proposition(first, strength + groups_right)
            after = [show_proposition(other, strength + (not groups_right)) for other in others]
            shown = f" {operator} ".join((before, *after))
            return shown if strength >= at_least else f"({shown})"
        case _:
            assert_never(proposition)


def show_term(term: ConditionTerm) -> str:
    """`1:r0`, `[x]`, `t@wg0[2]`, `&x`, `-1`."""
    match term:
        case NumberTerm(value):
            return str(value)
        case AddressTerm(name):
            return f"&{name.text}{show_indices(term)}"
        case RegisterReference((kernel, item), name):
            return f"{kernel}[{item}]:{name.text}{show_indices(term)}"
        case RegisterReference(thread, name):
            return f"{thread}:{name.text}{show_indices(term)}"
        case LocationReference(name, _, group, bracketed):
            shown = f"{name.text}{'' if group is None else f'@wg{group}'}{show_indices(term)}"
            return f"[{shown}]" if bracketed else shown
        case _:
            assert_never(term)


def show_indices(term: AddressTerm | RegisterReference | LocationReference) -> str:
    """`[2]`, `[1][2]`, or nothing."""
    written = () if term.index is None else (term.index, *term.inner)
    return "".join(f"[{index}]" for index in written)
