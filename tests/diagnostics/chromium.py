"""A headless Chromium for tests of pages, driven by the DevTools protocol."""

import base64
import json
import pathlib
import shutil
import subprocess
import tempfile
import time
import urllib.request
from typing import Any

EXECUTABLE = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
_STARTS_WITHIN = 60  # seconds
_CODES = {
    "Enter": 13,
    "Escape": 27,
    "Backspace": 8,
    "ArrowUp": 38,
    "ArrowDown": 40,
    "ArrowLeft": 37,
    "ArrowRight": 39,
}


class Chromium:
    """One browser with one page."""

    def __init__(self) -> None:
        import websocket

        self._folder = tempfile.TemporaryDirectory(ignore_cleanup_errors=True)
        command = [
            str(EXECUTABLE),
            "--headless=new",
            "--no-sandbox",
            "--disable-gpu",
            "--disable-dev-shm-usage",
            "--hide-scrollbars",
            "--no-first-run",
            "--remote-debugging-port=0",
            "--remote-allow-origins=*",
            f"--user-data-dir={self._folder.name}",
            "about:blank",
        ]
        self._process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        port = self._port()
        pages = json.load(urllib.request.urlopen(f"http://127.0.0.1:{port}/json/list"))
        address = next(page["webSocketDebuggerUrl"] for page in pages if page["type"] == "page")
        self._socket = websocket.create_connection(address, timeout=60)
        self._number = 0
        self.events: list[dict[str, Any]] = []
        for domain in ("Page", "Runtime", "Network", "Log"):
            self.call(f"{domain}.enable")

    def _port(self) -> str:
        file = pathlib.Path(self._folder.name, "DevToolsActivePort")
        end = time.monotonic() + _STARTS_WITHIN
        while time.monotonic() < end:
            if file.exists() and (lines := file.read_text().splitlines()):
                return lines[0]
            if self._process.poll() is not None:
                raise RuntimeError(f"Chromium ended with code {self._process.returncode}.")
            time.sleep(0.05)
        raise RuntimeError("Chromium did not start.")

    def close(self) -> None:
        """End the browser."""
        self._socket.close()
        self._process.terminate()
        self._process.wait(20)
        self._folder.cleanup()

    def call(self, method: str, **parameters: Any) -> dict[str, Any]:
        """A command of the protocol, and its result."""
        self._number += 1
        self._socket.send(json.dumps({"id": self._number, "method": method, "params": parameters}))
        while True:
            message = json.loads(self._socket.recv())
            if message.get("id") == self._number:
                if "error" in message:
                    raise RuntimeError(f"{method}: {message['error']['message']}")
                return message["result"]
            self.events.append(message)

    def run(self, script: str) -> Any:
        """The value of an expression in the page; a promise is waited for."""
        result = self.call("Runtime.evaluate", expression=script, awaitPromise=True, returnByValue=True)
        if "exceptionDetails" in result:
            raise RuntimeError(result["exceptionDetails"].get("exception", {}).get("description", str(result)))
        return result["result"].get("value")

    def open(
        self,
        path: pathlib.Path,
        width: int = 1280,
        height: int = 800,
        dark: bool = False,
        phone: bool = False,
        ready: str = "window.gradtapeView",
    ) -> None:
        """Open a file, and wait until the expression `ready` is true in the page."""
        self.call("Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=1, mobile=phone)
        scheme = {"name": "prefers-color-scheme", "value": "dark" if dark else "light"}
        self.call("Emulation.setEmulatedMedia", features=[scheme])
        self.events.clear()
        self.call("Page.navigate", url=path.as_uri())
        self.wait(ready)

    def wait(self, expression: str) -> None:
        """Wait until an expression is true in the page."""
        came = self.run(
            f"new Promise((done) => {{ const begin = performance.now(); const look = () => ({expression})"
            " ? requestAnimationFrame(() => done(true))"
            " : performance.now() - begin > 30000 ? done(false) : setTimeout(look, 5); look(); })"
        )
        if not came:
            raise RuntimeError(f"Not true after 30 s: {expression}; the page logged {self.failures()}")

    def frames(self, count: int = 2) -> None:
        """Wait for some frames."""
        self.run(f"(async () => {{ for (let i = 0; i < {count}; i++) await new Promise(requestAnimationFrame); }})()")

    def key(self, key: str, text: str = "") -> None:
        """Press a key."""
        code = _CODES.get(key, 0)
        typed = text or (key if len(key) == 1 else "\r" if key == "Enter" else "")
        self.call("Input.dispatchKeyEvent", type="keyDown", key=key, text=typed, windowsVirtualKeyCode=code)
        self.call("Input.dispatchKeyEvent", type="keyUp", key=key, windowsVirtualKeyCode=code)

    def click(self, selector: str, count: int = 1) -> None:
        """Click the middle of an element, or its head if it is large."""
        x, y = self.run(
            f"(() => {{ const place = document.querySelector({json.dumps(selector)}).getBoundingClientRect();"
            " return [place.x + place.width / 2, place.y + Math.min(place.height / 2, 12)]; })()"
        )
        for number in range(1, count + 1):
            for kind in ("mousePressed", "mouseReleased"):
                self.call("Input.dispatchMouseEvent", type=kind, x=x, y=y, button="left", clickCount=number)

    def type(self, text: str) -> None:
        """Type text where the focus is."""
        self.call("Input.insertText", text=text)

    def longest_task(self, script: str) -> float:
        """The longest task of the page's main thread and of the compositor while a script runs: processor time in milliseconds.

        (The time between frames says more of who else uses the machine.)
        """
        self.events.clear()
        self.call("Tracing.start", categories="toplevel", transferMode="ReportEvents")
        self.run(script)
        self.call("Tracing.end")
        while not any(event.get("method") == "Tracing.tracingComplete" for event in self.events):
            self.events.append(json.loads(self._socket.recv()))
        parts = [event["params"]["value"] for event in self.events if event.get("method") == "Tracing.dataCollected"]
        tasks = [one for part in parts for one in part if one["name"] == "ThreadControllerImpl::RunTask"]
        return max(task.get("tdur", 0) for task in tasks) / 1000

    def screenshot(self, path: pathlib.Path) -> None:
        """Write what is seen as PNG."""
        self.frames()
        path.write_bytes(base64.b64decode(self.call("Page.captureScreenshot", format="png")["data"]))

    def failures(self) -> list[str]:
        """The errors that the page has logged, and what it asked the network for."""
        found = []
        for event in self.events:
            method, parameters = event.get("method"), event.get("params", {})
            if method == "Runtime.exceptionThrown":
                found.append(str(parameters["exceptionDetails"].get("exception", {}).get("description")))
            elif method == "Runtime.consoleAPICalled" and parameters["type"] in ("error", "assert"):
                found.append(" ".join(str(part.get("value", part.get("description"))) for part in parameters["args"]))
            elif method == "Log.entryAdded" and parameters["entry"]["level"] == "error":
                found.append(parameters["entry"]["text"])
            elif method == "Network.requestWillBeSent":
                address = parameters["request"]["url"]
                found += [] if address.startswith(("file:", "data:", "about:")) else [address]
        return found
