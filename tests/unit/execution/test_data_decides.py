"""Whether data decides where a program goes, by its text."""

from __future__ import annotations

import pytest

from mcm import parse
from mcm.execution.data_decides import data_decides

KERNEL = """OPENCL kernel
{{ int in[4] = {{1, 2, 3, 0}}; int out[4]; [f] = 0; }}
kernel k (global int* in, global int* out, global atomic_int* f, local int t[4]) {{
  int i = get_local_id(0), x = 0;
  {statements}
}}
launch k global 4, local 4;
"""


def decides(statements: str) -> bool:
    return data_decides(parse(KERNEL.format(statements=statements)).program)


@pytest.mark.parametrize(
    "statements",
    [
        "t[i] = in[i]; out[i] = t[3 - i] + 1;",
        "for (int s = 2; s > 0; s /= 2) { if (i < s) t[i] += t[i + s]; } x = t[0];",
        "x = in[i]; out[i] = x > 2 ? x : 0;",
        "int v[2]; v[i & 1] = in[i]; out[i] = v[i & 1];",
    ],
)
def test_values_alone_do_not(statements: str) -> None:
    assert not decides(statements)


@pytest.mark.parametrize(
    "statements",
    [
        "out[in[i]] = i;",
        "x = in[i]; int y = x * 2; out[y & 3] = i;",
        "if (in[i] > 2) out[i] = 1;",
        "while (x < in[i]) x++;",
        "x = in[i]; out[i] = x > 2 ? t[i] : 0;",
        "x = in[i] > 2 && t[i] > 1;",
        "int v[4]; v[0] = in[i]; if (v[1]) out[i] = 1;",
        "x = atomic_fetch_add(f, 1); out[x & 3] = 1;",
        "int old = 0; atomic_compare_exchange_strong(f, &old, 1); if (old) out[i] = 1;",
        "x += in[i]; switch (x) { case 1: out[i] = 1; }",
        "x = work_group_reduce_add(i); out[x & 3] = 1;",
    ],
)
def test_what_is_read_may(statements: str) -> None:
    assert decides(statements)
