"""Functions of a kernel file that have the name of a function of litmus tests, but of none of OpenCL C: `fence`.

In a compiler they are what the file says. Here each gets a name of its own, and is told by the one that it has.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from msgspec.structs import replace

from mcm.front_end.launched import kernels_in
from mcm.front_end.positions import words_from
from mcm.program.resolve.signatures import SIGNATURES, GroupFunction, Signature, Where
from mcm.syntax import ast
from mcm.syntax.attribute import OVERLOADABLE

if TYPE_CHECKING:
    from collections.abc import Sequence

    from mcm.base.diagnostic import Diagnostic
    from mcm.front_end.pieces import Piece

_OF_TESTS: Final = frozenset({"fence"})
_OVERLOADED: Final = frozenset({OVERLOADABLE, f"__{OVERLOADABLE}__"})
_DEEPER: Final = {"(": 1, "{": 1, ")": -1, "}": -1}
_OF_MEMBERS: Final = frozenset({".", "->"})


def with_own_functions(pieces: Sequence[Piece]) -> Sequence[Piece]:
    """The words of a file, in which no function has the name of one of the language that OpenCL C need not have.

    Not where functions are overloaded: a call may mean that of the language.
    """
    texts = {piece.text for piece in pieces}
    likely = {text for text in texts & SIGNATURES.keys() if _is_free(SIGNATURES[text])}
    own = _defined(pieces, likely) if likely and _OVERLOADED.isdisjoint(texts) else set()
    if not own:
        return pieces
    names = {name: _new_name(name, texts) for name in own.difference(kernels_in(pieces))}
    made, before = list(pieces), ""
    for number, behind in _followed(pieces):
        piece = pieces[number]
        if behind == "(" and piece.text in names and before not in _OF_MEMBERS:
            made[number] = replace(piece, text=names[piece.text], is_verbatim=False)
        before = piece.text
    return made


def _is_free(signature: Signature) -> bool:
    """Whether OpenCL C leaves a name to its programs: litmus tests have it, C, or an extension for sub-groups."""
    operation = signature.operation
    of_extension = isinstance(operation, GroupFunction) and operation.of_active
    return signature.name in _OF_TESTS or Where.DEVICE not in signature.where or of_extension


def _defined(pieces: Sequence[Piece], names: set[str]) -> set[str]:
    """Those of the names that the file declares as functions: outside all of them, a parenthesis is behind it."""
    found: set[str] = set()
    depth = 0
    for number, behind in _followed(pieces):
        text = pieces[number].text
        if depth == 0 and behind == "(" and text in names:
            found.add(text)
        depth += _DEEPER.get(text, 0)
    return found


def _followed(pieces: Sequence[Piece]) -> list[tuple[int, str]]:
    """The positions of the words, each with the word behind it."""
    positions = list(words_from(pieces, 0))
    behind = [pieces[number].text for number in positions[1:]]
    return list(zip(positions, [*behind, ""], strict=True))


def names_as_written(tree: ast.Litmus) -> dict[str, str]:
    """What the file calls its functions, by the names that they have here, where these differ."""
    functions = (unit.name for unit in tree.units if isinstance(unit, ast.Function))
    return {
        name.text: name.span.text for name in functions if re.fullmatch(rf"{re.escape(name.span.text)}_\d+", name.text)
    }


def told_as_written(diagnostic: Diagnostic, names: dict[str, str]) -> Diagnostic:
    """A diagnostic in which functions have the names that the file has for them."""
    if not names:
        return diagnostic
    notes = tuple(replace(note, message=_as_written(note.message, names)) for note in diagnostic.notes)
    return replace(diagnostic, message=_as_written(diagnostic.message, names), notes=notes)


def _as_written(message: str, names: dict[str, str]) -> str:
    return re.sub(r"'(\w+)'", lambda quoted: f"'{names.get(quoted[1], quoted[1])}'", message)


def _new_name(name: str, taken: set[str]) -> str:
    number = 1
    while f"{name}_{number}" in taken or f"{name}_{number}" in SIGNATURES:
        number += 1
    return f"{name}_{number}"
