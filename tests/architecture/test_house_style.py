"""What the linters do not see of the house style."""

from __future__ import annotations

import ast
import re
import subprocess
from pathlib import Path

import pytest

from mcm.execution.skeleton import FAULT_RULES

ROOT = Path(__file__).parents[2]
CODE = sorted(path for folder in ("mcm", "tests", "grammar", "bench") for path in (ROOT / folder).rglob("*.py"))
OURS = [path for path in CODE if path.is_relative_to(ROOT / "mcm")]

LONGEST_FILE = 500
LONGEST_FUNCTION = 50


def identify(path: Path) -> str:
    return str(path.relative_to(ROOT))


def test_there_is_code() -> None:
    assert len(OURS) > 50


@pytest.mark.parametrize("path", OURS, ids=identify)
def test_sizes_names_and_imports(path: Path) -> None:
    text = path.read_text(encoding="utf-8")
    nodes = list(ast.walk(ast.parse(text)))
    functions = [node for node in nodes if isinstance(node, ast.FunctionDef)]

    assert len(text.splitlines()) <= LONGEST_FILE
    assert {function.name: length for function in functions if (length := _length(function)) > LONGEST_FUNCTION} == {}

    assert not re.search(r"utils|helpers|manager", path.stem)
    assert not re.search(r"\b(TODO|FIXME|XXX|HACK)\b", text)
    assert "NotImplementedError" not in text

    # No file is read that could run code: a folder that others may write can then hold nothing that runs.
    imported = {node.module or "" for node in nodes if isinstance(node, ast.ImportFrom)}
    imported |= {alias.name for node in nodes if isinstance(node, ast.Import) for alias in node.names}
    assert not {name.partition(".")[0] for name in imported} & {"pickle", "marshal", "shelve", "dbm", "dill"}


def test_generated_inputs_are_always_the_same_and_may_take_their_time() -> None:
    """What Hypothesis finds with another seed, or on a busy machine, is no fault of the change that is tested."""
    kept = {path: _ways_to_generate(path) for path in CODE if path.is_relative_to(ROOT / "tests")}
    assert sum(map(len, kept.values())) > 10
    for path, functions in kept.items():
        for name, decorators in functions.items():
            said = " ".join(decorators)
            is_fixed = "MODEST" in said or ("derandomize=True" in said and "deadline=None" in said)
            assert is_fixed, f"{identify(path)}: {name}"


def _ways_to_generate(path: Path) -> dict[str, list[str]]:
    """The tests of a file whose inputs Hypothesis makes, with their decorators."""
    text = path.read_text(encoding="utf-8")
    nodes = ast.walk(ast.parse(text)) if "@given(" in text else ()
    decorators = {
        node.name: [ast.unparse(one) for one in node.decorator_list]
        for node in nodes
        if isinstance(node, ast.FunctionDef)
    }
    return {name: words for name, words in decorators.items() if any(one.startswith("given(") for one in words)}


def _length(function: ast.FunctionDef) -> int:
    """Lines of the body without its documentation."""
    body = function.body[1:] if ast.get_docstring(function) and len(function.body) > 1 else function.body
    return (body[-1].end_lineno or 0) - body[0].lineno + 1


def test_test_modules_have_names_of_their_own() -> None:
    names = [path.name for path in (ROOT / "tests").rglob("test_*.py")]

    assert sorted(names) == sorted(set(names))


def test_nothing_names_a_machine() -> None:
    # Written in pieces, because this file is looked at too.
    pattern = re.compile("|".join("/" + folder + "/" for folder in ("work", "tmp", "home", "root")))

    assert {name for name, text in _kept_texts().items() if pattern.search(text)} == set()


def test_no_conflict_of_a_merge_is_left() -> None:
    marker = re.compile(r"^(?:<{7}|>{7}) ", re.MULTILINE)

    assert {name for name, text in _kept_texts().items() if marker.search(text)} == set()


def _kept_texts() -> dict[str, str]:
    """The texts of all files that git keeps, by name; the test is skipped where there is no checkout."""
    listed = subprocess.run(["git", "ls-files", "-z"], cwd=ROOT, capture_output=True, text=True, check=False)
    if listed.returncode:
        pytest.skip("not a git checkout")
    return {name: _text(ROOT / name) for name in listed.stdout.split("\0") if name}


def _text(path: Path) -> str:
    return path.read_text(encoding="utf-8", errors="replace") if path.is_file() else ""


def test_every_fault_states_a_rule_of_the_table() -> None:
    stated = set()
    for path in (ROOT / "mcm/execution").glob("*.py"):
        for call in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(call, ast.Call) and _name(call.func) in {"Fault", "fault"}:
                stated |= {
                    argument.value
                    for argument in call.args
                    if isinstance(argument, ast.Constant) and re.fullmatch(r"[A-Z]+[A-Z0-9-]*", str(argument.value))
                }

    assert stated
    assert stated <= set(FAULT_RULES)


def _name(function: ast.expr) -> str:
    return function.attr if isinstance(function, ast.Attribute) else getattr(function, "id", "")
