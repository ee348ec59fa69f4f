"""Shipped tests, right or wrong, give JSON that the schema allows."""

from __future__ import annotations

import json
from importlib.resources import files
from pathlib import Path

import jsonschema
import pytest

from mcm import Verdict, check_all, read_source, render_herd, render_json, render_text

pytestmark = pytest.mark.slow

LITMUS = Path(__file__).parents[2] / "litmus"
FOLDERS = sorted({path.parent for path in LITMUS.rglob("*.litmus")})
VALIDATOR = jsonschema.Draft202012Validator(
    json.loads(files("mcm.report").joinpath("schema.json").read_text(encoding="utf-8"))
)


# Programs that wait for each other take long, and are alike: every eighth of these, and every third of the others.
WAITING = frozenset({"dartagnan", "locks", "waiting"})


@pytest.mark.parametrize("folder", FOLDERS, ids=lambda folder: str(folder.relative_to(LITMUS)))
def test_json_is_valid_and_the_other_formats_say_something(folder: Path) -> None:
    for path in sorted(folder.glob("*.litmus"))[:: 8 if folder.name in WAITING else 3]:
        for result in check_all(read_source(path), count=path.stem.startswith("S")):
            VALIDATOR.validate(json.loads(render_json([result])))
            assert render_text(result).startswith(result.test or str(path))
            has_block = result.status.value == "ok" and result.verdict is not Verdict.NO_EXECUTION
            assert render_herd(result).startswith(f"Test {result.test} " if has_block else "")
