"""Functions of other tools that are recognised by what they say, whatever they call their variables.

`cross.cat` of herd7 computes all orders of the writes by taking sets of relations apart, member by member. What that
means is known, and cannot be said in terms: such a definition stands for the built-in function of its name.
"""

from __future__ import annotations

from hashlib import sha256
from typing import TYPE_CHECKING, Any, Final

from msgspec import Struct, structs

from mcm.base.source import Span
from mcm.cat import tree
from mcm.cat.scope import BuiltIn

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

# The first digits of the checksum of a normal form.
_KNOWN: Final[dict[str, frozenset[str]]] = {
    "co_locs": frozenset({"ec386eb7fb7bbbe9"}),
    "cross": frozenset({"4eea58acf5fbecbb"}),
}


def known_function(binding: tree.Binding) -> BuiltIn | None:
    """The built-in function that a definition spells out, None where it does not."""
    name = binding.name.text
    return BuiltIn(name) if name in _KNOWN and checksum(binding) in _KNOWN[name] else None


def checksum(binding: tree.Binding) -> str:
    """What tells definitions apart that differ in more than the names of their variables."""
    return sha256(" ".join(_words(binding, {})).encode()).hexdigest()[:16]


def _words(node: Any, bound: Mapping[str, str]) -> Iterator[str]:
    """The normal form: the classes of nodes and what they hold, bound variables by number."""
    match node:
        case tree.Name(text, _):
            yield bound.get(text, text)
        case tree.Binding():
            inner = _with(bound, node.parameters or ())
            yield f"binding {len(node.parameters or ())}"
            yield from _words(node.body, inner)
        case tree.Lambda(parameters, body, _):
            yield f"lambda {len(parameters)}"
            yield from _words(body, _with(bound, parameters))
        case tree.Local(recursive, bindings, body, _):
            inner = _with(bound, tuple(binding.name for binding in bindings))
            yield f"local {recursive} {len(bindings)}"
            for binding in bindings:
                yield from _words(binding, inner if recursive else bound)
            yield from _words(body, inner)
        case tree.Match(subject, empty, member, rest, found, _):
            yield "match"
            yield from _words(subject, bound)
            yield from _words(empty, bound)
            yield from _words(found, _with(bound, () if member is None or rest is None else (member, rest)))
        case Span():
            return
        case Struct():
            yield type(node).__name__
            for value in structs.astuple(node):
                yield from _words(value, bound)
        case tuple():
            yield f"{len(node)}"
            for value in node:
                yield from _words(value, bound)
        case _:
            yield str(node)


def _with(bound: Mapping[str, str], names: tuple[tree.Name, ...]) -> dict[str, str]:
    # The number of all variables around stands under a text that is no name.
    inner, count = dict(bound), int(bound.get("", "0"))
    for number, name in enumerate(names, count):
        inner[name.text] = f"#{number}"
    return inner | {"": str(count + len(names))}
