"""Images of several dimensions and channels, and the samplers that they are read with."""

from __future__ import annotations

import pytest

from mcm import InputError, Judged, KernelRequest, KernelSource, check
from mcm.front_end.kernel_file import read

FILE = """
constant sampler_t edge = CLK_NORMALIZED_COORDS_FALSE | CLK_ADDRESS_CLAMP_TO_EDGE | CLK_FILTER_NEAREST;
const sampler_t border = CLK_NORMALIZED_COORDS_FALSE | CLK_ADDRESS_CLAMP | CLK_FILTER_NEAREST;
int4 fetch(read_only image2d_t i, sampler_t s, int2 c) { return read_imagei(i, s, c); }
kernel void nearest(read_only image2d_t a, global int *o) {
  int2 p = (int2)(get_global_id(0), get_global_id(1));
  o[p.y * 2 + p.x] = read_imagei(a, edge, p + (int2)(1, 1)).y;
}
kernel void zeros(read_only image2d_t a, global int *o) {
  int2 p = (int2)(get_global_id(0), get_global_id(1));
  int4 v = read_imagei(a, border, p + (int2)(1, 1));
  o[p.y * 2 + p.x] = v.y;
}
kernel void handed(read_only image2d_t a, sampler_t s, global int *o) {
  int i = get_global_id(0);
  o[i] = fetch(a, s, (int2)(5, i)).y + get_image_width(a) * 10 + get_image_dim(a).y;
}
kernel void rounded(read_only image2d_t a, global int *o) {
  const sampler_t s = CLK_FILTER_NEAREST;
  o[0] = read_imagei(a, s, (float2)(1.5f, 0.5f)).y;
}
kernel void below(read_only image2d_t a, global int *o) { o[0] = read_imagei(a, (int2)(-1, 1)).x; }
kernel void beyond(write_only image2d_t a) { write_imagei(a, (int2)(2, 0), (int4)(1)); }
kernel void same(write_only image2d_t a) { write_imagei(a, (int2)(get_global_id(0) / 2, 0), (int4)(1)); }
kernel void apart(write_only image2d_t a) { write_imagei(a, (int2)(get_global_id(0), 0), (int4)(1)); }
kernel void one(read_only image2d_t a, global int *o) {
  int4 v = read_imagei(a, edge, (int2)(get_global_id(0), 0));
  o[get_global_id(0)] = v.x * 100 + v.y * 10 + v.w;
}
kernel void solid(read_only image3d_t a, write_only image3d_t b) {
  int4 p = (int4)(get_global_id(0), get_global_id(1), get_global_id(2), 0);
  write_imageui(b, p, read_imageui(a, p) + (uint4)(1));
}
kernel void layer(read_only image1d_array_t a, global int *o) {
  int i = get_global_id(0);
  o[i] = read_imagei(a, (int2)(1 - i, i)).y;
  o[2 + i] = read_imagei(a, border, (int2)(i + 1, 7)).y;
  float2 c = (float2)(1.9f, 0.6f);
  o[4 + i] = read_imagei(a, border, c).y * 100 + get_image_width(a) * 10 + get_image_array_size(a);
}
kernel void layers(read_only image2d_array_t a, global int *o) {
  o[0] = read_imagei(a, edge, (float4)(5.5f, 0.9f, 0.6f, 0.0f)).x + 10 * get_image_dim(a).y;
}
kernel void texels(read_write image1d_buffer_t a, global int *o) {
  int i = get_global_id(0);
  write_imagei(a, i, (int4)(i));
  o[i] = read_imagei(a, 1 - i).x;
}
kernel void no_layer(write_only image1d_array_t a) { write_imagei(a, (int2)(0, 2), (int4)(1)); }
kernel void negative(read_only image1d_t a, global int *o) {
  float c = -0.5f;
  int2 g = (int2)(1, 0);
  o[0] = read_imagei(a, border, c).x;
  o[1] = read_imagei(a, edge, c).x;
}
kernel void computed(read_only image2d_t a, global int *o) {
  int2 g = (int2)(1, 0);
  o[0] = read_imagei(a, border, convert_float2(g) + 0.5f).y;
}
kernel void stepped(read_only image2d_t a, global int *o) { int i = 1; o[0] = read_imagei(a, (int2)(i++, 0)).x; }
kernel void repeated(read_only image2d_t a, global int *o) {
  const sampler_t s = CLK_NORMALIZED_COORDS_TRUE | CLK_ADDRESS_REPEAT;
  float2 c = (float2)(1.5f, -0.75f);
  o[0] = read_imagei(a, s, c).x;
  o[1] = read_imagei(a, s, (float2)(1.0f, 0.99f)).x;
  o[2] = read_imagei(a, s, (float2)(-1e-10f, 2.0f)).x;
}
kernel void between(read_only image2d_t a, sampler_t s, global int *o) {
  o[0] = read_imagei(a, s, (float2)(0.49f, 0.5f)).x;
  o[1] = read_imagei(a, s, (float2)(1.0f, -0.1f)).x;
}
kernel void mirrored(read_only image2d_t a, global int *o) {
  o[0] = read_imagei(a, CLK_NORMALIZED_COORDS_TRUE | CLK_ADDRESS_MIRRORED_REPEAT, (float2)(1.5f, 0.5f)).x;
}
kernel void by_texels(read_only image2d_t a, global int *o) {
  o[0] = read_imagei(a, CLK_ADDRESS_REPEAT, (float2)(1.5f, 0.5f)).x;
}
kernel void stepped_twice(read_only image2d_t a, global int *o) {
  float x = 0;
  o[0] = read_imagei(a, CLK_NORMALIZED_COORDS_TRUE | CLK_ADDRESS_REPEAT, (float2)(x++, 0.5f)).x;
}
"""
ROWS = "image int4 a[2][2] = {{{1, 2, 3, 4}, {5, 6, 7, 8}}, {{9, 10, 11, 12}, {13, 14, 15, 16}}}"


