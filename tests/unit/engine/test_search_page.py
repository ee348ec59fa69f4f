"""`docs/search.md` is true: its examples run, and following its steps adds a relational operator to both engines."""

from __future__ import annotations

import doctest
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[3]
PAGE = ROOT / "docs" / "search.md"

STEP = re.compile(
    r"^In `(?P<file>[^`]+)`, (?P<where>above|instead of) `(?P<anchor>[^`]+)`\n\n```\n(?P<code>.*?)^```$",
    re.MULTILINE | re.DOTALL,
)
LAW = re.compile(r"^Law\(.*\)$", re.MULTILINE)

# Models that use the new operator, and say the same without it, as the checks that they consist of.
EQUIVALENT = [
    ("irreflexive symmetric(rf) ; po as c", "irreflexive (rf | rf^-1) ; po as c"),
    ("acyclic po | (symmetric(rf) & ext) \\ rf^-1 as c", "acyclic po | (rf & ext) as c"),
    ("empty symmetric(mo) & po^-1 \\ IW * _ as c", "empty (mo | mo^-1) & po^-1 \\ IW * _ as c"),
    ("~empty symmetric(rf) & ext as c", "~empty (rf | rf^-1) & ext as c"),
    ("empty (symmetric(rf) ; [R] ; po) & (mo ; rf) as c", "empty ((rf | rf^-1) ; [R] ; po) & (mo ; rf) as c"),
]
TESTS = ["MP+rlx", "LB+rlx", "CoRR", "R+rel+acq", "MP+rel+acq"]

COMPARE = """
from pathlib import Path

import mcm
from mcm.relation.evaluate import Evaluator, Structure
from mcm.relation.show import show
from mcm.relation.term import Base, Symmetric
from operator_laws import Kind, Law, check
from mcm.engine.explicit import operators

RELATION = Kind.RELATION
check({law})
assert show(Symmetric(Base("rf"))) == "symmetric(rf)"
assert Evaluator(Structure(2, 3, {{}}, {{"rf": (2, 0)}})).relation(Symmetric(Base("rf"))) == (2, 1)

answers = set()
for test in {tests!r}:
    text = Path(test).read_text(encoding="utf-8")
    for number in range({models}):
        found = {{
            frozenset(str(sorted(state.values.items())) for state in mcm.check(text, model, engine=engine).states)
            for model in (f"new{{number}}.cat", f"old{{number}}.cat")
            for engine in ("explicit", "smt")
        }}
        assert len(found) == 1, (test, number, found)
        answers |= {{(test, *found)}}
print(mcm.__file__, len(answers))
"""


def steps() -> list[re.Match[str]]:
    return list(STEP.finditer(PAGE.read_text(encoding="utf-8")))


def test_the_examples_are_true(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    failed, attempted = doctest.testfile(str(PAGE), module_relative=False)
    assert attempted > 10
    assert failed == 0


def test_every_step_can_be_followed() -> None:
    for step in steps():
        lines = (ROOT / step["file"]).read_text(encoding="utf-8").splitlines()
        assert [line.strip() for line in lines].count(step["anchor"]) == 1, step["anchor"]


@pytest.mark.slow
def test_the_steps_add_an_operator_to_both_engines(tmp_path: Path) -> None:
    # given: a copy of the package, in which the steps are taken
    for folder in ("mcm", "grammar"):
        shutil.copytree(ROOT / folder, tmp_path / folder, ignore=shutil.ignore_patterns("__pycache__"))
    shutil.copy(ROOT / "pyproject.toml", tmp_path)
    if (ROOT / ".mypy_cache").is_dir():
        # Only a matter of time: what differs from the cache is checked again.
        shutil.copytree(ROOT / ".mypy_cache", tmp_path / "cache")
    for step in steps():
        follow(step, tmp_path)
    # when
    command = [sys.executable, "-m", "mypy", "--cache-dir", str(tmp_path / "cache"), "mcm"]
    checked = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)
    # then
    assert checked.returncode == 0, f"docs/search.md lacks a step, or one is wrong:\n{checked.stdout}"

    # when
    for number, checks in enumerate(EQUIVALENT):
        for name, check in zip(("new", "old"), checks, strict=True):
            (tmp_path / f"{name}{number}.cat").write_text(f'"{name}"\n{check}\n', encoding="utf-8")
    law = LAW.search(PAGE.read_text(encoding="utf-8"))
    assert law is not None
    files = [str(ROOT / "litmus" / "c11" / f"{name}.litmus") for name in TESTS]
    script = COMPARE.format(law=law[0], tests=files, models=len(EQUIVALENT))
    paths = os.pathsep.join((str(tmp_path), str(Path(__file__).parent / "explicit")))
    compared = subprocess.run(
        [sys.executable, "-c", script],
        cwd=tmp_path,
        env={**os.environ, "PYTHONPATH": paths},
        capture_output=True,
        text=True,
        check=False,
    )
    # then: both engines agree on each model with its equivalent, and the models are not all the same
    assert compared.returncode == 0, compared.stderr
    package, answers = compared.stdout.split()
    assert package == str(tmp_path / "mcm" / "__init__.py")
    assert int(answers) > len(TESTS)


def follow(step: re.Match[str], root: Path) -> None:
    """Make the change of one step."""
    path = root / step["file"]
    lines = path.read_text(encoding="utf-8").splitlines(keepends=True)
    (at,) = (number for number, line in enumerate(lines) if line.strip() == step["anchor"])
    lines[at : at + (step["where"] == "instead of")] = [step["code"]]
    path.write_text("".join(lines), encoding="utf-8")
