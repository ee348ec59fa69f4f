"""The private variables of a thread: scopes of names, and the registers that they are bound to."""

from __future__ import annotations

from typing import TYPE_CHECKING

from msgspec import Struct
from msgspec.structs import replace

from mcm.base.diagnostic import Note
from mcm.program.program import Register
from mcm.program.types import Location, PointerType, Scalar

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from mcm.base.source import Span
    from mcm.program.resolve.complaints import Complaints
    from mcm.program.types import Type, Value


class Binding(Struct, frozen=True):
    """A name in scope, bound to a register or (with `length`) to an array of registers.

    With an `address` it is an object in memory, of that type of pointer, or an array there. `shape` has the lengths
    of an array of several dimensions behind the first.
    """

    register: str
    type: Type
    length: int | None
    span: Span
    address: tuple[Location, PointerType] | None = None
    shape: tuple[int, ...] = ()


class InitialRegister(Struct, frozen=True):
    """A register given a value in the initial state."""

    value: Value
    type: Type
    span: Span


class Names:
    """The scopes and the registers of one thread."""

    def __init__(self, initial: Mapping[str, InitialRegister], complaints: Complaints) -> None:
        self._complaints = complaints
        self._initial = dict(initial)
        self._scopes: list[dict[str, Binding]] = [{}]
        self._variables: dict[str, Binding] = {}
        self._parameters: dict[str, Register] = {}
        self._broken: set[str] = set()
        # What the names of registers begin with: that of the function that is being resolved.
        self._prefix = ""

    # --- scopes ---

    def open(self) -> None:
        """Enter a block."""
        self._scopes.append({})

    def close(self) -> None:
        """Leave a block."""
        self._scopes.pop()

    @property
    def is_outermost(self) -> bool:
        """Whether the current block is the body itself."""
        return len(self._scopes) == 1 and not self._prefix

    @property
    def scopes(self) -> list[dict[str, Binding]]:
        """The scopes as they are here, for a function that sees them."""
        return [dict(scope) for scope in self._scopes]

    def enter(
        self, function: str, seen: list[dict[str, Binding]] | None = None
    ) -> tuple[list[dict[str, Binding]], str]:
        """Enter a function, which sees none of the names so far but those `seen`; `leave` needs what this returns."""
        outer = self._scopes, self._prefix
        self._scopes, self._prefix = [*(seen or ()), {}], f"{function}::"
        return outer

    def leave(self, outer: tuple[list[dict[str, Binding]], str]) -> None:
        """Leave a function."""
        self._scopes, self._prefix = outer

    def find(self, name: str) -> Binding | None:
        """The binding of a name in the current scope."""
        for scope in reversed(self._scopes):
            if name in scope:
                return scope[name]
        given = None if self._prefix else self._initial.get(name)
        if given is None:
            return None
        # A register that only the initial state names is declared by it.
        return self._scopes[0].setdefault(name, self._register(name, Binding(name, given.type, None, given.span)))

    def visible(self) -> Iterator[str]:
        """All names in scope."""
        for scope in self._scopes:
            yield from scope
        if not self._prefix:
            yield from self._initial

    # --- declarations ---

    def forget(self, name: str) -> None:
        """Note that a declaration had an error: uses of its name are not reported."""
        self._broken.add(name)

    def is_forgotten(self, name: str) -> bool:
        """Whether the declaration of the name had an error."""
        return name in self._broken

    def add_parameter(self, name: str, type_: Type, value: Value, span: Span) -> None:
        """Declare a parameter that has a value: the address of a memory object, or a number."""
        outermost, given = self._scopes[0], self._initial.get(name)
        if name in outermost:
            note = Note("first declared here", outermost[name].span)
            self._complaints.error("E118", span, f"parameter '{name}' is declared twice", note)
            return
        outermost[name] = Binding(name, type_, None, span)
        self._parameters[name] = Register(name, type_, given.value if given else value, is_parameter=True)

    def declare(self, name: str, type_: Type, length: int | None, span: Span, shape: tuple[int, ...] = ()) -> Binding:
        """Declare a private variable in the innermost block.

        Declarations of one name and type in blocks that do not enclose each other are one register; one that hides
        another name gets a hidden register, and conditions mean the outer one.
        """
        innermost = self._scopes[-1]
        if name in innermost:
            note = Note("first declared here", innermost[name].span)
            self._complaints.error("E118", span, f"'{name}' is declared twice in the same block", note)
            return innermost[name]
        wanted = Binding(f"{self._prefix}{name}", type_, length, span, shape=shape)
        known = self._variables.get(wanted.register)
        if any(name in scope for scope in self._scopes) or (
            known is not None and (known.type, known.length) != (type_, length) and self._prefix
        ):
            wanted = self._hidden(wanted)
        elif known is not None and (known.type, known.length) != (type_, length):
            # Names that begin so are not those of the program.
            if not name.startswith("#"):
                note = Note("this one keeps the name", known.span)
                message = f"'{name}' is declared with different types in separate blocks; conditions mean the first"
                self._complaints.warning("W118", span, message, note)
            wanted = self._hidden(wanted)
        innermost[name] = self._register(wanted.register, wanted)
        return wanted

    def declare_object(
        self, name: str, location: Location, pointer: PointerType, length: int | None, span: Span
    ) -> None:
        """Declare a variable that lives in memory, in the innermost block."""
        innermost = self._scopes[-1]
        if name in innermost:
            note = Note("first declared here", innermost[name].span)
            self._complaints.error("E118", span, f"'{name}' is declared twice in the same block", note)
            return
        innermost[name] = Binding("", pointer.target, length, span, (location, pointer))

    def declare_hidden(self, name: str, type_: Type, span: Span, length: int | None = None) -> Binding:
        """Declare a register that the program does not name, or an array of them."""
        wanted = self._hidden(Binding(name, type_, length, span))
        return self._register(wanted.register, wanted)

    def _hidden(self, wanted: Binding) -> Binding:
        number = 2
        while f"{wanted.register}#{number}" in self._variables:
            number += 1
        return replace(wanted, register=f"{wanted.register}#{number}")

    def _register(self, register: str, variable: Binding) -> Binding:
        return self._variables.setdefault(register, variable)

    # --- what came of it ---

    def has_initial_value(self, variable: Binding) -> bool:
        """Whether the initial state gives the register a value."""
        return variable.register in self._initial

    @property
    def has_initial_values(self) -> bool:
        """Whether the initial state gives registers of the thread values."""
        return bool(self._initial)

    @property
    def parameters(self) -> tuple[Register, ...]:
        """The registers that are parameters."""
        return tuple(self._parameters.values())

    def registers(self) -> tuple[Register, ...]:
        """Every register of the thread: parameters first, then in order of declaration."""
        for name in self._initial:
            self.find(name)
        found = [*self._parameters.values()]
        for variable in self._variables.values():
            found += self._elements(variable)
        # A condition may name a register whose declaration had an error: that is not reported again.
        found += [Register(name, Scalar.INT) for name in sorted(self._broken - self._variables.keys())]
        return tuple(found)

    def _elements(self, variable: Binding) -> Iterable[Register]:
        # Variables of functions are those of all their calls; what an event or a reservation is, no program sees.
        is_opaque = variable.type is Scalar.EVENT or variable.type is Scalar.RESERVATION
        hidden = "#" in variable.register or "::" in variable.register or is_opaque
        given = self._initial.get(variable.register)
        if variable.length is None:
            value = given.value if given else None
            return (Register(variable.register, variable.type, value, is_hidden=hidden),)
        names = (f"{variable.register}[{index}]" for index in range(variable.length))
        return (Register(name, variable.type, is_hidden=hidden, shape=variable.shape) for name in names)


def type_of_initial(value: Value) -> Scalar:
    """The type of a register that only its initial value declares."""
    return Scalar.FLOAT if isinstance(value, float) else Scalar.INT
