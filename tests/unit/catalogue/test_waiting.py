"""Which models let iterations in which a loop only waits be left out of executions."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from msgspec.structs import replace

from mcm.base.source import Source
from mcm.catalogue import registry
from mcm.catalogue.waiting import drops_failed_reads, drops_stores, mixes_orders
from mcm.execution.elaborate import elaborate
from mcm.execution.event import EventKind
from mcm.execution.skeleton import StopKind
from mcm.front_end.read import read_test

if TYPE_CHECKING:
    from pathlib import Path

    from mcm.cat.model import Model

# In these S is ordered only if no operation breaks both of its conditions: removing the one that does orders it.
CONDITIONAL = {"opencl-2.0-cond", "opencl-popl"}

RC11_LIKE = """acyclic po | rf as no-thin-air
let hb = (po | rf)+
acyclic po | (rf | mo | fr) as coherence
irreflexive rf | (mo ; rf) | (mo ; mo ; rf^-1) as atomicity
let conflict = loc & ((W * M) | (M * W))
flag ~empty (conflict & ext) \\ (A * A) \\ hb \\ hb^-1 as data_race
"""


@pytest.mark.parametrize("name", registry.names())
def test_built_in_models(name: str) -> None:
    assert drops_failed_reads(registry.get(name)) is (name not in CONDITIONAL)


@pytest.mark.parametrize(
    ("added", "drops"),
    [
        ("", True),
        ("let rec seen = rf | (seen ; po ; seen)\nirreflexive seen ; mo as recursive", True),
        # Every write to be read: a write that only a failing iteration reads.
        ("empty ((W \\ IW) * (W \\ IW) & id) \\ (rf ; rf^-1) as all-are-read", False),
        # The middle of the subtracted composition is a read.
        ("empty mo \\ (rf ; fr) as read-in-between", False),
        # … or a write that is no read-modify-write, and cannot be removed.
        ("let broken = (mo \\ (_ * RMW)) ; mo\nirreflexive (mo \\ broken) ; rf ; po as release-sequence", True),
        ("~empty rf as somebody-reads", False),
        ("flag ~empty po ; [R] ; po as read-in-between", False),
        ("flag ~empty po ; [W \\ RMW] ; po as write-in-between", True),
        ("flag empty po ; [R] ; po as no-read-in-between", True),
        ("with S from linearisations(SC, po)\nacyclic S | rf as total-order", True),
        ("with S from linearisations(W & range(po ; [R] ; po), po)\nacyclic S | rf as total-order", False),
        # A plain read may read what happens before it; that is broken only where there is a race.
        ("empty (rf ; [R \\ A]) \\ (hb & (W * R)) as plain-reads", True),
        ("empty (rf ; [R]) \\ (hb & (W * R)) as all-reads", False),
        ("empty (rf ; [R \\ A]) \\ (po ; hb) as no-excuse", False),
    ],
)
def test_a_model_is_asked_what_fewer_events_do_to_it(added: str, drops: bool, tmp_path: Path) -> None:
    assert drops_failed_reads(model(RC11_LIKE + added, tmp_path)) is drops


def test_updates_have_to_read_the_write_before_them(tmp_path: Path) -> None:
    lines = [line for line in RC11_LIKE.splitlines() if "atomicity" not in line and "coherence" not in line]
    assert not drops_failed_reads(model("\n".join(lines), tmp_path))


STORING = """C storing
{ x = 0; d = 0; }
P0 (atomic_int* x, int* d) { int r; do { *d = 1; r = atomic_load(x); } while (r == 0); }
P1 (atomic_int* x, int* d) { atomic_store(x, 1); }
exists (x=0)
"""

# The same in a region of memory.
STORING_GLOBALLY = (
    STORING.replace("C ", "OPENCL ", 1)
    .replace("(atomic_int* x, int* d)", "@wg 0, dev 0 (global atomic_int* x, global int* d)", 1)
    .replace("(atomic_int* x, int* d)", "@wg 1, dev 0 (global atomic_int* x, global int* d)", 1)
)


@pytest.mark.parametrize("name", registry.names())
def test_built_in_models_where_writes_are_left_out(name: str) -> None:
    source = Source("storing.litmus", STORING_GLOBALLY)
    (skeleton,) = elaborate(read_test(source).program, waiting=True, overwrites=True)
    # In sequential consistency nothing races: others may read what is overwritten.
    assert drops_stores(registry.get(name), skeleton) is (name not in {*CONDITIONAL, "sc"})


@pytest.mark.parametrize(
    ("added", "drops"),
    [
        ("", True),
        ("flag ~empty po ; [W \\ RMW] ; po as write-in-between", False),
        ("flag ~empty po ; [W & A \\ RMW] ; po as atomic-write-in-between", True),
        ("flag ~empty po ; [W & REL \\ RMW] ; po as release-in-between", True),
        ("flag ~empty mo ; [W \\ RMW] ; mo as write-in-between", False),
        # In the middle there is an access of the same location as the one that is atomic.
        ("flag ~empty [A] ; mo ; [W \\ RMW] ; mo as write-in-between", True),
        ("flag ~empty mo ; [W \\ RMW] ; mo ; [A] as write-in-between", True),
        ("flag ~empty [A] ; loc ; [W \\ RMW] ; mo as write-in-between", True),
        ("flag ~empty [A] ; ((mo & (M * (W \\ RMW)))+ \\ mo) as write-in-between", True),
        ("flag ~empty (mo & (M * (W \\ RMW)))+ \\ mo as write-in-between", False),
        ("flag ~empty [A] ; (mo | po) ; [W \\ RMW] ; mo as write-in-between", False),
        ("flag ~empty [range([W \\ RMW] ; mo)] as later", False),
        ("flag ~empty [range([W & A \\ RMW] ; mo)] as later", True),
        ("flag ~empty [domain(mo & (M * (W \\ RMW)))] as earlier", False),
        ("flag ~empty [domain([A] ; mo & (M * (W \\ RMW)))] as earlier", True),
        ("let broken = (mo \\ (_ * RMW)) ; mo\nirreflexive (mo \\ broken) ; rf ; po as release-sequence", False),
        ("let broken = (mo \\ (_ * RMW)) ; mo\nirreflexive [A] ; (mo \\ broken) ; rf ; po as release-sequence", True),
        ("with S from linearisations(SC, po)\nirreflexive (S & loc) \\ (S ; S & loc) as total-order", False),
        ("with S from linearisations(W & SC, po)\nirreflexive (S & loc) \\ (S ; S & loc) as total-order", True),
        ("with S from linearisations(W, po)\nirreflexive (S & loc) \\ (S ; S & loc) as total-order", False),
    ],
)
def test_a_model_is_asked_what_fewer_writes_do_to_it(added: str, drops: bool, tmp_path: Path) -> None:
    (skeleton,) = elaborate(read_test(Source("storing.litmus", STORING)).program, waiting=True, overwrites=True)
    assert drops_stores(model(RC11_LIKE + added, tmp_path), skeleton) is drops


@pytest.mark.parametrize("missing", ["data_race", "coherence"])
def test_who_reads_what_is_overwritten_has_to_race(missing: str, tmp_path: Path) -> None:
    """Without races, and where an old value may be read behind a message."""
    (skeleton,) = elaborate(read_test(Source("storing.litmus", STORING)).program, waiting=True, overwrites=True)
    lines = RC11_LIKE.replace("fr) as", "fr | (rf & ext)) as") if missing == "coherence" else RC11_LIKE
    lines = "\n".join(line for line in lines.splitlines() if missing not in line)
    assert drops_failed_reads(model(RC11_LIKE, tmp_path))
    assert not drops_stores(model(lines, tmp_path), skeleton)


def test_in_no_region_nothing_is_hidden() -> None:
    """There OpenCL orders nothing, so that a unit may read what it has overwritten."""
    (skeleton,) = elaborate(read_test(Source("storing.litmus", STORING)).program, waiting=True, overwrites=True)
    assert not drops_stores(registry.get("opencl-3.0"), skeleton)


@pytest.mark.parametrize("stale", ["", " \\ ((R \\ A) * (W \\ A))"])
def test_who_writes_may_not_read_what_it_has_overwritten(stale: str, tmp_path: Path) -> None:
    (skeleton,) = elaborate(read_test(Source("storing.litmus", STORING)).program, waiting=True, overwrites=True)
    lines = RC11_LIKE.replace("fr) as", f"(fr{stale})) as")
    assert drops_failed_reads(model(lines, tmp_path))
    assert drops_stores(model(lines, tmp_path), skeleton) is not stale


@pytest.mark.parametrize("excused", ["swg", "ssg", "~sdv", "ski", "(L * L)", "(COARSE * COARSE)", "(SYSTEM * SYSTEM)"])
def test_who_reads_it_has_to_race_wherever_both_are(excused: str, tmp_path: Path) -> None:
    (skeleton,) = elaborate(read_test(Source("storing.litmus", STORING)).program, waiting=True, overwrites=True)
    excusing = RC11_LIKE.replace(" as data_race", f" \\ {excused} as data_race")
    assert drops_failed_reads(model(excusing, tmp_path))
    assert not drops_stores(model(excusing, tmp_path), skeleton)


def model(text: str, folder: Path) -> Model:
    path = folder / "mine.cat"
    path.write_text(text, encoding="utf-8")
    return registry.load_file(path)


@pytest.mark.parametrize(
    ("exchange", "load", "unlock", "mixes"),
    [
        ("seq_cst", "seq_cst", "seq_cst", False),
        ("acquire", "acquire", "release", False),
        ("acquire", "seq_cst", "release", False),
        ("seq_cst", "acquire", "release", False),
        ("seq_cst", "seq_cst", "release", True),
        ("acquire", "seq_cst", "seq_cst", True),
    ],
)
def test_sc_updates_that_meet_other_writes(exchange: str, load: str, unlock: str, mixes: bool) -> None:
    text = f"""C lock
{{ l = 0; }}
P0 (atomic_int* l) {{
  do {{ while (atomic_load_explicit(l, memory_order_{load}) == 1) {{}} }}
  while (atomic_exchange_explicit(l, 1, memory_order_{exchange}) == 1);
  atomic_store_explicit(l, 0, memory_order_{unlock});
}}
exists (l=0)
"""
    source = Source("lock.litmus", text)
    (skeleton,) = elaborate(read_test(source).program, 1)
    updates = tuple(event.identifier for event in skeleton.events if event.kind is EventKind.UPDATE)
    stops = tuple(replace(stop, kind=StopKind.WAIT, reads=updates) for stop in skeleton.stops)
    assert not mixes_orders(skeleton)
    assert mixes_orders(replace(skeleton, stops=stops)) is mixes
