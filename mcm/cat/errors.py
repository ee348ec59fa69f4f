"""What is wrong with an expression of cat, as complaints."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from mcm.base.diagnostic import Diagnostic, Note
from mcm.base.suggest import did_you_mean

if TYPE_CHECKING:
    from collections.abc import Iterable

    from mcm.base.source import Span
    from mcm.cat import tree
    from mcm.cat.scope import Function

# Applications inside functions multiply. The built-in models need fewer than a hundred.
MOST_APPLICATIONS: Final = 10_000
# A function that applies itself: readers recurse.
DEEPEST_APPLICATION: Final = 50


class ExpansionError(Exception):
    """One expression makes no sense; carries why, unless that was said before. The loader collects these."""

    def __init__(self, diagnostic: Diagnostic | None) -> None:
        self.diagnostic = diagnostic
        super().__init__("" if diagnostic is None else diagnostic.message)


class RefusedError(ExpansionError):
    """The expression makes sense in cat, but mcm does not support it: `try` has no way around that."""

    def __init__(self, message: str, span: Span, *notes: Note) -> None:
        super().__init__(Diagnostic("E303", message, span, notes=notes))


class TooManyApplicationsError(ExpansionError):
    """Functions that apply functions: nothing more of the model is read."""

    def __init__(self, application: Span, limit: int = MOST_APPLICATIONS) -> None:
        self.limit = limit
        message = f"functions are applied more than {limit} times, one inside the other"
        super().__init__(Diagnostic("E313", message, application))


def wrong_kind(span: Span, wanted_by: str, wanted: str, found: str) -> ExpansionError:
    """An operand of another kind than what needs it can take."""
    lifted = wanted == "a relation" and found == "a set of events"
    hint = (Note(f"[{span.text}] is the identity on that set"),) if lifted else ()
    return ExpansionError(Diagnostic("E305", f"{wanted_by} needs {wanted}, but this is {found}", span, notes=hint))


def mixed(expression: tree.Binary, kinds: tuple[str, str]) -> ExpansionError:
    """Two operands of different kinds."""
    return ExpansionError(
        Diagnostic(
            "E305",
            f"'{expression.operator.value}' needs two sets or two relations",
            expression.span,
            notes=(
                Note(f"this is {kinds[0]}", expression.left.span),
                Note(f"this is {kinds[1]}", expression.right.span),
            ),
        )
    )


def unapplied(span: Span, function: Function) -> ExpansionError:
    """A function where a set or relation is needed."""
    count = len(function.parameters)
    example = f"{span.text}({', '.join(p.text for p in function.parameters)})"
    message = f"'{span.text}' is a function of {count} argument{'s' if count > 1 else ''}; give it some: {example}"
    return ExpansionError(Diagnostic("E306", message, span, notes=(Note("defined here", function.name.span),)))


# What begins a definition without recursion.
_DEFINITION: Final = re.compile(r"(?<![\w.-])let\s+(?:rec\b|(?P<name>[A-Za-z_][\w.-]*)\s*(?:\([^()]*\)\s*)?=)")


def unknown_name(name: tree.Name, known: Iterable[str]) -> Diagnostic:
    """The complaint about a name that nothing defines."""
    hint = did_you_mean(name.text, known)
    definitions = list(_DEFINITION.finditer(name.span.source.text, 0, name.span.start))
    if definitions and definitions[-1]["name"] == name.text:
        hint = "; a definition that uses itself begins with 'let rec'"
    return Diagnostic("E304", f"unknown name '{name.text}'{hint}", name.span)


def wrong_count(expression: tree.Apply, wanted: int, function: Function | None) -> ExpansionError:
    """An application to more or fewer arguments than a function takes."""
    found = len(expression.arguments)
    notes = () if function is None else (Note("defined here", function.name.span),)
    name = expression.function.span.text
    message = f"'{name}' takes {wanted} argument{'s' if wanted > 1 else ''}, but {found} given"
    return ExpansionError(Diagnostic("E306", message, expression.span, notes=notes))


def inside(error: ExpansionError, application: Span) -> ExpansionError:
    """A complaint about the body of a function, with the place where that is applied."""
    diagnostic = error.diagnostic
    if diagnostic is None:
        return error
    notes = (*diagnostic.notes, Note("in this application", application))
    error.diagnostic = Diagnostic(diagnostic.code, diagnostic.message, diagnostic.span, notes=notes)
    return error
