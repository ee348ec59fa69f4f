"""From expressions of cat to relational terms: names resolved, functions expanded, kinds checked."""

from __future__ import annotations

from typing import TYPE_CHECKING, assert_never

from mcm.base.diagnostic import Diagnostic
from mcm.cat import built_in, recursion, tree
from mcm.cat.built_in import BUILT_IN_FUNCTIONS, as_relation, as_set, is_nothing, kind_of
from mcm.cat.errors import (
    DEEPEST_APPLICATION,
    MOST_APPLICATIONS,
    ExpansionError,
    RefusedError,
    TooManyApplicationsError,
    inside,
    mixed,
    unapplied,
    unknown_name,
    wrong_count,
)
from mcm.cat.known_functions import known_function
from mcm.cat.scope import Broken, BuiltIn, Function, TupleValue, Zero, named
from mcm.cat.tree import BinaryOperator, UnaryOperator
from mcm.relation.show import show
from mcm.relation.term import (
    Base,
    BaseSet,
    Closure,
    Compose,
    Defined,
    DefinedSet,
    Difference,
    Empty,
    Everything,
    Identity,
    Intersection,
    Inverse,
    Nothing,
    Product,
    RelationTerm,
    SetDifference,
    SetIntersection,
    SetTerm,
    SetUnion,
    Union,
)

if TYPE_CHECKING:
    from collections.abc import Callable

    from mcm.cat.scope import Scope, Value
    from mcm.relation.term import Term

_UNIVERSE = Product(Everything(), Everything())


class Expander:
    """Expands expressions. `on_rule_instance` hears of applications of functions that carry rules.

    With `names_applications`, the expansion of `f(a)` is a term that bears this text as its name.
    """

    def __init__(self, on_rule_instance: Callable[[Function, str, Term, Scope], None]) -> None:
        self._on_rule_instance = on_rule_instance
        self.names_applications = True
        self._applications = 0
        self._nesting = 0

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
            case tree.Tuple(items):
                return TupleValue(tuple(self.value(item, scope) for item in items))
            case tree.Lambda(parameters, body, span):
                return Function(tree.Name("fun", span), parameters, body, scope, None, span, silent=False)
            case tree.Local():
                return self._local(expression, scope)
            case tree.Attempt(body, otherwise, _):
                return self._attempt(body, otherwise, scope)
            case tree.Conditional():
                # NOTE(variants): no variant of herd7 is on.
                return self.value(expression.otherwise, scope)
            case tree.Match():
                return self._match(expression, scope)
            case tree.Listed():
                message = "sets of listed events are not supported: only an execution has them"
                raise RefusedError(message, expression.span)
            case _:
                assert_never(expression)

    def set(self, expression: tree.Expression, scope: Scope, wanted_by: str) -> SetTerm:
        """The set that an expression denotes; `wanted_by` names what needs a set."""
        return as_set(self.operand(expression, scope), expression.span, wanted_by)

    def relation(self, expression: tree.Expression, scope: Scope, wanted_by: str) -> RelationTerm:
        """The relation that an expression denotes; `wanted_by` names what needs a relation."""
        return as_relation(self.operand(expression, scope), expression.span, wanted_by)

    def operand(self, expression: tree.Expression, scope: Scope) -> Value:
        """What an expression denotes where a function would make no sense."""
        value = self.value(expression, scope)
        if isinstance(value, Function) and value.parameters:
            raise unapplied(expression.span, value)
        return value

    def _name(self, name: tree.Name, scope: Scope) -> Value:
        entry = scope.get(name.text)
        if entry is None and name.text in BUILT_IN_FUNCTIONS:
            return BuiltIn(name.text)
        if entry is None:
            raise ExpansionError(unknown_name(name, (*scope.names(), *BUILT_IN_FUNCTIONS)))
        if entry is Broken.BROKEN:
            raise ExpansionError(None)
        return entry

    def _local(self, expression: tree.Local, scope: Scope) -> Value:
        """`let … in …`: what is bound is known in the body, and with `rec` in what is bound."""
        if expression.recursive:
            return self.value(expression.body, recursion.bind(self, expression.bindings, scope))
        bound = [pair for binding in expression.bindings for pair in self.bound(binding, scope)]
        return self.value(expression.body, scope.binding(bound))

    def bound(self, binding: tree.Binding, scope: Scope) -> list[tuple[str, Value]]:
        """What a local binding binds, by name."""
        known = known_function(binding)
        if known is not None:
            return [(binding.name.text, known)]
        if binding.parameters is not None:
            return [(binding.name.text, function_of(binding, scope))]
        value = self.value(binding.body, scope)
        if binding.unpacked is None:
            # Without names, what is used twice would be as long as it is deep.
            return [(binding.name.text, _named(binding.name.text, value))]
        return unpacked(binding.unpacked, value, binding.body)

    def _attempt(self, body: tree.Expression, otherwise: tree.Expression, scope: Scope) -> Value:
        try:
            return self.value(body, scope)
        except (RefusedError, TooManyApplicationsError):
            raise
        except ExpansionError:
            return self.value(otherwise, scope)

    def _match(self, expression: tree.Match, scope: Scope) -> Value:
        if expression.empty is not None and self.value(expression.subject, scope) is Zero.ZERO:
            return self.value(expression.empty, scope)
        message = "'match' on a set is not supported: only an execution knows its members"
        raise RefusedError(message, expression.span)

    def _unary(self, expression: tree.Unary, scope: Scope) -> Value:
        operator, operand = expression.operator, expression.operand
        if operator is UnaryOperator.LIFT:
            return Identity(self.set(operand, scope, "[…]"))
        if operator is UnaryOperator.COMPLEMENT:
            value = self.operand(operand, scope)
            if isinstance(value, SetTerm):
                return SetDifference(Everything(), value)
            return _UNIVERSE if value is Zero.ZERO else Difference(_UNIVERSE, as_relation(value, operand.span, "'~'"))
        if operator is UnaryOperator.SQUARE:
            events = self.set(operand, scope, "postfix ^2")
            return Product(events, events)
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
        left, right = self.operand(expression.left, scope), self.operand(expression.right, scope)
        if operator is BinaryOperator.ADDITION:
            message = "'++' adds a member to a set of sets or relations, which mcm does not support"
            raise RefusedError(message, expression.span)
        # The empty set is an empty relation where the other operand is one.
        left = Zero.ZERO if is_nothing(left) and isinstance(right, RelationTerm) else left
        right = Zero.ZERO if is_nothing(right) and isinstance(left, RelationTerm) else right
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
        raise mixed(expression, (kind_of(left), kind_of(right)))

    def _apply(self, expression: tree.Apply, scope: Scope) -> Value:
        function = self.value(expression.function, scope)
        name = expression.function.span.text
        if isinstance(function, BuiltIn):
            arguments = tuple(self.value(argument, scope) for argument in expression.arguments)
            return built_in.apply(function.name, arguments, expression)
        if not isinstance(function, Function):
            raise ExpansionError(Diagnostic("E306", f"'{name}' is no function", expression.function.span))
        values = [self.value(argument, scope) for argument in expression.arguments]
        wanted = len(function.parameters)
        if wanted != 1 and len(values) == 1 and isinstance(values[0], TupleValue):
            values = list(values[0].items)
        if len(values) != wanted:
            raise wrong_count(expression, wanted, function)
        return self._expanded(expression, function, values)

    def _expanded(self, expression: tree.Apply, function: Function, arguments: list[Value]) -> Value:
        self._applications += 1
        if self._applications > MOST_APPLICATIONS:
            raise TooManyApplicationsError(expression.span)
        if self._nesting >= DEEPEST_APPLICATION:
            raise TooManyApplicationsError(expression.span, DEEPEST_APPLICATION)
        inner = function.scope.binding(zip((p.text for p in function.parameters), arguments, strict=True))
        self._nesting += 1
        try:
            body = self.value(function.body, inner)
        except TooManyApplicationsError as error:
            # The outermost application is the one to look at.
            raise TooManyApplicationsError(expression.span, error.limit) from None
        except ExpansionError as error:
            raise inside(error, expression.span) from None
        finally:
            self._nesting -= 1
        if not isinstance(body, SetTerm | RelationTerm) or function.silent or not self.names_applications:
            return body
        shown = ", ".join(_shown(a) for a in arguments)
        text = f"{function.name.text}({shown})"
        if function.comment is not None:
            self._on_rule_instance(function, text, body, inner)
        return named(text, body)


