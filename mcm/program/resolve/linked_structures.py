"""Structures to which memory holds pointers: each such pointer is the address of the head of its structure.

`struct node { int value; struct node* next; }` has the head `value`, and is `struct node { int value; int* next; }`; a
variable `struct node* n` is `int* n`. `n->value` is what is there, and `n->next` what is where the member `next` is of
the structure whose head that is. What is taken apart as any structure is only what kernels are given, `pool`, and what
is declared: `pool[i].next` stays, and the address `&pool[i]` is that of a head, `&pool[i].value`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from msgspec.structs import replace

from mcm.program.resolve.link_places import LinkPlaces, Root
from mcm.program.resolve.links import Link, links_of
from mcm.program.resolve.spelling import REGIONS, base_of
from mcm.program.resolve.type_names import names_local
from mcm.program.types import Region
from mcm.syntax import ast
from mcm.syntax.mapped import with_parts
from mcm.syntax.question import AddressTerm

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from mcm.program.resolve.complaints import Complaints


def without_links(tree: ast.Litmus, complaints: Complaints) -> ast.Litmus:
    """The test in which memory holds no pointers to structures."""
    links = links_of(tree, complaints)
    return _Links(tree, links, complaints).test(tree) if links else tree


class _Links(LinkPlaces):
    """Puts the addresses of heads into a test."""

    def __init__(self, tree: ast.Litmus, links: Mapping[str, Link], complaints: Complaints) -> None:
        super().__init__(tree, links, complaints)
        self._has_spaces: Final = tree.dialect.has_address_spaces
        # The names for structures in memory, with the types of these.
        self._memory: Final[dict[str, str]] = {}

    def test(self, tree: ast.Litmus) -> ast.Litmus:
        """The whole test; what is asked about addresses is asked about those of heads."""
        found = super().test(tree)
        initial = tuple(map(self._in_state, found.initial))
        return replace(
            found,
            initial=initial,
            filter=self._in_state(found.filter),
            condition=self._in_state(found.condition),
        )

    def _in_state(self, node: Any) -> Any:
        """A part of the initial state, or of what is asked about states."""
        match node:
            case AddressTerm(name) if name.text in self._memory:
                return replace(node, name=self._heads(name))
            case ast.Prefix("&", ast.Index(ast.Name() as name) as element) if name.text in self._memory:
                return replace(node, operand=replace(element, base=self._heads(name)))
            case ast.Prefix("&", ast.Name() as name) if name.text in self._memory:
                return replace(node, operand=self._heads(name))
            case ast.InitialValue(type=ast.TypeName() as type_, pointers=stars) if stars or type_.pointers:
                return replace(with_parts(node, self._in_state), type=self.pointer(type_))
            case ast.Node():
                return with_parts(node, self._in_state)
            case _:
                return node

    def _heads(self, name: ast.Name) -> ast.Name:
        """The name of the heads of the structures that a name in the initial state means."""
        return ast.Name(f"{name.text}.{self._links[self._memory[name.text]].head.text}", span=name.span)

    # --- units, declarations ------------------------------------------------------------------------------------------

    def node(self, node: Any) -> Any:
        """A part of the test."""
        match node:
            case ast.Structure():
                # What is known of it, for the types of expressions, is what was written.
                found = super().node(node)
                return replace(found, members=tuple(one for each in found.members for one in self._members(each)))
            case ast.Function(type=type_):
                made = super().node(node)
                return replace(made, type=self.pointer(type_))
            case ast.Thread() | ast.Kernel():
                return self._with_code(node)
            case ast.FileVariables(_, declaration):
                return replace(node, declaration=self._one(declaration))
            case ast.Parameter():
                return self._parameter(node)
            case ast.Block(statements):
                self._scopes.append({})
                try:
                    return replace(node, statements=tuple(one for each in statements for one in self._statement(each)))
                finally:
                    self._scopes.pop()
            case ast.Declaration():
                return self._one(node)
            case _:
                return self.expression(node)

    def _members(self, node: ast.Declaration) -> Iterator[ast.Declaration]:
        """The members that a declaration declares, of which each may be of a type of its own."""
        for one in node.declarators:
            type_ = node.type
            if one.pointers and self.link(type_) is not None:
                type_ = self.pointer(type_)
                words = (*type_.qualifiers, *(word for stars in one.pointers for word in stars))
                if self._has_spaces and not any(word in REGIONS for word in words):
                    # Else the address space of the structure would be taken for that of what it points to.
                    type_ = replace(type_, qualifiers=(Region.GENERIC.value, *type_.qualifiers))
            yield replace(node, type=type_, declarators=(one,))

    def _with_code(self, node: ast.Thread | ast.Kernel) -> ast.Thread | ast.Kernel:
        self._scopes.append({})
        try:
            parameters = tuple(map(self._given, node.parameters))
            return replace(node, parameters=parameters, body=self.node(node.body))
        finally:
            self._scopes.pop()

    def _parameter(self, node: ast.Parameter) -> ast.Parameter:
        """A parameter of a function."""
        found: ast.Parameter = super().node(node)
        if node.type.pointers or node.length is not None:
            return replace(found, type=self.pointer(node.type))
        if self.link(node.type) is not None:
            self._scopes[-1][node.name.text] = Root(node.type, is_private=True)
        return found

    def _given(self, node: ast.Parameter) -> ast.Parameter:
        """A parameter of a thread or a kernel: structures in memory are taken apart as any others."""
        depth = len(node.type.pointers) + (node.length is not None)
        if self.link(node.type) is None or depth > 1:
            return self._parameter(node)
        self._scopes[-1][node.name.text] = Root(
            node.type, node.inner, is_passed=node.length is not None, is_private=depth == 0
        )
        if depth:
            self._memory[node.name.text] = base_of(node.type)
        return node

    def _statement(self, node: ast.Statement) -> Iterator[ast.Statement]:
        if not isinstance(node, ast.Declaration) or self.link(node.type) is None:
            yield self.node(node)
            return
        for declaration in self._declarations(node):
            (one,) = declaration.declarators
            value = one.initializer
            if value is None or one.pointers or not isinstance(value, ast.Expression):
                yield declaration
                continue
            # A structure that begins as another one.
            yield replace(declaration, declarators=(replace(one, initializer=None),))
            yield ast.ExpressionStatement(self.with_copy(one.name, value, one), span=node.span)

    def _one(self, node: ast.Declaration) -> ast.Declaration:
        if self.link(node.type) is None:
            declared: ast.Declaration = super().node(node)
            return declared
        found = tuple(self._declarations(node))
        types = {one.type for one in found}
        if len(types) > 1:
            message = "not yet supported: structures and pointers to them in one declaration here; declare them apart"
            self.complaints.fail("E100", node.span, message)
        return replace(found[0], declarators=tuple(one for each in found for one in each.declarators))

    def _declarations(self, node: ast.Declaration) -> Iterator[ast.Declaration]:
        """A declaration of such structures or pointers to them: one for each name, as they are of different types."""
        for one in node.declarators:
            value, kept = one.initializer, one
            if not one.pointers and isinstance(value, ast.Expression):
                kept = replace(one, initializer=None)
            made = self.declarator(node.type, kept)
            if one.pointers:
                yield replace(node, type=self.pointer(node.type), declarators=(made,))
                continue
            known = self._scopes[-1][one.name.text]
            is_file = len(self._scopes) == 1
            is_private = not (is_file or names_local(node.type.qualifiers))
            self._scopes[-1][one.name.text] = Root(known.type, known.lengths, is_private=is_private)
            if is_file:
                self._memory[one.name.text] = base_of(node.type)
            yield replace(node, declarators=(made if kept is one else replace(made, initializer=value),))
