"""What looks through pages finds what is wrong with them."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any
from urllib.parse import unquote, urlparse

import pytest
from open_pages import faults

pytestmark = pytest.mark.slow

Pages = Callable[..., str]
Browser = Any


def test_faults_are_found(browser: Browser, pages: Pages, tmp_path: Path) -> None:
    address = pages("opencl/patterns/MP")
    text = Path(unquote(urlparse(address).path)).read_text(encoding="utf-8")
    wrong = tmp_path / "wrong.html"
    wrong.write_text(text.replace('class="node', 'class="nothing').replace(">write x = 1<", f">{'long ' * 90}<"))

    found = list(faults(browser, wrong.as_uri()))

    assert list(faults(browser, address)) == []
    assert any("an empty picture" in fault for fault in found)
    assert any("leaves the picture" in fault for fault in found)
