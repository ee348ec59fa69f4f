"""Which of several literals are true in some consistent execution, each with such an execution."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, TypeVar

from mcm.engine.smt.circuit import FALSE

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Hashable, Iterator, Mapping, Sequence

    from mcm.engine.smt.decode import Decoder
    from mcm.engine.smt.encode import Encoding
    from mcm.execution.candidate import Candidate
    from mcm.program.types import Value

Key = TypeVar("Key", bound="Hashable")


def in_any_order(_: object) -> tuple[int, ...]:
    """No assumptions about the order of symmetric threads."""
    return ()


def find_all(  # noqa: PLR0913 - what is looked for, how it is listed, and under what
    encoding: Encoding,
    decoder: Decoder,
    literals: Mapping[Key, int],
    restrictions: list[int],
    group: Callable[[Key], Hashable] = lambda key: key,
    rank: Callable[[Key], Any] = lambda _: 0,
    *,
    ordered: Callable[[Collection[Key]], Sequence[int]] = in_any_order,
    reads: Mapping[int, Value] | None = None,
) -> Iterator[tuple[Key, Candidate]]:
    """Keys whose literals some execution makes true, with such an execution, until the first of every group was found.

    The first is that with the least rank; those of one group that are found before it are given as well.
    A literal that is false in a solution may still hold in the execution (NOTE(one-direction) in `circuit`); it is
    then found in a later one. `reads` are the values of all reads, where the formula leaves some open.
    """
    variables: dict[Key, int] = {}
    for key, literal in literals.items():
        if literal != FALSE:
            variables[key] = encoding.circuit.variable()
            encoding.circuit.require(-variables[key], literal)

    def is_left(key: Key, found: Mapping[Hashable, Key]) -> bool:
        of_group = group(key)
        return of_group not in found or rank(key) < rank(found[of_group])

    while variables and encoding.solve([encoding.assumption(*variables.values()), *restrictions, *ordered(variables)]):
        true = encoding.truth(variables.values())
        candidate = decoder.decode(reads)
        found: dict[Hashable, Key] = {}
        for key, variable in variables.items():
            if variable in true and (best := found.setdefault(group(key), key)) is not key and rank(key) < rank(best):
                found[group(key)] = key
        for key in found.values():
            yield key, candidate
        variables = {key: variable for key, variable in variables.items() if is_left(key, found)}
