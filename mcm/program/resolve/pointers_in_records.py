"""Structures with members that point to structures or vectors: each such member is a variable of its own.

`struct scene { global struct ball* balls; int n; } s;` is `struct scene { int n; } s;` and a pointer beside it. Who is
given `s`, or its address, is given the pointer as well, and may follow it. So this is of variables of functions; what
memory holds has no such members. A variable that begins as the address of `s`, and stays so, leads to the same
pointers.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final, NoReturn

from msgspec.structs import replace

from mcm.program.resolve.spelling import COPIED, base_of
from mcm.program.resolve.type_names import names_local
from mcm.program.resolve.typed_walk import VECTOR, Measured, TypedWalk, name_of
from mcm.syntax import ast

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from mcm.program.resolve.complaints import Complaints

# The members of a structure that are pointers to others, `inner.p` of one that is a member, with their types.
_Pointers = dict[str, ast.TypeName]

_NONE: Final[_Pointers] = {}


class _Alias(Measured, frozen=True, kw_only=True):
    """A variable that is the address of another one, the `target`."""

    target: ast.Name


def without_pointers_in_records(tree: ast.Litmus, complaints: Complaints) -> ast.Litmus:
    """The test whose structures have no members that point to structures or vectors."""
    known: dict[str, _Pointers] = {}
    records = {name_of(unit) for unit in tree.units if isinstance(unit, ast.Structure)}
    for unit in tree.units:
        if isinstance(unit, ast.Structure) and not unit.is_union and (found := _pointers(unit, records, known)):
            known[name_of(unit)] = found
    return _Apart(tree, known, complaints).test(tree) if known else tree


def _pointers(unit: ast.Structure, records: set[str], known: Mapping[str, _Pointers]) -> _Pointers:
    """Such members of a structure; those of a list, which lead to structures that have some themselves, stay."""
    found: _Pointers = {}
    for declaration in unit.members:
        base = base_of(declaration.type)
        for one in declaration.declarators:
            if one.length is not None or one.inner:
                continue
            if len(one.pointers) == 1 and base not in known and base != name_of(unit):
                if base in records or VECTOR.fullmatch(base):
                    found[one.name.text] = replace(declaration.type, pointers=one.pointers)
            elif not one.pointers:
                found |= {f"{one.name.text}.{path}": type_ for path, type_ in known.get(base, _NONE).items()}
    return found


class _Apart(TypedWalk):
    """Takes such members out of structures."""

    def __init__(self, tree: ast.Litmus, known: Mapping[str, _Pointers], complaints: Complaints) -> None:
        super().__init__(tree, complaints)
        self._known: Final = known
        self._parameters: Final = {
            unit.name.text: unit.parameters for unit in tree.units if isinstance(unit, ast.Function)
        }
        self._written: Final = {name_of(unit): unit for unit in tree.units if isinstance(unit, ast.Structure)}
        # The parameters of the function at hand that are addresses of such structures.
        self._given: set[str] = set()

    # --- units and statements -----------------------------------------------------------------------------------------

    def node(self, node: ast.Node) -> Any:
        """A part of the test."""
        match node:
            case ast.Structure():
                return super().node(self._structure(node))
            case ast.Function():
                return self._function(node)
            case ast.Parameter(type_) | ast.FileVariables(_, ast.Declaration(type_)) if self._of(type_):
                return self._refuse_use(node, "in memory, or whose address is passed on")
            case ast.Block(statements):
                self._scopes.append({})
                try:
                    return replace(node, statements=tuple(one for each in statements for one in self._statement(each)))
                finally:
                    self._scopes.pop()
            case ast.Declaration(type_) if self._of(type_):
                return self._refuse_use(node, "declared here")
            case _:
                return self._expression(node)

    def _expression(self, node: ast.Node) -> Any:
        changed = _changed(node)
        if isinstance(changed, ast.Member) and self._is_of_caller(changed):
            self._refuse_use(node, "of somebody else, changed here,")
        match node:
            case ast.Member() if (pointer := self._pointer(node)) is not None:
                return pointer
            case ast.Member() | ast.Index() if self._root(node) is not None:
                return self._inside(node)
            case ast.Call(ast.Name(text)) if text in self._parameters:
                return replace(node, arguments=tuple(self._arguments(node)))
            case ast.Assignment("=", target, value) if (type_ := self._record(target)) is not None:
                return self._assigned(node, target, value, self._known[type_])
            case ast.Cast(type_) | ast.CompoundLiteral(type_) if self._of(type_):
                return self._refuse_use(node, "that is made of something else")
            case ast.Name(text) if self._is_known(text):
                return self._refuse_use(node, "as a whole")
            case _:
                return super().node(node)

    def _structure(self, unit: ast.Structure) -> ast.Structure:
        """A structure without such members."""
        pointers = self._known.get(name_of(unit), _NONE)
        members = []
        for one in unit.members:
            kept = tuple(each for each in one.declarators if each.name.text not in pointers)
            members += [replace(one, declarators=kept)] if kept else []
        if not members:
            # A structure has a member.
            name = ast.Declarator(ast.Name("none#", span=unit.span), span=unit.span)
            members = [ast.Declaration(ast.TypeName((), "char", span=unit.span), (name,), span=unit.span)]
        return replace(unit, members=tuple(members))

    def _function(self, unit: ast.Function) -> ast.Function:
        if self._of(unit.type):
            self._refuse_use(unit.type, "that a function returns")
        around, self._given = self._given, set()
        self._scopes.append({})
        try:
            parameters: list[ast.Parameter] = []
            for one in unit.parameters:
                pointers = self._of(one.type)
                if not pointers:
                    parameters.append(self.node(one))
                    continue
                if len(one.type.pointers) > 1 or one.length is not None:
                    self._refuse_use(one, "of which there are several")
                self._scopes[-1][one.name.text] = Measured(one.type)
                self._given |= {one.name.text} if one.type.pointers else set()
                parameters.append(one)
                parameters += (
                    replace(one, type=type_, name=_beside(one.name, path)) for path, type_ in pointers.items()
                )
            body = None if unit.body is None else self.node(unit.body)
        finally:
            self._scopes.pop()
            self._given = around
        return replace(unit, parameters=tuple(parameters), body=body)

    def _statement(self, node: ast.Statement) -> Iterator[ast.Statement]:
        """A statement; a structure is declared with its pointers."""
        if not (isinstance(node, ast.Declaration) and self._of(node.type)):
            yield self.node(node)
            return
        pointers = self._of(node.type)
        for one in node.declarators:
            if (alias := self._alias(one, node.type)) is not None:
                self._scopes[-1][one.name.text] = alias
                yield replace(node, declarators=(one,))
                continue
            known = (each for scope in self._scopes for each in scope.values() if isinstance(each, _Alias))
            if any(each.target.text == one.name.text for each in known):
                self._refuse_use(one, "with the name of one around it, whose address a variable is")
            if one.pointers or one.length is not None or names_local(node.type.qualifiers):
                self._refuse_use(one, "in local memory, to which a variable points, or of which there are several")
            kept, given = self._begun(one, node.type, pointers)
            self._scopes[-1][one.name.text] = Measured(node.type)
            yield replace(node, declarators=(kept,))
            for path, type_ in pointers.items():
                declarator = ast.Declarator(
                    _beside(one.name, path), type_.pointers, initializer=given.get(path), span=one.span
                )
                yield ast.Declaration(replace(type_, pointers=()), (declarator,), span=node.span)

    def _alias(self, node: ast.Declarator, type_: ast.TypeName) -> _Alias | None:
        """What is known of a pointer that begins as the address of such a structure; None of any other variable."""
        value = node.initializer
        if len(node.pointers) != 1 or node.length is not None or isinstance(value, ast.InitializerList | None):
            return None
        operand = _operand(value, "&")
        named = value if operand is None else operand
        if not isinstance(named, ast.Name) or not self._is_known(named.text):
            return None
        known = self._of_variable(named.text)
        # `&s`, or a variable that is such an address.
        if (operand is None) is not self._is_address(named) or base_of(known.type) != base_of(type_):
            return None
        return _Alias(type_, target=known.target if isinstance(known, _Alias) else named)

    def _is_address(self, name: ast.Name) -> bool:
        """Whether a variable is the address of such a structure, and none itself."""
        return name.text in self._given or isinstance(self._of_variable(name.text), _Alias)

    def _begun(
        self, node: ast.Declarator, type_: ast.TypeName, pointers: _Pointers
    ) -> tuple[ast.Declarator, dict[str, ast.Expression]]:
        """A declarator without the values of pointers, and these."""
        value = node.initializer
        if value is None:
            return node, {}
        if not isinstance(value, ast.InitializerList):
            source = self._source(value)
            if source is None:
                self._refuse_use(value, "that is no variable")
            return node, {path: self._copied(source, path) for path in pointers}
        names = [each.name.text for one in self._written[base_of(type_)].members for each in one.declarators]
        parts: tuple[ast.Expression | ast.InitializerList, ...] = value.rows or value.items
        if len(parts) > len(names) or any("." in path for path in pointers):
            self._refuse_use(value, "with these values")
        kept, given = [], {}
        place = 0
        for number, part in enumerate(parts):
            designator = value.designators[number] if value.designators else None
            if isinstance(designator, ast.Name) and designator.text in names:
                place = names.index(designator.text)
            elif designator is not None or place >= len(names):
                self._refuse_use(value, "with these values")
            written = self.node(part)
            bare = written.items[0] if isinstance(written, ast.InitializerList) and written.is_bare else written
            if names[place] not in pointers:
                kept.append((ast.Name(names[place], span=part.span), written))
            elif isinstance(bare, ast.InitializerList):
                self._refuse_use(part, "with these values")
            else:
                given[names[place]] = bare
            place += 1
        designators = tuple(name for name, _ in kept)
        left = tuple(one for _, one in kept)
        rest = replace(
            value, items=() if value.rows else left, rows=left if value.rows else (), designators=designators
        )
        null = {path: ast.NumberLiteral("0", span=value.span) for path in pointers}
        return replace(node, initializer=rest if left else None), null | given

    # --- expressions --------------------------------------------------------------------------------------------------

    def _assigned(
        self, node: ast.Assignment, target: ast.Expression, value: ast.Expression, pointers: _Pointers
    ) -> ast.Expression:
        """A structure that is assigned, with its pointers."""
        name, source = self._source(target), self._source(value)
        if name is None or source is None or name.text in self._given or self._moves(target) or self._moves(value):
            self._refuse_use(node, "that is assigned so")
        found: ast.Expression = node
        for path in pointers:
            one = ast.Assignment("=", self._variable_of(name, path), self._copied(source, path), span=node.span)
            found = ast.Infix(",", found, one, span=node.span)
        return found

    def _moves(self, node: ast.Expression) -> bool:
        """Whether a side of an assignment is an address, and not what it leads to."""
        return isinstance(node, ast.Name) and self._is_address(node)

    def _arguments(self, node: ast.Call) -> Iterator[ast.Expression]:
        """The arguments of a call, each structure with its pointers."""
        parameters = self._parameters[node.function.text]
        for number, argument in enumerate(node.arguments):
            pointers = self._of(parameters[number].type) if number < len(parameters) else _NONE
            if not pointers:
                yield self.node(argument)
                continue
            source = self._source(_operand(argument, "&") or argument)
            if source is None:
                self._refuse_use(argument, "that is no variable")
            yield argument
            yield from (self._copied(source, path) for path in pointers)

    def _pointer(self, node: ast.Member) -> ast.Name | None:
        """The variable that a member is; None for members that stay."""
        path = [node.name.text]
        base = node.base
        while isinstance(base, ast.Member):
            path.insert(0, base.name.text)
            base = base.base
        name = self._source(base)
        wanted = ".".join(path)
        if name is None or wanted not in self._known[base_of(self._of_variable(name.text).type)]:
            return None
        return self._variable_of(name, wanted)

    def _is_of_caller(self, node: ast.Member) -> bool:
        """Whether a member is such a pointer of what the address is that a function is given."""
        pointer = self._pointer(node)
        return pointer is not None and pointer.text.partition("#")[0] in self._given

    def _root(self, node: ast.Node) -> ast.Name | None:
        """The variable of such a structure that an expression names a part of."""
        while isinstance(node, ast.Member | ast.Index):
            node = node.base
        return self._source(node)

    def _inside(self, node: ast.Expression) -> ast.Expression:
        """A part of such a structure that is no such member."""
        match node:
            case ast.Member(base, _, name):
                pointer = self._pointer(node)
                return replace(node, base=self._inside(base), name=name) if pointer is None else pointer
            case ast.Index(base, index):
                return replace(node, base=self._inside(base), index=self.node(index))
            case _:
                return node

    def _source(self, node: ast.Node) -> ast.Name | None:
        """The variable that an expression is, or that it leads to from a parameter: `s`, `*p`, and `p` itself."""
        node = _operand(node, "*") or node
        return node if isinstance(node, ast.Name) and self._is_known(node.text) else None

    def _record(self, node: ast.Expression) -> str | None:
        """The type of an expression that is such a structure as a whole."""
        name = self._source(node)
        return None if name is None else base_of(self._of_variable(name.text).type)

    def _is_known(self, name: str) -> bool:
        return any(name in scope for scope in self._scopes) and bool(self._of(self._of_variable(name).type))

    def _of_variable(self, name: str) -> Measured:
        return next(scope[name] for scope in reversed(self._scopes) if name in scope)

    def _of(self, type_: ast.TypeName) -> _Pointers:
        return self._known.get(base_of(type_), _NONE)

    def _copied(self, name: ast.Name, path: str) -> ast.Expression:
        """A pointer that is to be copied, for which it needs no value."""
        return ast.Call(ast.Name(COPIED, span=name.span), (self._variable_of(name, path),), span=name.span)

    def _variable_of(self, name: ast.Name, path: str) -> ast.Name:
        """The variable that a member is, of a variable or of what is at its address."""
        known = self._of_variable(name.text)
        return _beside(replace(known.target, span=name.span) if isinstance(known, _Alias) else name, path)

    def _refuse_use(self, node: ast.Node, what: str) -> NoReturn:
        message = f"not yet supported: a structure {what}, of which a member points to structures or vectors"
        self.complaints.fail("E100", node.span, f"{message}; keep the number of the element")


def _operand(node: ast.Node, operator: str) -> ast.Expression | None:
    return node.operand if isinstance(node, ast.Prefix) and node.operator == operator else None


def _changed(node: ast.Node) -> ast.Expression | None:
    """What an expression changes, or takes the address of."""
    match node:
        case ast.Assignment(_, target) | ast.Postfix(_, target) | ast.Prefix("++" | "--" | "&", target):
            return target
        case _:
            return None


def _beside(name: ast.Name, path: str) -> ast.Name:
    """The variable that a member of another one is."""
    return ast.Name(f"{name.text}#{path}", span=name.span)
