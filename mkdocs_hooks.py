"""What mkdocs calls while it builds the site: made pages join the written ones, links find them."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from mkdocs.structure.files import File, Files

from site_pages.files import linked_pages, relinked
from site_pages.models import model_pages
from site_pages.page import with_bars
from site_pages.rules import rule_pages
from site_pages.shipped_tests import covering_tests

if TYPE_CHECKING:
    from collections.abc import Iterator

    from mkdocs.config.defaults import MkDocsConfig
    from mkdocs.structure.pages import Page as SitePage

    from site_pages.page import Page


def on_files(files: Files, config: MkDocsConfig) -> Files:
    """Adds the pages that are made."""
    for page in _made(_root(config), Path(config.docs_dir)):
        files.append(File.generated(config, page.path, content=page.text))
    return files


def on_page_markdown(markdown: str, page: SitePage, config: MkDocsConfig, files: Files) -> str:  # noqa: ARG001 -- mkdocs calls it so
    """Leads links that leave `docs/` to the pages of their files, and shows bars in tables as they are."""
    if page.file.generated_by is not None:
        return markdown
    file = Path(config.docs_dir) / page.file.src_uri
    return relinked(with_bars(markdown), file, page.file.src_uri, _root(config), Path(config.docs_dir))


def _root(config: MkDocsConfig) -> Path:
    return Path(config.config_file_path).resolve().parent


def _made(root: Path, docs: Path) -> Iterator[Page]:
    tests = covering_tests(root)
    yield from rule_pages(tests)
    yield from model_pages()
    linked_tests = dict.fromkeys(test.path for covering in tests.values() for test in covering)
    yield from linked_pages(sorted(docs.rglob("*.md")), linked_tests, root, docs)
