"""The parts of a file: the symbols of the grammar that they are, and what is made of each."""

from __future__ import annotations

from enum import StrEnum
from typing import TYPE_CHECKING, Final

from mcm.syntax.ast import Callback, FileVariables, Function, Kernel, Launch, Node, Thread
from mcm.syntax.question import Condition

if TYPE_CHECKING:
    from mcm.syntax.ast import (
        InitialItem,
        KeyLine,
        Name,
        Parameter,
        PlacementPart,
        TypeName,
    )
    from mcm.syntax.attribute import Attribute
    from mcm.syntax.places import RegionEntry, ScopeNode
    from mcm.syntax.question import LocationReference, Proposition, RegisterReference


class Part(StrEnum):
    """The parts of a file, each named as the symbol of the grammar that it is, or its head."""

    HEADER = "header"
    INITIAL = "initial_state"
    THREAD = "thread_head"
    KERNEL = "kernel_head"
    FUNCTION = "function_head"
    PROTOTYPE = "prototype"
    STRUCTURE = "structure"
    VARIABLES = "file_variables"
    CALLBACK = "callback_head"
    LAUNCH = "launch"
    SCOPE_TREE = "scope_tree"
    REGIONS = "regions"
    LOCATIONS = "locations"
    FILTER = "execution_filter"
    CONDITION = "condition"
    # Of SYCL.
    HOST = "host_head"
    COMMAND = "command"
    OBJECT = "object_declaration"

    # Parts are keys: the hash of their names, without a call.
    __hash__ = str.__hash__


# The symbols of a whole file and of the body of a thread.
FILE: Final = "litmus"
BODY: Final = "block"


class Title(Node, frozen=True):
    """The first line: the word of the dialect, and the name, which the span is that of."""

    word: str
    name: str


class DocString(Node, frozen=True):
    """A doc string without its quotes."""

    text: str


class Header(Node, frozen=True):
    """What stands before the initial state."""

    title: Title
    documentation: tuple[DocString, ...]
    keys: tuple[KeyLine, ...]


class ThreadHead(Node, frozen=True):
    """`P0@wg 1 (…)`; the span is that of its first word, with which the thread begins."""

    number: int
    placement: tuple[PlacementPart, ...]
    parameters: tuple[Parameter, ...]


class KernelHead(Node, frozen=True):
    """`kernel K (…)` or `callback C (…)`; the span is that of its first word."""

    name: Name
    parameters: tuple[Parameter, ...]
    attributes: tuple[Attribute, ...] = ()


class FunctionHead(Node, frozen=True):
    """`static int f(…)`; the span is that of its first word."""

    name: Name
    words: tuple[str, ...]
    type: TypeName
    parameters: tuple[Parameter, ...]


class InitialState(Node, frozen=True):
    """`{ … }`; a declaration of several names counts as several items."""

    items: tuple[InitialItem, ...]


class ScopeTree(Node, frozen=True):
    """`scopeTree (…)`."""

    roots: tuple[ScopeNode, ...]


class Regions(Node, frozen=True):
    """`x:global, y:local`."""

    entries: tuple[RegionEntry, ...]


class Locations(Node, frozen=True):
    """`locations […]`."""

    observed: tuple[RegisterReference | LocationReference, ...]


class Filter(Node, frozen=True):
    """`filter …`."""

    proposition: Proposition


FilePart = (
    InitialState
    | Thread
    | Kernel
    | Function
    | FileVariables
    | Callback
    | Launch
    | ScopeTree
    | Regions
    | Locations
    | Filter
    | Condition
)
