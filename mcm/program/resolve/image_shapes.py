"""How many texels an image has in each direction, what a texel is, and which one a coordinate names.

The texels of an image lie row behind row, as those of an array do. A texel has four channels, or one where the initial
state says so (`image int img[4]`), as the images of one channel have that a host makes.
"""

from __future__ import annotations

import re
from math import prod
from typing import TYPE_CHECKING, Final

from msgspec import Struct
from msgspec.structs import replace

from mcm.program.resolve.computing import acts
from mcm.program.resolve.constants import constant_integer
from mcm.program.resolve.literals import written_integer
from mcm.syntax import ast
from mcm.syntax.chains import items_of, together

if TYPE_CHECKING:
    from collections.abc import Sequence

    from mcm.base.source import Span
    from mcm.program.resolve.complaints import Complaints

DIMENSIONS: Final = {
    "image1d_t": 1,
    "image2d_t": 2,
    "image3d_t": 3,
    "image1d_buffer_t": 1,
    "image1d_array_t": 2,
    "image2d_array_t": 3,
}
# Those whose last coordinate is the number of a layer.
LAYERED: Final = frozenset({"image1d_array_t", "image2d_array_t"})
_AXES: Final = "xyzw"
# The bits of a sampler, as compilers have them.
_NORMALIZED: Final = 1
_LINEAR: Final = 0x20
_ADDRESSING: Final = 0xE
_TO_EDGE: Final = 2
_TO_BORDER: Final = 4
_REPEATING: Final = 6
_LAUNCHED: Final = "global"


class Shape(Struct, frozen=True):
    """How many texels there are in each direction, the first of them along a row; and the type of a texel.

    `is_layered`: the last direction is that of the images of an array.
    """

    sizes: tuple[int, ...]
    texel: str
    is_layered: bool = False

    @property
    def count(self) -> int:
        """How many texels there are."""
        return prod(self.sizes)

    @property
    def channel(self) -> str:
        """The type of a channel."""
        return self.texel.rstrip("4")

    @property
    def has_channels(self) -> bool:
        """Whether a texel is a vector."""
        return self.texel.endswith("4")


def stated_sizes(item: ast.InitialValue, type_: str, complaints: Complaints) -> tuple[int, ...] | None:
    """The sizes that an initial state gives an image, `img[HEIGHT][WIDTH]`; None where it gives none, or others."""
    dimensions = DIMENSIONS.get(type_, 1)
    if item.length is None:
        return None
    lengths = [constant_integer(length, complaints, "the size of an image") for length in (item.length, *item.inner)]
    if len(lengths) == dimensions and min(lengths) > 0:
        return tuple(reversed(lengths))
    words = ("DEPTH", "HEIGHT", "WIDTH")[3 - dimensions :]
    image = f"an image of {dimensions} dimension{'s' * (dimensions > 1)}"
    if type_ in LAYERED:
        words, image = ("LAYERS", *words[1:]), "an array of images"
    written = "".join(f"[{word}]" for word in words)
    message = f"{image} has its sizes behind its name: {written}"
    complaints.error("E168", item.span, message)
    return None


def laid_out(item: ast.InitialValue, shape: Shape, complaints: Complaints) -> ast.InitialValue:
    """The declaration of an image with its rows behind each other."""
    if not item.inner:
        return item
    value = item.value
    if isinstance(value, ast.InitializerList):
        elements = _elements(value, shape, len(shape.sizes) - 1, complaints)
        if shape.has_channels:
            value = replace(
                value, items=(), rows=tuple(one for one in elements if isinstance(one, ast.InitializerList))
            )
        else:
            value = replace(value, items=tuple(one for one in elements if isinstance(one, ast.Expression)), rows=())
    length = ast.NumberLiteral(str(shape.count), span=item.span)
    return replace(item, length=length, inner=(), shape=tuple(reversed(shape.sizes[:-1])), value=value)


