"""What models say of programs on which readings of the specification part."""

from __future__ import annotations

from pathlib import Path

import pytest

from mcm import Source, check_all

SB = """OPENCL SB
{{ [x]=0; [y]=0; }}
P0@wg 0, dev 0 (global atomic_int* x, {region} atomic_int* y) {{
  atomic_store_explicit(x, 1, memory_order_seq_cst, memory_scope_work_group);
  int r = atomic_load_explicit(y, memory_order_seq_cst, memory_scope_work_group);
}}
P1@wg 0, dev 0 (global atomic_int* x, {region} atomic_int* y) {{
  atomic_store_explicit(y, 1, memory_order_seq_cst, memory_scope_work_group);
  int r = atomic_load_explicit(x, memory_order_seq_cst, memory_scope_work_group);
}}
exists (0:r=0 /\\ 1:r=0)
"""
MP = """OPENCL MP
{ [x]=0; [y]=0; }
P0@wg 0, dev 0 (global int* x, local atomic_int* y) {
  *x = 1;
  atomic_store_explicit(y, 1, memory_order_seq_cst, memory_scope_work_group);
}
P1@wg 0, dev 0 (global int* x, local atomic_int* y) {
  int r = atomic_load_explicit(y, memory_order_seq_cst, memory_scope_work_group);
  int s = 1;
  if (r == 1) { s = *x; }
}
exists (1:r=1 /\\ 1:s=0)
"""


def verdict(text: str, model: str) -> str:
    (result,) = check_all(Source("test.litmus", text), models=(model,))
    assert result.reachable is not None
    return ("A" if result.reachable else "F") + ("!" if result.undefined else "")


@pytest.mark.parametrize(
    ("text", "literal", "liberal"),
    [
        pytest.param(SB.format(region="global"), "F", "F", id="SB in one region"),
        pytest.param(SB.format(region="local"), "A", "F", id="SB across regions"),
        pytest.param(MP, "A!", "F", id="MP through a local SC flag"),
    ],
)
def test_sc_atomics_as_actions_of_both_regions(text: str, literal: str, liberal: str) -> None:
    assert verdict(text, "opencl-3.0") == literal
    assert verdict(text, "opencl-3.0+sc-both") == liberal


FOREIGN = """C RC11-in-herd-s-manner

(* coherence orders and derived relations are standard *)
include "cos.cat"

let sb = po
let mo = co
let update = [RMW] | rmw
let rb = (rf^-1; mo) \\ id
let eco = (rf | mo | rb)+

let heads = REL | ACQ_REL | SC
let tails = ACQ | ACQ_REL | SC
let atomic = RLX | heads | tails
let rs = toid(W); (sb & loc)?; toid(W & atomic); (rf; update)*
let sw = [heads]; ([F]; sb)?; rs; rf; [R & atomic]; (sb; [F])?; [tails]
let hb = (sb | sw)+

irreflexive hb; eco? as coherence
irreflexive update; eco as update-coherence
empty update & (rb; mo) as atomicity

let sb-elsewhere = sb & ~loc
let scb = sb | sb-elsewhere; hb; sb-elsewhere | hb & loc | mo | rb
let psc = ([SC] | [F & SC]; hb?); scb; ([SC] | hb?; [F & SC])
        | [F & SC]; (hb | hb; eco; hb); [F & SC]
acyclic psc as sequential-consistency
acyclic sb | rf as no-thin-air

let conflict = at-least-one-writer(loc) & ext & ~(IW * _) & ~(_ * IW)
undefined_unless empty conflict \\ (hb | hb^-1 | A * A) as data_race
show hb \\ id as hb, psc
"""
C11 = sorted((Path(__file__).resolve().parents[3] / "litmus" / "c11").glob("*.litmus"))


def test_there_are_c11_tests() -> None:
    assert len(C11) > 20


@pytest.mark.parametrize("path", C11, ids=lambda path: path.stem)
def test_a_model_in_herd_s_manner_agrees_with_the_built_in_one(path: Path, tmp_path: Path) -> None:
    mine = tmp_path / "foreign.cat"
    mine.write_text(FOREIGN, encoding="utf-8")
    source = Source(path.name, path.read_text(encoding="utf-8"))
    built_in, foreign = check_all(source, models=("rc11", str(mine)))
    assert foreign.states == built_in.states
    assert _kinds(foreign) == _kinds(built_in) - {"uninitialised-read"}


def _kinds(result: object) -> set[str]:
    return {problem.kind for problem in result.undefined}  # type: ignore[attr-defined]
