from __future__ import annotations

from mcm.execution.event import EventKind
from mcm.picture.scene import NodeKind


def test_every_event_can_be_drawn() -> None:
    others = {NodeKind.WAIT.value, NodeKind.FAULT.value}

    assert {kind.value for kind in EventKind} == {kind.value for kind in NodeKind} - others
