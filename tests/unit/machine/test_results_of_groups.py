"""A group function is computed once for all members of its group."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from mcm import Source, run
from mcm.machine import group_functions

if TYPE_CHECKING:
    from mcm.program.types import Type, Value

TEXT = """OPENCL group
{{ int out[32]; }}
kernel K (global int* out) {{
  int l = get_local_id(0);
  out[l] = {}(l + 1);
}}
launch K global 32, local 32, dev 0;
exists (out[31]={})
"""


@pytest.mark.parametrize(
    ("function", "last"),
    [
        ("work_group_reduce_add", 528),
        ("work_group_scan_inclusive_add", 528),
        ("work_group_scan_exclusive_add", 496),
        ("work_group_reduce_max", 32),
    ],
)
def test_operators_are_applied_once_for_each_member(monkeypatch: pytest.MonkeyPatch, function: str, last: int) -> None:
    applied = 0
    apply = group_functions.apply_binary

    def counted(symbol: str, left: Value, right: Value, type_: Type) -> Value:
        nonlocal applied
        applied += 1
        return apply(symbol, left, right, type_)

    monkeypatch.setattr(group_functions, "apply_binary", counted)
    result = run(Source("group", TEXT.format(function, last)), runs=1)

    (count,) = result.states
    assert count.state.satisfies
    assert 0 < applied <= 3 * 32
