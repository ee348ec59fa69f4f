"""From expressions of cat to relational terms: names resolved, functions expanded, kinds checked."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, assert_never

from mcm.base.diagnostic import Diagnostic, Note
from mcm.base.suggest import did_you_mean
from mcm.cat import tree
from mcm.cat.scope import Broken, Function, Zero, named
from mcm.cat.tree import BinaryOperator, UnaryOperator
from mcm.relation.show import show
from mcm.relation.term import (
    Closure,
    Compose,
    Difference,
    Domain,
    Empty,
    Everything,
    Identity,
    Intersection,
    Inverse,
    Nothing,
    Product,
    Range,
    RelationTerm,
    SetDifference,
    SetIntersection,
    SetTerm,
    SetUnion,
    Union,
)

if TYPE_CHECKING:
    from collections.abc import Callable

    from mcm.base.source import Span
    from mcm.cat.scope import Scope

# Applications inside functions multiply. The built-in models need fewer than a hundred.
MOST_APPLICATIONS: Final = 10_000

BUILT_IN_FUNCTIONS: Final = frozenset({"domain", "range"})

Value = SetTerm | RelationTerm | Zero

_UNIVERSE = Product(Everything(), Everything())


class ExpansionError(Exception):
    """One expression makes no sense; carries why, unless that was said before. The loader collects these."""

    def __init__(self, diagnostic: Diagnostic | None) -> None:
        self.diagnostic = diagnostic
        super().__init__("" if diagnostic is None else diagnostic.message)


class TooManyApplicationsError(ExpansionError):
    """Functions that apply functions: nothing more of the model is read."""

    def __init__(self, application: Span) -> None:
        message = f"functions are applied more than {MOST_APPLICATIONS} times, one inside the other"
        super().__init__(Diagnostic("E313", message, application))


class Expander:
    """Expands expressions. `on_rule_instance` hears of applications of functions that carry rules.

    With `names_applications`, the expansion of `f(a)` is a term that bears this text as its name.
    """

    def __init__(self, on_rule_instance: Callable[[Function, str, Value, Scope], None]) -> None:
        self._on_rule_instance = on_rule_instance
        self.names_applications = True
        self._applications = 0

    def value(self, expression: tree.Expression, scope: Scope) -> Value:
        """What an expression denotes."""
        match expression:
            case tree.Name():
                return self._name(expression, scope)
            case tree.Everything():
                return Everything()
            case tree.Zero():
                return Zero.ZERO
            case tree.Unary():
                return self._unary(expression, scope)
            case tree.Binary():
                return self._binary(expression, scope)
            case tree.Apply():
                return self._apply(expression, scope)
            case _:
                assert_never(expression)

    def set(self, expression: tree.Expression, scope: Scope, wanted_by: str) -> SetTerm:
        """The set that an expression denotes; `wanted_by` names what needs a set."""
        value = self.value(expression, scope)
        if isinstance(value, SetTerm):
            return value
        if value is Zero.ZERO:
            return Nothing()
        raise _wrong_kind(expression.span, wanted_by, "a set of events", "a relation")

    def relation(self, expression: tree.Expression, scope: Scope, wanted_by: str) -> RelationTerm:
        """The relation that an expression denotes; `wanted_by` names what needs a relation."""
        value = self.value(expression, scope)
        if isinstance(value, RelationTerm):
            return value
        if value is Zero.ZERO:
            return Empty()
        raise _wrong_kind(expression.span, wanted_by, "a relation", "a set of events")

    def _name(self, name: tree.Name, scope: Scope) -> Value:
        entry = scope.get(name.text)
        if entry is None:
            raise ExpansionError(unknown_name(name, scope))
        if entry is Broken.BROKEN:
            raise ExpansionError(None)
        if isinstance(entry, Function):
            count = len(entry.parameters)
            raise ExpansionError(
                Diagnostic(
                    "E306",
                    f"'{name.text}' is a function of {count} argument{'s' if count > 1 else ''}; give it some: "
                    f"{name.text}({', '.join(p.text for p in entry.parameters)})",
                    name.span,
                    notes=(Note("defined here", entry.name.span),),
                )
            )
        return entry

    def _unary(self, expression: tree.Unary, scope: Scope) -> Value:
        operator, operand = expression.operator, expression.operand
        if operator is UnaryOperator.LIFT:
            return Identity(self.set(operand, scope, "[…]"))
        if operator is UnaryOperator.COMPLEMENT:
            value = self.value(operand, scope)
            if isinstance(value, SetTerm):
                return SetDifference(Everything(), value)
            return _UNIVERSE if value is Zero.ZERO else Difference(_UNIVERSE, value)
        body = self.relation(operand, scope, f"postfix {operator.value}")
        match operator:
            case UnaryOperator.CLOSURE:
                return Closure(body)
            case UnaryOperator.REFLEXIVE_CLOSURE:
                return Union(Closure(body), Identity(Everything()))
            case UnaryOperator.OPTION:
                return Union(body, Identity(Everything()))
            case UnaryOperator.INVERSE:
                return Inverse(body)
            case _:
                assert_never(operator)

    def _binary(self, expression: tree.Binary, scope: Scope) -> Value:
        operator = expression.operator
        if operator is BinaryOperator.COMPOSE:
            return Compose(self.relation(expression.left, scope, "';'"), self.relation(expression.right, scope, "';'"))
        if operator is BinaryOperator.PRODUCT:
            return Product(self.set(expression.left, scope, "'*'"), self.set(expression.right, scope, "'*'"))
        left, right = self.value(expression.left, scope), self.value(expression.right, scope)
        if left is Zero.ZERO or right is Zero.ZERO:
            return _with_zero(operator, left, right)
        if isinstance(left, SetTerm) and isinstance(right, SetTerm):
            match operator:
                case BinaryOperator.UNION:
                    return SetUnion(left, right)
                case BinaryOperator.INTERSECTION:
                    return SetIntersection(left, right)
                case BinaryOperator.DIFFERENCE:
                    return SetDifference(left, right)
                case _:
                    assert_never(operator)
        if isinstance(left, RelationTerm) and isinstance(right, RelationTerm):
            match operator:
                case BinaryOperator.UNION:
                    return Union(left, right)
                case BinaryOperator.INTERSECTION:
                    return Intersection(left, right)
                case BinaryOperator.DIFFERENCE:
                    return Difference(left, right)
                case _:
                    assert_never(operator)
        raise _mixed(expression, left)

    def _apply(self, expression: tree.Apply, scope: Scope) -> Value:
        name = expression.function
        function = scope.get(name.text)
        if function is None and name.text in BUILT_IN_FUNCTIONS:
            _check_count(expression, 1, None)
            body = self.relation(expression.arguments[0], scope, f"'{name.text}'")
            return Domain(body) if name.text == "domain" else Range(body)
        if function is None:
            raise ExpansionError(unknown_name(name, scope))
        if function is Broken.BROKEN:
            raise ExpansionError(None)
        if not isinstance(function, Function):
            raise ExpansionError(Diagnostic("E306", f"'{name.text}' is no function", name.span))
        _check_count(expression, len(function.parameters), function)
        arguments = [self.value(argument, scope) for argument in expression.arguments]
        return self._expanded(expression, function, arguments)

    def _expanded(self, expression: tree.Apply, function: Function, arguments: list[Value]) -> Value:
        self._applications += 1
        if self._applications > MOST_APPLICATIONS:
            raise TooManyApplicationsError(expression.span)
        inner = function.scope.binding(zip((p.text for p in function.parameters), arguments, strict=True))
        try:
            body = self.value(function.body, inner)
        except TooManyApplicationsError:
            # The outermost application is the one to look at.
            raise TooManyApplicationsError(expression.span) from None
        except ExpansionError as error:
            raise _inside(error.diagnostic, expression.span) from None
        if function.silent or body is Zero.ZERO or not self.names_applications:
            return body
        shown = ", ".join("0" if a is Zero.ZERO else show(a) for a in arguments)
        text = f"{function.name.text}({shown})"
        if function.comment is not None:
            self._on_rule_instance(function, text, body, inner)
        return named(text, body)


def _with_zero(operator: BinaryOperator, left: Value, right: Value) -> Value:
    match operator:
        case BinaryOperator.UNION:
            return right if left is Zero.ZERO else left
        case BinaryOperator.DIFFERENCE:
            return left
        case _:
            return Zero.ZERO


def _wrong_kind(span: Span, wanted_by: str, wanted: str, found: str) -> ExpansionError:
    hint = (Note(f"[{span.text}] is the identity on that set"),) if wanted == "a relation" else ()
    return ExpansionError(Diagnostic("E305", f"{wanted_by} needs {wanted}, but this is {found}", span, notes=hint))


def _mixed(expression: tree.Binary, left: Value) -> ExpansionError:
    kinds = ("a set of events", "a relation") if isinstance(left, SetTerm) else ("a relation", "a set of events")
    return ExpansionError(
        Diagnostic(
            "E305",
            f"'{expression.operator.value}' needs two sets or two relations",
            expression.span,
            notes=(
                Note(f"this is {kinds[0]}", expression.left.span),
                Note(f"this is {kinds[1]}", expression.right.span),
            ),
        )
    )


def unknown_name(name: tree.Name, scope: Scope) -> Diagnostic:
    """The complaint about a name that nothing defines."""
    suggestion = did_you_mean(name.text, (*scope.names(), *BUILT_IN_FUNCTIONS))
    return Diagnostic("E304", f"unknown name '{name.text}'{suggestion}", name.span)


def _check_count(expression: tree.Apply, wanted: int, function: Function | None) -> None:
    found = len(expression.arguments)
    if found != wanted:
        notes = () if function is None else (Note("defined here", function.name.span),)
        message = f"'{expression.function.text}' takes {wanted} argument{'s' if wanted > 1 else ''}, but {found} given"
        raise ExpansionError(Diagnostic("E306", message, expression.span, notes=notes))


def _inside(diagnostic: Diagnostic | None, application: Span) -> ExpansionError:
    if diagnostic is None:
        return ExpansionError(None)
    notes = (*diagnostic.notes, Note("in this application", application))
    return ExpansionError(Diagnostic(diagnostic.code, diagnostic.message, diagnostic.span, notes=notes))
