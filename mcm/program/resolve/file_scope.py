"""Variables outside kernels and functions: constants as their values, others as locations that units are given.

`constant int k = 3;` whose address is not taken is a number. Any other is a location of the initial state, which is
program-scope memory where it is global; units that use it, themselves or by a function, have it as one more parameter.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from msgspec import Struct
from msgspec.structs import replace

from mcm.base.diagnostic import Note
from mcm.program.resolve.constants_in_scope import with_constants_in_scope
from mcm.program.resolve.hidden_objects import WithCode, hidden_altogether, other_name, with_other_names, with_pointers
from mcm.program.resolve.literals import NAMED_CONSTANTS
from mcm.program.resolve.mentions import is_record
from mcm.program.resolve.spelling import REGIONS, scalar_name
from mcm.program.types import AllocationKind, Region
from mcm.syntax import ast
from mcm.syntax.mapped import mapped, with_parts
from mcm.syntax.walk import changed_variable, walk

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from mcm.program.resolve.complaints import Complaints

_CONST: Final = "const"
_WITH_CODE: Final = ast.Thread | ast.Kernel | ast.Function | ast.Callback


def without_file_variables(tree: ast.Litmus, complaints: Complaints) -> ast.Litmus:
    """The test in which such variables are numbers, or parameters."""
    units = [unit for unit in tree.units if not isinstance(unit, ast.FileVariables)]
    own = {id(unit): _declared(unit) for unit in units}
    changed = {name for unit in units for node in walk([unit]) if (name := changed_variable(node)) not in own[id(unit)]}
    constants: dict[str, ast.Expression] = {}
    objects: dict[str, ast.Parameter] = {}
    initial: list[ast.InitialValue] = []
    taken = {item.name.text: item.span for item in tree.initial if isinstance(item, ast.InitialValue)}
    taken |= {unit.name.text: unit.name.span for unit in units if isinstance(unit, ast.Function | ast.Kernel)}
    for type_, declarator in _declarators(tree):
        name = declarator.name.text
        if name in taken:
            note = Note("first declared here", taken[name])
            complaints.error("E118", declarator.name.span, f"'{name}' is declared twice", note)
            continue
        taken[name] = declarator.name.span
        one = _with_constants(declarator, constants)
        value = _constant_value(type_, one)
        if value is not None and name not in changed:
            constants[name] = value
        elif (kind := _checked_type(type_, one, tree, complaints)) is not None:
            objects[name] = _parameter(kind, one)
            initial.append(_location(kind, one))
    needs = _needs(units, own, frozenset(objects))
    of_function = {unit.name.text: needs[id(unit)] for unit in units if isinstance(unit, ast.Function)}
    given = _Given(constants, objects, needs, own, of_function, complaints)
    return replace(tree, initial=(*tree.initial, *initial), units=tuple(map(given.unit, units)))


def _declarators(tree: ast.Litmus) -> Iterator[tuple[ast.TypeName, ast.Declarator]]:
    for unit in tree.units:
        if isinstance(unit, ast.FileVariables):
            yield from ((unit.declaration.type, one) for one in unit.declaration.declarators)


def _declared(unit: ast.Node) -> frozenset[str]:
    """The names that a unit declares itself, wherever."""
    nodes = (node for node in walk([unit]) if isinstance(node, ast.Declarator | ast.Parameter))
    return frozenset(node.name.text for node in nodes)


# --- what a variable is -----------------------------------------------------------------------------------------------


def _with_constants(declarator: ast.Declarator, constants: dict[str, ast.Expression]) -> ast.Declarator:
    def change(node: ast.Node) -> ast.Node:
        return constants.get(node.text, node) if isinstance(node, ast.Name) else node

    return replace(mapped(declarator, change), name=declarator.name)


def _constant_value(type_: ast.TypeName, declarator: ast.Declarator) -> ast.Expression | None:
    """The value of a constant that is a number, of its type; None for anything else."""
    value = declarator.initializer
    is_constant = _CONST in type_.qualifiers or _region(type_) is Region.CONSTANT
    is_number = not (declarator.pointers or declarator.length or is_record(type_.base) or "atomic" in type_.base)
    if not (is_constant and is_number) or not isinstance(value, ast.Expression):
        return None
    if any(isinstance(node, ast.InitializerList) or _is_variable(node) for node in walk([value])):
        return None
    bare = ast.TypeName((), scalar_name(type_.qualifiers, type_.base), span=type_.span)
    return (
        value if bare.base == "int" and isinstance(value, ast.NumberLiteral) else ast.Cast(bare, value, span=value.span)
    )


def _is_variable(node: ast.Node) -> bool:
    return isinstance(node, ast.Name) and node.text not in NAMED_CONSTANTS


def _region(type_: ast.TypeName) -> Region | None:
    return next((REGIONS[word] for word in type_.qualifiers if word in REGIONS), None)


def _checked_type(
    type_: ast.TypeName, declarator: ast.Declarator, tree: ast.Litmus, complaints: Complaints
) -> ast.TypeName | None:
    """The type of a location, with its address space; None, with a complaint, where there can be none."""
    name, region = declarator.name, _region(type_)
    if declarator.pointers:
        message = f"not yet supported: '{name.text}', a pointer outside kernels and functions"
        complaints.error("E100", declarator.span, message)
        return None
    if region in {Region.LOCAL, Region.PRIVATE, Region.GENERIC}:
        assert region is not None
        message = f"what is declared outside functions is global or constant: '{name.text}' is {region.value} (AS-4)"
        complaints.error("E127", name.span, message)
        return None
    if region is Region.CONSTANT and declarator.initializer is None:
        complaints.error("E131", name.span, f"constant '{name.text}' has no value: it needs one here")
        return None
    if region is None and tree.dialect.has_address_spaces:
        return replace(type_, qualifiers=(Region.GLOBAL.value, *type_.qualifiers))
    return type_


def _location(type_: ast.TypeName, declarator: ast.Declarator) -> ast.InitialValue:
    """What the initial state would say."""
    is_global = _region(type_) is Region.GLOBAL
    return ast.InitialValue(
        declarator.name,
        allocation=AllocationKind.PROGRAM_SCOPE.value if is_global else None,
        type=type_,
        length=declarator.length,
        value=declarator.initializer,
        inner=declarator.inner,
        span=declarator.span,
    )


def _parameter(type_: ast.TypeName, declarator: ast.Declarator) -> ast.Parameter:
    """What a unit is given."""
    if declarator.length is not None:
        return ast.Parameter(type_, declarator.name, declarator.length, declarator.inner, span=declarator.span)
    return ast.Parameter(replace(type_, pointers=((),)), declarator.name, span=declarator.span)


# --- who uses it ------------------------------------------------------------------------------------------------------


def _needs(
    units: Sequence[ast.Unit], own: dict[int, frozenset[str]], objects: frozenset[str]
) -> dict[int, tuple[str, ...]]:
    """The variables that each unit uses, itself or in a function that it calls, in the order of their names."""
    functions = {unit.name.text: unit for unit in units if isinstance(unit, ast.Function) and unit.body is not None}
    direct: dict[int, set[str]] = {}
    calls: dict[int, set[str]] = {}
    for unit in units:
        texts = {node.text for node in walk([unit]) if isinstance(node, ast.Name)}
        direct[id(unit)] = (texts & objects) - own[id(unit)]
        if isinstance(unit, _WITH_CODE) and (hidden := texts & objects & own[id(unit)]):
            seen = {node.text for node in walk([with_other_names(unit, hidden)]) if isinstance(node, ast.Name)}
            direct[id(unit)] |= {name for name in hidden if other_name(name) in seen}
        calls[id(unit)] = {node.function.text for node in walk([unit]) if isinstance(node, ast.Call)} & set(functions)
    is_open = True
    while is_open:
        is_open = False
        for unit in units:
            found = direct[id(unit)].union(*(direct[id(functions[name])] for name in calls[id(unit)]))
            is_open |= found != direct[id(unit)]
            direct[id(unit)] = found
    # A declaration of a function has the parameters of its definition.
    for unit in units:
        if isinstance(unit, ast.Function) and unit.name.text in functions:
            direct[id(unit)] = direct[id(functions[unit.name.text])]
    return {number: tuple(sorted(names)) for number, names in direct.items()}


class _Given:
    """Gives units what they use."""

    def __init__(
        self,
        constants: dict[str, ast.Expression],
        objects: dict[str, ast.Parameter],
        needs: dict[int, tuple[str, ...]],
        own: dict[int, frozenset[str]],
        of_function: dict[str, tuple[str, ...]],
        complaints: Complaints,
    ) -> None:
        self._constants: Final = constants
        self._objects: Final = objects
        self._needs: Final = needs
        self._own: Final = own
        self._complaints: Final = complaints
        self._of_function: Final = of_function

    def unit(self, unit: ast.Unit) -> ast.Unit:
        """A unit with numbers for constants, and with the parameters that it needs."""
        if not isinstance(unit, _WITH_CODE):
            return unit
        is_host = isinstance(unit, ast.Callback) or (isinstance(unit, ast.Thread) and unit.is_host)
        needs = () if is_host else self._needs[id(unit)]
        own = self._own[id(unit)]
        hidden = {name: self._objects[name] for name in needs if name in own}
        if hidden and (name := hidden_altogether(unit, hidden)) is not None:
            message = (
                f"not yet supported: '{name}' outside functions, where a kernel uses it and declares '{name}', too"
            )
            self._complaints.error("E100", hidden[name].span, message, Note("the kernel", unit.span))
        constants = {name: value for name, value in self._constants.items() if name not in own}
        is_hiding = len(constants) < len(self._constants)
        seen = with_constants_in_scope(unit, self._constants) if is_hiding else unit
        given = [self._objects[name] for name in needs]
        names = {name: other_name(name) if name in hidden else name for name in needs}
        if hidden:
            seen = with_other_names(seen, hidden)
        replacing = _Replacing(
            constants, {names[name]: self._objects[name] for name in needs}, names, self._of_function
        )
        changed: WithCode = replacing.parts(seen)
        if isinstance(unit, ast.Function):
            given = [replace(one, name=ast.Name(names[one.name.text], span=one.name.span)) for one in given]
        elif hidden:
            changed = with_pointers(changed, hidden)
        return replace(changed, parameters=(*unit.parameters, *given))


class _Replacing(Struct, frozen=True):
    """What stands for names in one unit; `of_function` are the variables that calls pass on, by their `names` here."""

    constants: dict[str, ast.Expression]
    objects: dict[str, ast.Parameter]
    names: dict[str, str]
    of_function: dict[str, tuple[str, ...]]

    def node(self, node: ast.Node) -> Any:
        """A part of the unit."""
        match node:
            case ast.Name(text) if text in self.constants:
                return replace(self.constants[text], span=node.span)
            case ast.Name(text) if text in self.objects and self.objects[text].length is None:
                return ast.Prefix("*", node, span=node.span)
            case ast.Prefix("&", ast.Name(text) as name) if text in self.objects:
                return name
            case ast.Call(ast.Name(function), arguments):
                passed = (ast.Name(self.names[name], span=node.span) for name in self.of_function.get(function, ()))
                return replace(node, arguments=(*map(self.node, arguments), *passed))
            case ast.Member(base):
                return replace(node, base=self.node(base))
            case ast.Labelled(_, statement):
                return replace(node, statement=self.node(statement))
            case ast.Declarator() | ast.Parameter():
                return replace(self.parts(node), name=node.name)
            case _:
                return self.parts(node)

    def parts(self, node: ast.Node) -> Any:
        """A node with its parts replaced."""
        return with_parts(node, self.node)
