"""Where the grammars are, and where the parser tables made from them may be kept."""

from __future__ import annotations

import os
import sys
from pathlib import Path

_PACKAGE = Path(__file__).resolve().parent.parent
# In a checkout, and so in an editable installation, the grammars lie beside the package; else inside it.
_FOLDERS = (_PACKAGE.parent / "grammar", _PACKAGE / "grammar")


def grammar_text(name: str) -> str:
    """The text of `grammar/NAME.lark`, from the source tree or from the installed package."""
    for folder in _FOLDERS:
        path = folder / f"{name}.lark"
        if path.is_file():
            return path.read_text(encoding="utf-8")
    message = f"{name}.lark is in neither of {', '.join(map(str, _FOLDERS))}"
    raise FileNotFoundError(message)


def table_path(name: str) -> str | None:
    """A path for the cached parser table of a grammar; None when no private directory can be written.

    The directory belongs to the user alone, because what is read back from it is trusted.
    """
    directory = _cache_directory()
    try:
        directory.mkdir(parents=True, exist_ok=True, mode=0o700)
    except OSError:
        return None
    if not os.access(directory, os.W_OK | os.X_OK):
        return None
    return str(directory / f"{name}-{sys.version_info.major}.{sys.version_info.minor}.table")


def _cache_directory() -> Path:
    explicit = os.environ.get("MCM_CACHE_DIR")
    if explicit:
        return Path(explicit)
    try:
        home = Path.home()
    except RuntimeError:
        return Path(os.devnull) / "mcm"
    if sys.platform == "win32":
        base = os.environ.get("LOCALAPPDATA") or home / "AppData" / "Local"
    elif sys.platform == "darwin":
        base = home / "Library" / "Caches"
    else:
        base = os.environ.get("XDG_CACHE_HOME") or home / ".cache"
    return Path(base) / "mcm"
