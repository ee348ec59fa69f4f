"""A check of a small test loads nothing that takes as long as the check itself."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import click
import msgspec

ROOT = Path(__file__).parents[3]
# Each of these takes long to import: most of them longer than a small test takes to answer.
HEAVY = {
    "asyncio",
    "click",
    "json",
    "lark",
    "locale",
    "multiprocessing",
    "networkx",
    "pathlib",
    "pickle",
    "rich",
    "tomllib",
    "z3",
}


def test_a_check_of_a_small_test_imports_nothing_heavy() -> None:
    # Without the `site` module: what an installation for development puts there imports more than users have.
    packages = {str(ROOT), *(str(Path(one.__file__).parents[1]) for one in (click, msgspec))}
    code = (
        f"import sys; sys.path += {sorted(packages)!r}\n"
        "from mcm.cli.main import main\n"
        "try:\n    main()\n"
        f"finally:\n    print(sorted({HEAVY!r} & set(sys.modules)))"
    )
    test = ROOT / "litmus" / "opencl" / "patterns" / "MP.dv.litmus"
    ended = subprocess.run(
        [sys.executable, "-I", "-S", "-c", code, "check", str(test)],
        capture_output=True,
        text=True,
        check=True,
    )

    assert "as expected" in ended.stdout
    assert ended.stdout.splitlines()[-1] == "[]"
