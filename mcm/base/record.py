"""Classes of fields: `@record` is `@dataclass(slots=True)`, made in a tenth of the time.

The standard decorator compiles up to six functions for each class, which takes as long as all that a command must do
before it has read its first file. Here classes with the same number of fields share the code of `__init__`, and the
other methods are closures over the fields. `fields`, `replace`, `asdict` and `match` work as for any dataclass. Type
checkers see the standard decorator. They alone see to it that a frozen record does not change: a class that refuses
assignment at run time has to fill its own slots in a way that takes twenty times as long, and a small test makes
hundreds of records.
"""

from __future__ import annotations

import dataclasses
from dataclasses import MISSING, Field, field, fields
from functools import cache
from inspect import get_annotations
from operator import attrgetter
from types import CodeType, FunctionType
from typing import TYPE_CHECKING, Any

__all__ = ["WithDictionary", "record"]

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
            inherited = _inherited_fields(plain)
            methods = _methods([*(inherited | own).values()], frozen, eq, order)
            members = {name: value for name, value in plain.__dict__.items() if name not in own and name not in _REMADE}
            members["__slots__"] = (*(name for name in own if name not in inherited), *["__weakref__"] * weakref_slot)
            members["__dataclass_fields__"] = inherited | own
            members["__qualname__"] = plain.__qualname__
            # Slots cannot be added to a class that exists: it is made once more.
            made = type(plain)(plain.__name__, plain.__bases__, methods | members)
            made.__init__ = _initializer(made)
            return made

        return make


class WithDictionary:
    """Base of records with cached properties, which are kept in a dictionary beside the slots."""

    __slots__ = ("__dict__",)


# What a class without slots has of its own, to give each instance a dictionary and weak references.
_REMADE = ("__dict__", "__weakref__")


def _own_fields(plain: type, kw_only: bool) -> dict[str, Field[Any]]:  # noqa: FBT001 - as `dataclass` has it
    """The fields that a class adds to those of its bases, described as `dataclass` describes them."""
    own = {}
    for name, kind in get_annotations(plain).items():
        if "ClassVar" in str(kind):
            message = f"{plain.__qualname__}.{name}: records have no class variables"
            raise TypeError(message)
        value = plain.__dict__.get(name, MISSING)
        item: Any = value if isinstance(value, Field) else field(default=value)
        item.name = name
        item.type = kind
        item.kw_only = kw_only if item.kw_only is MISSING else item.kw_only
        # The mark by which `fields` knows a field; there is no public name for it.
        item._field_type = dataclasses._FIELD  # type: ignore[attr-defined] # noqa: SLF001
        own[name] = item
    return own


def _inherited_fields(plain: type) -> dict[str, Field[Any]]:
    inherited: dict[str, Field[Any]] = {}
    for base in reversed(plain.__mro__[1:]):
        inherited |= base.__dict__.get("__dataclass_fields__", {})
    return inherited


def _methods(items: Sequence[Field[Any]], frozen: bool, eq: bool, order: bool) -> dict[str, Any]:  # noqa: FBT001
    """What needs no more than the names of the fields."""
    methods: dict[str, Any] = {
        "__match_args__": tuple(item.name for item in items if not item.kw_only),
        "__repr__": _representation([item.name for item in items if item.repr]),
        "__getstate__": _state,
        "__setstate__": _restore,
    }
    if eq:
        compared = [item.name for item in items if item.compare]
        # What is compared: one attribute, or the tuple of several.
        key = attrgetter(*compared) if compared else lambda _: ()
        methods |= {"__eq__": _equality(key), "__hash__": _hash(key) if frozen else None}
        if order:
            methods |= {name: _comparison(name, key) for name in ("__lt__", "__le__", "__gt__", "__ge__")}
    return methods


def _initializer(made: type) -> FunctionType:
    """`__init__`: shared code under the names of the class. It is called too often to be a closure."""
    items = sorted(fields(made), key=lambda item: bool(item.kw_only))
    by_position = [item for item in items if not item.kw_only]
    optional = [item for item in by_position if _is_optional(item)]
    if by_position[len(by_position) - len(optional) :] != optional:
        message = f"{made.__qualname__}: a field without a default follows one that has a default"
        raise TypeError(message)
    code = _code(tuple(item.default_factory is not MISSING for item in items))
    attributes = {f"field_{index}": item.name for index, item in enumerate(items)}
    code = code.replace(
        co_argcount=1 + len(by_position),
        co_kwonlyargcount=len(items) - len(by_position),
        co_varnames=("self", *attributes.values()),
        co_names=tuple(attributes.get(name, name) for name in code.co_names),
        co_qualname=f"{made.__qualname__}.__init__",
    )
    names: dict[str, Any] = {f"make_{index}": item.default_factory for index, item in enumerate(items)}
    names |= {"__name__": made.__module__, "MISSING": MISSING}
    function = FunctionType(code, names, "__init__", tuple(item.default for item in optional))
    function.__kwdefaults__ = {item.name: item.default for item in items if item.kw_only and _is_optional(item)}
    return function


def _is_optional(item: Field[Any]) -> bool:
    return item.default is not MISSING or item.default_factory is not MISSING


@cache
def _code(are_made: tuple[bool, ...]) -> CodeType:
    """The code of `__init__` for so many fields, of which some are made anew when no value is given."""
    parameters = "".join(f", value_{index}" for index in range(len(are_made)))
    body = []
    for index, is_made in enumerate(are_made):
        if is_made:
            body.append(f"    if value_{index} is MISSING: value_{index} = make_{index}()")
        body.append(f"    self.field_{index} = value_{index}")
    module = compile("\n".join([f"def __init__(self{parameters}):", *(body or ["    pass"])]), "<record>", "exec")
    return next(constant for constant in module.co_consts if isinstance(constant, CodeType))


def _representation(shown: Sequence[str]) -> Callable[[Any], str]:
    def __repr__(self: Any) -> str:  # noqa: N807 - it becomes the method of that name
        return f"{type(self).__qualname__}({', '.join(f'{name}={getattr(self, name)!r}' for name in shown)})"

    return __repr__


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


def _comparison(name: str, key: Callable[[Any], Any]) -> Callable[[Any, Any], bool]:
    def method(self: Any, other: object) -> Any:
        if other.__class__ is not self.__class__:
            return NotImplemented
        return getattr(key(self), name)(key(other))

    return method


def _state(self: Any) -> list[Any]:
    return [getattr(self, item.name) for item in fields(self)]


def _restore(self: Any, state: list[Any]) -> None:
    for item, value in zip(fields(self), state, strict=True):
        setattr(self, item.name, value)