def _shown(value: Value) -> str:
    if isinstance(value, SetTerm | RelationTerm):
        return show(value)
    return "0" if value is Zero.ZERO else "…"


def _named(name: str, value: Value) -> Value:
    if isinstance(value, Base | BaseSet | Defined | DefinedSet | Everything | Nothing | Empty):
        return value
    return named(name, value) if isinstance(value, SetTerm | RelationTerm) else value


def function_of(binding: tree.Binding, scope: Scope) -> Function:
    """The function that a local binding defines."""
    assert binding.parameters is not None
    return Function(binding.name, binding.parameters, binding.body, scope, None, binding.name.span, silent=False)


def unpacked(names: tuple[tree.Name, ...], value: Value, body: tree.Expression) -> list[tuple[str, Value]]:
    """The parts of a tuple by the names that `let (a, b) = body` gives them."""
    if not isinstance(value, TupleValue) or len(value.items) != len(names):
        found = f"a tuple of {len(value.items)}" if isinstance(value, TupleValue) else kind_of(value)
        message = f"{len(names)} names need a tuple of {len(names)}, but this is {found}"
        raise ExpansionError(Diagnostic("E306", message, body.span))
    return [(name.text, item) for name, item in zip(names, value.items, strict=True)]


def _with_zero(operator: BinaryOperator, left: Value, right: Value) -> Value:
    match operator:
        case BinaryOperator.UNION:
            return right if left is Zero.ZERO else left
        case BinaryOperator.DIFFERENCE:
            return left
        case _:
            return Zero.ZERO
