"""Tests that try to erase or forge what is said of them: a stranger's text changes nothing on a terminal."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import unicodedata
from pathlib import Path

import pytest

from mcm import Source, check_all, render_herd, render_json, render_text

HOSTILE = Path(__file__).parent / "terminal"
TESTS = sorted(HOSTILE.glob("*.litmus"))
MODEL = HOSTILE / "esc_model.cat"
COMMANDS = (
    ("check",),
    ("check", "--format", "herd"),
    ("check", "--format", "json"),
    ("check", "--quiet"),
    ("check", "--model", "all"),
    ("check", "--model", str(MODEL)),
    ("check", "--run"),
    ("run",),
    ("run", "--format", "json"),
    ("run", "--trace"),
    ("fmt", "--check"),
)


def invisible(text: str) -> set[str]:
    """The characters of a text that are not shown as themselves; the ends of its lines are none."""
    return {one for one in text if one != "\n" and unicodedata.category(one) in {"Cc", "Cf", "Cs", "Zl", "Zp"}}


def run(*arguments: str, **environment: str) -> subprocess.CompletedProcess[bytes]:
    command = [sys.executable, "-m", "mcm", *arguments]
    return subprocess.run(command, capture_output=True, check=False, env={**os.environ, **environment})


@pytest.mark.slow
@pytest.mark.parametrize("command", COMMANDS, ids=" ".join)
def test_nothing_is_sent_to_a_terminal_that_it_does_not_show(command: tuple[str, ...], tmp_path: Path) -> None:
    named = tmp_path / "a\x1b[2K\u202e\nb.litmus"
    named.write_bytes(TESTS[0].read_bytes())
    ended = run(*command, *map(str, (*TESTS, named, tmp_path / "missing\x1b.litmus")), PYTHONUTF8="1")
    assert ended.returncode == 2
    assert invisible((ended.stdout + ended.stderr).decode()) == set()
    assert b"\\x1b" in ended.stdout + ended.stderr or "json" in command


@pytest.mark.parametrize(
    "arguments",
    [
        ("rules", str(MODEL)),
        ("rules", str(MODEL), "MINE\x1b[2K"),
        ("rules", "NO\x1b[2K"),
        ("check", "-m", "mo\x1b[2Kdel", str(TESTS[0])),
        ("run", "--replay", "@no\x1bfile", str(TESTS[0])),
        ("che\x1bck",),
    ],
    ids=ascii,
)
def test_rules_and_complaints_about_the_command(arguments: tuple[str, ...]) -> None:
    ended = run(*arguments, PYTHONUTF8="1")
    assert ended.returncode in {0, 2}
    assert invisible((ended.stdout + ended.stderr).decode()) == set()
    assert b"\\x1b" in ended.stdout + ended.stderr


def test_carets_stand_under_the_text_behind_an_escape() -> None:
    ended = run("check", str(HOSTILE / "esc_comment.litmus"), PYTHONUTF8="1")
    line, carets = ended.stdout.decode().splitlines()[-2:]
    assert line[carets.index("^") : carets.rindex("^") + 1] == "nosuch"


@pytest.mark.slow
@pytest.mark.parametrize(
    "environment",
    [
        {"LC_ALL": "C", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0"},
        {"PYTHONIOENCODING": "ascii"},
        {"PYTHONIOENCODING": "latin-1"},
        {"PYTHONUTF8": "1"},
    ],
    ids=str,
)
def test_json_is_ascii_and_valid_under_any_encoding(environment: dict[str, str], tmp_path: Path) -> None:
    name = b"caf\xc3\xa9 \xf0\x9f\x98\x80 \xff\x1b\x7f.litmus"  # one byte of it is no UTF-8
    path = os.fsencode(tmp_path) + b"/" + name
    Path(os.fsdecode(path)).write_bytes((HOSTILE / "esc_race.litmus").read_bytes())
    for command in ("check", "run"):
        ended = run(command, "--format", "json", os.fsdecode(path), **environment)
        assert ended.returncode == 0
        assert ended.stdout.isascii()
        assert not set(ended.stdout) & {0x1B, 0x7F}
        document = json.loads(ended.stdout)
        (result,) = document["results" if command == "check" else "runs"]
        assert "\\udcff" in result["file"]
        assert "test" in result


def test_fmt_changes_no_character_of_a_comment() -> None:
    source = HOSTILE / "esc_race.litmus"
    ended = run("fmt", str(source), PYTHONUTF8="1")
    (comment,) = [part.partition("*/")[0] for part in source.read_text(encoding="utf-8").split("/*")[1:]]
    assert comment in ended.stdout.decode()


def test_half_of_a_surrogate_pair_in_a_text_is_shown_escaped() -> None:
    text = (HOSTILE / "esc_race.litmus").read_text(encoding="utf-8").replace("OPENCL t", "OPENCL t\ud800\U0001f600")
    (result,) = check_all(Source("x\udcff", text))
    assert json.loads(render_json([result]))["results"][0]["test"] == "t\\ud800\U0001f600"
    assert render_text(result).startswith("t\\ud800\U0001f600 under")
    assert render_herd(result).startswith("Test t\\ud800\U0001f600 ")
