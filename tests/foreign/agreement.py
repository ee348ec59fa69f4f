"""Whether a foreign model says of a test here what it says in its own tool."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from msgspec import Struct

from mcm import InputError, Status, load_model, read_source
from mcm import check_all as results_of

if TYPE_CHECKING:
    from pathlib import Path

    from foreign.peers import Said
    from mcm import Diagnostic, Result


class Loaded(Struct, frozen=True):
    """A model that was tried: its complaints, none where it is accepted."""

    model: Path
    complaints: tuple[Diagnostic, ...]


def load(model: Path) -> Loaded:
    """Try a model."""
    try:
        load_model(model)
    except InputError as error:
        return Loaded(model, error.diagnostics)
    return Loaded(model, ())


def differences(model: Path, one: Said, engine: str = "auto") -> list[str]:
    """What is said otherwise here, in words: none if the tools agree."""
    (result,) = results_of(read_source(one.test), models=(str(model),), engine=engine)
    if result.status is not Status.OK and not (one.undefined and result.reason == "first-problem"):
        return [f"{result.status.value}: {getattr(result, 'reason', None) or result.diagnostics[0].message}"]
    found = []
    if one.undefined is not None and bool(result.undefined) != one.undefined:
        found.append(f"undefined: {one.undefined} there, {[p.kind for p in result.undefined] or False} here")
    if one.reachable is not None and result.reachable != one.reachable:
        found.append(f"reachable: {one.reachable} there, {result.reachable} here")
    if one.observation is not None and _observation(result, one) != one.observation:
        found.append(f"observation: {one.observation} there, {result.observation.value} here")
    if one.states is not None:
        found += _states_differ(one.states, result)
    return found


def _observation(result: Result, one: Said) -> str:
    """The observation; values out of thin air that the first herd shows as symbols satisfy no condition there."""
    satisfying = [state for state in result.states if state.satisfies]
    symbolic = any(map(_SYMBOL.search, one.states or ()))
    if symbolic and satisfying and all(state.thin_air for state in satisfying):
        return "Never"
    return str(result.observation.value)


_SYMBOL = re.compile(r"=S\d+;")
_BINDING = re.compile(r"\s*([^=;]+)=([^;]*);")


def _read(state: str) -> dict[str, str]:
    return {name.strip(): value.strip() for name, value in _BINDING.findall(state)}


def _states_differ(theirs: tuple[str, ...], result: Result) -> list[str]:
    """The difference of states, by the names that both show; symbols (`S1`) stand for any value out of thin air."""
    there = [_read(state) for state in theirs]
    here = [({name: str(value) for name, value in s.values.items()}, s.thin_air) for s in result.states]
    if not there and not here:
        return []
    names = sorted(set(there[0] if there else here[0][0]) & set(here[0][0] if here else there[0]))
    known = {tuple(state[name] for name in names) for state in there}
    concrete = {state for state in known if not any(_SYMBOL.search(f"={value};") for value in state)}
    mine = {tuple(values[name].removeprefix("&") for name in names): thin for values, thin in here}
    problems = [f"state there alone: {_shown(names, state)}" for state in sorted(concrete - mine.keys())]
    others = {state: thin for state, thin in mine.items() if state not in concrete}
    problems += [f"state here alone: {_shown(names, state)}" for state, thin in sorted(others.items()) if not thin]
    if (concrete != known) != any(others.values()):
        problems.append("values out of thin air in one of the two only")
    return problems


def _shown(names: list[str], state: tuple[str, ...]) -> str:
    return " ".join(f"{name}={value}" for name, value in zip(names, state, strict=True))
