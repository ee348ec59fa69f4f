"""Opens every page of a folder that `mcm check --format html` wrote, and looks whether it is in order.

    mcm check litmus --format html -o pages
    python tests/browser/open_pages.py pages

Of each page: nothing is complained of, nothing asked for but the page; every picture has nodes; no label leaves its
picture, none of a node leaves the node. With `--shots DIR`, a picture of each page is taken, light and dark.
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from driven_browser import driven

if TYPE_CHECKING:
    from collections.abc import Iterator

    from driven_browser import Browser

# A pixel or two are the rounding of fonts.
_SLACK = 2

# All pictures are shown for a moment, because what is hidden has no size.
_LOOK = """
const slack = arguments[0], wrong = [];
const figures = [...document.querySelectorAll("figure")];
const style = document.createElement("style");
for (const figure of figures) {
  const hidden = [];
  for (let one = figure; one; one = one.parentElement)
    if (getComputedStyle(one).display === "none") {
      hidden.push(one);
      one.style.setProperty("display", "block", "important");
    }
  for (const svg of figure.querySelectorAll("svg.mcm:not([aria-hidden])")) {
    const name = figure.id || svg.querySelector("title")?.textContent;
    if (!svg.querySelector(".node")) wrong.push(`${name}: an empty picture`);
    const [, , width, height] = svg.getAttribute("viewBox").split(" ").map(Number);
    for (const text of svg.querySelectorAll("text")) {
      const box = text.getBBox();
      if (!box.width) continue;
      if (box.x < -slack || box.y < -slack || box.x + box.width > width + slack || box.y + box.height > height + slack)
        wrong.push(`${name}: '${text.textContent}' leaves the picture`);
      const rectangle = text.closest(".node")?.querySelector("rect")?.getBBox();
      if (rectangle && (box.x < rectangle.x - slack || box.x + box.width > rectangle.x + rectangle.width + slack))
        wrong.push(`${name}: '${text.textContent}' leaves its node`);
    }
  }
  hidden.forEach((one) => one.style.removeProperty("display"));
}
const page = document.scrollingElement;
if (page.scrollWidth > innerWidth + slack) wrong.push(`the page is ${page.scrollWidth - innerWidth} too wide`);
return [figures.length, wrong];
"""


def faults(browser: Browser, address: str) -> Iterator[str]:
    """What is wrong with one page."""
    browser.open(address)
    yield from browser.complaints()
    yield from (f"asks for {url}" for url in browser.requests() if url != address and not url.startswith("data:"))
    _, wrong = browser.run(_LOOK, _SLACK)
    yield from wrong


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--shots", type=Path)
    arguments = parser.parse_args()
    paths = sorted(arguments.folder.rglob("*.html"))
    wrong = 0
    with driven() as browser:
        for path in paths:
            address = path.resolve().as_uri()
            for fault in faults(browser, address):
                wrong += 1
                sys.stdout.write(f"{path.relative_to(arguments.folder)}: {fault}\n")
            if arguments.shots is not None:
                arguments.shots.mkdir(parents=True, exist_ok=True)
                for scheme in ("light", "dark"):
                    feature = {"name": "prefers-color-scheme", "value": scheme}
                    browser.command("Emulation.setEmulatedMedia", media="", features=[feature])
                    browser.driver.save_screenshot(str(arguments.shots / f"{path.stem}.{scheme}.png"))
    sys.stdout.write(f"{len(paths)} pages, {wrong} faults\n")
    return 1 if wrong or not paths else 0


if __name__ == "__main__":
    sys.exit(main())