def source(launch: str, *initial: str, question: str = "") -> KernelSource:
    questions = (f"forall {question}",) if question else ()
    return KernelSource("i.cl", FILE, KernelRequest((launch,), initial=initial, questions=questions))


@pytest.mark.parametrize(
    ("launch", "initial", "question"),
    [
        pytest.param("nearest global 2 2", (ROWS,), "o[0]=14 /\\ o[3]=14", id="the nearest texel"),
        pytest.param("zeros global 2 2", (ROWS,), "o[0]=14 /\\ o[1]=0 /\\ o[2]=0 /\\ o[3]=0", id="the border"),
        pytest.param(
            "handed global 2",
            (ROWS, "s = CLK_ADDRESS_CLAMP_TO_EDGE", "int o[2]"),
            "o[0]=28 /\\ o[1]=36",
            id="an image and a sampler that a function is given",
        ),
        pytest.param("rounded global 1", (ROWS,), "o[0]=6", id="coordinates of floats"),
        pytest.param("one global 2", ("image int a[1][2] = {{7, 8}}",), "o[0]=701 /\\ o[1]=801", id="one channel"),
        pytest.param(
            "solid global 2 2 2",
            ("image uint4 a[2][2][2] = {{{{1}, {2}}}, {{{3}}}}",),
            "b.x[0]=2 /\\ b.x[1]=3 /\\ b.x[4]=4 /\\ b.x[5]=1",
            id="three dimensions",
        ),
        pytest.param(
            "layer global 2",
            (ROWS, "int o[6]"),
            "o[0]=6 /\\ o[1]=10 /\\ o[2]=14 /\\ o[3]=0 /\\ o[4]=1422 /\\ o[5]=1422",
            id="an array of images",
        ),
        pytest.param(
            "layers global 1",
            ("image int4 a[2][1][2] = {{{{1}, {2}}}, {{{3}, {4}}}}",),
            "o[0]=14",
            id="an array of images of two dimensions",
        ),
        pytest.param(
            "negative global 1", ("image int4 a[2] = {{1}, {2}}", "int o[2]"), "o[0]=0 /\\ o[1]=1", id="below 0"
        ),
        pytest.param("repeated global 1", (ROWS, "int o[3]"), "o[0]=5 /\\ o[1]=9 /\\ o[2]=1", id="images that repeat"),
        pytest.param(
            "between global 1",
            (ROWS, "int o[2]", "s = CLK_NORMALIZED_COORDS_TRUE | CLK_ADDRESS_CLAMP"),
            "o[0]=9 /\\ o[1]=0",
            id="coordinates between 0 and 1",
        ),
        pytest.param(
            "between global 1",
            (ROWS, "int o[2]", "s = CLK_NORMALIZED_COORDS_TRUE | CLK_ADDRESS_CLAMP_TO_EDGE"),
            "o[0]=9 /\\ o[1]=5",
            id="coordinates between 0 and 1, to the edge",
        ),
        pytest.param("computed global 1", (ROWS,), "o[0]=6", id="coordinates that are computed"),
        pytest.param("apart global 2", ("image int4 a[1][2]",), "a.w[0][1]=1", id="each its own texel"),
    ],
)
@pytest.mark.parametrize("engine", ["explicit", "smt"])
def test_kernels_read_and_write_texels(launch: str, initial: tuple[str, ...], question: str, engine: str) -> None:
    found = check(source(launch, *initial, question=question), engine=engine)

    assert isinstance(found, Judged)
    assert found.holds
    assert found.undefined == ()


