"""What a test is whatever its comments and layout: its text without comments and white space, and a hash of that."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from mcm.syntax.ast import Litmus


def bare_text(tree: Litmus) -> str:
    """The text of a test without comments and white space."""
    text = tree.span.source.text
    kept = []
    position = 0
    for comment in sorted(tree.comments, key=lambda comment: comment.span.start):
        kept.append(text[position : comment.span.start])
        position = max(position, comment.span.end)
    kept.append(text[position:])
    return "".join("".join(kept).split())


def fingerprint(bare: str) -> str:
    """Thirty-two hexadecimal digits that stay the same when comments or white space change."""
    # Imported here: this loads a library, and few reports show a fingerprint.
    from hashlib import blake2b  # noqa: PLC0415

    return blake2b(bare.encode(errors="surrogatepass"), digest_size=16).hexdigest()
