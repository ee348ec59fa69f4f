"""Pages of long files: what is wrong stands in sight, in the listing and in a picture larger than its frame."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from pathlib import Path

Pages = Callable[..., str]
Browser = Any

pytestmark = pytest.mark.slow

# The first work-item writes at once what the last one reads at its end.
LONG = """OPENCL far-apart
{ int a[4]; int b[64]; }
FILLING
kernel k (global int* a, global int* b) {
  int i = get_global_id(0);
  if (i == 0) { a[0] = 1; }
  for (int n = 0; n < 9; n++) { b[16 * i + n] = n; }
  if (i == 3) { int r = a[0]; }
}
launch k global 4, local 1;
exists (a[0]=1)
"""
_IN_SIGHT = """
const inside = (part, frame) => {
  const box = part.getBoundingClientRect(), seen = frame.getBoundingClientRect();
  return box.top >= seen.top && box.bottom <= seen.bottom && box.left < seen.right && box.right > seen.left;
};
const nodes = [...document.querySelectorAll("figure.on .node.marked")];
const lines = nodes.map((node) => document.querySelector(`.source .line[data-line="${node.dataset.line}"]`));
return [nodes.some((node) => inside(node, document.querySelector("figure.on .scroll"))),
        lines.some((line) => inside(line, document.querySelector(".source")))];
"""


@pytest.mark.parametrize("width", [400, 1280])
def test_a_problem_far_down_is_in_sight(browser: Browser, pages: Pages, tmp_path: Path, width: int) -> None:
    test = tmp_path / "far.litmus"
    test.write_text(LONG.replace("FILLING", "\n".join(f"// line {n}" for n in range(150))), encoding="utf-8")
    browser.command("Emulation.setDeviceMetricsOverride", width=width, height=800, deviceScaleFactor=1, mobile=False)
    try:
        browser.open(pages(test))

        assert browser.run(_IN_SIGHT) == [True, True]
    finally:
        browser.command("Emulation.clearDeviceMetricsOverride")
