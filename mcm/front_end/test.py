"""The result of a front end: a test that has been parsed and resolved."""

from __future__ import annotations

from typing import TYPE_CHECKING

from msgspec import Struct

from mcm.base.diagnostic import InputError

if TYPE_CHECKING:
    from mcm.base.diagnostic import Diagnostic
    from mcm.base.source import Source
    from mcm.program.header import Header
    from mcm.program.program import Program
    from mcm.syntax.ast import Litmus

    # The syntax trees of all front ends: another one adds the type of its own.
    Tree = Litmus


class Test(Struct, frozen=True):
    """A valid test: its header, its syntax tree and its program.

    It is read once, and then checked, run, printed and compared. `diagnostics` are warnings, in order of position.
    """

    # pytest would otherwise collect the class in modules that import it.
    __test__ = False

    header: Header
    tree: Tree
    program: Program
    diagnostics: tuple[Diagnostic, ...]

    @property
    def source(self) -> Source:
        """The text."""
        return self.program.source


class InvalidTestError(InputError):
    """The syntax of a test is right, but its program or a key line is not; `header` is its header."""

    def __init__(self, header: Header, *diagnostics: Diagnostic) -> None:
        super().__init__(*diagnostics)
        self.header = header