@pytest.mark.parametrize("launch", ["below global 1", "beyond global 1", "no_layer global 1"])
def test_outside_of_an_image_nothing_is_there(launch: str) -> None:
    """Also where the texel before the first one of a row is the last one of the row before."""
    found = check(source(launch, ROWS))

    assert isinstance(found, Judged)
    assert found.undefined
    assert not found.races


def test_a_texel_that_two_write_is_a_race() -> None:
    found = check(source("same global 2", ROWS))

    assert isinstance(found, Judged)
    assert found.races


def test_images_of_buffers_race_as_others_do() -> None:
    found = check(source("texels global 2", "image int4 a[2]"))

    assert isinstance(found, Judged)
    assert {race.location for race in found.races} >= {"a.x[0]", "a.x[1]"}


@pytest.mark.parametrize(
    ("launch", "initial", "code"),
    [
        pytest.param("mirrored global 1", (ROWS,), "E100", id="images that repeat mirrored"),
        pytest.param("by_texels global 1", (ROWS,), "E100", id="images that repeat by texels"),
        pytest.param("stepped_twice global 1", (ROWS,), "E100", id="a coordinate that repeats, and would change twice"),
        pytest.param("stepped global 1", (ROWS,), "E100", id="a coordinate that would change twice"),
        pytest.param("layer global 2", ("image int4 a[4]",), "E168", id="no layers"),
        pytest.param("handed global 2", (ROWS,), "E168", id="a sampler that nobody states"),
        pytest.param("below global 1", ("image int4 a[4]",), "E168", id="another number of dimensions"),
        pytest.param("below global 1", ("image int4 a[1][1] = {{{1}, {2}}}",), "E131", id="too many texels"),
        pytest.param("below global 1", ("image int4 a[1][1] = {{3}}",), "E131", id="texels that are no vectors"),
    ],
)
def test_what_is_wrong_is_told(launch: str, initial: tuple[str, ...], code: str) -> None:
    with pytest.raises(InputError) as caught:
        read(source(launch, *initial))

    assert code in {diagnostic.code for diagnostic in caught.value.diagnostics}


def test_the_border_of_an_image_of_one_channel_is_opaque() -> None:
    """OpenCL C, Determining the Border Color: (0, 0, 0, 1) of CL_R, and zeros where there are four channels."""
    for texel, fourth in (("int", 1), ("int4", 0)):
        text = (
            f"OPENCL border\n{{ image {texel} img[2]; }}\nconstant uint s = CLK_ADDRESS_CLAMP;\n"
            "kernel K (read_only image1d_t img) { int4 t = read_imagei(img, s, -1); }\nlaunch K global 1;\n"
            f"forall (K[0]:t.x=0 /\\ K[0]:t.y=0 /\\ K[0]:t.z=0 /\\ K[0]:t.w={fourth})\n"
        )
        assert check(text).verdict.value == "required", texel
