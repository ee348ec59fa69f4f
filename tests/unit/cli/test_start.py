"""A check of a small test loads nothing that takes as long as the check itself."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import click
import msgspec
import pytest

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
# Of ours, what is for programs that have a certain construct, and for questions that a check does not ask.
FOR_OTHERS = {
    "mcm.answer.execution",
    "mcm.cli.check",
    "mcm.cli.group",
    "mcm.engine.explicit.circular_results",
    "mcm.engine.explicit.exchanges",
    "mcm.engine.explicit.specialise",
    "mcm.engine.explicit.unfinished",
    "mcm.engine.explicit.witness",
    "mcm.execution.command_sets",
    "mcm.program.resolve.blocks",
    "mcm.program.resolve.copies",
    "mcm.program.resolve.functions",
    "mcm.program.resolve.integer_functions",
    "mcm.program.resolve.pointer_functions",
    "mcm.program.resolve.plan",
    "mcm.sycl.foreign",
}
SMALL = [
    "litmus/opencl/patterns/MP.dv.litmus",
    "litmus/c11/MP+rel+acq.litmus",
    "litmus/sycl/patterns/MP+rel+acq.device.litmus",
]


@pytest.mark.parametrize("file", SMALL)
def test_a_check_of_a_small_test_imports_nothing_heavy(file: str) -> None:
    # Without the `site` module: what an installation for development puts there imports more than users have.
    packages = {str(ROOT), *(str(Path(one.__file__).parents[1]) for one in (click, msgspec))}
    code = (
        f"import sys; sys.path += {sorted(packages)!r}\n"
        "from mcm.cli.main import main\n"
        "try:\n    main()\n"
        f"finally:\n    print(sorted({HEAVY | FOR_OTHERS!r} & set(sys.modules)))"
    )
    ended = subprocess.run(
        [sys.executable, "-I", "-S", "-c", code, "check", str(ROOT / file)],
        capture_output=True,
        text=True,
        check=True,
    )

    assert "as expected" in ended.stdout
    assert ended.stdout.splitlines()[-1] == "[]"
