"""A headless Chromium that opens pages, as Debian packages it; without one, these tests say that they are skipped."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from driven_browser import NEEDS, driven

from mcm import Options, render_page
from mcm.session import Session

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from driven_browser import Browser

LITMUS = Path(__file__).parents[2] / "litmus"


@pytest.fixture(scope="session")
def chromium() -> Iterator[Browser]:
    try:
        with driven() as browser:
            yield browser
    except (ImportError, FileNotFoundError):
        pytest.skip(NEEDS)


@pytest.fixture
def browser(chromium: Browser) -> Iterator[Browser]:
    yield chromium
    chromium.command("Emulation.setEmulatedMedia", media="", features=[])
    chromium.command("Emulation.setScriptExecutionDisabled", value=False)


@pytest.fixture(scope="session")
def pages(tmp_path_factory: pytest.TempPathFactory) -> Callable[..., str]:
    """Writes the page of a test, given by its file or its text, under some models; gives its address."""
    folder = tmp_path_factory.mktemp("pages")
    session = Session()
    known: dict[tuple[object, ...], str] = {}

    def write(test: str | Path, *models: str) -> str:
        key = test, *models
        if key not in known:
            file = test if isinstance(test, Path) else LITMUS / f"{test}.litmus"
            page = session.page(file, Options(models=models))
            path = folder / f"page{len(known)}.html"
            path.write_text(render_page(page), encoding="utf-8")
            known[key] = path.as_uri()
        return known[key]

    return write
