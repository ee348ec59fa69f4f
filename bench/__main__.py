"""`python -m bench`: measure families of litmus tests, or write their files."""

from __future__ import annotations

import argparse
import json
import sys
from dataclasses import asdict
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Final

from bench.contender import ENGINES, peer
from bench.measure import Plan, Point, rows
from bench.registry import FAMILIES
from bench.table import heading, line, summary

if TYPE_CHECKING:
    from collections.abc import Sequence

    from bench.contender import Peer
    from bench.family import Family
    from bench.measure import Row

_DEFAULT_ENGINES: Final = ("explicit", "smt", "auto")
_EPILOG: Final = """\
examples:
  python -m bench --family SB+rlx --family ISA2 --sizes 2,4,8,16
  python -m bench --engine auto --peer 'herd7 -model rc11.cat {file}'
  python -m bench --write families

A time is the median of several runs, each in a process of its own; all contenders take turns. `engine` is the time from
the elaborated test to the answer, `command` that of the whole command `mcm check`. `growth` is the factor for one step
of size. A family stops growing for a contender where it passes the limit.

exit code: 0 everything was measured (passing the limit is a measurement), 1 something failed or answers are wrong or
differ, 2 bad usage"""


def main() -> int:
    """Do what the command line asks for."""
    arguments = _parser().parse_args()
    families = [FAMILIES[name] for name in dict.fromkeys(arguments.family or FAMILIES)]
    if arguments.write:
        return _write(families, arguments.sizes, arguments.write)
    engines = [ENGINES[name] for name in dict.fromkeys(arguments.engine or _DEFAULT_ENGINES)]
    contenders = (*engines, *([arguments.peer] if arguments.peer else []))
    plan = Plan(contenders, arguments.sizes, arguments.limit, arguments.repeat)
    measured = _measure(families, plan)
    print(summary(measured, plan))
    if arguments.json:
        arguments.json.write_text(json.dumps(_as_json(measured, plan), indent=2) + "\n", encoding="utf-8")
    complaints = [complaint for row in measured for complaint in row.complaints]
    for complaint in complaints:
        print(complaint, file=sys.stderr)
    return 1 if complaints else 0


def _measure(families: Sequence[Family], plan: Plan) -> list[Row]:
    measured = []
    with TemporaryDirectory() as folder:
        for family in families:
            print(heading(family, plan))
            for row in rows(family, plan, Path(folder)):
                print(line(row, plan), flush=True)
                measured.append(row)
            print()
    return measured


def _write(families: Sequence[Family], sizes: Sequence[int], folder: Path) -> int:
    folder.mkdir(parents=True, exist_ok=True)
    for family in families:
        for size in sizes:
            if size >= family.smallest:
                (folder / f"{family.name}.{size}.litmus").write_text(family.litmus(size), encoding="utf-8")
    return 0


def _as_json(measured: Sequence[Row], plan: Plan) -> dict[str, object]:
    """Everything that was measured; `past limit` and reasons of failure are words."""
    return {
        "limit": plan.limit,
        "repeat": plan.repeat,
        "rows": [
            {
                "family": row.family.name,
                "model": row.family.model,
                "size": row.size,
                "outcomes": {
                    name: asdict(outcome) if isinstance(outcome, Point) else str(outcome)
                    for name, outcome in row.outcomes.items()
                },
                "complaints": row.complaints,
            }
            for row in measured
        ],
    }


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="python -m bench",
        description="Measure how mcm's engines grow with the size of a test.",
        epilog=_EPILOG,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--family", action="append", choices=FAMILIES, metavar="NAME", help=", ".join(FAMILIES))
    parser.add_argument("--engine", action="append", choices=ENGINES, help="default: all but cadical, which is smt too")
    parser.add_argument("--limit", type=_positive, default=30.0, metavar="SECONDS", help="for one run (default: 30)")
    parser.add_argument("--sizes", type=_sizes, default=_sizes("2..12"), help="such as 2..12 or 2,4,8 (default: 2..12)")
    parser.add_argument("--peer", type=_peer, metavar="COMMAND", help="another tool to run in turn with ours")
    parser.add_argument("--repeat", type=_count, default=3, metavar="RUNS", help="of each point (default: 3)")
    parser.add_argument("--json", type=Path, metavar="FILE", help="write the measurements there too")
    parser.add_argument("--write", type=Path, metavar="DIR", help="write the litmus files there, and measure nothing")
    return parser


def _sizes(words: str) -> tuple[int, ...]:
    """Sizes from `2..6,8`: single numbers and ranges, each size once and in order."""
    found: set[int] = set()
    for part in words.split(","):
        first, dots, last = part.partition("..")
        found.update(range(_count(first), _count(last if dots else first) + 1))
    if not found:
        raise argparse.ArgumentTypeError(f"'{words}' is an empty range")
    return tuple(sorted(found))


def _count(words: str) -> int:
    if not words.isdecimal() or int(words) < 1:
        raise argparse.ArgumentTypeError(f"'{words}' is no positive whole number")
    return int(words)


def _positive(words: str) -> float:
    try:
        number = float(words)
    except ValueError:
        number = 0.0
    if not 0 < number < float("inf"):
        raise argparse.ArgumentTypeError(f"'{words}' is no positive number")
    return number


def _peer(command: str) -> Peer:
    try:
        return peer(command)
    except ValueError as error:
        raise argparse.ArgumentTypeError(str(error)) from error


if __name__ == "__main__":
    sys.exit(main())
