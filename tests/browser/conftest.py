"""A headless Chromium that opens pages, as Debian packages it; without one, these tests say that they are skipped."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from mcm import Options, render_page
from mcm.session import Session

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from selenium.webdriver.chrome.webdriver import WebDriver

LITMUS = Path(__file__).parents[2] / "litmus"

NEEDS = "no browser here: `apt-get install chromium chromium-driver` and `pip install selenium`"


class Browser:
    """Opens pages, and says what they asked for and complained of."""

    def __init__(self, driver: WebDriver) -> None:
        self.driver = driver

    def open(self, address: str) -> None:
        self.driver.get("about:blank")
        for log in ("browser", "performance"):
            self.driver.get_log(log)
        self.driver.get(address)

    def run(self, script: str, *values: object) -> Any:
        return self.driver.execute_script(script, *values)

    def command(self, name: str, **parameters: object) -> Any:
        return self.driver.execute_cdp_cmd(name, parameters)

    def find(self, selector: str) -> Any:
        return self.driver.find_element("css selector", selector)

    def all(self, selector: str) -> list[Any]:
        return self.driver.find_elements("css selector", selector)

    def visible(self, selector: str) -> list[Any]:
        return [one for one in self.all(selector) if one.is_displayed()]

    def press(self, key: str) -> None:
        from selenium.webdriver.common.action_chains import ActionChains

        ActionChains(self.driver).send_keys(key).perform()

    def point_at(self, element: object) -> None:
        from selenium.webdriver.common.action_chains import ActionChains

        ActionChains(self.driver).move_to_element(element).perform()  # type: ignore[arg-type]

    def complaints(self) -> list[str]:
        return [entry["message"] for entry in self.driver.get_log("browser")]

    def requests(self) -> list[str]:
        """The addresses that were asked for since the page was opened."""
        events = [json.loads(entry["message"])["message"] for entry in self.driver.get_log("performance")]
        return [e["params"]["request"]["url"] for e in events if e["method"] == "Network.requestWillBeSent"]


@pytest.fixture(scope="session")
def chromium() -> Iterator[Browser]:
    pytest.importorskip("selenium", reason=NEEDS)
    binary = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
    path = shutil.which("chromedriver")
    if binary is None or path is None:
        pytest.skip(NEEDS)
    from selenium.webdriver import ChromeOptions
    from selenium.webdriver.chrome.service import Service
    from selenium.webdriver.chrome.webdriver import WebDriver

    options = ChromeOptions()
    options.binary_location = binary
    for argument in (
        "--headless=new",
        "--no-sandbox",
        "--disable-gpu",
        "--disable-dev-shm-usage",
        "--window-size=1300,900",
    ):
        options.add_argument(argument)
    options.set_capability("goog:loggingPrefs", {"browser": "ALL", "performance": "ALL"})
    driver = WebDriver(options=options, service=Service(executable_path=path))
    try:
        yield Browser(driver)
    finally:
        driver.quit()


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
