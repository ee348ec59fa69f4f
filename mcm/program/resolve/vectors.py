"""Vectors as operands: an operator between vectors is one between each two of their components.

`a + b`, `-a`, `2 * a`, `(float4)(x)`, `a += b`, `fabs(a)`. A number that stands for a vector has the same value in each
component; it is written down once for each, so it must not do anything but read and compute.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Container, Iterator, Sequence  # noqa: TC003 - the fields of a Struct
from functools import reduce
from typing import TYPE_CHECKING, Final

from msgspec import Struct
from msgspec.structs import replace

from mcm.program.resolve.computed_once import refuse_repeated
from mcm.program.resolve.computing import CONVERSION, GEOMETRIC, OF_WHOLE_VECTORS, SHUFFLES, STEPS, acts, only_computes
from mcm.program.resolve.signatures import INTEL_SHUFFLES
from mcm.program.resolve.spelling import FLOAT_FUNCTIONS, INTEGER_FUNCTIONS, RELATIONAL
from mcm.program.resolve.vector_relations import (
    RELATIONS,
    as_element,
    as_relation,
    cast_to,
    chosen_by,
    denied,
    element,
    element_type,
    highest_bit,
    in_element_type,
    minus,
    reinterpreted,
    related,
    relation_type,
    type_returned,
    words_of,
)
from mcm.program.resolve.vectors_in_memory import VectorsInMemory
from mcm.syntax import ast
from mcm.syntax.chains import items_of
from mcm.syntax.walk import walk

if TYPE_CHECKING:
    from mcm.program.resolve.complaints import Complaints

# Functions that only compute, of vectors component by component; conversions name the size of the vector.
_FUNCTIONS: Final = (
    INTEGER_FUNCTIONS
    | FLOAT_FUNCTIONS
    | {"sub_group_broadcast", "sub_group_non_uniform_broadcast"}
    | {f"intel_sub_group_{one.value}" for one in INTEL_SHUFFLES}
)
_SIZES_OF_MASKED: Final = frozenset({2, 4, 8, 16, 32})
# What the answers for single components are joined by.
_ASKING: Final = {"any": "|", "all": "&"}

# Several components by their letters or their numbers, or half of them.
_SWIZZLE: Final = re.compile(r"[xyzw]{2,4}|[sS][0-9a-fA-F]{2,16}|lo|hi|even|odd")
_LETTER: Final = re.compile(r"[xyzw]|[sS][0-9a-fA-F]")
_HALVES: Final[dict[str, Callable[[int], slice]]] = {
    "lo": lambda size: slice(size // 2),
    "hi": lambda size: slice(size // 2, size),
    "even": lambda _: slice(0, None, 2),
    "odd": lambda _: slice(1, None, 2),
}

# What a vector is computed by: of it `.x` can be asked, too.
_COMPUTED: Final = (ast.Infix, ast.Conditional, ast.Call, ast.Cast, ast.CompoundLiteral, ast.Prefix, ast.Index)
_COMPONENT_WISE: Final = frozenset({"+", "-", "*", "/", "%", "&", "|", "^", "<<", ">>"})
_SIGNS: Final = frozenset({"+", "-", "~"})

Components = list[ast.Expression]


class Vectors(Struct, frozen=True):
    """How the vectors of a test are taken apart.

    `variable` gives the components of a variable or an element, None where that is no vector, and `element_of` their
    type; `scalar` takes apart what is in any other expression; `size` is that of a vector type, None for other types.
    `functions` are those of the file; `check_order` refuses an open order that matters; `counts` are those of shifts;
    `distances` says whether `abs` is unsigned.
    """

    variable: Callable[[ast.Expression], Components | None]
    element_of: Callable[[ast.Expression], str | None]
    scalar: Callable[[ast.Expression], ast.Expression]
    size: Callable[[ast.TypeName], int | None]
    complaints: Complaints
    functions: Container[str]
    check_order: Callable[[Sequence[ast.Expression]], None]
    counts: Callable[[str, Components, str | None, ast.Expression], Components]
    distances: bool

    def components(self, node: ast.Expression) -> Components | None:
        """The components of an expression; None where it is no vector."""
        match node:
            case ast.Infix(operator, left, right) if operator in _COMPONENT_WISE or operator in RELATIONS:
                one, other = self.components(left), self.components(right)
                if one is None and other is None:
                    return None
                size = len(one or other or ())
                one, other = self.replicated(left, one, size), self.replicated(right, other, size)
                if operator in RELATIONS:
                    flags = [related(operator, a, b, node) for a, b in zip(one, other, strict=True)]
                    return as_relation(flags, self.element(left) or self.element(right), node)
                other = self.counts(operator, other, self.element(left), node)
                parts = [ast.Infix(operator, a, b, span=node.span) for a, b in zip(one, other, strict=True)]
                return in_element_type(parts, self.element(node), node)
            case ast.Prefix(sign, operand) if sign in _SIGNS or sign == "!":
                found = self.components(operand)
                if found is not None and sign == "!":
                    return as_relation([denied(one, node) for one in found], self.element(operand), node)
                if found is None:
                    return None
                signed = [ast.Prefix(sign, one, span=node.span) for one in found]
                return in_element_type(signed, self.element(operand), node)
            case ast.Call(function) if function.text not in self.functions:
                return self._call(node)
            case ast.Conditional():
                return self._chosen(node)
            case ast.Cast(type_, operand) if (length := self.size(type_)) is not None:
                return cast_to(type_, self.listed(operand, length))
            case ast.CompoundLiteral(type_, ast.InitializerList(items), None) if (
                length := self.size(type_)
            ) is not None:
                return cast_to(type_, self.filled(items, length, node))
            case _:
                return self.variable(node)

    def element(self, node: ast.Expression) -> str | None:
        """The type of the components of an expression, as far as it can be seen; None for numbers, too."""
        match node:
            case ast.Infix(operator, left, right):
                found = self.element(left) or self.element(right)
                return relation_type(found) if operator in RELATIONS else found
            case ast.Prefix("!", operand):
                return relation_type(self.element(operand))
            case ast.Prefix(sign, operand) if sign in _SIGNS or sign == "!":
                return self.element(operand)
            case ast.Conditional(_, then, otherwise):
                return self.element(then) or self.element(otherwise)
            case ast.Cast(type_) | ast.CompoundLiteral(type_):
                return None if self.size(type_) is None else element_type(type_)
            case ast.Member(base, ".", name) if _SWIZZLE.fullmatch(name.text):
                return self.element(base) or self.element_of(node)
            case ast.Call(function, arguments) if function.text not in self.functions:
                if (conversion := CONVERSION.fullmatch(function.text)) is not None:
                    return conversion[1].partition("_")[2]
                return type_returned(function.text, map(self.element, arguments), unsigned=self.distances)
            case _:
                return self.element_of(node)

    def _chosen(self, node: ast.Conditional) -> Components | None:
        """`c ? a : b`: a number for its condition is written down once for each component, those of a vector choose."""
        sides = [self.components(side) for side in (node.then, node.otherwise)]
        choosing = self.components(node.condition)
        size = next((len(one) for one in (choosing, *sides) if one is not None), None)
        if size is None:
            return None
        if choosing is not None:
            return self._selected(node.otherwise, node.then, node.condition, node)
        conditions = self.replicated(node.condition, None, size)
        one, other = self.replicated(node.then, sides[0], size), self.replicated(node.otherwise, sides[1], size)
        parts = zip(conditions, one, other, strict=True)
        return as_element(
            [ast.Conditional(test, a, b, span=node.span) for test, a, b in parts], self.element(node), node
        )

    def _selected(
        self, first: ast.Expression, second: ast.Expression, choosing: ast.Expression, node: ast.Expression
    ) -> Components:
        """`select(a, b, c)`: `b` where the highest bit of a component of `c` is set."""
        chosen = self.components(choosing) or []
        sides = [self.replicated(side, self.components(side), len(chosen)) for side in (first, second)]
        found = [chosen_by(c, a, b, node) for a, b, c in zip(*sides, chosen, strict=True)]
        return as_element(found, self.element(first) or self.element(second), node)

    def swizzled(self, node: ast.Member) -> Components | None:
        """The components that `v.zx`, `v.s02`, `v.lo` names; None where it is no vector, or a member of a structure."""
        if node.operator != "." or _SWIZZLE.fullmatch(node.name.text) is None:
            return None
        whole = self.components(node.base)
        if whole is None:
            return None
        picked = _picked(node.name.text, len(whole))
        if picked is None:
            message = f"'{node.base.span.text}', a vector of {len(whole)}, has no components '{node.name.text}'"
            self.complaints.fail("E183", node.name.span, message)
        return [whole[number] for number in picked]

    def component(self, node: ast.Member) -> ast.Expression | None:
        """The number that `v.lo.x` names; None where it is a member of anything but several components."""
        whole = None
        if isinstance(node.base, ast.Member) or (node.operator == "." and isinstance(node.base, _COMPUTED)):
            whole = self.components(node.base)
        picked = (
            None if whole is None or _LETTER.fullmatch(node.name.text) is None else _picked(node.name.text, len(whole))
        )
        return None if whole is None or picked is None else whole[picked[0]]

    def _call(self, node: ast.Call) -> Components | None:
        """A call of a function that OpenCL C defines component by component."""
        name = node.function.text
        if (loaded := self._memory.loaded(node)) is not None:
            return loaded
        if name in OF_WHOLE_VECTORS:
            return self._whole(node)
        conversion = CONVERSION.fullmatch(name)
        if name == "select" and len(node.arguments) == 3 and self.components(node.arguments[2]) is not None:
            return self._selected(*node.arguments, node)
        if name in SHUFFLES and len(node.arguments) == SHUFFLES[name] + 1:
            return self._shuffled(node)
        if conversion is None and name not in _FUNCTIONS:
            return words_of(node) or self.variable(node)
        if conversion is not None and name.startswith("as_") and len(node.arguments) == 1:
            return self._reinterpreted(node, conversion[1], int(conversion[2]))
        found = [self.components(argument) for argument in node.arguments]
        size = next((len(one) for one in found if one is not None), None)
        if size is None:
            return None
        parts = [self.replicated(each, one, size) for each, one in zip(node.arguments, found, strict=True)]
        function = replace(node.function, text=name if conversion is None else conversion[1] + conversion[3])
        calls: Components = [ast.Call(function, given, span=node.span) for given in zip(*parts, strict=True)]
        if name not in RELATIONAL:
            return calls
        known = next(filter(None, map(self.element, node.arguments)), None)
        return as_relation([minus(one, node) for one in calls], known, node)

    def _shuffled(self, node: ast.Call) -> Components | None:
        """`shuffle(x, mask)`, `shuffle2(x, y, mask)`: what the low bits of each component of the mask say."""
        found = self._given(node, len(node.arguments), is_of_one_size=False)
        if found is None:
            return None
        *parts, mask = found
        elements = [each for part in parts for each in part]
        for part in walk([*elements, *(one for one in mask if acts(one))]):
            # Only what is chosen would be read, and the mask several times.
            if (
                isinstance(part, ast.Index | ast.Assignment | ast.Postfix)
                or (isinstance(part, ast.Prefix) and part.operator in {"*", *STEPS})
                or (isinstance(part, ast.Call) and not only_computes(part.function.text))
            ):
                message = f"'{node.function.text}' of what is no variable: give it one of its own"
                self.complaints.fail("E100", node.span, f"not yet supported: {message}")
        if len(elements) not in _SIZES_OF_MASKED:
            return None
        return as_element([element(one, elements, node) for one in mask], self.element(node), node)

    def _reinterpreted(self, node: ast.Call, function: str, size: int) -> Components | None:
        """`as_float4(x)`, `as_uchar4(n)`: the bits of numbers, or of a vector, in so many others."""
        argument = node.arguments[0]
        found = self.components(argument)
        if found is None:
            if acts(argument):
                self._check_repeated(argument)
            found = [self.scalar(argument)]
        return reinterpreted(found, function, size, node, self.complaints)

    def repeated(self, node: ast.Expression, count: int) -> ast.Expression:
        """What is no vector, and is computed so often: if more than once, it must not do anything but read."""
        if count > 1:
            self._check_repeated(node)
        return self.scalar(node)

    def _check_repeated(self, argument: ast.Expression) -> None:
        """Refuse what does more than read: it is written down several times."""
        if acts(argument):
            refuse_repeated(argument, "several times", self.functions, self.complaints)

    def called(self, node: ast.Call) -> ast.Expression | None:
        """What a call is that takes vectors and gives a number, or nothing; None for any other call."""
        if node.function.text in self.functions:
            return None
        return (
            self._memory.of_block(node)
            or self._geometric(node)
            or self._stored(node)
            or self._asked(node)
            or self._bits_of_vector(node)
        )

    def _asked(self, node: ast.Call) -> ast.Expression | None:
        """`any(v)`, `all(v)`: whether the highest bit of some, or of each, component is set."""
        found = self._given(node, 1) if node.function.text in _ASKING else None
        if found is None:
            return None
        flags: Components = [highest_bit(one, node) for one in found[0]]
        return reduce(lambda one, other: ast.Infix(_ASKING[node.function.text], one, other, span=node.span), flags)

    def _bits_of_vector(self, node: ast.Call) -> ast.Expression | None:
        """`as_uint(v)`: the bits of a vector as one number."""
        name = node.function.text
        found = self._given(node, 1) if name.startswith("as_") else None
        made = None if found is None else reinterpreted(found[0], name, 1, node, self.complaints)
        return None if made is None else made[0]

    def _stored(self, node: ast.Call) -> ast.Expression | None:
        """`vstore4(v, i, p)`: one assignment after the other; None for any other call."""
        size = self._memory.size_stored(node)
        if size is None:
            return None
        written = self._memory.value_stored(node)
        return self._memory.stored(node, self.replicated(written, self.components(written), size))

    @property
    def _memory(self) -> VectorsInMemory:
        return VectorsInMemory(self.scalar, self.functions, self.complaints)

    def _geometric(self, node: ast.Call) -> ast.Expression | None:
        """The number that `dot`, `length` or `distance` of vectors is."""
        if node.function.text not in GEOMETRIC:
            return None
        name = node.function.text.removeprefix("fast_")
        found = self._given(node, GEOMETRIC[name])
        if found is None:
            return None
        if name == "length":
            return reduce(lambda one, other: _hypot(one, other, node), found[0])
        operator = "*" if name == "dot" else "-"
        parts: Components = [ast.Infix(operator, a, b, span=node.span) for a, b in zip(*found, strict=True)]
        if name == "dot":
            return reduce(lambda one, other: ast.Infix("+", one, other, span=node.span), parts)
        return reduce(lambda one, other: _hypot(one, other, node), parts)

    def _given(self, node: ast.Call, number: int, *, is_of_one_size: bool = True) -> list[Components] | None:
        """The components of so many arguments, vectors of one size; None where they are anything else."""
        given = [self.components(argument) for argument in node.arguments]
        found = [one for one in given if one is not None]
        sizes = {len(one) for one in found}
        is_right = len(found) == len(given) == number and (len(sizes) == 1 or not is_of_one_size)
        return found if is_right else None

    def _whole(self, node: ast.Call) -> Components | None:
        """The vector that `cross` or `normalize` of vectors is: each component depends on several of theirs."""
        name = node.function.text
        found = self._given(node, OF_WHOLE_VECTORS[name])
        if found is None:
            return None
        for argument in node.arguments:
            self._check_repeated(argument)
        if name != "cross":
            return _normalized(found[0], node)
        if len(found[0]) not in {3, 4}:
            message = f"'cross' takes vectors of 3 or 4 components, found {len(found[0])}"
            self.complaints.fail("E119", node.span, message)
        return _crossed(found[0], found[1], node)

    def listed(self, node: ast.Expression, size: int) -> Components:
        """`(a, b, c, d)`, `(x)`, or vectors in place of some of their components."""
        items = items_of(node)
        if len(items) == 1:
            return self.replicated(node, self.components(node), size)
        self.check_order(items)
        found: Components = []
        for item in items:
            part = self.components(item)
            found += [self.scalar(item)] if part is None else part
        if len(found) != size:
            message = f"{len(found)} values for the {size} components of a vector"
            self.complaints.fail("E131", node.span, message)
        return found

    def filled(self, items: tuple[ast.Expression, ...], size: int, node: ast.Expression) -> Components:
        """`{a, b}`: what is left out is 0."""
        if len(items) > size:
            message = f"{len(items)} values for the {size} components of a vector"
            self.complaints.fail("E131", items[size].span, message)
        self.check_order(items)
        return [*map(self.scalar, items), *[ast.NumberLiteral("0", span=node.span)] * (size - len(items))]

    def replicated(self, node: ast.Expression, found: Components | None, size: int) -> Components:
        """The components of an operand, of a vector or of a number that is one in each component."""
        if found is None:
            if acts(node):
                refuse_repeated(node, "once for each component", self.functions, self.complaints)
            return [self.scalar(node)] * size
        if len(found) != size:
            message = f"'{node.span.text}' has {len(found)} components, the other operand has {size}"
            self.complaints.fail("E122", node.span, message)
        return found

    def stored(self, node: ast.Assignment, target: Components, type_: ast.TypeName) -> Iterator[ast.Statement]:
        """The statements that an assignment to a vector is, of which the components have a type."""
        source = self.replicated(node.value, self.components(node.value), len(target))
        source = self.counts(node.operator, source, type_.base, node)
        yield from assignments(node, target, source, [type_] * len(target))

    def assigned(self, operator: str, target: Components, value: ast.Expression, node: ast.Expression) -> Components:
        """The assignments that `target operator value` is."""
        source = self.replicated(value, self.components(value), len(target))
        if overlap(target, source):
            message = f"'{value.span.text}' reads components that are overwritten before: use a variable of its own"
            self.complaints.fail("E100", value.span, f"not yet supported: {message}")
        if isinstance(node, ast.Assignment):
            source = self.counts(operator, source, self.element(node.target), node)
        return [ast.Assignment(operator, a, b, span=node.span) for a, b in zip(target, source, strict=True)]


def assignments(
    node: ast.Assignment, target: Components, source: Components, types: list[ast.TypeName]
) -> Iterator[ast.Statement]:
    """The statements that assign each of some values to its place, a member of one of the types.

    What reads places that are overwritten before it is kept in variables, which no condition can name.
    """
    statements: list[ast.Statement] = []
    if overlap(target, source):
        names = [ast.Name(f"#{number}", span=node.span) for number in range(len(source))]
        for name, type_, value in zip(names, types, source, strict=True):
            kept = ast.Declarator(name, type_.pointers, None, value, span=node.span)
            statements.append(ast.Declaration(replace(type_, pointers=()), (kept,), span=node.span))
        source = [*names]
    statements += [
        ast.ExpressionStatement(ast.Assignment(node.operator, a, b, span=node.span), span=node.span)
        for a, b in zip(target, source, strict=True)
    ]
    yield from [ast.Block(tuple(statements), span=node.span)] if len(statements) > len(target) else statements


def _normalized(vector: Components, node: ast.Call) -> Components:
    """Each component divided by the length; a vector of zeros stays one."""
    size = reduce(lambda one, other: _hypot(one, other, node), vector)
    zero = ast.Infix("==", size, ast.NumberLiteral("0", span=node.span), span=node.span)
    parts = [ast.Infix("/", one, size, span=node.span) for one in vector]
    return [ast.Conditional(zero, one, part, span=node.span) for one, part in zip(vector, parts, strict=True)]


def _crossed(left: Components, right: Components, node: ast.Call) -> Components:
    """The cross product; a fourth component is 0."""
    products = [
        [ast.Infix("*", left[one], right[other], span=node.span) for one, other in pairs]
        for pairs in (((1, 2), (2, 1)), ((2, 0), (0, 2)), ((0, 1), (1, 0)))
    ]
    found: Components = [ast.Infix("-", first, second, span=node.span) for first, second in products]
    return found if len(left) == 3 else [*found, ast.NumberLiteral("0.0f", span=node.span)]


def _hypot(one: ast.Expression, other: ast.Expression, node: ast.Call) -> ast.Expression:
    return ast.Call(replace(node.function, text="hypot"), (one, other), span=node.span)


def _picked(name: str, size: int) -> list[int] | None:
    """The numbers of the components that a name means of a vector; None where there are none of this name.

    >>> _picked("zxx", 4), _picked("hi", 8), _picked("sF0", 16), _picked("w", 3), _picked("lo", 3)
    ([2, 0, 0], [4, 5, 6, 7], [15, 0], None, None)
    """
    if name in _HALVES:
        return None if size % 2 else list(range(size))[_HALVES[name](size)]
    numbers = [int(one, 16) for one in name[1:]] if name[0] in "sS" else ["xyzw".index(one) for one in name]
    return numbers if all(number < size for number in numbers) and len(numbers) in {1, 2, 3, 4, 8, 16} else None


def overlap(target: Components, source: Components) -> bool:
    """Whether some component may be read after it was overwritten, where one is assigned after the other."""
    places = enumerate(target)
    return any(_mentions(other, one) for number, one in places for other in source[number + 1 :])


def _mentions(node: ast.Expression, target: ast.Expression) -> bool:
    """Whether an expression reads a place: in memory, perhaps by another name, but always that of the same member."""
    member = _member_in_memory(target)
    return any(part == target or (member and _member_in_memory(part) == member) for part in walk([node]))


def _member_in_memory(node: ast.Node) -> str:
    """The member of a structure or vector that is accessed through a pointer, or in an array; empty for others."""
    match node:
        case ast.Index(ast.Name(text)) | ast.Prefix("*", ast.Name(text)):
            return text.partition(".")[2]
        case ast.Prefix("*", ast.Infix(_, ast.Name(text))):
            return text.partition(".")[2]
        case _:
            return ""