def _elements(
    written: ast.InitializerList, shape: Shape, axis: int, complaints: Complaints
) -> list[ast.Expression | ast.InitializerList]:
    """The texels of a row, or of rows; what is left out is 0."""
    zero = ast.NumberLiteral("0", span=written.span)
    nothing = ast.InitializerList((zero,), span=written.span) if shape.has_channels else zero
    found: list[ast.Expression | ast.InitializerList] = []
    if axis:
        for row in written.rows:
            found += _elements(row, shape, axis - 1, complaints)
    else:
        found += written.rows if shape.has_channels else written.items
    whole = prod(shape.sizes[: axis + 1])
    # `{0}` and the like: of rows and vectors that are not written as such only zeros are known.
    others = written.items if axis or shape.has_channels else written.rows
    if len(found) > whole or any(written_integer(one) != 0 for one in others):
        message = f"{whole} texels are wanted, each of {'4 numbers in braces' if shape.has_channels else 'one number'}"
        complaints.error("E131", written.span, message)
    return (found + [nothing] * whole)[:whole]


def launched_sizes(launches: Sequence[ast.Launch], kernel: str, dimensions: int) -> tuple[int, ...]:
    """The sizes of an image of which nothing is said: a texel for each work-item of the kernel."""
    for launch in launches:
        if launch.kernel.text == kernel:
            given = next((part.values for part in launch.parts if part.key == _LAUNCHED), ())
            return (*given, *[1] * dimensions)[:dimensions]
    return (1,) * dimensions


# --- coordinates ------------------------------------------------------------------------------------------------------


def coordinates(node: ast.Expression, shape: Shape, sampler: int | None) -> tuple[ast.Expression, ...] | None:
    """The coordinate in each direction; None where an expression cannot stand for several of them.

    Floats, which only samplers take, are rounded down, as one of the nearest texel does, and to the nearest layer.
    """
    dimensions = len(shape.sizes)
    parts = components(node)
    is_whole = sampler is None
    if parts is not None and len(parts) >= dimensions:
        assert isinstance(node, ast.Cast)
        is_whole = is_whole or not (node.type.base.startswith("float") or is_normalized(sampler))
    elif dimensions == 1:
        parts = (node,)
    elif acts(node):
        return None
    else:
        axes = (ast.Name(axis, span=node.span) for axis in _AXES)
        parts = tuple(ast.Member(node, ".", axis, span=node.span) for axis in axes)
    if is_whole:
        return parts[:dimensions]
    layers = (_rounded(one, "rte") for one in parts[dimensions - shape.is_layered : dimensions])
    inside = zip(parts[: dimensions - shape.is_layered], shape.sizes, strict=False)
    return (*(_rounded(_scaled(one, size, sampler), "rtn") for one, size in inside), *layers)


def is_normalized(sampler: int | None) -> bool:
    """Whether a sampler takes coordinates between 0 and 1."""
    return sampler is not None and bool(sampler & _NORMALIZED)


def _scaled(node: ast.Expression, size: int, sampler: int | None) -> ast.Expression:
    """A coordinate in texels; of an image that repeats, in the first one (OpenCL C, Image Addressing and Filtering)."""
    if sampler is None or not is_normalized(sampler):
        return node
    if sampler & _ADDRESSING == _REPEATING:
        below = ast.Call(ast.Name("floor", span=node.span), (node,), span=node.span)
        node = ast.Infix("-", node, below, span=node.span)
    return ast.Infix("*", node, ast.NumberLiteral(f"{size}.0f", span=node.span), span=node.span)


def _rounded(node: ast.Expression, mode: str) -> ast.Expression:
    """A number rounded to an integer, which one stays as it is."""
    return ast.Call(ast.Name(f"convert_int_{mode}", span=node.span), (node,), span=node.span)


def components(node: ast.Expression) -> tuple[ast.Expression, ...] | None:
    """The components of a vector that is written out, `(int2)(x, y)`; None for anything else.

    One value stands for all of them.
    """
    if not isinstance(node, ast.Cast):
        return None
    found = re.fullmatch(r"(?P<type>u?(?:int|float|char|short|long))(?P<count>[248])", node.type.base)
    if found is None or node.type.pointers:
        return None
    parts, count = items_of(node.operand), int(found["count"])
    if len(parts) == 1:
        parts *= count
    return parts if len(parts) == count else None


