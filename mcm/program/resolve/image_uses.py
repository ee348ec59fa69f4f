"""What the units of a test do with images and samplers, and which ones functions are called with."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from msgspec import Struct

from mcm.program.resolve.complaints import Complaints, UnresolvedError
from mcm.program.resolve.constants import constant_integer
from mcm.program.resolve.image_shapes import DIMENSIONS, LAYERED, Shape, launched_sizes, stated_sizes
from mcm.syntax import ast
from mcm.syntax.walk import walk

if TYPE_CHECKING:
    from collections.abc import Iterator

ACCESSES: Final = re.compile(r"(?P<kind>read|write)_image(?P<type>ui|i|f)")
CHANNELS: Final = {"i": "int", "ui": "uint", "f": "float"}
# Units with a body.
Coded = ast.Thread | ast.Kernel | ast.Function | ast.Callback
# How often a call of a call is followed.
_DEEPEST: Final = 20


class _Unit(Struct):
    """A unit with a body, what it calls its images, and which values its variables and parameters have."""

    unit: Coded
    images: dict[str, ast.Parameter]
    values: dict[str, ast.Expression]


class KnownImages:
    """What is known of the images and samplers of a test, whatever functions they are handed to."""

    def __init__(self, tree: ast.Litmus, complaints: Complaints) -> None:
        self._complaints: Final = complaints
        self._declared: Final = {item.name.text: item for item in tree.initial if isinstance(item, ast.InitialValue)}
        self._launches: Final = [unit for unit in tree.units if isinstance(unit, ast.Launch)]
        self._units: Final = {id(unit): self._unit(unit) for unit in tree.units if isinstance(unit, Coded)}
        functions = {unit.name.text for unit in tree.units if isinstance(unit, ast.Function)}
        # The calls of each function, with the unit that they stand in.
        self._calls: Final[dict[str, list[tuple[Coded, ast.Call]]]] = {name: [] for name in functions}
        for one in self._units.values():
            for node in walk([one.unit]):
                if isinstance(node, ast.Call) and node.function.text in functions:
                    self._calls[node.function.text].append((one.unit, node))

    def _unit(self, unit: Coded) -> _Unit:
        values: dict[str, ast.Expression] = {}
        if not isinstance(unit, ast.Function):
            for parameter in unit.parameters:
                item = self._declared.get(parameter.name.text)
                if item is not None and isinstance(item.value, ast.Expression):
                    values[parameter.name.text] = item.value
        for node in walk([unit]):
            if isinstance(node, ast.Declarator) and isinstance(node.initializer, ast.Expression):
                values[node.name.text] = node.initializer
        return _Unit(unit, {p.name.text: p for p in unit.parameters if p.type.base.startswith("image")}, values)

    def images(self, unit: Coded) -> dict[str, ast.Parameter]:
        """The parameters of a unit that are images."""
        return self._units[id(unit)].images

    def _arguments(self, function: ast.Function, name: str) -> Iterator[tuple[Coded, ast.Expression]]:
        """What is handed to a parameter of a function, with the unit that does so."""
        number = next(n for n, one in enumerate(function.parameters) if one.name.text == name)
        for unit, call in self._calls[function.name.text]:
            if number < len(call.arguments):
                yield unit, call.arguments[number]

    def shape(self, unit: Coded, parameter: ast.Parameter, depth: int = _DEEPEST) -> Shape:
        """The shape of an image; of a parameter of a function, that of all the images that it is called with."""
        name, base = parameter.name.text, parameter.type.base
        dimensions = DIMENSIONS.get(base, 1)
        if isinstance(unit, ast.Function):
            found = {
                self.shape(caller, self.images(caller)[argument.text], depth - 1)
                for caller, argument in self._arguments(unit, name)
                if depth and isinstance(argument, ast.Name) and argument.text in self.images(caller)
            }
            if len(found) > 1:
                message = f"not yet supported: '{name}' stands for images of different sizes or types"
                self._complaints.error("E100", parameter.span, message)
            return min(found, key=repr) if found else Shape((1,) * dimensions, "int4", base in LAYERED)
        item = self._declared.get(name)
        sizes = None if item is None else stated_sizes(item, base, self._complaints)
        if sizes is None:
            sizes = launched_sizes(self._launches, unit.name.text if isinstance(unit, ast.Kernel) else "", dimensions)
        return Shape(sizes, self._texel(unit, name, item), base in LAYERED)

    def _texel(self, unit: Coded, name: str, item: ast.InitialValue | None) -> str:
        """The type of a texel: as declared, or four channels of the type that the first function names."""
        if item is not None:
            return item.type.base if item.type is not None and item.type.base else "int"
        return f"{CHANNELS.get(self._accessed(unit, name, _DEEPEST) or '', 'int')}4"

    def _accessed(self, unit: Coded, name: str, depth: int) -> str | None:
        for node in walk([unit]):
            if not isinstance(node, ast.Call):
                continue
            for number, argument in enumerate(node.arguments):
                if not isinstance(argument, ast.Name) or argument.text != name:
                    continue
                access = ACCESSES.fullmatch(node.function.text)
                if access is not None:
                    return access["type"]
                callee = self._function(node.function.text)
                if depth and callee is not None and number < len(callee.parameters):
                    inner = self._accessed(callee, callee.parameters[number].name.text, depth - 1)
                    if inner is not None:
                        return inner
        return None

    def _function(self, name: str) -> ast.Function | None:
        found = (one.unit for one in self._units.values() if isinstance(one.unit, ast.Function))
        return next((unit for unit in found if unit.name.text == name and unit.body is not None), None)

    def sampler(self, unit: Coded, written: ast.Expression, depth: int = _DEEPEST) -> int | None:
        """The value of a sampler; None where it is not known, or where it is not the same in all calls."""
        if isinstance(written, ast.Name):
            value = self._units[id(unit)].values.get(written.text)
            if value is not None:
                written = value
            elif isinstance(unit, ast.Function) and any(one.name.text == written.text for one in unit.parameters):
                arguments = self._arguments(unit, written.text)
                found = {self.sampler(caller, one, depth - 1) if depth else None for caller, one in arguments}
                return found.pop() if len(found) == 1 else None
        try:
            return constant_integer(written, Complaints(), "a sampler")
        except UnresolvedError:
            return None
