from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from collections.abc import Callable

pytestmark = pytest.mark.slow

TRANSCRIPTS = sorted(Path(__file__).parent.glob("*.transcript"))


@pytest.mark.parametrize("path", TRANSCRIPTS, ids=lambda path: path.stem)
def test_commands_do_what_they_did(path: Path, transcript: Callable[[Path], None]) -> None:
    transcript(path)


def test_there_are_transcripts() -> None:
    assert {"check", "explain", "formats", "help", "mistakes", "models", "verdicts"} <= {
        path.stem for path in TRANSCRIPTS
    }
