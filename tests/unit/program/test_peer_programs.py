from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from conftest import Resolve

PEERS = Path(__file__).parents[4] / "shared" / "peers"


@pytest.mark.skipif(not PEERS.is_dir(), reason="the peer tests are not beside this checkout")
def test_every_peer_test_resolves(resolved: Resolve) -> None:
    paths = sorted(PEERS.rglob("*.litmus"))
    assert len(paths) > 100
    for path in paths:
        program = resolved(path.read_text(encoding="utf-8"))
        assert program.condition is not None, path
        assert not any(d.is_error for d in program.diagnostics), path
