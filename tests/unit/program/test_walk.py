from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from mcm.base.diagnostic import InputError
from mcm.front_end.read import read_test
from mcm.program.instruction import Arm, Statement, Written
from mcm.program.walk import walk, walk_statements
from mcm.syntax.read import read_source

if TYPE_CHECKING:
    from collections.abc import Iterator

SHIPPED = Path(__file__).resolve().parents[3] / "litmus" / "opencl"


def every_part(node: Written) -> Iterator[Written]:
    yield node
    for name in type(node).__annotations__:
        value = getattr(node, name)
        for part in value if isinstance(value, tuple) else (value,):
            if isinstance(part, Written):
                yield from every_part(part)


def test_nothing_is_passed_over() -> None:
    kinds = set()
    for path in SHIPPED.rglob("*.litmus"):
        source = read_source(path)
        try:
            program = read_test(source).program
        except InputError:
            continue
        for thread in program.threads:
            nodes = list(walk(thread.body))
            assert list(map(id, nodes)) == list(map(id, every_part(thread.body)))
            kinds.update(map(type, nodes))
            statements = [node for node in nodes if isinstance(node, Statement | Arm)]
            assert list(map(id, walk_statements(thread.body))) == list(map(id, statements))
    assert len(kinds) > 20
