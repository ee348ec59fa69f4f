"""Images, as memory that is read and written by their functions alone.

`image float4 img[2][4];` in the initial state declares one of two rows, `read_write image2d_t img` is a parameter for
it. A texel has four channels, each a location of its own, or one: memory models do not tell channels apart.
`read_imagef(img, (int2)(x, y))` is `img[y * 4 + x]` in what this stage hands on, `write_imagef` an assignment to it;
that they are accesses of an image is known from the kind of the location.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from msgspec.structs import replace

from mcm.base.diagnostic import Note
from mcm.program.resolve.computing import acts
from mcm.program.resolve.image_shapes import (
    DIMENSIONS,
    Shape,
    components,
    coordinates,
    index_of,
    is_asked_again,
    laid_out,
    size_asked,
    unknown_sampler,
    vector,
)
from mcm.program.resolve.image_uses import ACCESSES, CHANNELS, Coded, KnownImages
from mcm.program.types import AllocationKind
from mcm.syntax import ast
from mcm.syntax.mapped import mapped

if TYPE_CHECKING:
    from mcm.program.resolve.complaints import Complaints

_ACCESS: Final = {"read_only": "read", "write_only": "write"}
_FIRST_CHANNEL: Final = frozenset({"x", "s0"})
_TYPE_OF_COORDINATE: Final = {1: "int", 2: "int2", 3: "int4"}


def without_images(tree: ast.Litmus, complaints: Complaints) -> ast.Litmus:
    """The test with the parameters, the reads and the writes of images as those of other memory."""
    declared = {item.name.text: item for item in tree.initial if isinstance(item, ast.InitialValue)}
    known = KnownImages(tree, complaints)
    images: dict[str, ast.Parameter] = {}
    shapes: dict[str, Shape] = {}
    units: list[ast.Unit] = []
    for unit in tree.units:
        if not isinstance(unit, Coded):
            units.append(unit)
            continue
        change = _Change(unit, known, complaints)
        if not isinstance(unit, ast.Function):
            images |= change.images
            shapes |= change.shapes
        body = None if unit.body is None else mapped(unit.body, change.node)
        parameters = tuple(map(change.parameter, unit.parameters))
        units.append(replace(unit, parameters=parameters, body=body))
    initial = [_as_image(item, images, shapes, complaints) for item in tree.initial]
    initial += (_undeclared(images[name], shapes[name]) for name in images if name not in declared)
    return replace(tree, initial=tuple(initial), units=tuple(units))


def _as_image(
    item: ast.InitialItem, images: dict[str, ast.Parameter], shapes: dict[str, Shape], complaints: Complaints
) -> ast.InitialItem:
    """A location that a parameter says is an image, declared as one."""
    if not isinstance(item, ast.InitialValue) or item.name.text not in images:
        return item
    kind = AllocationKind.IMAGE.value
    if item.allocation not in {None, kind}:
        note = Note("an image here", images[item.name.text].span)
        complaints.error("E168", item.span, f"'{item.name.text}' is an image, found '{item.allocation}'", note)
    return replace(laid_out(item, shapes[item.name.text], complaints), allocation=kind)


def _undeclared(parameter: ast.Parameter, shape: Shape) -> ast.InitialValue:
    """The declaration of an image of which the initial state says nothing: its texels are 0."""
    span = parameter.span
    return ast.InitialValue(
        parameter.name,
        allocation=AllocationKind.IMAGE.value,
        type=ast.TypeName((), shape.texel, span=span),
        length=ast.NumberLiteral(str(shape.count), span=span),
        span=span,
    )


class _Change:
    """What changes in one unit."""

    def __init__(self, unit: Coded, known: KnownImages, complaints: Complaints) -> None:
        self._unit: Final = unit
        self._known: Final = known
        self._complaints: Final = complaints
        self.images: Final = known.images(unit)
        for parameter in self.images.values():
            base = parameter.type.base
            if base not in DIMENSIONS:
                types = ", ".join(f"'{word}'" for word in DIMENSIONS)
                complaints.error("E168", parameter.type.span, f"there is no type '{base}'; images are {types}")
        self.shapes: Final = {name: known.shape(unit, parameter) for name, parameter in self.images.items()}

    def parameter(self, parameter: ast.Parameter) -> ast.Parameter:
        """A parameter, where it is an image as a pointer to its texels."""
        if parameter.name.text not in self.images:
            return parameter
        written = parameter.type
        qualifiers = tuple(word for word in written.qualifiers if word.strip("_") not in {*_ACCESS, "read_write"})
        texel = self.shapes[parameter.name.text].texel
        return replace(parameter, type=replace(written, qualifiers=("global", *qualifiers), base=texel, pointers=((),)))

    # --- bodies ---

    def node(self, node: ast.Node) -> ast.Node:
        """A node of a body, where it reads or writes an image as an access of memory."""
        match node:
            case ast.Member(ast.Cast() as texel, ".", ast.Name(channel)) if channel in _FIRST_CHANNEL:
                # The only channel: nothing else has to be told of the others.
                values = components(texel)
                is_one = values is not None and isinstance(values[0], ast.Index) and self._is_texel(values[0])
                return values[0] if is_one and values is not None else node
            case ast.Call(ast.Name(function), (ast.Name(image),)) if image in self.images:
                return size_asked(function, self.shapes[image], node.span) or node
            case ast.Call(ast.Name(function)) if (found := ACCESSES.fullmatch(function)) is not None:
                return self._access(node, found["kind"], CHANNELS[found["type"]])
            case _:
                return node

    def _is_texel(self, node: ast.Index) -> bool:
        return isinstance(node.base, ast.Name) and node.base.text in self.images

    def _access(self, call: ast.Call, kind: str, type_: str) -> ast.Expression:
        arguments = call.arguments
        zero = ast.NumberLiteral("0", span=call.span)
        sampler = None
        if kind == "read" and len(arguments) == 3:
            arguments = (arguments[0], arguments[2])
            sampler = call.arguments[1]
        wanted = "an image and a coordinate" if kind == "read" else "an image, a coordinate and a value"
        image = arguments[0] if arguments else call
        if len(arguments) != (2 if kind == "read" else 3) or not isinstance(image, ast.Name):
            self._complaints.error("E168", call.span, f"'{call.function.text}' takes {wanted}")
            return zero
        parameter = self.images.get(image.text)
        if parameter is None:
            message = f"'{image.text}' is no image: declare the parameter 'read_write image1d_t {image.text}'"
            self._complaints.error("E168", image.span, message)
            return zero
        shape = self.shapes[image.text]
        self._check(call, kind, type_, parameter)
        addressing = self._addressing(sampler)
        point = coordinates(arguments[1], shape, addressing)
        if point is None or (acts(arguments[1]) and is_asked_again(shape, addressing)):
            wanted = _TYPE_OF_COORDINATE[len(shape.sizes)]
            message = (
                f"not yet supported: this coordinate; make it a variable, '{wanted} c = {arguments[1].span.text};'"
            )
            self._complaints.error("E100", arguments[1].span, message)
            return zero
        index, inside = index_of(point, shape, addressing, call.span)
        texel = ast.Index(image, index, span=call.span)
        if kind == "write":
            return ast.Assignment("=", texel, _written(arguments[2], shape), span=call.span)
        value: ast.Expression = texel
        border = vector(f"{shape.channel}4", [zero], call.span)
        if not shape.has_channels:
            # What an image of one channel gives for the others, at its border too.
            others = [zero, zero, replace(zero, text="1")]
            value = vector(f"{shape.channel}4", [texel, *others], call.span)
            border = vector(f"{shape.channel}4", [zero, *others], call.span)
        if inside is None:
            return value
        return ast.Conditional(inside, value, border, span=call.span)

    def _addressing(self, sampler: ast.Expression | None) -> int | None:
        """The value of a sampler, which has to be known; None where there is none, or a wrong one."""
        if sampler is None:
            return None
        value = self._known.sampler(self._unit, sampler)
        if value is None:
            how = f"state it, '{sampler.span.text} = CLK_ADDRESS_CLAMP_TO_EDGE'"
            self._complaints.error("E168", sampler.span, f"the value of the sampler is not known: {how}")
            return None
        unknown = unknown_sampler(value)
        if unknown is not None:
            self._complaints.error("E100", sampler.span, f"not yet supported: {unknown}")
        return value

    def _check(self, call: ast.Call, kind: str, type_: str, parameter: ast.Parameter) -> None:
        """Report an access that the parameter does not allow, and one of another type."""
        note = Note("declared here", parameter.span)
        name = parameter.name.text
        for word in parameter.type.qualifiers:
            if _ACCESS.get(word.strip("_"), kind) != kind:
                self._complaints.error("E168", call.span, f"'{name}' is '{word}': '{call.function.text}' cannot", note)
        channel = self.shapes[name].channel
        if channel != type_:
            self._complaints.error("E168", call.span, f"the texels of '{name}' are '{channel}', found '{type_}'", note)


def _written(node: ast.Expression, shape: Shape) -> ast.Expression:
    """What is written: a vector, or its first component where there is one channel."""
    if shape.has_channels:
        return node
    parts = components(node)
    if parts is not None:
        return parts[0]
    if isinstance(node, ast.NumberLiteral):
        return node
    return ast.Member(node, ".", ast.Name("x", span=node.span), span=node.span)
