"""What a test is whatever its comments and layout: its text without comments and white space, and a hash of that."""

from __future__ import annotations

from typing import TYPE_CHECKING

from msgspec import Struct

if TYPE_CHECKING:
    from mcm.base.source import Span
    from mcm.syntax.ast import Litmus


class Commented(Struct, frozen=True):
    """A text with the spans of its comments, in order."""

    text: str
    comments: tuple[Span, ...]

    @property
    def bare(self) -> str:
        """The text without comments and white space."""
        kept = []
        position = 0
        for comment in self.comments:
            kept.append(self.text[position : comment.start])
            position = max(position, comment.end)
        kept.append(self.text[position:])
        return "".join("".join(kept).split())


def commented(tree: Litmus) -> Commented:
    """The text of a test; comments that stand in another text, as in an option, are none of it."""
    source = tree.span.source
    spans = [comment.span for comment in tree.comments if comment.span.source is source]
    return Commented(source.text, tuple(sorted(spans, key=lambda span: span.start)))


def fingerprint(bare: str) -> str:
    """Thirty-two hexadecimal digits that stay the same when comments or white space change."""
    # Imported here: this loads a library, and few reports show a fingerprint.
    from hashlib import blake2b  # noqa: PLC0415

    return blake2b(bare.encode(errors="surrogatepass"), digest_size=16).hexdigest()
