"""The texts that mutations begin with: what is shipped, and what was found before."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import Final

ROOT: Final = Path(__file__).resolve().parents[2]
FOUND: Final = Path(__file__).parent / "found"


@cache
def tests() -> tuple[str, ...]:
    """The litmus files, those that must be rejected too."""
    files = (*(ROOT / "litmus").rglob("*.litmus"), *FOUND.glob("*.litmus"))
    return tuple(path.read_text(encoding="utf-8") for path in sorted(files))


@cache
def sycl_tests() -> tuple[str, ...]:
    """The litmus files in SYCL."""
    return tuple(text for text in tests() if text.lstrip().startswith("SYCL"))


@cache
def small_tests() -> tuple[str, ...]:
    """Those that engines answer quickly, most of them: no kernels of many items, nothing that must be rejected."""
    folders = ("opencl/patterns", "opencl/races", "opencl/spec", "opencl/separators", "opencl/barriers", "c11")
    files = sorted(path for folder in folders for path in (ROOT / "litmus" / folder).rglob("*.litmus"))
    texts = (path.read_text(encoding="utf-8") for path in files)
    return tuple(text for text in texts if len(text) < 2000)


@cache
def models() -> tuple[str, ...]:
    """The cat files, and one with what they do not use."""
    files = (
        *(ROOT / "mcm" / "catalogue").glob("*.cat"),
        *FOUND.glob("*.cat"),
        Path(__file__).parent / "functional.cat",
    )
    return tuple(path.read_text(encoding="utf-8") for path in sorted(files))
