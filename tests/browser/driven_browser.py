"""A headless Chromium, as Debian packages it."""

from __future__ import annotations

import json
import shutil
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterator

    from selenium.webdriver.chrome.webdriver import WebDriver

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


@contextmanager
def driven() -> Iterator[Browser]:
    """A browser, until the end of the block; ImportError or FileNotFoundError where there is none."""
    from selenium.webdriver import ChromeOptions
    from selenium.webdriver.chrome.service import Service
    from selenium.webdriver.chrome.webdriver import WebDriver

    binary = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
    path = shutil.which("chromedriver")
    if binary is None or path is None:
        raise FileNotFoundError(NEEDS)
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
