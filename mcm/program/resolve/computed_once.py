"""What is computed once in C, and would be written down several times where a vector is taken apart: it is refused."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final, NoReturn

from mcm.syntax import ast
from mcm.syntax.walk import walk

if TYPE_CHECKING:
    from collections.abc import Container

    from mcm.program.resolve.complaints import Complaints

_OF_FAMILIES: Final = re.compile(r"(atom|atomic|work_group|sub_group)_\w+")


def refuse_repeated(
    node: ast.Expression, how_often: str, functions: Container[str], complaints: Complaints
) -> NoReturn:
    """Refuse what does more than read; or what is wrong with it in any case, a function that nothing defines."""
    refuse_unknown(node, functions, complaints)
    message = f"'{node.span.text}' would be computed {how_often}: give it a variable of its own"
    complaints.fail("E100", node.span, f"not yet supported: {message}")


def refuse_unknown(node: ast.Expression, functions: Container[str], complaints: Complaints) -> None:
    """Refuse calls in an expression of functions that neither the file nor the language defines."""
    # Imported here: only wrong input needs them.
    from mcm.base.suggest import did_you_mean  # noqa: PLC0415
    from mcm.program.resolve.calls import KNOWN_FUNCTIONS  # noqa: PLC0415
    from mcm.program.resolve.real_names import where_real  # noqa: PLC0415
    from mcm.syntax.foreign import about_foreign  # noqa: PLC0415

    for part in walk([node]):
        if not isinstance(part, ast.Call):
            continue
        name = part.function.text
        # Names that mcm has made are no words.
        is_known = name in functions or name in KNOWN_FUNCTIONS or not name.isidentifier()
        if not is_known and where_real(name) is None and _OF_FAMILIES.fullmatch(name) is None:
            hint = about_foreign(name) or did_you_mean(name, KNOWN_FUNCTIONS)
            complaints.fail("E102", part.function.span, f"unknown function '{name}'{hint}")


def arguments_of(node: ast.Call, number: int, expected: str, complaints: Complaints) -> tuple[ast.Expression, ...]:
    """The arguments of a call, of which there have to be so many; `expected` is what they are."""
    if len(node.arguments) != number:
        message = f"'{node.function.text}' takes {expected}, found {len(node.arguments)}"
        complaints.fail("E104", node.span, message)
    return node.arguments
