"""Litmus tests as text: the few statements that the families are made of, and the file around them."""

from __future__ import annotations

import re
from dataclasses import dataclass
from textwrap import indent
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

C: Final = "C"
OPENCL: Final = "OPENCL"


@dataclass(frozen=True, slots=True)
class Thread:
    """Statements in order; `group` is the work-group in OpenCL, where a thread is else alone in its own."""

    body: tuple[str, ...]
    group: int | None = None


@dataclass(frozen=True, slots=True)
class Test:
    """A litmus test without its name; `locations` gives each location, initially 0, the type behind its pointer."""

    dialect: str
    locations: Mapping[str, str]
    threads: tuple[Thread, ...]
    condition: str


@dataclass(frozen=True, slots=True)
class Kernel:
    """A kernel without its name: `groups` work-groups of `items` execute it. `initial` is the initial state."""

    parameters: tuple[str, ...]
    body: tuple[str, ...]
    items: int
    condition: str
    groups: int = 1
    initial: str = ""


def thread(*body: str, group: int | None = None) -> Thread:
    """A thread of these statements."""
    return Thread(body, group)


def store(location: str, value: int | str, order: str) -> str:
    """An atomic store."""
    return f"atomic_store_explicit({location}, {value}, memory_order_{order});"


def load(register: str, location: str, order: str) -> str:
    """An atomic load into a new register."""
    return f"int {register} = atomic_load_explicit({location}, memory_order_{order});"


def fetch_add(register: str, location: str, order: str) -> str:
    """An atomic increment; the new register gets the old value."""
    return f"int {register} = atomic_fetch_add_explicit({location}, 1, memory_order_{order});"


def when(condition: str, *body: str) -> str:
    """Statements under a condition."""
    lines = indent("\n".join(body), "  ")
    return f"if ({condition}) {{\n{lines}\n}}"


def all_of(atoms: Iterable[str]) -> str:
    """The condition that asks for all of them in one final state."""
    return "exists (" + " /\\ ".join(atoms) + ")"


def text(name: str, title: str, test: Test | Kernel) -> str:
    """The litmus file."""
    if isinstance(test, Kernel):
        body = indent("\n".join(test.body), "  ")
        kernel = f"kernel K ({', '.join(test.parameters)}) {{\n{body}\n}}\n"
        launch = f"launch K global {test.groups * test.items}, local {test.items}, dev 0;\n"
        initial = f"  {test.initial}\n" if test.initial else ""
        return f'{OPENCL} {name}\n"{title}"\n{{\n{initial}}}\n{kernel}{launch}{test.condition}\n'
    initial = " ".join(f"[{location}]=0;" for location in test.locations)
    threads = "".join(_thread(number, one, test) for number, one in enumerate(test.threads))
    return f'{test.dialect} {name}\n"{title}"\n{{\n  {initial}\n}}\n{threads}{test.condition}\n'


def _thread(number: int, one: Thread, test: Test) -> str:
    body = "\n".join(one.body)
    named = set(re.findall(r"\w+", body))
    parameters = ", ".join(f"{kind}* {location}" for location, kind in test.locations.items() if location in named)
    group = number if one.group is None else one.group
    place = f"@wg {group}, dev 0" if test.dialect == OPENCL else ""
    return f"P{number}{place} ({parameters}) {{\n{indent(body, '  ')}\n}}\n"
