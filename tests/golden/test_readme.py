"""What the README shows is what happens."""

from __future__ import annotations

import re
import subprocess
import sys
from typing import TYPE_CHECKING

from golden_shell import ROOT, run_shell

if TYPE_CHECKING:
    import pytest

README = ROOT / "README.md"
SCRIPT = re.compile(
    r"^```python\n(?P<script>.*?)^```\n\nprints\n\n```text\n(?P<printed>.*?)^```$", re.DOTALL | re.MULTILINE
)
EXAMPLE = re.compile(r"^```console\n(?P<shown>.*?)^```$", re.DOTALL | re.MULTILINE)


def test_the_example_is_true(request: pytest.FixtureRequest) -> None:
    text = README.read_text(encoding="utf-8")
    found = EXAMPLE.search(text)
    assert found, "the README shows no example"
    command = found["shown"].splitlines()[0].removeprefix("$ ")

    now = run_shell(command)

    if request.config.getoption("--update-golden"):
        README.write_text(text[: found.start("shown")] + now + text[found.end("shown") :], encoding="utf-8")
    else:
        assert found["shown"] == now


def test_the_script_prints_what_is_shown(request: pytest.FixtureRequest) -> None:
    text = README.read_text(encoding="utf-8")
    found = SCRIPT.search(text)
    assert found, "the README shows no script"
    assert len(found["script"].splitlines()) <= 15

    printed = subprocess.run(
        [sys.executable, "-c", found["script"]], cwd=ROOT, capture_output=True, text=True, check=True
    ).stdout
    printed = re.sub(r" +$", "", printed, flags=re.MULTILINE)

    if request.config.getoption("--update-golden"):
        README.write_text(text[: found.start("printed")] + printed + text[found.end("printed") :], encoding="utf-8")
    else:
        assert found["printed"] == printed


def test_files_that_the_readme_names_exist() -> None:
    text = README.read_text(encoding="utf-8")
    links = re.findall(r"\]\(([\w./-]+)\)", text)
    tests = re.findall(r"litmus/[\w./+-]+\.litmus", text)

    assert links
    assert tests
    assert [name for name in (*links, *tests) if not (ROOT / name).exists()] == []
