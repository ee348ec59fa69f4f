"""What a kernel file has by macros, options and included files is as if it stood in the file."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from mcm import Judged, KernelRequest, KernelSource, check

if TYPE_CHECKING:
    from pathlib import Path

PASTED = "#define CAT(a, b) a##b\n#define XCAT(a, b) CAT(a, b)\n"


def holds(text: str, question: str, *definitions: str, name: str = "words.cl", initial: tuple[str, ...] = ()) -> bool:
    """Whether the only state of one work-item is as asked, without a mistake."""
    request = KernelRequest(("k global 1",), definitions, initial, (f"forall ({question})",))
    found = check(KernelSource(name, text, request))
    return isinstance(found, Judged) and not found.undefined and found.holds is True


@pytest.mark.parametrize(
    ("text", "definitions"),
    [
        (f"{PASTED}kernel void k(global int* o) {{ XCAT(int, 2) v = {{3, 4}}; *o = v.x + v.y; }}", ()),
        ("kernel void k(global int* o) { T v = (T)(3, 4); *o = v.x + v.y; }", ("T=int2",)),
        ("kernel void k(global int* o) { BYTES p = o; *(global int*)p = 7; }", ("BYTES=global void*",)),
    ],
    ids=["pasted", "vector", "pointer-to-void"],
)
def test_what_macros_stand_for(text: str, definitions: tuple[str, ...]) -> None:
    assert holds(text, "o = 7", *definitions)


def test_an_address_by_a_macro() -> None:
    assert holds("kernel void k(global int2* o) { (*PLACE).y = 7; }", "o.y[0] = 7", "PLACE=&o[0]")


def test_doubles_by_a_macro() -> None:
    """Numbers without a suffix are doubles, as the program has some."""
    assert holds("kernel void k(global int* o) { REAL x = 0.1; *o = x == 0.1f; }", "o = 0", "REAL=double")
    assert holds("kernel void k(global int* o) { REAL x = 0.1; *o = x == 0.1f; }", "o = 1", "REAL=float")


def test_what_is_included(tmp_path: Path) -> None:
    (tmp_path / "types.h").write_text("#define PAIR int2\nPAIR twice(PAIR v) { return v * 2; }\n", encoding="utf-8")
    text = '#include "types.h"\nkernel void k(global int* o) { PAIR v = twice((PAIR)(3)); *o = v.y; }'
    assert holds(text, "o = 6", name=str(tmp_path / "words.cl"))
