"""Pointers to arrays move by whole arrays, and are dereferenced and indexed as in C; a compiler gave the values."""

from __future__ import annotations

import pytest

from mcm import EngineName, InputError, Judged, KernelRequest, KernelSource, Source, check, format_test, parse, run

TEXT = """
int rowlast(int r[][2], int n) { return r[n - 1][1]; }
int rowsum(int (*m)[4], int n) {
  int s = 0; for (int i = 0; i < n; i++) s += m[i][i]; while (n--) s += (*m++)[1]; return s;
}
int rowsum2(int m[][4], int n) {
  int s = 0; for (int (*p)[4] = m; p < m + n; p++) for (int j = 0; j < 4; j++) s += (*p)[j]; return s;
}
int cube(int m[][3][2]) { return m[1][2][1] + rowlast(m[1], 3); }
kernel void K(global long* out) {
  int n = 0;
  int t[3][4]; for (int i = 0; i < 3; i++) for (int j = 0; j < 4; j++) t[i][j] = 10 * i + j;
  int c[2][3][2]; for (int i = 0; i < 2; i++) for (int j = 0; j < 3; j++) for (int k = 0; k < 2;
  k++) c[i][j][k] = 100 * i + 10 * j + k;
  int (*q)[4] = t;
  out[n++] = q[1][2]; out[n++] = (*q)[3]; out[n++] = **q; out[n++] = *(*(q + 1) + 2); out[n++] = (*(q + 2))[1];
  out[n++] = *q[1];
  q++; out[n++] = q[0][0]; out[n++] = (*q++)[1]; out[n++] = q[0][3]; out[n++] = q[-1][3]; q -= 2;
  out[n++] = (*++q)[2];
  out[n++] = q - t; q = t + 2; out[n++] = (*q)[0]; out[n++] = (q - 1)[0][1]; out[n++] = *(q[-2] + 3);
  out[n++] = q > t; out[n++] = q == &t[2];
  int (*z)[3][2] = c; out[n++] = z[1][2][1]; out[n++] = (*z)[1][1]; z++; out[n++] = **z[0];
  out[n++] = (*z)[2][0]; out[n++] = *(*(*(c + 1) + 2) + 1);
  int (*y)[2] = c[1]; out[n++] = y[1][0]; y++; out[n++] = (*y)[1]; out[n++] = y[1][1];
  out[n++] = sizeof(*q) + sizeof(q[0]) + sizeof(t[0]) + sizeof(**q);
  out[n++] = rowsum(t, 3); out[n++] = rowsum2(t + 1, 2); out[n++] = cube(c); int i = 0; i++;
  out[n++] = (t + i)[1][2];
  int *e = &t[1][1]; out[n++] = *e++ + 0; out[n++] = *++e; out[n++] = e - &t[0][0]; uint by = 1;
  out[n++] = (q - by)[0][0]; q -= by; out[n++] = **q;
}
"""
VALUES = [
    12,
    3,
    0,
    12,
    21,
    10,
    10,
    11,
    23,
    13,
    12,
    1,
    20,
    11,
    3,
    1,
    1,
    121,
    11,
    100,
    120,
    121,
    110,
    111,
    121,
    52,
    66,
    132,
    242,
    22,
    11,
    13,
    7,
    10,
    10,
]


def source() -> KernelSource:
    asked = " /\\ ".join(f"out[{number}]={value}" for number, value in enumerate(VALUES))
    return KernelSource(
        "k.cl", TEXT, KernelRequest(("K global 1",), (), (f"long out[{len(VALUES)}]",), (f"forall ({asked})",))
    )


@pytest.mark.parametrize("engine", [EngineName.EXPLICIT, EngineName.SMT])
def test_values_are_those_of_a_compiler(engine: EngineName) -> None:
    found = check(source(), engine=engine)
    assert isinstance(found, Judged)
    assert (found.holds, found.undefined) == (True, ())


def test_runs_see_the_same() -> None:
    ran = run(source(), runs=1)
    assert (ran.positive, ran.problems) == (1, ())


LOCAL = """#define N 2
void put(local int (*tile)[N + 1], int row) { tile[row][row] = row + 1; }
int get(local int tile[][N + 1], int row) { return tile[row][row]; }
kernel void K(global int* out) {
  local int tile[N][N + 1];
  int i = get_local_id(0);
  put(tile, i);
  barrier(CLK_LOCAL_MEM_FENCE);
  out[i] = get(tile, 1 - i);
}
"""


@pytest.mark.parametrize("has_barrier", [True, False])
def test_local_memory_is_passed_by_rows(has_barrier: bool) -> None:
    text = LOCAL if has_barrier else LOCAL.replace("  barrier(CLK_LOCAL_MEM_FENCE);\n", "")
    request = KernelRequest(("K global 2, local 2",), questions=("forall (out[0]=2 /\\ out[1]=1)",))
    found = check(KernelSource("k.cl", text, request))
    assert isinstance(found, Judged)
    assert (found.holds, bool(found.undefined)) == (has_barrier, not has_barrier)


def test_what_is_printed_is_read_again() -> None:
    text = (
        "OPENCL t\n{ }\nint f(int m[][3]) { return m[1][2]; }\nP0 () { int t[2][3]; int (*q)[3] = t; int r = f(q); }\n"
    )
    printed = format_test(Source("t", text))
    assert "f(int m[][3])" in printed
    assert "int (*q)[3] = t;" in printed
    assert format_test(Source("t", printed)) == printed


@pytest.mark.parametrize(
    ("body", "complaint"),
    [
        ("int (**q)[3];", "E100: not yet supported: a pointer to an array but '(*name)[length]'"),
        ("int (*q)[];", "E100: not yet supported: a pointer to an array but '(*name)[length]'"),
    ],
)
def test_what_is_refused(body: str, complaint: str) -> None:
    with pytest.raises(InputError) as raised:
        parse(Source("t", f"OPENCL t\n{{ }}\nP0 () {{ {body} }}\n"))
    assert complaint in [f"{one.code}: {one.message}" for one in raised.value.diagnostics]
