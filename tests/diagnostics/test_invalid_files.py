"""Each file in `litmus/invalid/` is answered with exactly the diagnostics, and where, that its first line states."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Final

import pytest

from mcm.base.codes import CODES
from mcm.base.diagnostic import Diagnostic, InputError, render
from mcm.execution.elaborate import elaborate
from mcm.explain.expectation import require_known_models
from mcm.front_end.read import read_test
from mcm.syntax.read import read_source

ROOT: Final = Path(__file__).resolve().parent.parent.parent
FILES: Final = sorted((ROOT / "litmus" / "invalid").glob("*.litmus"))
EXPECTED: Final = re.compile(r"([EW]\d{3}) at (\d+):(\d+)")

# Codes that no text file can show, with the test that shows them.
ELSEWHERE: Final = {
    "E001": "tests/unit/syntax/test_read.py",
    "E002": "tests/unit/syntax/test_read.py",
    "E003": "tests/unit/syntax/test_read.py",
    "E004": "tests/unit/syntax/test_read.py",
    "E005": "tests/unit/syntax/test_read.py",
    "E150": "tests/unit/cli/test_check.py",
    "E180": "tests/unit/front_end/test_kernel_file.py",
    "E182": "tests/unit/cli/test_kernel_commands.py",
    "E181": "tests/unit/front_end/test_kernel_file.py",
    "E184": "tests/unit/front_end/test_kernel_file.py",
    "W125": "tests/unit/front_end/test_sub_groups_unsaid.py",
    "W157": "tests/unit/front_end/test_unfinished_commands.py",
}


def diagnostics_of(path: Path) -> tuple[Diagnostic, ...]:
    try:
        test = read_test(read_source(path))
        require_known_models(test.header, ())
        elaborate(test.program)
    except InputError as error:
        return error.diagnostics
    return test.diagnostics


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_file_is_answered_as_it_says(path: Path) -> None:
    first_line = path.read_text(encoding="utf-8").splitlines()[0]
    stated = [(code, int(line), int(column)) for code, line, column in EXPECTED.findall(first_line)]

    found = diagnostics_of(path)

    assert stated, "the first line states nothing"
    shown = "\n".join(render(diagnostic) for diagnostic in found)
    assert [(d.code, d.span.line, d.span.column) for d in found] == stated, shown
    assert {d.code for d in found} <= set(CODES)
    # It is named after a code that it shows, and says more.
    code, _, name = path.stem.partition("-")
    assert name
    assert code in {d.code for d in found}
    for message in (d.message for d in found):
        assert_reads_well(message)


def assert_reads_well(message: str) -> None:
    """A message is lower case, is no sentence, and says what was found in words of the user."""
    assert not message[0].isupper(), message
    assert not message.endswith("."), message
    assert not re.search(r"__ANON|\b[A-Z]{4,}_[A-Z]", message.split("'", maxsplit=1)[0]), message


@pytest.mark.parametrize("code", [code for code in CODES if code < "E300" or code.startswith("W")])
def test_every_code_is_shown_by_a_file_or_a_test(code: str) -> None:
    files = [path for path in FILES if path.stem.startswith(code)]
    if files:
        assert code not in ELSEWHERE
        return
    assert code in ELSEWHERE, f"litmus/invalid/{code}-….litmus is missing"
    assert code in (ROOT / ELSEWHERE[code]).read_text(encoding="utf-8")
