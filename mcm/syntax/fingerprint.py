"""A hash of the text of a test without comments and white space."""

from __future__ import annotations

from hashlib import blake2b
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from mcm.syntax.ast import Litmus


def fingerprint(tree: Litmus) -> str:
    """Thirty-two hexadecimal digits that stay the same when comments or white space change."""
    text = tree.span.source.text
    kept = []
    position = 0
    for comment in sorted(tree.comments, key=lambda comment: comment.span.start):
        kept.append(text[position : comment.span.start])
        position = max(position, comment.span.end)
    kept.append(text[position:])
    bare = "".join("".join(kept).split())
    return blake2b(bare.encode(errors="surrogatepass"), digest_size=16).hexdigest()
