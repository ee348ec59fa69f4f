"""Numbers in the place of memory fence flags, as preprocessed kernels have them: it is told what to write."""

from __future__ import annotations

import pytest

from mcm import InputError, KernelRequest, KernelSource, parse


def complaint(flags: str) -> str:
    source = KernelSource("k.cl", f"kernel void K() {{ barrier({flags}); }}", KernelRequest(("K global 1, local 1",)))
    with pytest.raises(InputError) as raised:
        parse(source)
    return raised.value.diagnostics[0].message


@pytest.mark.parametrize(
    ("number", "names"),
    [
        ("0x01", "CLK_LOCAL_MEM_FENCE"),
        ("2", "CLK_GLOBAL_MEM_FENCE"),
        ("3u", "CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE"),
        ("1 << 2", "CLK_IMAGE_MEM_FENCE"),
    ],
)
def test_which_flags_a_number_means(number: str, names: str) -> None:
    told = f"expected memory fence flags, found '{number}'; in the headers of compilers that is {names}"
    assert complaint(number) == f"{told}, which is what to write"


@pytest.mark.parametrize("number", ["8", "-1", "n", "1.0f"])
def test_others_mean_none(number: str) -> None:
    assert "headers" not in complaint(number)
