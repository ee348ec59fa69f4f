"""How some arguments of commands, and indices, are written between stages, where a name or a value does not say all.

Each is a call that no program can write: its name has a blank in it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from mcm.syntax import ast

if TYPE_CHECKING:
    from collections.abc import Iterable

# Bytes of an object: its name, the first byte, and how many.
BYTES: Final = "bytes of memory"
# The value of which each byte is a number.
REPEATED: Final = "repeated byte"
# The value of memory whose contents are given up: none.
NO_CONTENTS: Final = "no contents"
# The same of memory that is given back.
FREED: Final = "freed"
# The same of a variable of the host whose block ends.
ENDED: Final = "ended"
GIVEN_UP: Final = (NO_CONTENTS, FREED, ENDED)
# A structure or vector in memory, or an array of such: its name, and elements of the objects that its members are.
MEMBERS: Final = "members of memory"
# Elements of such an object, its name and five numbers: how many of them lie in one structure, where in it the first
# one begins, the bytes of the structure, the byte at which the command begins, and the bytes that it is about.
ELEMENTS: Final = "elements of memory"
# The values of a structure or vector, one for each scalar member and each element of members that are arrays.
VALUES: Final = "values of members"

# An index of one of so many elements, the second argument; what is wrong with another index stands behind this.
INSIDE: Final = "index inside "

# The calls whose arguments are memory and values.
ON_MEMORY: Final = frozenset(
    {
        *("clEnqueueReadBuffer", "clEnqueueWriteBuffer", "clEnqueueFillBuffer", "clEnqueueCopyBuffer"),
        *("clEnqueueMapBuffer", "clEnqueueUnmapMemObject", "clEnqueueSVMMap", "clEnqueueSVMUnmap"),
        *("clEnqueueSVMMemcpy", "clEnqueueSVMMemFill", "clEnqueueMigrateMemObjects", "clEnqueueSVMMigrateMem"),
    }
)
# Of these, the ones that take a value.
WRITES_VALUE: Final = frozenset({"clEnqueueWriteBuffer", "clEnqueueFillBuffer", "clEnqueueSVMMemFill"})


# What a migration may be asked for: a place makes no difference to its order, and this flag one to the contents.
_CONTENT_UNDEFINED: Final = "CL_MIGRATE_MEM_OBJECT_CONTENT_UNDEFINED"
_MIGRATION_FLAGS: Final = frozenset({"CL_MIGRATE_MEM_OBJECT_HOST", _CONTENT_UNDEFINED})


def is_migration_flags(node: ast.Expression) -> bool:
    """Whether an argument is the flags of a migration."""
    match node:
        case ast.Name(text):
            return text in _MIGRATION_FLAGS
        case ast.Infix("|", left, right):
            return is_migration_flags(left) and is_migration_flags(right)
        case _:
            return isinstance(node, ast.NumberLiteral)


def leaves_contents_undefined(flags: ast.Expression) -> bool:
    """Whether flags of a migration say that what is migrated has no contents behind it."""
    if isinstance(flags, ast.Infix):
        return leaves_contents_undefined(flags.left) or leaves_contents_undefined(flags.right)
    return isinstance(flags, ast.Name) and flags.text == _CONTENT_UNDEFINED


def said(word: str, arguments: Iterable[ast.Expression], node: ast.Node) -> ast.Call:
    """Such a call, at the place of a node."""
    return ast.Call(ast.Name(word, span=node.span), tuple(arguments), span=node.span)


def is_said(node: ast.Expression, word: str) -> bool:
    """Whether an argument is such a call."""
    return isinstance(node, ast.Call) and node.function.text == word


def numbers(values: Iterable[int], node: ast.Node) -> tuple[ast.NumberLiteral, ...]:
    """Numbers, at the place of a node."""
    return tuple(ast.NumberLiteral(str(value), span=node.span) for value in values)


def bytes_of_name(node: ast.Expression) -> tuple[ast.Name, int, int] | None:
    """The object, the first byte, and how many bytes, of an argument that is a part of memory; None for others."""
    match node:
        case ast.Call(ast.Name(word), (ast.Name() as name, ast.NumberLiteral(first), ast.NumberLiteral(size))) if (
            word == BYTES
        ):
            return name, int(first), int(size)
        case _:
            return None


def repeated_byte(node: ast.Expression) -> int | None:
    """What each byte of a value is that is said so; None for other values."""
    match node:
        case ast.Call(ast.Name(word), (ast.NumberLiteral(text),)) if word == REPEATED:
            return int(text)
        case _:
            return None
