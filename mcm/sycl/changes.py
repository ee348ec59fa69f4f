"""Which variables of a body change."""

from __future__ import annotations

from typing import TYPE_CHECKING

from mcm.sycl import tree
from mcm.syntax import ast
from mcm.syntax.walk import changed_variable, walk

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from mcm.syntax.ast import Node

    # Which arguments functions refer to, and so may change, by the names of the functions and of the classes they make.
    Changing = Mapping[str, frozenset[int]]


def changing(units: Iterable[Node]) -> Changing:
    """Which of their arguments the functions of a test may change."""
    found: dict[str, frozenset[int]] = {}
    for unit in units:
        parts = unit.parts if isinstance(unit, tree.ClassDefinition) else (unit,)
        if isinstance(unit, tree.ClassDefinition):
            # Where no constructor says what is made of what, the members do, one by one.
            data = [one for one in parts if isinstance(one, ast.Declaration | tree.ReferenceMember)]
            members = [
                made for one in data for made in (one.declarators if isinstance(one, ast.Declaration) else (one,))
            ]
            references = (place for place, one in enumerate(members) if isinstance(one, tree.ReferenceMember))
            found[unit.name.text] = found.get(unit.name.text, frozenset()) | frozenset(references)
        for one in parts:
            if isinstance(one, ast.Function | tree.MemberFunction):
                name, places = one.name.text, frozenset(_references(one.parameters))
                found[name] = found.get(name, frozenset()) | places
    return found


def changed_variables(body: Node, changing: Changing) -> frozenset[str]:
    """The variables that are assigned, whose address is taken, or that functions may change, in a body."""
    found: set[str] = set()
    known = {**changing, **dict(_lambdas(body)), "atomic_ref": frozenset({0})}
    for node in walk([body]):
        match node:
            case tree.ReferenceDeclaration(_, _, target) | tree.BindingDeclaration(_, True, _, target):
                found.update(named_objects(target))
            case ast.Call(ast.Name(name), arguments) | tree.MemberCall(_, _, ast.Name(name), _, arguments):
                found.update(_passed(arguments, known.get(name.rpartition("::")[2], frozenset())))
            case tree.Construction(tree.ClassType(name), _, arguments):
                found.update(_passed(arguments, known.get(name.rpartition("::")[2], frozenset())))
            case tree.ObjectDeclaration(_, tree.ClassType(name), declarators):
                for one in declarators:
                    found.update(_passed(one.arguments, known.get(name.rpartition("::")[2], frozenset())))
            case ast.Declaration(ast.TypeName(base=base), made) if known.get(base.removeprefix("struct ")):
                for each in made:
                    found.update(_passed(_made_of(each), known[base.removeprefix("struct ")]))
            case _ if (name_ := changed_variable(node)) is not None:
                found.add(name_)
            case ast.Assignment(_, target) | ast.Postfix(_, target) | ast.Prefix("++" | "--" | "&", target):
                found.update(named_objects(target))
            case _:
                pass
    return frozenset(found)


def _made_of(one: ast.Declarator) -> tuple[Node, ...]:
    """What an object is made of where it is declared."""
    match one.initializer:
        case None:
            return ()
        case ast.InitializerList(items):
            return items
        case value:
            return (value,)


def named_objects(node: Node) -> Iterator[str]:
    """The variables that an expression may name as a whole: `a`, and `c ? a : b`."""
    match node:
        case ast.Name(text):
            yield text
        case ast.Conditional(_, one, other):
            yield from named_objects(one)
            yield from named_objects(other)
        case ast.Infix(",", _, last):
            yield from named_objects(last)
        case _:
            pass


def _references(parameters: Iterable[Node]) -> Iterator[int]:
    """The positions of parameters that are other names for what is passed, which may change."""
    for place, one in enumerate(parameters):
        match one:
            case tree.ReferenceParameter(ast.TypeName(qualifiers)) if "const" not in qualifiers:
                yield place
            case tree.LambdaParameter(qualifiers, _, True) if "const" not in qualifiers:
                yield place
            case _:
                pass


def _lambdas(body: Node) -> Iterator[tuple[str, frozenset[int]]]:
    """The lambdas in variables of a body, and which of their arguments they may change."""
    for node in walk([body]):
        match node:
            case tree.ObjectDeclarator(ast.Name(name), _, (tree.Lambda(_, parameters),)):
                yield name, frozenset(_references(parameters))
            case _:
                pass


def _passed(arguments: tuple[Node, ...], places: frozenset[int]) -> Iterator[str]:
    """The variables that stand at some places among arguments."""
    for place in places:
        if place < len(arguments):
            yield from named_objects(arguments[place])
