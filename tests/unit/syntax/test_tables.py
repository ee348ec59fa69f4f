"""The parser's table: kept between runs if it can be, and never a reason to fail."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path
from typing import Final

import pytest

ROOT: Final = Path(__file__).resolve().parents[3]
MADE: Final = "1 unit, with lark\n"
READ: Final = "1 unit, without lark\n"
PROGRAM: Final = """
import sys
from mcm.base import kept
from mcm.base.source import Source
from mcm.syntax.parse import parse
kept._STARTED += 60  # the code may have been changed just now
units = parse(Source("t", "C t\\n{}\\nP0 () { x = 1; }\\nexists (x=1)")).units
print(len(units), "unit, with lark" if "lark" in sys.modules else "unit, without lark")
"""


def run_with_cache(directory: Path | str, program: str = PROGRAM) -> str:
    environment = {**os.environ, "MCM_CACHE_DIR": str(directory), "PYTHONPATH": str(ROOT)}
    ended = subprocess.run([sys.executable, "-c", program], env=environment, capture_output=True, text=True, check=True)
    assert ended.stderr == ""
    return ended.stdout


def test_the_table_is_kept_and_read_again(tmp_path: Path) -> None:
    cache = tmp_path / "deep" / "cache"

    assert run_with_cache(cache) == MADE
    (table,) = cache.iterdir()
    written = table.read_bytes()
    assert run_with_cache(cache) == READ

    assert table.read_bytes() == written
    assert cache.stat().st_mode & 0o077 == 0


@pytest.mark.slow
@pytest.mark.parametrize("damage", [b"", b"garbage", b"garbage\n" * 100])
def test_a_damaged_table_is_made_anew(tmp_path: Path, damage: bytes) -> None:
    run_with_cache(tmp_path)
    (table,) = tmp_path.iterdir()
    whole = table.read_bytes()

    middle = len(whole) // 2
    for content in (damage, whole[:middle], whole[:70] + damage + whole[100:], whole[:middle] + b"?" + whole[middle:]):
        table.write_bytes(content)
        assert run_with_cache(tmp_path) == MADE
        assert run_with_cache(tmp_path) == READ


def test_no_directory_for_the_table(tmp_path: Path) -> None:
    occupied = tmp_path / "file"
    occupied.write_text("")

    assert run_with_cache(occupied / "cache") == MADE
    assert run_with_cache(occupied) == MADE
    assert run_with_cache("/dev/null/mcm") == MADE


def test_a_directory_stands_where_the_table_should(tmp_path: Path) -> None:
    run_with_cache(tmp_path)
    (table,) = tmp_path.iterdir()
    table.unlink()
    table.mkdir()

    assert run_with_cache(tmp_path) == MADE


def test_a_table_of_another_grammar_is_made_anew(tmp_path: Path) -> None:
    run_with_cache(tmp_path)
    other = PROGRAM.replace(
        "units =",
        "from mcm.syntax import tables\ntext = tables.grammar_text\n"
        "tables.grammar_text = lambda name: text(name) + '\\n// changed'\nunits =",
    )

    assert run_with_cache(tmp_path, other) == MADE
    assert run_with_cache(tmp_path, other) == READ


def test_a_table_is_not_kept_if_its_makers_changed_meanwhile(tmp_path: Path) -> None:
    assert run_with_cache(tmp_path, PROGRAM.replace("kept._STARTED += 60", "kept._STARTED = 0")) == MADE
    assert not list(tmp_path.iterdir())


def test_a_check_without_complaints_needs_no_lark(tmp_path: Path) -> None:
    """Nor does one with complaints: what is wrong is told by the tables, too."""
    run_with_cache(tmp_path)
    good, wrong = ROOT / "litmus/c11/MP+rlx.litmus", tmp_path / "wrong.litmus"
    wrong.write_text("C t\n{}\nP0 () { x = ; }\nexists (x=1)")
    program = f"""
import sys
from mcm.base import kept
from mcm.cli.main import main
kept._STARTED += 60
for path, code in (({str(good)!r}, 0), ({str(wrong)!r}, 2)):
    sys.argv, sys.stderr = ["mcm", "check", path], sys.stdout
    try:
        main()
    except SystemExit as ended:
        assert ended.code == code, ended.code
    print("lark" in sys.modules)
"""
    run_with_cache(tmp_path, program)

    assert re.findall(r"^(?:True|False)$", run_with_cache(tmp_path, program), re.MULTILINE) == ["False", "False"]
