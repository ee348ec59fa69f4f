"""Arrays of several dimensions: rows behind rows, in private, local and global memory."""

from __future__ import annotations

import pytest

from mcm import EngineName, InputError, Judged, Source, check, format_test, parse, run

TEXT = """OPENCL rows
{ int g[2][3] = {{1, 2, 3}, {4}}; out = 0; }
struct board { int cell[2][2]; int turn; };
int sum(local int* row, int n) { int s = 0; for (int i = 0; i < n; i++) s += row[i]; return s; }
int corner(int board[2][3]) { return board[1][2]; }
kernel K (global int* g, global int* out) {
  local int t[2][3];
  int p[2][2][2] = {{{1, 2}, {3, 4}}, {{5, 6}, {7, 8}}};
  int q[2][3] = {{1}, {0, 0, 9}};
  struct board b;
  uint i = get_local_id(0);
  t[i][0] = 10 * i;
  t[i][i + 1] = g[3 * i];
  t[i][2 - i] = 7;
  barrier(CLK_LOCAL_MEM_FENCE);
  b.cell[1][i] = 3;
  int x = sum(t[1 - i], 3) + **t;
  int y = p[1][0][1] + *p[1][1] + corner(q) + b.cell[1][i];
  int z = *(t[1] + 1) + *&t[0][1];
}
launch K global 2, local 2;
forall (K[0]:x=21 /\\ K[0]:y=25 /\\ t@wg0[1][0]=10 /\\ K[0]:z=8 /\\ K[1]:x=8
  /\\ g[1][0]=4 /\\ g[1][2]=0 /\\ K[1]:p[1][1][0]=7)
"""


def errors(body: str, initial: str = "") -> list[str]:
    text = f"OPENCL t\n{{ {initial} }}\nkernel K (global int* x) {{\n{body}\n}}\nlaunch K global 1;\nexists (x[0]=0)\n"
    with pytest.raises(InputError) as raised:
        parse(Source("k.litmus", text))
    return [f"{d.code} {d.span.line}:{d.span.column} {d.message}" for d in raised.value.diagnostics if d.is_error]


@pytest.mark.parametrize("engine", [EngineName.EXPLICIT, EngineName.SMT])
def test_rows_stand_behind_each_other(engine: EngineName) -> None:
    found = check(Source("r.litmus", TEXT), engine=engine)
    assert isinstance(found, Judged)
    assert (found.holds, found.undefined) == (True, ())


def test_the_machine_runs_them() -> None:
    ran = run(Source("r.litmus", TEXT), runs=3)
    assert (ran.positive, ran.problems) == (3, ())


def test_elements_are_shown_with_all_indices() -> None:
    body = "local int t[2][2]; t[1][0] = 4; x[0] = t[1][0];"
    text = f"OPENCL t\n{{ }}\nkernel K (global int* x) {{ {body} }}\nlaunch K global 1;\nexists (t@wg0[1][0]=4)"
    found = check(Source("r.litmus", text))
    assert isinstance(found, Judged)
    assert found.holds
    assert "t@wg0[1][0]" in {name for state in found.states for name in state.values}


def test_what_is_printed_is_read_again() -> None:
    printed = format_test(Source("r.litmus", TEXT))
    assert "int p[2][2][2] = {{{1, 2}, {3, 4}}, {{5, 6}, {7, 8}}};" in printed
    assert "t@wg0[1][0]=10" in printed
    assert format_test(Source("r.litmus", printed)) == printed


@pytest.mark.parametrize(
    ("body", "wanted"),
    [
        ("int t[2][3]; t[0][3] = 1;", "E137 4:19 a row of 't' has 3 elements, there is no element 3"),
        ("int t[2][0];", "E132 4:10 an array has 1 element or more, found 0"),
        ("int t[2][2] = {{1, 2, 3}};", "E131 4:23 3 initial values for 2 elements"),
        ("int t[2] = {{1, 2}, {2}};", "E131 4:13 a number has one initial value, found '{1, 2}'"),
    ],
)
def test_what_does_not_fit_is_named(body: str, wanted: str) -> None:
    assert any(wanted in error for error in errors(body)), errors(body)


def test_conditions_name_whole_indices() -> None:
    text = "OPENCL t\n{ }\nkernel K (global int* x) { int t[2][3]; t[0][1] = 4; x[0] = 1; }\nlaunch K global 1;"
    for named in ("K[0]:t[0]", "K[0]:t[0][3]", "K[0]:t[0][1][0]"):
        with pytest.raises(InputError, match="is an array with the indices"):
            parse(Source("t.litmus", f"{text}\nexists ({named}=4)"))
