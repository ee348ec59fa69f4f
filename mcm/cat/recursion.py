"""`let rec`: least solutions of equations over relations, and functions that apply themselves."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

from mcm.base.diagnostic import Diagnostic
from mcm.cat.errors import ExpansionError, RefusedError
from mcm.cat.scope import Function
from mcm.relation.occurrence import free_variables, variables_in_sets
from mcm.relation.polarity import Polarity, polarity
from mcm.relation.term import RecursionVariable, Recursive

if TYPE_CHECKING:
    from mcm.cat import tree
    from mcm.cat.scope import Entry, Scope
    from mcm.relation.term import RelationTerm


class ExpandsRelations(Protocol):
    """What gives the relation that an expression denotes; while `names_applications`, applications are named terms."""

    names_applications: bool

    def relation(self, expression: tree.Expression, scope: Scope, wanted_by: str) -> RelationTerm:
        """The relation that an expression denotes; `wanted_by` names what needs a relation."""


def bind(expander: ExpandsRelations, bindings: tuple[tree.Binding, ...], scope: Scope) -> Scope:
    """The scope behind `let rec`, in which functions know themselves; raises ExpansionError."""
    if all(binding.parameters is None for binding in bindings):
        equations = tuple(solved(expander, bindings, scope))
        return scope.binding((name, Recursive(name, equations)) for name, _ in equations)
    plain = next((binding for binding in bindings if binding.parameters is None), None)
    if plain is not None:
        message = "relations and functions that are defined by recursion into each other are not supported"
        raise RefusedError(message, plain.name.span)
    known: dict[str, Entry] = {}
    inner = scope.within(known)
    for binding in bindings:
        assert binding.parameters is not None
        known[binding.name.text] = Function(
            binding.name, binding.parameters, binding.body, inner, None, binding.name.span, silent=False
        )
    return inner


def solved(
    expander: ExpandsRelations, bindings: tuple[tree.Binding, ...], scope: Scope
) -> list[tuple[str, RelationTerm]]:
    """The equations of relations that are defined by recursion, each with its name; raises ExpansionError."""
    inner = scope.binding((b.name.text, RecursionVariable(b.name.text)) for b in bindings)
    before = expander.names_applications
    expander.names_applications = False
    try:
        return [(binding.name.text, _equation(expander, binding, inner)) for binding in bindings]
    finally:
        expander.names_applications = before


def _equation(expander: ExpandsRelations, binding: tree.Binding, scope: Scope) -> RelationTerm:
    if binding.unpacked is not None:
        raise RefusedError("recursion through a tuple is not supported", binding.name.span)
    term = expander.relation(binding.body, scope, "'let rec'")
    if variables_in_sets(term):
        message = "recursion through a set, such as domain(…) of what is being defined, is not supported"
        raise RefusedError(message, binding.body.span)
    if polarity(term, free_variables(term)) in {Polarity.DECREASING, Polarity.MIXED}:
        message = (
            f"'{binding.name.text}' is defined by recursion right of '\\' or under '~': more of it could "
            "mean less, so there may be no least solution"
        )
        raise ExpansionError(Diagnostic("E307", message, binding.body.span))
    return term
