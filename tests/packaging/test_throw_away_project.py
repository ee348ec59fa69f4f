"""A project of strangers: it installs our wheel, and pytest and `mcm test` find its one wrong expectation."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Final

import jsonschema
import pytest
import xmlschema
from test_install import copy_of_the_source, install

pytestmark = pytest.mark.slow

SCHEMAS: Final = Path(__file__).parents[1] / "unit" / "suite" / "schemas"
TEST: Final = """OPENCL NAME
Expect.opencl-3.0=STATED
{ }
P0@wg 0 (global int* x, global atomic_int* y) { *x = 1; atomic_store_explicit(y, 1, ORDER); }
P1@wg 1 (global int* x, global atomic_int* y) {
  int r0 = atomic_load_explicit(y, memory_order_acquire);
  int r1 = -1;
  if (r0 == 1) { r1 = *x; }
}
exists (1:r0=1 /\\ 1:r1=0)
"""
STATED: Final = {
    "release": ("Never no-race", "release"),
    "relaxed": ("Sometimes race", "relaxed"),
    "seq_cst": ("Never no-race", "seq_cst"),
    "wrong": ("Never no-race", "relaxed"),
    "again": ("Never", "release"),
}


def test_pytest_and_the_command_find_the_wrong_expectation_in_the_same_words(tmp_path: Path) -> None:
    source = copy_of_the_source(tmp_path / "source")
    command = [sys.executable, "-m", "pip", "wheel", "--quiet", "--no-build-isolation", "--no-deps", "-w", tmp_path]
    subprocess.run([*command, source], check=True)
    (wheel,) = tmp_path.glob("mcm-*.whl")
    python = install(wheel, tmp_path / "environment")
    project = tmp_path / "project"
    project.mkdir()
    for name, (stated, order) in STATED.items():
        text = TEST.replace("NAME", name).replace("STATED", stated).replace("ORDER", f"memory_order_{order}")
        (project / f"{name}.litmus").write_text(text, encoding="utf-8")
    (project / "pytest.ini").write_text("[pytest]\nmcm = true\n", encoding="utf-8")

    told = subprocess.run(
        [python.parent / "mcm", "test", ".", "--junit", "junit.xml", "--sarif", "mcm.sarif"],
        cwd=project,
        capture_output=True,
        text=True,
        check=False,
    )
    tested = subprocess.run(
        [python, "-m", "pytest", "-q", "-p", "no:cacheprovider"],
        cwd=project,
        capture_output=True,
        text=True,
        check=False,
    )

    assert (told.returncode, tested.returncode) == (1, 1)
    report, _, totals = told.stdout.strip().rpartition("\n")
    assert totals == "5 expectations of 5 tests: 4 met, 1 NOT met"
    assert report.startswith("wrong.litmus:2:1: opencl-3.0: expected Never no-race, found Sometimes race\n")
    assert report in tested.stdout
    assert "1 failed, 4 passed" in tested.stdout
    xmlschema.XMLSchema(SCHEMAS / "JUnit.xsd").validate(project / "junit.xml")
    schema = json.loads((SCHEMAS / "sarif-2.1.0.json").read_text(encoding="utf-8"))
    jsonschema.Draft4Validator(schema).validate(json.loads((project / "mcm.sarif").read_text(encoding="utf-8")))
