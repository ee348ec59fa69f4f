"""Classes of fields: `@record` is `@dataclass(slots=True)`, made in a tenth of the time.

The standard decorator compiles up to six functions for each class, which takes as long as all that a command must do
before it has read its first file. Here classes of the same shape share the code of `__init__`, and the other methods
are closures over the fields. `fields`, `replace`, `asdict` and `match` work as for any dataclass. Type checkers see
the standard decorator.
"""

from __future__ import annotations

import dataclasses
from dataclasses import MISSING, Field, FrozenInstanceError, field, fields
from functools import cache
from inspect import get_annotations
from operator import attrgetter
from types import CodeType, FunctionType
from typing import TYPE_CHECKING, Any

__all__ = ["record"]

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from dataclasses import dataclass as record
else:

    def record(
        *,
        slots: bool,
        frozen: bool = False,
        eq: bool = True,
        order: bool = False,
        kw_only: bool = False,
        weakref_slot: bool = False,
    ) -> Callable[[type], type]:
        """Make a class one of fields in slots; the options are those of `dataclass`."""
        if not slots:
            message = "records have slots"
            raise TypeError(message)

        def make(plain: type) -> type:
            own = _own_fields(plain, kw_only)
            made = _with_slots(plain, own, weakref_slot)
            items = fields(made)
            made.__match_args__ = tuple(item.name for item in items if not item.kw_only)
            made.__init__ = _initializer(made, items)
            made.__getstate__ = _state
            made.__setstate__ = _restore
            if "__repr__" not in plain.__dict__:
                made.__repr__ = _representation([item.name for item in items if item.repr])
            if frozen:
                made.__setattr__ = _refuse_assignment
                made.__delattr__ = _refuse_deletion
            if eq:
                key = _key([item.name for item in items if item.compare])
                made.__eq__ = _equality(key)
                made.__hash__ = _hash(key) if frozen else None
                if order:
                    _add_ordering(made, key)
            return made

        return make


def _own_fields(plain: type, kw_only: bool) -> dict[str, Field[Any]]:  # noqa: FBT001 - as `dataclass` has it
    """The fields that a class adds to those of its bases, described as `dataclass` describes them."""
    own = {}
    for name, kind in get_annotations(plain).items():
        value = plain.__dict__.get(name, MISSING)
        item: Any = value if isinstance(value, Field) else field(default=value)
        item.name = name
        item.type = kind
        item.kw_only = kw_only if item.kw_only is MISSING else item.kw_only
        # The mark by which `fields` tells fields from class variables; there is no public name for it.
        item._field_type = dataclasses._FIELD  # type: ignore[attr-defined] # noqa: SLF001
        own[name] = item
    return own


def _with_slots(plain: type, own: dict[str, Field[Any]], weakref_slot: bool) -> Any:  # noqa: FBT001 - see above
    """The class once more: slots cannot be added to one that exists."""
    inherited: dict[str, Field[Any]] = {}
    for base in reversed(plain.__mro__[1:]):
        inherited |= base.__dict__.get("__dataclass_fields__", {})
    members = {name: value for name, value in plain.__dict__.items() if name not in own and name not in _REMADE}
    members["__slots__"] = (*(name for name in own if name not in inherited), *["__weakref__"] * weakref_slot)
    members["__dataclass_fields__"] = inherited | own
    members["__qualname__"] = plain.__qualname__
    return type(plain)(plain.__name__, plain.__bases__, members)


# What a class without slots has of its own, to give each instance a dictionary and weak references.
_REMADE = ("__dict__", "__weakref__")


