"""Vectors that are loaded from numbers in memory, and stored there: `vload4(i, p)`, `vstore_half4(v, i, p)`.

So are blocks of sub-groups, `intel_sub_group_block_read2(p)`: of each work-item, one number of each share.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Container, Sequence  # noqa: TC003 - the fields of a Struct
from typing import Final

from msgspec import Struct
from msgspec.structs import replace

from mcm.program.resolve.complaints import Complaints  # noqa: TC001 - as above
from mcm.program.resolve.computed_once import arguments_of, refuse_repeated
from mcm.program.resolve.computing import LOAD, acts
from mcm.program.resolve.spelling import LOAD_HALF
from mcm.syntax import ast
from mcm.syntax.chains import together

_STORE: Final = re.compile(
    r"vstore(?P<aligned>a(?=_half))?(?P<half>_half)?(?P<size>2|3|4|8|16)(?P<mode>(?(half)(?:_rt[ezpn])?))"
)
_PLACES: Final = ("get_sub_group_local_id", "get_max_sub_group_size")
# A block of a sub-group: of each work-item the number at its place, and those so many sub-groups behind.
_BLOCK: Final = re.compile(r"intel_sub_group_block_(?P<act>read|write)(?:_u[csil])?(?P<size>2|4|8|16)?")


class VectorsInMemory(Struct, frozen=True):
    """How such calls are taken apart; `scalar` takes apart what is no vector, `functions` are those of the file."""

    scalar: Callable[[ast.Expression], ast.Expression]
    functions: Container[str]
    complaints: Complaints

    def loaded(self, node: ast.Call) -> list[ast.Expression] | None:
        """The components of a vector that is loaded; None for any other call."""
        load = LOAD.fullmatch(node.function.text)
        if load is None:
            block = self._block(node, "read")
            return None if block is None or block["size"] is None else self._of_block(node, int(block["size"]))
        offset, pointer = arguments_of(node, 2, "an offset and a pointer", self.complaints)
        indices = self._indices(offset, pointer, load, node)
        base = self.scalar(pointer)
        if load["half"] is None:
            return [ast.Index(base, index, span=node.span) for index in indices]
        function = replace(node.function, text=LOAD_HALF)
        return [ast.Call(function, (index, base), span=node.span) for index in indices]

    def size_stored(self, node: ast.Call) -> int | None:
        """How many components a call stores; None for any other call."""
        store = _STORE.fullmatch(node.function.text)
        if store is None:
            block = self._block(node, "write")
            return None if block is None else int(block["size"] or 1)
        arguments_of(node, 3, "a value, an offset and a pointer", self.complaints)
        return int(store["size"])

    def value_stored(self, node: ast.Call) -> ast.Expression:
        """The value that a call stores."""
        return node.arguments[0 if _BLOCK.fullmatch(node.function.text) is None else 1]

    def of_block(self, node: ast.Call) -> ast.Expression | None:
        """The number of a block that a call reads; None for any other call."""
        block = self._block(node, "read")
        return None if block is None or block["size"] is not None else self._of_block(node, 1)[0]

    def _block(self, node: ast.Call, act: str) -> re.Match[str] | None:
        """What the name of a function says that reads or writes a block; None for any other call."""
        found = _BLOCK.fullmatch(node.function.text)
        if found is None or found["act"] != act:
            return None
        if len(node.arguments) == (2 if act == "read" else 3):
            message = f"not yet supported: '{node.function.text}' of an image"
            self.complaints.fail("E100", node.span, message)
        if act == "read":
            arguments_of(node, 1, "a pointer", self.complaints)
        else:
            arguments_of(node, 2, "a pointer and a value", self.complaints)
        return found

    def _of_block(self, node: ast.Call, size: int) -> list[ast.Expression]:
        """The numbers of a block that belong to a work-item: of each sub-group's share the one at its place."""
        pointer = node.arguments[0]
        if size > 1 and acts(pointer):
            refuse_repeated(pointer, "once for each component", self.functions, self.complaints)
        base = self.scalar(pointer)
        own, most = (ast.Call(ast.Name(name, span=node.span), (), span=node.span) for name in _PLACES)
        return [
            ast.Index(base, ast.Infix("+", own, times(most, number), span=node.span) if number else own, span=node.span)
            for number in range(size)
        ]

    def stored(self, node: ast.Call, values: Sequence[ast.Expression]) -> ast.Expression:
        """The assignments that a call is which stores a vector, one after the other."""
        store = _STORE.fullmatch(node.function.text)
        if store is None:
            places = zip(self._of_block(node, len(values)), values, strict=True)
            return together([ast.Assignment("=", place, one, span=node.span) for place, one in places], node.span)
        _, offset, pointer = node.arguments
        indices = self._indices(offset, pointer, store, node)
        base = self.scalar(pointer)
        stores: list[ast.Expression] = []
        for index, value in zip(indices, values, strict=True):
            if store["half"] is None:
                stores.append(ast.Assignment("=", ast.Index(base, index, span=node.span), value, span=node.span))
            else:
                function = replace(node.function, text=f"vstore_half{store['mode']}")
                stores.append(ast.Call(function, (value, index, base), span=node.span))
        return together(stores, node.span)

    def _indices(
        self, offset: ast.Expression, pointer: ast.Expression, name: re.Match[str], node: ast.Call
    ) -> list[ast.Expression]:
        """The elements of a vector number `offset` behind a pointer to its components, of which each is accessed."""
        for part in (offset, pointer):
            if acts(part):
                refuse_repeated(part, "once for each component", self.functions, self.complaints)
        size = int(name["size"])
        # One of three that is aligned has the place of four.
        first = times(self.scalar(offset), size + 1 if name["aligned"] and size == 3 else size)
        numbers = [ast.NumberLiteral(str(number), span=node.span) for number in range(size)]
        return [ast.Infix("+", first, number, span=node.span) for number in numbers]


def times(index: ast.Expression, count: int) -> ast.Expression:
    """An index, in elements of so many parts."""
    return ast.Infix("*", index, ast.NumberLiteral(str(count), span=index.span), span=index.span)
