"""The state of resolving the body of one thread."""

from __future__ import annotations

from contextlib import nullcontext
from typing import TYPE_CHECKING

from msgspec import Struct, field

from mcm.program.operators import Level
from mcm.program.resolve.alike import AskedIds
from mcm.program.resolve.conversions import holds_address
from mcm.program.resolve.hoisting import Hoisted, Pointers
from mcm.program.topology import HostThread
from mcm.program.types import Region, Scalar, Scope

if TYPE_CHECKING:
    from collections.abc import Mapping
    from contextlib import AbstractContextManager

    from mcm.base.dialect import Dialect
    from mcm.base.source import Span
    from mcm.program.instruction import Expression, RegisterPlace
    from mcm.program.resolve.complaints import Complaints
    from mcm.program.resolve.events import Events
    from mcm.program.resolve.memory import MemoryObjects
    from mcm.program.resolve.names import Binding, Names
    from mcm.program.resolve.plan import CommandDraft, CommandPlan
    from mcm.program.resolve.work_item_functions import WorkItems
    from mcm.program.topology import Placement
    from mcm.program.types import Location, PointerType
    from mcm.syntax import ast
    from mcm.syntax.ast import TypeName


class ThreadContext(Struct):
    """The thread whose body is being resolved.

    `work_items` counts all threads on devices, `asked` has what the body asks of its own place. `constants` are
    registers declared const, `read_only` pointers to a type declared const, `reassigned` registers that have been
    assigned so far, `addresses` integer registers that may hold an address, `pointed` private variables whose address
    has been taken so far. `enqueued` are the commands that the
    current statement has enqueued, `host` is what the thread knows of commands, None without any.

    `functions` are those of the file, `nested` those that the body defines itself, with the scopes that they see.
    `unsuffixed` is the type of floating literals that have no suffix.
    `locals` are the variables of a kernel that live in local memory, with their lengths where they are arrays.
    `calls` are the functions whose bodies are being resolved, from the outermost to the innermost, and `result` is the
    register for the value of the innermost; `levels` are those of the trees of their bodies, one in another, and of the
    thread's. `hoisted` is what stands before the full expression at hand. `has_fences`: there are fences, barriers or
    group functions; `has_views`: a pointer is cast to one to numbers of another type.
    """

    number: int
    body_span: Span
    dialect: Dialect
    placement: Placement
    work_items: WorkItems
    memory: MemoryObjects
    names: Names
    complaints: Complaints
    unsuffixed: Scalar = Scalar.FLOAT
    host: Events | None = None
    constants: set[str] = field(default_factory=set)
    read_only: set[str] = field(default_factory=set)
    reassigned: set[str] = field(default_factory=set)
    addresses: set[str] = field(default_factory=set)
    pointed: set[str] = field(default_factory=set)
    functions: Mapping[str, ast.Function] = field(default_factory=dict)
    nested: dict[str, tuple[ast.Function, list[dict[str, Binding]]]] = field(default_factory=dict)
    locals: dict[str, tuple[Location, PointerType, int | None]] = field(default_factory=dict)
    calls: tuple[str, ...] = ()
    call_count: int = 0
    levels: int = 0
    result: RegisterPlace | None = None
    hoisted: Hoisted = field(default_factory=Hoisted)
    has_long_chain: bool = False
    has_copies: bool = False
    has_fences: bool = False
    has_views: bool = False
    loop_depth: int = 0
    switch_depth: int = 0
    pending_label: str | None = None
    enqueued: list[CommandDraft] = field(default_factory=list)
    asked: AskedIds = field(default_factory=AskedIds)
    _sites: dict[tuple[str, Level], int] = field(default_factory=dict)

    @property
    def events(self) -> Events:
        """The events that the thread has names for; only a program with commands has any."""
        assert self.host is not None
        return self.host

    @property
    def pointers(self) -> Pointers:
        """What is known of pointers so far: a parameter that keeps its value leads to no private variable."""
        given = frozenset(parameter.name for parameter in self.names.parameters) - self.reassigned
        return Pointers(self.pointed, given)

    @property
    def plan(self) -> CommandPlan:
        """What the program may enqueue."""
        return self.events.plan

    def branch(self, condition: ast.Expression, *, taken_where: bool) -> AbstractContextManager[None]:
        """A branch that is taken where a condition holds, or where it does not."""
        if self.host is None:
            return nullcontext()
        # Imported here: most programs have no commands.
        from mcm.program.resolve.call_walk import value_of  # noqa: PLC0415

        decided = value_of(condition, self.placement)
        return self.host.branch(unreached=decided is not None and bool(decided) is not taken_where)

    def enqueues(self, part: ast.Node) -> bool:
        """Whether a part of the body may enqueue a command, or register a callback."""
        if self.host is None:
            return False
        from mcm.program.resolve.call_walk import has_calls  # noqa: PLC0415 - see above

        return has_calls(part, self.functions)

    def refuse_enqueues(self, parts: tuple[ast.Node | None, ...], loop: Span) -> None:
        """Refuse commands in a loop of which the text does not say how often it iterates."""
        if any(part is not None and self.enqueues(part) for part in parts):
            message = "how often this loop enqueues commands is not plain: 'for (int i = 0; i < N; i++)' would be"
            self.complaints.fail("E164", loop, message)

    def known_iterations(self, loop: ast.For) -> int | None:
        """How often a loop that enqueues commands iterates; None if the text does not say so."""
        from mcm.program.resolve.call_walk import iterations  # noqa: PLC0415 - see `branch`

        return iterations(loop)

    def written_out(self, body: ast.Node, loop: Span) -> range:
        """The iterations of a loop of the host that are written out, since they enqueue commands.

        Refused are loops in loops that enqueue commands, of which the text does not say how often they iterate, and
        those of kernels.
        """
        from mcm.program.resolve.call_walk import WRITTEN_OUT, continues  # noqa: PLC0415 - see `branch`

        if not self.is_host or self.loop_depth:
            self.refuse_enqueues((body,), loop)
        found = continues(body)
        if found is not None:
            message = "a loop that enqueues commands goes on here in the middle: 'if' around the rest would be plain"
            self.complaints.fail("E164", found, message)
        return range(WRITTEN_OUT)

    @property
    def is_host(self) -> bool:
        """Whether this is a thread of the host program."""
        return type(self.placement) is HostThread

    @property
    def is_work_item(self) -> bool:
        """Whether this is a work-item on a device, in a work-group."""
        return not self.is_host and self.dialect.has_devices

    @property
    def has_functions(self) -> bool:
        """Whether the functions of numbers that kernels call are known here."""
        return self.is_work_item or self.dialect.hosts_have_functions

    @property
    def default_scope(self) -> Scope:
        """The scope of an atomic operation that names none; atomics of the host act at ALL (HOST-SVM-3)."""
        return Scope.DEVICE if self.is_work_item else Scope.ALL_SVM_DEVICES

    @property
    def unnamed_region(self) -> Region:
        """The address space that a pointer type without one points into."""
        return Region.GENERIC if self.is_work_item else Region.NONE

    @property
    def private_region(self) -> Region:
        """The address space of the thread's own variables."""
        return Region.PRIVATE if self.is_work_item else Region.NONE

    def site(self, kind: str, level: Level = Level.WORK_GROUP) -> str:
        """The call site of a barrier or collective: its label, or its number among the unlabelled ones.

        Those of the work-group are counted alone, since sub-groups need not call as many of their own. Those of a
        sub-group have their place among both, in which its members agree.
        """
        if self.pending_label is not None:
            label, self.pending_label = self.pending_label, None
            return label
        self._sites[kind, level] = self._sites.get((kind, level), 0) + 1
        counted = Level if level is Level.SUB_GROUP else (level,)
        return f"{kind}#{sum(self._sites.get((kind, one), 0) for one in counted)}"

    def enter(
        self, function: str, result: RegisterPlace | None, levels: int
    ) -> tuple[RegisterPlace | None, int, int, int]:
        """Begin the body of a function, a tree of so many levels; `leave` needs what this returns."""
        outer = self.result, self.loop_depth, self.switch_depth, self.levels
        self.calls = (*self.calls, function)
        self.levels += levels
        self.result, self.loop_depth, self.switch_depth = result, 0, 0
        return outer

    def leave(self, outer: tuple[RegisterPlace | None, int, int, int]) -> None:
        """Go on where the function was called."""
        self.calls = self.calls[:-1]
        self.result, self.loop_depth, self.switch_depth, self.levels = outer

    def note_const(self, register: str, written: TypeName, stars: tuple[tuple[str, ...], ...]) -> None:
        """Remember what a declaration makes const: the variable, or what it points at.

        One of the same name in an earlier block may have been something else.
        """
        levels = (written.qualifiers, *written.pointers, *stars)
        self.constants.discard(register)
        self.read_only.discard(register)
        if "const" in levels[-1]:
            self.constants.add(register)
        if len(levels) > 1 and "const" in levels[-2]:
            self.read_only.add(register)

    def note_address(self, register: str, assigned: Expression) -> None:
        """Remember that an integer register may hold an address."""
        if holds_address(assigned, self.addresses):
            self.addresses.add(register)

    def unknown_name(self, name: str, span: Span, hint: str) -> None:
        """Complain once about a name that means nothing in this thread."""
        if not self.names.is_forgotten(name) and self.complaints.is_new("E101", self.number, name):
            self.complaints.error("E101", span, f"unknown name '{name}'{hint}")
