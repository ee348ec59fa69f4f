"""The parser's table: kept between runs if it can be, and never a reason to fail."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from typing import Final

import pytest

ROOT: Final = Path(__file__).resolve().parents[3]
PROGRAM: Final = """
import sys
from mcm.base.source import Source
from mcm.syntax.parse import parse
assert "lark" not in sys.modules
print(len(parse(Source("t", "C t\\n{}\\nP0 () { x = 1; }\\nexists (x=1)")).units))
"""


def run_with_cache(directory: Path | str) -> str:
    environment = {**os.environ, "MCM_CACHE_DIR": str(directory), "PYTHONPATH": str(ROOT)}
    ended = subprocess.run([sys.executable, "-c", PROGRAM], env=environment, capture_output=True, text=True, check=True)
    assert ended.stderr == ""
    return ended.stdout


def test_the_table_is_kept_and_read_again(tmp_path: Path) -> None:
    cache = tmp_path / "deep" / "cache"

    assert run_with_cache(cache) == "1\n"
    (table,) = cache.iterdir()
    written = table.read_bytes()
    assert run_with_cache(cache) == "1\n"

    assert table.read_bytes() == written
    assert cache.stat().st_mode & 0o077 == 0


@pytest.mark.parametrize("damage", [b"", b"garbage", b"garbage\n" * 100])
def test_a_damaged_table_is_made_anew(tmp_path: Path, damage: bytes) -> None:
    run_with_cache(tmp_path)
    (table,) = tmp_path.iterdir()
    whole = table.read_bytes()

    for content in (damage, whole[: len(whole) // 2], whole[:70] + damage + whole[100:]):
        table.write_bytes(content)
        assert run_with_cache(tmp_path) == "1\n"


def test_no_directory_for_the_table(tmp_path: Path) -> None:
    occupied = tmp_path / "file"
    occupied.write_text("")

    assert run_with_cache(occupied / "cache") == "1\n"
    assert run_with_cache(occupied) == "1\n"
    assert run_with_cache("/dev/null/mcm") == "1\n"


def test_a_directory_stands_where_the_table_should(tmp_path: Path) -> None:
    run_with_cache(tmp_path)
    (table,) = tmp_path.iterdir()
    table.unlink()
    table.mkdir()

    assert run_with_cache(tmp_path) == "1\n"
