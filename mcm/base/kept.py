"""What was computed in an earlier run, kept in the user's own folder as long as what it was made from is the same.

The folder belongs to the user alone (see `grammar_file`), so what is read back is trusted. Damage is found out.
"""

from __future__ import annotations

import os
import pickle
import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final
from zlib import crc32

from mcm.base.grammar_file import table_path

if TYPE_CHECKING:
    from collections.abc import Iterable

# When this process read the files that values are made from, or just before.
_STARTED: Final = time.time()
_JUST_BEFORE: Final = 2.0


class Origin:
    """What a value is made from: files, known by name, size and time, and texts."""

    def __init__(self, paths: Iterable[Path], *texts: str) -> None:
        stats = {str(path): path.stat() for path in paths}
        files = [(name, stat.st_size, stat.st_mtime_ns) for name, stat in stats.items()]
        self.signature = pickle.dumps((sys.version, files, texts))
        self._changed = max(stat.st_mtime for stat in stats.values())

    @property
    def is_settled(self) -> bool:
        """Whether nothing changed since the process began, so that a value made now is made from this."""
        return self._changed < _STARTED - _JUST_BEFORE


def recall(name: str, origin: Origin) -> Any:
    """The value kept under this name; None when there is none, or it is out of date or damaged."""
    path = table_path(name)
    if path is None:
        return None
    try:
        stored = Path(path).read_bytes()
        content = stored[len(origin.signature) :]
        if stored.startswith(origin.signature) and content.startswith(_check(content[4:])):
            return pickle.loads(content[4:])  # noqa: S301 - our own file, in a folder of the user's own
    except Exception:  # noqa: BLE001, S110 - whatever is wrong with the file, the value can be made anew
        pass
    return None


def keep(name: str, origin: Origin, value: Any) -> None:
    """Keep a value. That it cannot be kept is no error."""
    path = table_path(name)
    if path is None or not origin.is_settled:
        return
    try:
        content = pickle.dumps(value, protocol=5)
        unfinished = Path(f"{path}.{os.getpid()}")
        unfinished.write_bytes(origin.signature + _check(content) + content)
        unfinished.replace(path)
    except (OSError, RecursionError, pickle.PicklingError):
        return


def _check(content: bytes) -> bytes:
    return crc32(content).to_bytes(4, "big")
