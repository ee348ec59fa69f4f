"""Places in structures to which memory holds pointers, in terms of the heads of these."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final, NoReturn

from msgspec import Struct
from msgspec.structs import replace

from mcm.program.resolve.constants import constant_integer
from mcm.program.resolve.links import Link, declared
from mcm.program.resolve.record_pointers import is_null
from mcm.program.resolve.record_types import components_of
from mcm.program.resolve.record_values import copied
from mcm.program.resolve.spelling import MEMBER, POINTER_FUNCTIONS, base_of
from mcm.program.resolve.typed_walk import VECTOR, Measured, TypedWalk
from mcm.syntax import ast

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from mcm.program.resolve.complaints import Complaints

# Qualifiers of an object, which an address of it does not get from the type of the head.
_OF_OBJECTS: Final = frozenset({"const", "volatile"})
# Operators that an address as a number stands beside without a computation.
_KEPT: Final = frozenset({"==", "!=", "&&", "||", ","})


class Root(Measured, frozen=True, kw_only=True):
    """A variable that is taken apart as any structure: what a kernel is given, an array, or a structure itself."""

    is_private: bool


class _Member(Struct, frozen=True):
    """A member, by its path in the structure: its type, and its length if it is an array."""

    path: str
    type: ast.TypeName
    length: int | None


class LinkPlaces(TypedWalk):
    """Puts the addresses of heads into expressions. The variables in scope keep the types that were written."""

    def __init__(self, tree: ast.Litmus, links: Mapping[str, Link], complaints: Complaints) -> None:
        super().__init__(tree, complaints)
        self._links: Final = links

    # --- types --------------------------------------------------------------------------------------------------------

    def link(self, type_: ast.TypeName) -> Link | None:
        """What stands for pointers to a type; None where that is no such structure."""
        return self._links.get(base_of(type_))

    def pointer(self, type_: ast.TypeName) -> ast.TypeName:
        """The type of what stands for a pointer: one to the head."""
        link = self.link(type_)
        if link is None:
            return type_
        words = tuple(word for word in link.type.qualifiers if word not in _OF_OBJECTS)
        return replace(type_, qualifiers=(*type_.qualifiers, *words), base=link.type.base)

    def _known(self, name: str) -> Measured | None:
        return next((scope[name] for scope in reversed(self._scopes) if name in scope), None)

    def _root(self, node: ast.Expression) -> Root | None:
        """The variable that an expression is, if it is taken apart as any structure."""
        known = self._known(node.text) if isinstance(node, ast.Name) else None
        return known if isinstance(known, Root) else None

    def _is_structure(self, node: ast.Expression) -> bool:
        """Whether an expression is such a structure itself."""
        if not isinstance(node, ast.Name | ast.Index | ast.Member) and not _follows(node):
            return False
        if (name := _outermost(node)) is not None and self._known(name.text) is None:
            return False
        found = self.type_of(node)
        return not (found.type.pointers or found.lengths or found.is_passed) and self.link(found.type) is not None

    def _refuse(self, node: ast.Expression) -> NoReturn:
        message = (
            f"'{node.span.text}' beside structures to which memory holds pointers; give a variable its value first"
        )
        self.complaints.fail("E100", node.span, f"not yet supported: {message}")

    def _called(self, name: str, node: ast.Call) -> Measured:
        return self.type_of(node.arguments[0]) if name in POINTER_FUNCTIONS else super()._called(name, node)

    # --- expressions --------------------------------------------------------------------------------------------------

    def expression(self, node: Any) -> Any:
        """An expression, or what has some in it."""
        match node:
            case ast.Member():
                return self._of_member(node)
            case ast.Name() if (root := self._root(node)) is not None and _is_several(root):
                first = ast.Index(node, _number(0, node), span=node.span)
                return self._address(first, node)
            case ast.Prefix("&", operand):
                return self._address(operand, node)
            case ast.Assignment("=", target, value) if self._is_structure(target):
                return self.with_copy(target, value, node)
            case ast.Assignment(_, target) | ast.Prefix("++" | "--", target) | ast.Postfix(_, target) if (
                self._root(target) is not None
            ):
                message = f"'{node.span.text}', which moves a parameter that points to structures with links"
                return self.complaints.fail("E100", node.span, f"not yet supported: {message}; move a copy of it")
            case ast.Infix(operator, left, right) if operator not in _KEPT and (
                self._is_address(left) or self._is_address(right)
            ):
                message = f"'{node.span.text}', which computes with the address of a structure with links"
                return self.complaints.fail("E100", node.span, f"not yet supported: {message}")
            case ast.Cast(type_, operand) if type_.pointers and self.link(type_) is not None:
                self._check_memory(type_, operand, node)
                return replace(super().node(node), type=self.pointer(type_))
            case _:
                return super().node(node)

    def _is_address(self, node: ast.Expression) -> bool:
        """Whether an expression is the address of such a structure as a number."""
        if not isinstance(node, ast.Cast) or node.type.pointers or not _is_place(node.operand):
            return False
        return self.link(self.type_of(node.operand).type) is not None

    def _check_memory(self, type_: ast.TypeName, operand: ast.Expression, node: ast.Cast) -> None:
        """Refuse memory of numbers that is seen as structures: it has no heads."""
        if is_null(operand) or not _is_place(operand):
            return
        if isinstance(operand, ast.Name) and self._known(operand.text) is None:
            return
        found = self.type_of(operand)
        is_address = bool(found.type.pointers or found.lengths or found.is_passed)
        if is_address and base_of(found.type) != base_of(type_):
            message = f"'{node.span.text}', memory of '{base_of(found.type)}' seen as structures with links"
            self.complaints.fail("E100", node.span, f"not yet supported: {message}; declare it with their type")

    def _kept(self, node: ast.Expression) -> ast.Expression:
        """A place in a structure that is taken apart as any other."""
        match node:
            case ast.Name():
                return node
            case ast.Member(base):
                return replace(node, base=self._kept(base))
            case ast.Index(base, index):
                return replace(node, base=self._kept(base), index=self.node(index))
            case ast.Prefix("*", operand):
                return replace(node, operand=self._kept(operand))
            case _:
                kept: ast.Expression = self.node(node)
                return kept

    def _pointed(self, node: ast.Expression) -> tuple[str, ast.Expression] | None:
        """The type of a structure at an address, and that of its head; None of what is taken apart, or is none."""
        match node:
            case ast.Prefix("*", operand):
                pointer, index = operand, None
            case ast.Index(base, written):
                pointer, index = base, written
            case _:
                return None
        if isinstance(pointer, ast.Prefix) and pointer.operator == "&" and index is None:
            return self._pointed(pointer.operand)
        if self._root(pointer) is not None or not self._is_structure(node):
            return None
        if isinstance(pointer, ast.Member) and self.type_of(pointer).lengths:
            # An array of structures in another one.
            return None
        head = self.node(pointer)
        if index is not None:
            head = ast.Infix("+", head, self.node(index), span=node.span)
        return base_of(self.type_of(node).type), head

    def _of_member(self, node: ast.Member) -> ast.Expression:
        """A member: of what is taken apart, or of what is at an address."""
        path: list[str] = []
        base: ast.Expression = node
        while isinstance(base, ast.Member):
            path.insert(0, base.name.text)
            base = ast.Prefix("*", base.base, span=base.base.span) if base.operator == "->" else base.base
        pointed = self._pointed(base)
        return self._kept(node) if pointed is None else self._at(*pointed, path, node)

    def _at(self, structure: str, head: ast.Expression, path: list[str], node: ast.Expression) -> ast.Expression:
        """The member of the structure whose head is at an address; of one that is an array, its first element."""
        link = self._links[structure]
        if path == [link.head.text]:
            return ast.Prefix("*", head, span=node.span)
        member = self._member_named(structure, path, node)
        null = ast.Cast(replace(member.type, pointers=(*member.type.pointers, ())), _number(0, node), span=node.span)
        name = ast.Name(f"{MEMBER}{link.head.text} {member.path}", span=node.span)
        place = ast.Call(name, (head, null, _number(member.length or 1, node)), span=node.span)
        return place if member.length is not None else ast.Prefix("*", place, span=node.span)

    def _member_named(self, structure: str, path: list[str], node: ast.Expression) -> _Member:
        """The member that a path leads to."""
        first, *rest = path
        for type_, one in declared(self.structures[structure]):
            if one.name.text != first or one.inner:
                continue
            inner = base_of(type_)
            if not one.pointers and one.length is None and rest and inner in self.structures:
                found = self._member_named(inner, rest, node)
                return _Member(f"{first}.{found.path}", found.type, found.length)
            if not one.pointers and one.length is None and (component := _component(type_, rest)):
                return _Member(f"{first}.{component}", replace(type_, base=_scalar(type_)), None)
            if rest or (not one.pointers and (inner in self.structures or _scalar(type_))):
                message = f"'{node.span.text}', of a structure to which memory holds pointers; name one of its members"
                self.complaints.fail("E100", node.span, f"not yet supported: {message}")
            kind = self.pointer(type_) if one.pointers else type_
            return _Member(first, replace(kind, pointers=one.pointers), self._length(one))
        return self.complaints.fail("E183", node.span, f"'{structure}' has no member '{'.'.join(path)}'")

    def _length(self, node: ast.Declarator) -> int | None:
        return None if node.length is None else constant_integer(node.length, self.complaints, "the length of an array")

    def _address(self, operand: ast.Expression, node: ast.Expression) -> ast.Expression:
        """`&operand`: of such a structure the address of its head."""
        if not self._is_structure(operand):
            found = self.node(operand)
            # `&*p`
            return found.operand if _follows(found) else ast.Prefix("&", found, span=node.span)
        pointed = self._pointed(operand)
        if pointed is not None:
            return pointed[1]
        name = _outermost(operand)
        root = None if name is None else self._root(name)
        if root is not None and root.is_private:
            message = f"'{node.span.text}', the address of a private structure with links"
            self.complaints.fail("E100", node.span, f"not yet supported: {message}; keep it in global or local memory")
        link = self._links[base_of(self.type_of(operand).type)]
        head = ast.Member(self._kept(operand), ".", replace(link.head, span=node.span), span=node.span)
        return ast.Prefix("&", head, span=node.span)

    # --- structures as a whole ----------------------------------------------------------------------------------------

    def with_copy(self, target: ast.Expression, value: ast.Expression, node: ast.Node) -> ast.Expression:
        """An assignment of a whole structure: one for each member where a side is at an address."""
        one, other = self._pointed(target), self._pointed(value)
        if one is None and other is None:
            return ast.Assignment("=", self._kept(target), self._kept(value), span=node.span)
        structure = base_of(self.type_of(target).type)
        sides = [self._whole(target, one), self._whole(value, other)]
        found: ast.Expression | None = None
        for path, length in self._leaves(structure, node):
            for number in range(length or 1):
                places = [self._part(structure, side, path, None if length is None else number) for side in sides]
                each = ast.Assignment("=", places[0], copied(places[1]), span=node.span)
                found = each if found is None else ast.Infix(",", found, each, span=node.span)
        assert found is not None, "a structure has members"
        return found

    def _whole(
        self, node: ast.Expression, pointed: tuple[str, ast.Expression] | None
    ) -> ast.Expression | tuple[str, ast.Expression]:
        """A side of an assignment of a structure: itself, or where it is; computed several times."""
        if pointed is not None:
            moved = pointed[1]
        else:
            moved = node.operand if isinstance(node, ast.Prefix) and _follows(node) else node
        if not _is_plain(moved):
            what = "its value" if pointed is None else "its address"
            message = f"'{node.span.text}' as a whole, of a structure with links; give a variable {what} first"
            self.complaints.fail("E100", node.span, f"not yet supported: {message}")
        return self._kept(node) if pointed is None else pointed

    def _part(
        self, structure: str, side: ast.Expression | tuple[str, ast.Expression], path: list[str], number: int | None
    ) -> ast.Expression:
        if isinstance(side, tuple):
            found = self._at(structure, side[1], path, side[1])
        else:
            found = side
            for name in path:
                found = ast.Member(found, ".", ast.Name(name, span=side.span), span=side.span)
        return found if number is None else ast.Index(found, _number(number, found), span=found.span)

    def _leaves(self, structure: str, node: ast.Node) -> Iterator[tuple[list[str], int | None]]:
        """The numbers and pointers in a structure and in those in it, with their lengths."""
        for type_, one in declared(self.structures[structure]):
            inner, name = base_of(type_), one.name.text
            is_apart = not one.pointers and (inner in self.structures or bool(_scalar(type_)))
            if is_apart and one.length is not None:
                message = f"a '{structure}' as a whole, which has an array of structures or vectors; name its members"
                self.complaints.fail("E100", node.span, f"not yet supported: {message}")
            if not is_apart:
                yield [name], self._length(one)
            elif _scalar(type_):
                yield from (([name, component], None) for component in components_of(type_))
            else:
                yield from (([name, *path], length) for path, length in self._leaves(inner, node))


def _is_several(root: Root) -> bool:
    """Whether a variable is a pointer to structures, or an array of such."""
    return bool(root.type.pointers or root.lengths or root.is_passed)


def _outermost(node: ast.Expression) -> ast.Name | None:
    """The variable of which a place is a part, or from which it is reached; None of what no variable leads to."""
    while isinstance(node, ast.Member | ast.Index | ast.Prefix):
        node = node.operand if isinstance(node, ast.Prefix) else node.base
    return node if isinstance(node, ast.Name) else None


def _follows(node: ast.Expression) -> bool:
    return isinstance(node, ast.Prefix) and node.operator == "*"


def _is_plain(node: ast.Expression) -> bool:
    """Whether an expression says the same however often it is computed: variables, their members, numbers, sums."""
    match node:
        case ast.Name() | ast.NumberLiteral():
            return True
        case ast.Infix(_, left, right) | ast.Index(left, right):
            return _is_plain(left) and _is_plain(right)
        case ast.Member(base, ".", _) | ast.Prefix("&" | "-", base):
            return _is_plain(base)
        case _:
            return False


def _is_place(node: ast.Expression) -> bool:
    """Whether an expression is a variable or is made of one."""
    return isinstance(node, ast.Name | ast.Infix | ast.Prefix | ast.Index | ast.Member | ast.Cast)


def _scalar(type_: ast.TypeName) -> str:
    """The type of the components of a vector; nothing for other types."""
    found = VECTOR.fullmatch(base_of(type_))
    return "" if found is None else found["scalar"]


def _component(type_: ast.TypeName, path: list[str]) -> str | None:
    """The name that the members have of a vector that is taken apart, of the one component that is named."""
    names = components_of(type_)
    alias = {f"s{number:x}": name for number, name in enumerate(names)}
    found = alias.get(path[0].lower(), path[0]) if len(path) == 1 else None
    return found if found in names else None


def _number(value: int, node: ast.Node) -> ast.NumberLiteral:
    return ast.NumberLiteral(str(value), span=node.span)
