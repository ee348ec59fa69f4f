"""The built-in models by name, and models from files."""

from __future__ import annotations

from functools import cache
from os.path import dirname, join
from typing import TYPE_CHECKING, Final

from mcm.base.diagnostic import Diagnostic, InputError
from mcm.base.dialect import DIALECTS
from mcm.base.source import Source, Span
from mcm.base.suggest import did_you_mean
from mcm.catalogue import expanded

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from pathlib import Path

    from mcm.cat.model import Model
    from mcm.cat.scope import Vocabulary
    from mcm.program.program import Extent

_FOLDER: Final = dirname(__file__)
_PRELUDE: Final = "stdlib.cat"

# The longest model: the built-in ones stay below 20,000.
MOST_BYTES: Final = 1_000_000

# In the order in which they are listed: OpenCL by version, its variants, the others by strength.
_NAMES: Final = (
    "opencl-2.0",
    "opencl-2.0-cond",
    "opencl-3.0",
    "opencl-3.0+sc-both",
    "opencl-3.1",
    "opencl-scoped",
    "opencl-popl",
    "sycl-2020",
    "sycl-2020+literal",
    "sycl-next",
    "c11",
    "c11-simp",
    "rc11",
    "c20",
    "sc",
)
# The dates of the texts that the models state, with their versions where they have such.
MODEL_DATES: Final = {
    "opencl-2.0": "2017 (v2.2-3)",
    "opencl-2.0-cond": "2016-01 (POPL)",
    "opencl-3.0": "2025-07 (v3.0.19)",
    "opencl-3.0+sc-both": "2025-07 (v3.0.19)",
    "opencl-3.1": "2026-05-22 (v3.1.1)",
    "opencl-scoped": "2016-01 (POPL)",
    "opencl-popl": "2016-01 (POPL)",
    "sycl-2020": "2026-08 (revision 12)",
    "sycl-2020+literal": "2026-08 (revision 12)",
    "sycl-next": "2026-08 (draft)",
    "c11": "2011 (ISO/IEC 9899)",
    "c11-simp": "2016-01 (POPL)",
    "rc11": "2017-06 (PLDI)",
    "c20": "2020 (ISO/IEC 14882)",
    "sc": "1979",
}
_OTHER_NAMES: Final = {"c++11": "c11", "c++20": "c20", "sycl2020": "sycl-2020", "sycl": "sycl-2020"}


class UnknownModelError(InputError):
    """There is no built-in model of this name; the message suggests one."""

    def __init__(self, name: str) -> None:
        # Where several are as near, the default model of a dialect is meant.
        words = (*(dialect.default_model for dialect in DIALECTS), *_NAMES, *_OTHER_NAMES)
        message = f"unknown model '{name}'{did_you_mean(name, words)}"
        super().__init__(Diagnostic("E400", message, Span(Source(name, ""), 0, 0)))


def names() -> tuple[str, ...]:
    """The names of the built-in models."""
    return _NAMES


@cache
def get(name: str) -> Model:
    """The built-in model of this name; raises UnknownModelError."""
    name = _OTHER_NAMES.get(name, name)
    if name not in _NAMES:
        raise UnknownModelError(name)
    found = expanded.read(name, _source)
    return load_text(name)[0] if found is None else found


@cache
def get_for(name: str, extent: Extent) -> Model:
    """The built-in model of this name for programs of this extent; raises UnknownModelError."""
    if extent == "whole":
        return get(name)
    found = expanded.read(_OTHER_NAMES.get(name, name), _source, extent)
    # Where it would be no smaller than for the next larger extent, there are no data.
    return get_for(name, "memory" if extent == "accesses" else "whole") if found is None else found


def load_text(name: str) -> tuple[Model, list[Source]]:
    """The built-in model of this name, read from its cat file, and all texts that it was read from."""
    sources = [_source(f"{name}.cat"), _source(_PRELUDE)]

    def read(path: Path) -> str | None:
        text = text_of(path)
        if text is not None:
            sources.append(Source(path.name, text))
        return text

    return _load(sources[0], name, (), read), sources


def load_file(path: Path, read: Callable[[Path], str | None] | None = None, folders: Sequence[str] = ()) -> Model:
    """The model in a file; it may include files of its folder, of `folders`, and those of the built-in models.

    `read` gives the text of a file, None where there is none. Raises InputError when the text is not a model, or
    cannot be read.
    """
    read = read or text_of
    text = read(path)
    if text is None:
        raise _unreadable(path, "no such file")
    return _load(Source(str(path), text), path.stem, (str(path.parent), *folders), read)


def text_of(path: Path) -> str | None:
    """The text of a file, None where there is none; InputError when it cannot be read, or is too long."""
    try:
        if path.exists() and not path.is_file() and not path.is_fifo():
            raise _unreadable(path, "not a regular file")
        with path.open("rb") as stream:
            # One byte more than the limit shows that the file is too large, without reading all of it.
            content = stream.read(MOST_BYTES + 1)
        if len(content) > MOST_BYTES:
            raise _unreadable(path, f"more than the limit of {MOST_BYTES} bytes for a model")
        return content.decode("utf-8-sig").replace("\r\n", "\n").replace("\r", "\n")
    except FileNotFoundError:
        return None
    except OSError as error:
        raise _unreadable(path, f"cannot be read: {(error.strerror or str(error)).lower()}") from None
    except UnicodeDecodeError as error:
        raise _unreadable(path, f"not UTF-8 text (offset {error.start})") from None
    except ValueError:
        raise _unreadable(path, "no file can have this name") from None


def _unreadable(path: Path, message: str) -> InputError:
    return InputError(Diagnostic("E401", message, Span(Source(str(path), ""), 0, 0)))


def _load(source: Source, name: str, folders: Sequence[str], read: Callable[[Path], str | None]) -> Model:
    # Imported here: built-in models need no parser.
    from pathlib import Path  # noqa: PLC0415

    from mcm.cat.load import load  # noqa: PLC0415

    our_folder = Path(_FOLDER)

    # Built-in models are read for themselves, without folders of others.
    ours = [] if folders else [source]

    def read_include(path: str) -> Source | None:
        for folder in map(Path, folders):
            text = read(folder / path) if _is_within(folder, path) else None
            if text is not None:
                return Source(str(folder / path), text)
        text = read(our_folder / path) if path != _PRELUDE and _is_within(our_folder, path) else None
        if text is None:
            return None
        ours.append(Source(path, text))
        return ours[-1]

    def is_built_in(one: Source) -> bool:
        return any(one is other for other in ours)

    return load(source, name, read_include, vocabulary(), _source(_PRELUDE), is_built_in)


def _is_within(folder: Path, path: str) -> bool:
    """Whether a path that a model includes leads to a place in a folder: models of strangers read nothing else."""
    try:
        return (folder / path).resolve().is_relative_to(folder.resolve())
    except (OSError, ValueError):  # no file can be called so
        return False


def vocabulary() -> Vocabulary:
    """The base names that models are written in."""
    from mcm.cat.scope import Vocabulary  # noqa: PLC0415 - see `_load`
    from mcm.execution.vocabulary import ALIASES, RELATIONS, SETS  # noqa: PLC0415

    return Vocabulary(frozenset(SETS), frozenset(RELATIONS), ALIASES)


def _source(name: str) -> Source:
    """A file of the package."""
    with open(join(_FOLDER, name), encoding="utf-8") as stream:
        return Source(name, stream.read())
