"""What a model means by names on which tools differ: read-modify-writes, and the orders ACQ and REL."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from mcm.cat.comments import blank_comments
from mcm.relation.term import Base, BaseSet, Defined, DefinedSet, Identity, Union, children

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from mcm.base.source import Source
    from mcm.cat.scope import Entry, Scope
    from mcm.relation.term import RelationTerm, SetTerm, Term

PAIRS: Final = Base("rmw")

_INCLUDE = re.compile(r'(?<![\w.\'-])include\s*"([^"\n]*)"')
_NAMES_ACQ_REL = re.compile(r"(?<![\w.'-])ACQ_REL(?![\w.'-])")

# What herd7 and Dartagnan mean by the names of orders, as the prelude calls it.
_EXACT: Final = {"ACQ": "memory_order_acquire", "REL": "memory_order_release"}


def exact_orders(source: Source, read_own: Callable[[str], Source | None], scope: Scope) -> dict[str, Entry]:
    """What ACQ and REL mean in a model that tells them from ACQ_REL: exactly these orders.

    NOTE(exact-orders): `ACQ` is whatever acquires. A model that says `ACQ | ACQ_REL | SC` lists the orders itself, as
    those of herd7 and Dartagnan do, and may leave some out on purpose. `read_own` gives included files that are not
    those of the built-in models.
    """
    waiting = [source]
    seen: set[str] = set()
    while waiting:
        text = blank_comments(waiting.pop()).text
        if _NAMES_ACQ_REL.search(text):
            return {name: entry for name, other in _EXACT.items() if (entry := scope.get(other)) is not None}
        for path in _INCLUDE.findall(text):
            if path not in seen:
                seen.add(path)
                included = read_own(path)
                waiting += [] if included is None else [included]
    return {}


def splits_updates(terms: Iterable[Term]) -> bool:
    """Whether a model means two events by a read-modify-write: it names the pairs of them.

    Those that say `[RMW] | rmw` provide for both.
    """
    waiting = list(terms)
    seen: set[Term] = set()
    while waiting:
        term = waiting.pop()
        if term is PAIRS or term == PAIRS:
            return True
        if isinstance(term, Union) and {_without_name(term.left), _without_name(term.right)} == _BOTH:
            continue
        waiting += [part for part in children(term) if part not in seen]
        seen.update(children(term))
    return False


_BOTH: Final = {PAIRS, Identity(BaseSet("RMW"))}


def _without_name(term: RelationTerm) -> RelationTerm:
    if isinstance(term, Defined):
        return _without_name(term.body)
    return Identity(_set_without_name(term.set)) if isinstance(term, Identity) else term


def _set_without_name(term: SetTerm) -> SetTerm:
    return _set_without_name(term.body) if isinstance(term, DefinedSet) else term
