"""Loading of small models from text."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from mcm.base.diagnostic import InputError
from mcm.base.source import Source
from mcm.cat.load import load
from mcm.cat.scope import Vocabulary

if TYPE_CHECKING:
    from collections.abc import Callable

    from mcm.base.diagnostic import Diagnostic
    from mcm.cat.model import Model

VOCABULARY = Vocabulary(
    frozenset({"R", "W", "M", "IW", "F", "A", "SC"}), frozenset({"po", "rf", "mo", "loc", "int", "ext"}), {"co": "mo"}
)
PRELUDE = Source("stdlib.cat", "let id = [_]\nlet fr = (rf^-1 ; mo) \\ id\nlet toid(S) = [S]\nlet emptyrel = 0")


def load_text(text: str, **files: str) -> Model:
    def read_include(name: str) -> Source | None:
        found = files.get(name.removesuffix(".cat"))
        return None if found is None else Source(name, found)

    return load(Source("m.cat", text), "m", read_include, VOCABULARY, PRELUDE)


@pytest.fixture
def model() -> Callable[..., Model]:
    return load_text


@pytest.fixture
def complaints() -> Callable[..., tuple[Diagnostic, ...]]:
    def complaints_of(text: str, **files: str) -> tuple[Diagnostic, ...]:
        with pytest.raises(InputError) as caught:
            load_text(text, **files)
        return caught.value.diagnostics

    return complaints_of
