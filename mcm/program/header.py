"""What a test says about itself: its name, the results that it states for models, and other key lines."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from msgspec import Struct

from mcm.base.compared import PartlyCompared
from mcm.syntax.fingerprint import fingerprint

if TYPE_CHECKING:
    from mcm.base.diagnostic import Diagnostic
    from mcm.base.dialect import Dialect
    from mcm.base.source import Span
    from mcm.syntax.fingerprint import Commented

# The model of an expectation that names none: the default model of the dialect is meant.
DEFAULT_MODEL: Final = "default"


class Expectation(PartlyCompared, frozen=True):
    """A line `Expect.MODEL=…`, or `Without.RULE+RULE@MODEL=…` for the model without the rules in `without`.

    `observation` is Never, Sometimes or Always; `terminates` is False for `may-block`; `defined` states that nothing is
    undefined, of whatever kind. Tables of other tools state that the quantified condition `holds`, or that its
    proposition is `reachable`. What is None is not stated.
    """

    model: str
    observation: str | None
    race: bool | None
    divergence: bool | None
    impl_defined: bool | None
    invalid: bool | None
    span: Span
    without: frozenset[str] = frozenset()
    terminates: bool | None = None
    holds: bool | None = None
    reachable: bool | None = None
    defined: bool | None = None


class Header(Struct, frozen=True):
    """The header of a test. `covers` are rule IDs; `keys` are key lines without a meaning of ours, key and value.

    `is_for_all`: the expectation is about each model that is asked, whichever it names. `written` is the text of the
    test. `diagnostics` say what is wrong with key lines.
    """

    dialect: Dialect
    name: str
    documentation: tuple[str, ...]
    expectations: tuple[Expectation, ...]
    covers: tuple[str, ...]
    keys: tuple[tuple[str, str], ...]
    written: Commented
    diagnostics: tuple[Diagnostic, ...] = ()
    is_for_all: bool = False

    @property
    def bare(self) -> str:
        """The text without comments and white space."""
        return self.written.bare

    @property
    def fingerprint(self) -> str:
        """What identifies the text whatever its comments and layout."""
        return fingerprint(self.bare)