def index_of(
    point: tuple[ast.Expression, ...], shape: Shape, sampler: int | None, span: Span
) -> tuple[ast.Expression, ast.Expression | None]:
    """The number of the texel that coordinates name, and when there is one, where the border may be read instead.

    A coordinate outside is taken for the nearest one inside, or reads the border, as the sampler says. Without any, it
    names no texel: -1, which is reported as an access outside. With any, the layer is always one that there is.
    """
    addressing = None if sampler is None else sampler & _ADDRESSING
    if addressing == _TO_EDGE:
        point = tuple(_clamped(one, size, span) for one, size in zip(point, shape.sizes, strict=True))
    elif sampler is not None and shape.is_layered:
        point = (*point[:-1], _clamped(point[-1], shape.sizes[-1], span))
    if addressing == _REPEATING:
        # What lies next to the end may be rounded to it, and is the first texel then.
        point = tuple(
            ast.Infix("%", one, _number(size, span), span=span) for one, size in zip(point, shape.sizes, strict=True)
        )
    index: ast.Expression = point[-1]
    for one, size in reversed(list(zip(point[:-1], shape.sizes[:-1], strict=True))):
        index = ast.Infix("+", ast.Infix("*", index, _number(size, span), span=span), one, span=span)
    if addressing in {_TO_EDGE, _REPEATING}:
        return index, None
    inside: ast.Expression | None = None
    for one, size in zip(point, shape.sizes, strict=True):
        # `(uint)x < size`: also of an `x` below 0, and evaluated once.
        cast = ast.Cast(ast.TypeName((), "uint", span=span), one, span=span)
        test: ast.Expression = ast.Infix("<", cast, _number(size, span), span=span)
        inside = test if inside is None else ast.Infix("&&", inside, test, span=span)
    assert inside is not None
    if addressing == _TO_BORDER:
        return index, inside
    if len(point) == 1:
        return index, None
    return ast.Conditional(inside, index, ast.Prefix("-", _number(1, span), span=span), span=span), None


def is_asked_again(shape: Shape, sampler: int | None) -> bool:
    """Whether a coordinate is written twice, to ask whether there is such a texel or how far beyond it is."""
    addressing = None if sampler is None else sampler & _ADDRESSING
    return addressing != _TO_EDGE and (len(shape.sizes) > 1 or addressing == _TO_BORDER)


def unknown_sampler(value: int) -> str | None:
    """What a sampler asks for that is not known here; None for one that is."""
    if value & _LINEAR:
        return "interpolation (CLK_FILTER_LINEAR)"
    if value & _ADDRESSING == _REPEATING and not is_normalized(value):
        return "an image that repeats, without CLK_NORMALIZED_COORDS_TRUE"
    if value & _ADDRESSING not in {0, _TO_EDGE, _TO_BORDER, _REPEATING}:
        return "images that repeat mirrored (CLK_ADDRESS_MIRRORED_REPEAT)"
    return None


def _clamped(node: ast.Expression, size: int, span: Span) -> ast.Expression:
    arguments = (
        ast.Cast(ast.TypeName((), "int", span=span), node, span=span),
        _number(0, span),
        _number(size - 1, span),
    )
    return ast.Call(ast.Name("clamp", span=span), arguments, span=span)


def _number(value: int, span: Span) -> ast.Expression:
    return ast.NumberLiteral(str(value), span=span)


def size_asked(function: str, shape: Shape, span: Span) -> ast.Expression | None:
    """What `get_image_width` and its like give; None for any other function."""
    sizes = (*shape.sizes, 1, 1)[:3]
    words = ("get_image_width", "get_image_height", "get_image_depth")
    dimensions = len(shape.sizes) - shape.is_layered
    if function in words[:dimensions] or (function in words and not shape.is_layered):
        return _number(sizes[words.index(function)], span)
    if function == "get_image_array_size" and shape.is_layered:
        return ast.Cast(ast.TypeName((), "ulong", span=span), _number(shape.sizes[-1], span), span=span)
    if function != "get_image_dim" or dimensions < 2:
        return None
    count = 2 if dimensions == 2 else 4
    return vector(f"int{count}", [_number(size, span) for size in (*sizes, 0)[:count]], span)


def vector(type_: str, values: Sequence[ast.Expression], span: Span) -> ast.Expression:
    """A vector that is written out."""
    return ast.Cast(ast.TypeName((), type_, span=span), together(values, span), span=span)
