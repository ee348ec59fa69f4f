"""Arrays that are as long as the indices in their lists say, which `enum` names or a sum is."""

from __future__ import annotations

import pytest

from mcm import InputError, Judged, KernelRequest, KernelSource, check

TEXT = """enum { A, B, C, F = 1 << B | A };
constant int names[] = {[A] = 7, [C] = 9};
constant int rows[][2] = {[B] = {1, 2}, [A] = {3}};
kernel void k(global int* o) {
  int u[] = {[C + 1] = 4, 5};
  char flags[] = {[F | 1] = 6}, hex[] = {[0x3] = 1};
  o[0] = names[C] + sizeof(names);
  o[1] = rows[0][0] * 10 + rows[1][1] + sizeof(rows);
  o[2] = u[4] * 100 + sizeof u;
  o[3] = flags[3] * 10 + sizeof flags + sizeof hex;
}
"""


def test_the_length_is_that_of_the_last_element() -> None:
    asked = "forall (o[0]=21 /\\ o[1]=48 /\\ o[2]=520 /\\ o[3]=68)"
    request = KernelRequest(("k global 1",), initial=("int o[4]",), questions=(asked,))
    found = check(KernelSource("k.cl", TEXT, request))
    assert isinstance(found, Judged)
    assert (found.holds, found.undefined) == (True, ())


@pytest.mark.parametrize("index", ["o[0] + 1", "1 - 2", "1 << 33", "1.5"])
def test_other_indices_are_named(index: str) -> None:
    with pytest.raises(InputError, match="elements are counted by numbers"):
        check(KernelSource("k.cl", TEXT.replace("[C + 1]", f"[{index}]"), KernelRequest(("k global 1",))))
