"""Images of one dimension, as memory that is read and written by their functions alone.

`image int img[4];` in the initial state declares one, `read_write image1d_t img` is a parameter for it. A texel is one
value, that of the first channel: memory models do not tell channels apart. `read_imagei(img, i)` is `img[i]` in what
this stage hands on, `write_imagei(img, i, v)` is `img[i] = v`; that they are accesses of an image is known from the
kind of the location.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from msgspec.structs import replace

from mcm.base.diagnostic import Note
from mcm.program.types import AllocationKind
from mcm.syntax import ast
from mcm.syntax.mapped import mapped

if TYPE_CHECKING:
    from mcm.program.resolve.complaints import Complaints

_ACCESSES: Final = re.compile(r"(?P<kind>read|write)_image(?P<type>ui|i|f)")
_TYPES: Final = {"i": "int", "ui": "uint", "f": "float"}
_ACCESS: Final = {"read_only": "read", "write_only": "write"}
_FIRST_CHANNEL: Final = frozenset({"x", "s0"})


def without_images(tree: ast.Litmus, complaints: Complaints) -> ast.Litmus:
    """The test with the parameters, the reads and the writes of images as those of other memory."""
    declared = {item.name.text: item for item in tree.initial if isinstance(item, ast.InitialValue)}
    images: dict[str, ast.Parameter] = {}
    units: list[ast.Unit] = []
    for unit in tree.units:
        if isinstance(unit, ast.Launch | ast.Structure | ast.FileVariables):
            units.append(unit)
            continue
        change = _Change(unit.parameters, declared, complaints)
        images |= change.images
        body = None if unit.body is None else mapped(unit.body, change.node)
        parameters = tuple(map(change.parameter, unit.parameters))
        units.append(replace(unit, parameters=parameters, body=body))
    initial = [_as_image(item, images, complaints) for item in tree.initial]
    for name, parameter in images.items():
        if name not in declared:
            declaration = ast.InitialValue(parameter.name, allocation=AllocationKind.IMAGE.value, span=parameter.span)
            initial.append(declaration)
    return replace(tree, initial=tuple(initial), units=tuple(units))


def _as_image(item: ast.InitialItem, images: dict[str, ast.Parameter], complaints: Complaints) -> ast.InitialItem:
    """A location that a parameter says is an image, declared as one."""
    if not isinstance(item, ast.InitialValue) or item.name.text not in images:
        return item
    kind = AllocationKind.IMAGE.value
    if item.allocation not in {None, kind}:
        note = Note("an image here", images[item.name.text].span)
        complaints.error("E168", item.span, f"'{item.name.text}' is an image, found '{item.allocation}'", note)
    return replace(item, allocation=kind)


class _Change:
    """What changes in one unit."""

    def __init__(
        self, parameters: tuple[ast.Parameter, ...], declared: dict[str, ast.InitialValue], complaints: Complaints
    ) -> None:
        self._declared: Final = declared
        self._complaints: Final = complaints
        self.images: Final = {p.name.text: p for p in parameters if _is_image(p)}

    def parameter(self, parameter: ast.Parameter) -> ast.Parameter:
        """A parameter, where it is an image as a pointer to its texels."""
        if parameter.name.text not in self.images:
            return parameter
        written = parameter.type
        if not written.base.startswith("image1d") or "array" in written.base:
            message = f"not yet supported: the type '{written.base}'; images of one dimension are ('image1d_t')"
            self._complaints.error("E100", written.span, message)
        qualifiers = tuple(word for word in written.qualifiers if word.strip("_") not in {*_ACCESS, "read_write"})
        type_ = replace(written, qualifiers=("global", *qualifiers), base=self._texel(parameter), pointers=((),))
        return replace(parameter, type=type_)

    def _texel(self, parameter: ast.Parameter) -> str:
        item = self._declared.get(parameter.name.text)
        return item.type.base if item is not None and item.type is not None and item.type.base else "int"

    def node(self, node: ast.Node) -> ast.Node:
        """A node of a body, where it reads or writes an image as an access of memory."""
        match node:
            case ast.Member(ast.Index(ast.Name(image)) as texel, ".", ast.Name(channel)) if image in self.images:
                if channel not in _FIRST_CHANNEL:
                    message = f"not yet supported: the channel '{channel}' of an image; texels have one value here, 'x'"
                    self._complaints.error("E100", node.span, message)
                return texel
            case ast.Call(ast.Name(function)) if (found := _ACCESSES.fullmatch(function)) is not None:
                return self._access(node, found["kind"], _TYPES[found["type"]])
            case _:
                return node

    def _access(self, call: ast.Call, kind: str, type_: str) -> ast.Expression:
        arguments = call.arguments
        if kind == "read" and len(arguments) == 3:  # a sampler stands before the coordinate
            arguments = (arguments[0], arguments[2])
        wanted = "an image and a coordinate" if kind == "read" else "an image, a coordinate and a value"
        image = arguments[0] if arguments else call
        if len(arguments) != (2 if kind == "read" else 3) or not isinstance(image, ast.Name):
            self._complaints.error("E168", call.span, f"'{call.function.text}' takes {wanted}")
            return ast.NumberLiteral("0", span=call.span)
        parameter = self.images.get(image.text)
        if parameter is None:
            message = f"'{image.text}' is no image: declare the parameter 'read_write image1d_t {image.text}'"
            self._complaints.error("E168", image.span, message)
            return ast.NumberLiteral("0", span=call.span)
        self._check(call, kind, type_, parameter)
        texel = ast.Index(image, _scalar(arguments[1]), span=call.span)
        if kind == "read":
            return texel
        return ast.Assignment("=", texel, _scalar(arguments[2]), span=call.span)

    def _check(self, call: ast.Call, kind: str, type_: str, parameter: ast.Parameter) -> None:
        """Report an access that the parameter does not allow, and one of another type."""
        note = Note("declared here", parameter.span)
        name = parameter.name.text
        for word in parameter.type.qualifiers:
            if _ACCESS.get(word.strip("_"), kind) != kind:
                self._complaints.error("E168", call.span, f"'{name}' is '{word}': '{call.function.text}' cannot", note)
        texel = self._texel(parameter)
        if texel != type_:
            self._complaints.error("E168", call.span, f"the texels of '{name}' are '{texel}', found '{type_}'", note)


def _is_image(parameter: ast.Parameter) -> bool:
    return parameter.type.base.startswith("image")


def _scalar(node: ast.Expression) -> ast.Expression:
    """The first component of a vector that is written out, `(int4)(v, 0, 0, 0)`; any other expression itself."""
    if not isinstance(node, ast.Cast) or re.fullmatch(r"u?(?:int|float|char|short|long)[2348]", node.type.base) is None:
        return node
    inner = node.operand
    while isinstance(inner, ast.Infix) and inner.operator == ",":
        inner = inner.left
    return inner
