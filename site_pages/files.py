"""Pages for what lies outside `docs/` and is linked from there: tests, models, grammars, folders, other documents."""

from __future__ import annotations

import os
import re
from typing import TYPE_CHECKING

import mcm
from site_pages.page import Page, fenced, plain

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from pathlib import Path

FOLDER = "files"
LINK = re.compile(r"\]\((?P<target>[^)\s#:]+)(?P<anchor>#[^)\s]*)?\)")
LANGUAGES = {".litmus": "c", ".cl": "c", ".cat": "ocaml", ".py": "python"}


def page_of(path: Path, root: Path) -> str:
    """Where the page of a file or folder of the checkout stands: another document keeps its name."""
    relative = path.relative_to(root).as_posix()
    if path.suffix == ".md":
        return f"{FOLDER}/{relative}"
    return f"{FOLDER}/{relative}/index.md" if path.is_dir() else f"{FOLDER}/{relative}.md"


def links_out(text: str, file: Path, root: Path, docs: Path) -> Iterator[tuple[re.Match[str], Path]]:
    """The links of a document that lead out of `docs/`, each with the file or folder that it leads to."""
    for link in LINK.finditer(text):
        target = (file.parent / link["target"]).resolve()
        if target.is_relative_to(root) and target.exists() and not target.is_relative_to(docs):
            yield link, target


def relinked(text: str, file: Path, page: str, root: Path, docs: Path) -> str:
    """The text of a document that stands as `page` on the site: what is outside `docs/` is linked as its page."""
    at = os.path.dirname(page)  # noqa: PTH120 -- a place on the site is no path of a file

    def link(found: re.Match[str]) -> str:
        target = (file.parent / found["target"]).resolve()
        if not target.is_relative_to(root) or not target.exists():
            return found[0]
        inside = target.is_relative_to(docs)
        place = target.relative_to(docs).as_posix() if inside else page_of(target, root)
        return f"]({os.path.relpath(place, at or '.')}{found['anchor'] or ''})"

    return LINK.sub(link, text)


def linked_pages(documents: Iterable[Path], tests: Iterable[str], root: Path, docs: Path) -> Iterator[Page]:
    """A page for each file and folder that these documents link to, for the tests, and for what those link to."""
    waiting = [root / path for path in tests]
    for document in documents:
        waiting += (target for _, target in links_out(document.read_text(encoding="utf-8"), document, root, docs))
    made: set[Path] = set()
    while waiting:
        path = waiting.pop()
        if path in made:
            continue
        made.add(path)
        page = page_of(path, root)
        if path.is_dir():
            inside = sorted(child for child in path.iterdir() if child.suffix in LANGUAGES)
            waiting += inside
            yield Page(page, _folder(path, inside, root))
        elif path.suffix == ".md":
            text = path.read_text(encoding="utf-8")
            waiting += (target for _, target in links_out(text, path, root, docs))
            yield Page(page, relinked(text, path, page, root, docs))
        else:
            yield Page(page, "\n".join(_file(path, root)))


def _folder(path: Path, inside: Iterable[Path], root: Path) -> str:
    lines = [f"- [{plain(child.name)}]({child.name}.md){_about(child)}" for child in inside]
    return "\n".join((f"# {plain(path.relative_to(root).as_posix())}", "", *lines, ""))


def _about(path: Path) -> str:
    """What a test says of itself, after a colon."""
    if path.suffix != ".litmus":
        return ""
    try:
        documentation = mcm.parse(str(path)).header.documentation
    except mcm.InputError:
        return ""
    return f": {plain(' '.join(documentation))}" if documentation else ""


def _file(path: Path, root: Path) -> Iterator[str]:
    relative = path.relative_to(root).as_posix()
    yield f"# {plain(path.name)}\n\n`{relative}`\n"
    yield fenced(path.read_text(encoding="utf-8"), LANGUAGES.get(path.suffix, "text"))
    if path.suffix == ".litmus":
        yield f"## What mcm says\n\n`mcm check {relative}`\n"
        yield fenced(_answer(path, relative), "text")


def _answer(path: Path, relative: str) -> str:
    source = mcm.Source(relative, path.read_text(encoding="utf-8"))
    (result,) = mcm.check_all(source)
    return mcm.render_text(result)
