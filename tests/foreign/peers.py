"""The cat files of other tools beside the repository, and what these tools say of tests under them."""

from __future__ import annotations

import csv
import json
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Final

from msgspec import Struct

if TYPE_CHECKING:
    from collections.abc import Iterator

PEERS: Final = Path(__file__).resolve().parents[3] / "shared" / "peers"
CAT: Final = PEERS / "cat"

# The tables of Dartagnan's results: for each of its models the suite, and the column that is about it.
_TABLES: Final = {
    "dat3m/c11.cat": ("c11", "holds_c11"),
    "dat3m/rc11.cat": ("c11", "holds_rc11"),
    "dat3m/opencl.cat": ("opencl", "holds"),
}


# Tests of one name, of which herd7 answers one when it is given both: what `verdicts.json` says of the first is about
# the second.
_SAME_NAME: Final = {"c11/imm-R2-alt.litmus": "c11/imm-R2.litmus"}


class Said(Struct, frozen=True):
    """What another tool says of a test under a model; None and no states where it does not say.

    `states` are as it writes them. `undefined` is None where the tool does not tell. The first herd prints nothing
    about it; for the model of which Dartagnan's is made, it is what the table of Dartagnan says.
    """

    test: Path
    reachable: bool | None = None
    observation: str | None = None
    states: tuple[str, ...] | None = None
    undefined: bool | None = None


def model_files() -> tuple[Path, ...]:
    """All cat files, parts of models included."""
    return tuple(sorted(CAT.glob("*/*.cat")))


def name_of(model: Path) -> str:
    """A model as the verdicts call it: `herd7/rc11.cat`."""
    return model.relative_to(CAT).as_posix()


@cache
def said() -> dict[str, tuple[Said, ...]]:
    """For each model what its tool says of each test."""
    path = CAT / "verdicts.json"
    verdicts = json.loads(path.read_text(encoding="utf-8"))["models"] if path.is_file() else {}
    found = {
        model: tuple(_verdict(_test_of(test, model), one, model) for test, one in sorted(tests.items()))
        for model, tests in verdicts.items()
    }
    return found | {model: tuple(_rows(*table)) for model, table in _TABLES.items()}


def _test_of(test: str, model: str) -> Path:
    return PEERS / (test if model.startswith("herd1/") else _SAME_NAME.get(test, test))


def _verdict(test: Path, one: dict[str, object], model: str) -> Said:
    states = one["states"]
    assert isinstance(states, list)
    undefined = _racy().get(test, None) if model.startswith("herd1/") else bool(one["undef"])
    if model == "herd1/opencl.cat":
        undefined = None
    return Said(test, observation=str(one["obs"]), states=tuple(sorted(states)), undefined=undefined)


@cache
def _racy() -> dict[Path, bool]:
    """The tests of which the table says whether they are race-free under the model with scoped SC axioms."""
    said_of = {one.test: one.undefined for one in _rows(*_TABLES["dat3m/opencl.cat"])}
    return {test: undefined for test, undefined in said_of.items() if undefined is not None}


def _rows(suite: str, column: str) -> Iterator[Said]:
    with (PEERS / suite / "expected.csv").open(encoding="utf-8", newline="") as file:
        for row in csv.DictReader(file):
            undefined = row.get("race_free")
            if row[column] or undefined:
                yield Said(
                    PEERS / suite / row["file"],
                    reachable=row[column] == "1" if row[column] else None,
                    undefined=undefined == "0" if undefined else None,
                )