def _initializer(made: type, items: Sequence[Field[Any]]) -> FunctionType:
    """`__init__`: shared code under the names of the class. It is called too often to be a closure."""
    by_position = [item for item in items if not item.kw_only]
    ordered = [*by_position, *(item for item in items if item.kw_only)]
    names: dict[str, Any] = {"missing": MISSING, "__name__": made.__module__}
    for index, item in enumerate(ordered):
        # The setter of the slot itself: `object.__setattr__` would look it up each time.
        names[f"set_{index}"] = getattr(made, item.name).__set__
        names[f"make_{index}"] = item.default_factory
    shared = _code(len(by_position), tuple(item.default_factory is not MISSING for item in ordered))
    code = shared.replace(
        co_varnames=("self", *(item.name for item in ordered)), co_qualname=f"{made.__qualname__}.__init__"
    )
    optional = [item for item in by_position if _is_optional(item)]
    if by_position[len(by_position) - len(optional) :] != optional:
        message = f"{made.__qualname__}: a field without a default follows one that has a default"
        raise TypeError(message)
    function = FunctionType(code, names, "__init__", tuple(item.default for item in optional))
    function.__kwdefaults__ = {item.name: item.default for item in items if item.kw_only and _is_optional(item)}
    return function


def _is_optional(item: Field[Any]) -> bool:
    return item.default is not MISSING or item.default_factory is not MISSING


@cache
def _code(by_position: int, made_by_default: tuple[bool, ...]) -> CodeType:
    """The code of `__init__` for so many fields, of which the first are given by position.

    A value of `made_by_default` says that the default of this field is made anew each time.
    """
    parameters = [f"value_{index}" for index in range(len(made_by_default))]
    values = [
        f"make_{index}() if value_{index} is missing else value_{index}" if is_made else f"value_{index}"
        for index, is_made in enumerate(made_by_default)
    ]
    keywords = ["*", *parameters[by_position:]] if by_position < len(parameters) else []
    lines = [f"def __init__({', '.join(['self', *parameters[:by_position], *keywords])}):"]
    lines += [f"    set_{index}(self, {value})" for index, value in enumerate(values)] or ["    pass"]
    module = compile("\n".join(lines), "<record>", "exec")
    return next(constant for constant in module.co_consts if isinstance(constant, CodeType))


def _representation(shown: Sequence[str]) -> Callable[[Any], str]:
    def __repr__(self: Any) -> str:  # noqa: N807 - it becomes the method of that name
        return f"{type(self).__qualname__}({', '.join(f'{name}={getattr(self, name)!r}' for name in shown)})"

    return __repr__


def _key(compared: Sequence[str]) -> Callable[[Any], Any]:
    """What is compared: one attribute, or the tuple of several."""
    return attrgetter(*compared) if compared else lambda _: ()


def _equality(key: Callable[[Any], Any]) -> Callable[[Any, Any], bool]:
    def __eq__(self: Any, other: object) -> bool:  # noqa: N807 - it becomes the method of that name
        if other.__class__ is not self.__class__:
            return NotImplemented
        return self is other or bool(key(self) == key(other))

    return __eq__


def _hash(key: Callable[[Any], Any]) -> Callable[[Any], int]:
    def __hash__(self: Any) -> int:  # noqa: N807 - it becomes the method of that name
        return hash(key(self))

    return __hash__


def _add_ordering(made: Any, key: Callable[[Any], Any]) -> None:
    def compares(name: str) -> Callable[[Any, Any], bool]:
        def method(self: Any, other: object) -> Any:
            if other.__class__ is not self.__class__:
                return NotImplemented
            return getattr(key(self), name)(key(other))

        return method

    for name in ("__lt__", "__le__", "__gt__", "__ge__"):
        setattr(made, name, compares(name))


def _refuse_assignment(self: object, name: str, value: object) -> None:
    del value
    message = f"cannot assign to field {name!r} of {type(self).__name__}"
    raise FrozenInstanceError(message)


def _refuse_deletion(self: object, name: str) -> None:
    message = f"cannot delete field {name!r} of {type(self).__name__}"
    raise FrozenInstanceError(message)


def _state(self: Any) -> list[Any]:
    return [getattr(self, item.name) for item in fields(self)]


def _restore(self: Any, state: list[Any]) -> None:
    for item, value in zip(fields(self), state, strict=True):
        object.__setattr__(self, item.name, value)
