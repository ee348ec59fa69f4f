"""Options for a kernel file that use the names of the file: its types, its macros, and parameters called as words."""

from __future__ import annotations

import pytest

from mcm import InputError, KernelRequest, KernelSource, check, parse

TEXT = """
#define COUNT 4
#define DATA int
typedef float real;
typedef struct { int a; real b; } item;
kernel void K(global real* buffer, global DATA* image, global item* q, int n) {
  buffer[get_global_id(0)] = q[0].b + n;
  image[get_global_id(0)] = q[1].a;
}
"""


def source(*initial: str, question: str = "forall (buffer[1]=6 /\\ image[0]=3)") -> KernelSource:
    return KernelSource("k.cl", TEXT, KernelRequest(("K global 2",), (), initial, (question,)))


@pytest.mark.parametrize(
    "initial",
    [
        ("real buffer[COUNT]; DATA image[2]; item q[2] = {{1, 2}, {3, 4}}; n = COUNT",),
        ("buffer[COUNT]", "image[2]", "q = {{1, 2}, {3, COUNT}}", "n = 4"),
        ("float buffer[4] = {1, 2}", "image = {1, 2}", "item q[COUNT - 2] = {{1, 2}, {3}}", "n=4;"),
    ],
)
def test_names_of_the_file(initial: tuple[str, ...]) -> None:
    assert check(source(*initial)).holds


def test_places_in_options() -> None:
    with pytest.raises(InputError) as caught:
        parse(source("real buffer[COUNT] = 5 5"))
    (error,) = caught.value.diagnostics
    assert (error.span.source.name, error.span.text) == ("--init", "5")


def test_unknown_types_are_named() -> None:
    with pytest.raises(InputError, match="expected a type before 'buffer', found 'reall'"):
        parse(source("reall buffer[COUNT]"))


def test_kinds_of_allocation_stay_words() -> None:
    found = check(source("buffer float buffer[2]", "fine_svm image[2]", "q = {{1, 2}, {3, 4}}", "n=4"))
    assert found.holds


def test_kernels_that_the_preprocessor_leaves_out() -> None:
    text = "#if defined(FIRST)\nkernel void K(global int* x) { x[0] = 1; }\n#endif\nkernel void L(global int* x) { }\n"
    left_out, there = (KernelSource("k.cl", text, KernelRequest(("K global 1",), names)) for names in ((), ("FIRST",)))
    with pytest.raises(InputError, match="there is no kernel 'K'") as caught:
        parse(left_out)
    (note,) = caught.value.diagnostics[0].notes
    assert note.span is not None
    assert (note.span.line, note.span.text) == (2, "K")
    assert "-D defines" in note.message
    assert not check(there).undefined


def test_types_that_no_launched_kernel_uses_may_be_any() -> None:
    strange = "typedef int row[4];\nstruct pair { int a; };\ntypedef struct pair pair_t;\n"
    text = f"{strange}kernel void K(global pair_t* p) {{ p[0].a = 2; }}\n"
    request = KernelRequest(("K global 1",), (), ("pair_t p[1]",), ("forall (p.a[0]=2)",))
    assert check(KernelSource("k.cl", text, request)).holds


def test_macros_in_questions() -> None:
    items = ("buffer[2]", "image[2]", "q = {{1, 2}, {4, 4}}", "n = 4")
    assert check(source(*items, question="forall (image[0]=COUNT /\\ image[1]=COUNT)")).holds
    with pytest.raises(InputError) as caught:
        parse(source(*items, question="forall image[0]=COUNT - 1"))
    (error,) = caught.value.diagnostics
    assert str(error.span) == "--forall:1:16"
