"""`with NAME from …`: which orders are parts of the modification order, and which are orders of their own."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import pytest

from mcm.catalogue.registry import load_file
from mcm.relation.show import show

if TYPE_CHECKING:
    from pathlib import Path

    from mcm.cat.model import Model

# As herd7 computes all orders, with variables of other names.
_CROSS: Final = """
let co_locs (before, classes) =
  let rec each all = match all with
  || {} -> {}
  || one ++ others -> linearisations(one, before) ++ each(others)
  end in each(classes)
let cross =
  let rec product (k, chosen, sets) = match sets with
  || {} -> chosen ++ k
  || first ++ sets ->
    let rec call_rec (k, first) = match first with
    || {} -> k
    || o ++ first -> call_rec (product (k, o | chosen, sets), first)
    end in call_rec (k, first)
  end in
  fun all -> product ({}, 0, all)
let generate_orders(s, before) = cross (co_locs (before, partition s))
"""


def _load(text: str, folder: Path, **files: str) -> Model:
    for name, content in files.items():
        (folder / f"{name}.cat").write_text(content, encoding="utf-8")
    path = folder / "m.cat"
    path.write_text(text, encoding="utf-8")
    return load_file(path)


@pytest.mark.parametrize("include", ["", 'include "cross.cat"\n'])
@pytest.mark.parametrize(
    ("orders", "term"),
    [
        ("generate_orders(W, co0)", "mo"),
        ("generate_orders(W & A, co0)", "mo & (W & A) * (W & A)"),
        ("generate_orders(LS, po)", "0"),
    ],
)
def test_parts_of_the_modification_order(orders: str, term: str, include: str, tmp_path: Path) -> None:
    model = _load(f"{include}with o from {orders}\nlet r = o\nacyclic r | rf", tmp_path, cross=_CROSS)

    assert show(model.definitions[-1].term) == term
    assert model.linearisations == ()


def test_what_else_an_order_contains_is_demanded(tmp_path: Path) -> None:
    model = _load("let b = co0 | rf & W * RMW\nwith o from generate_cos(b)\nacyclic o", tmp_path)

    assert (model.checks[0].name, show(model.checks[0].term)) == ("o-order", "b & W * W & loc \\ mo")


def test_other_orders_are_parts_of_a_total_order(tmp_path: Path) -> None:
    model = _load("with o from generate_orders(W, po)\nacyclic o as c", tmp_path)

    (order,) = model.linearisations
    assert (order.name, show(order.events), show(order.order)) == ("o-total", "W & M", "po & loc")
    assert show(model.checks[0].term.body) == "o-total & loc"  # type: ignore[union-attr]


def test_the_order_of_atomics_needs_no_file(tmp_path: Path) -> None:
    model = _load('include "c11_cos.cat"\nacyclic co as c\nacyclic fre as f', tmp_path)

    assert show(model.definitions[0].term) == "mo & (W & (A | IW)) * (W & (A | IW))"
    assert [show(check.term) for check in model.checks] == ["co", "fre"]


def test_other_functions_of_these_names_are_refused(tmp_path: Path) -> None:
    changed = _CROSS.replace("o | chosen", "chosen | o")
    with pytest.raises(Exception, match="'match' on a set is not supported"):
        _load('include "cross.cat"\nwith o from generate_orders(W, co0)', tmp_path, cross=changed)


def test_a_file_beside_the_model_comes_before_what_is_built_in(tmp_path: Path) -> None:
    beside = _load('include "cos.cat"\nacyclic co', tmp_path, cos="let co = rf")
    (tmp_path / "cos.cat").unlink()

    assert show(beside.checks[0].term.body) == "rf"  # type: ignore[union-attr]
    assert show(_load('include "cos.cat"\nacyclic co', tmp_path).checks[0].term) == "mo"
