"""Texts through the command, in a process of its own with limits that the system enforces."""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
import unicodedata
from pathlib import Path
from typing import Final
from zlib import crc32

from fuzz import corpus
from fuzz.complaint import CounterexampleError

# Processor time and memory, so that a busy machine makes nothing fail.
_LIMITED: Final = (
    "import resource; resource.setrlimit(resource.RLIMIT_CPU, (90, 90)); "
    "resource.setrlimit(resource.RLIMIT_DATA, (3 << 30, 3 << 30)); "
    "from mcm.cli.main import main; main()"
)
_WAYS: Final = (
    ("check", "--timeout", "5"),
    ("check", "--timeout", "5", "--format", "json"),
    ("check", "--timeout", "5", "--format", "herd", "--engine", "smt"),
    ("check", "--timeout", "5", "--run"),
    ("fmt",),
    ("run", "--runs", "50"),
)
_OWN_CODES: Final = {0, 1, 2, 3}
_UNSHOWN: Final = {"Cc", "Cf", "Cs", "Zl", "Zp"}


def answers(text: str) -> None:
    """The command ends in one of its own exit codes, in time, and prints what a terminal may be sent."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "t.litmus"
        path.write_bytes(text.encode("utf-8", "surrogatepass"))
        _run(*_WAYS[crc32(text.encode("utf-8", "surrogatepass")) % len(_WAYS)], str(path))


def judges(text: str) -> None:
    """The same for a model, with one test."""
    with tempfile.TemporaryDirectory() as folder:
        model, test = Path(folder) / "m.cat", Path(folder) / "t.litmus"
        model.write_bytes(text.encode("utf-8", "surrogatepass"))
        test.write_text(corpus.small_tests()[0], encoding="utf-8")
        _run("check", "--timeout", "5", "--model", str(model), str(test))


def obeys(text: str) -> None:
    """The same for settings, with one test."""
    with tempfile.TemporaryDirectory() as folder:
        (Path(folder) / "mcm.toml").write_bytes(text.encode("utf-8", "surrogatepass"))
        (Path(folder) / "t.litmus").write_text(corpus.small_tests()[0], encoding="utf-8")
        _run("check", "t.litmus", folder=folder)


def _run(*arguments: str, folder: str | None = None) -> None:
    ended = subprocess.run(
        [sys.executable, "-c", _LIMITED, *arguments],
        capture_output=True,
        check=False,
        stdin=subprocess.DEVNULL,
        cwd=folder,
    )
    out, err = ended.stdout.decode(errors="replace"), ended.stderr.decode(errors="replace")
    if ended.returncode not in _OWN_CODES:
        last = next((line for line in reversed(err.splitlines()) if "Error" in line), "")
        kind = f"{arguments[0]} ends in {ended.returncode} {last.partition(':')[0]}"
        raise CounterexampleError(kind, f"{' '.join(arguments)}\n{err[-4000:]}")
    if "json" in arguments:
        json.loads(out)
    shown = err if arguments[0] == "fmt" else out + err
    if any(one not in "\n\t" and unicodedata.category(one) in _UNSHOWN for one in shown):
        raise CounterexampleError("control characters are printed", shown)
