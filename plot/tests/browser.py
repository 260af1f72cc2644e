"""A headless Chromium over a pipe, by its DevTools protocol: what a page looks like, at any width. No package is
needed; `find` says whether there is a browser."""

import base64
import json
import os
import shutil
import subprocess
import tempfile
from pathlib import Path

NAMES = ("chromium-headless-shell", "chromium", "chromium-browser", "google-chrome")
ARGUMENTS = ("--headless", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--hide-scrollbars",
             "--no-first-run", "--disable-background-networking", "--remote-debugging-pipe")  # fmt: skip


def find() -> str | None:
    return next((path for name in NAMES if (path := shutil.which(name))), None)


class Browser:
    """One page at a time."""

    def __enter__(self):
        ours, theirs = os.pipe(), os.pipe()  # (read, write): to the browser's 3, from its 4
        self.folder = tempfile.TemporaryDirectory(ignore_cleanup_errors=True)

        def ends():
            # Above the two numbers that the browser wants, so that none is closed before it is laid there.
            read, write = (os.dup2(end, 10 + i) for i, end in enumerate((ours[0], theirs[1])))
            os.dup2(read, 3)
            os.dup2(write, 4)

        self.process = subprocess.Popen(
            [find(), *ARGUMENTS, f"--user-data-dir={self.folder.name}", "about:blank"],
            preexec_fn=ends,  # noqa: PLW1509
            pass_fds=(3, 4), stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
        )  # fmt: skip
        os.close(ours[0])
        os.close(theirs[1])
        self.out, self.read = os.fdopen(ours[1], "wb", buffering=0), theirs[0]
        self.rest, self.number, self.events, self.session = b"", 0, [], None
        target = self.ask("Target.createTarget", url="about:blank")["targetId"]
        self.session = self.ask("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
        for domain in ("Page", "Runtime", "Network", "Log"):
            self.ask(f"{domain}.enable")
        return self

    def __exit__(self, *_):
        self.process.kill()
        self.process.wait()
        self.out.close()
        os.close(self.read)
        self.folder.cleanup()

    def _message(self) -> dict:
        while b"\0" not in self.rest:
            part = os.read(self.read, 1 << 20)
            if not part:
                raise ConnectionError("the browser went away")
            self.rest += part
        message, _, self.rest = self.rest.partition(b"\0")
        return json.loads(message)

    def ask(self, method: str, **params):
        self.number += 1
        message = {"id": self.number, "method": method, "params": params}
        self.out.write(json.dumps(message | ({"sessionId": self.session} if self.session else {})).encode() + b"\0")
        while (answer := self._message()).get("id") != self.number:
            self.events.append(answer)
        if "error" in answer:
            raise ValueError(f"{method}: {answer['error']['message']}")
        return answer["result"]

    def wait(self, event: str) -> None:
        while not any(e.get("method") == event for e in self.events):
            self.events.append(self._message())

    def open(self, path: Path, width: int, dark: bool = False) -> None:
        self.ask("Emulation.setDeviceMetricsOverride", width=width, height=900, deviceScaleFactor=1, mobile=width < 600)
        scheme = {"name": "prefers-color-scheme", "value": "dark" if dark else "light"}
        self.ask("Emulation.setEmulatedMedia", features=[scheme])
        self.events.clear()
        self.ask("Page.navigate", url=path.resolve().as_uri())
        self.wait("Page.loadEventFired")

    def value(self, expression: str):
        """Of JavaScript; a promise is waited for."""
        told = self.ask("Runtime.evaluate", expression=expression, returnByValue=True, awaitPromise=True)
        if "exceptionDetails" in told:
            raise ValueError(told["exceptionDetails"]["exception"].get("description", "an exception"))
        return told["result"].get("value")

    def complaints(self) -> list[str]:
        """What the page did wrong: exceptions, and what its policy forbade."""
        self.value("0")
        texts = [
            e["params"]["exceptionDetails"]["text"] for e in self.events if e.get("method") == "Runtime.exceptionThrown"
        ]
        logged = [e["params"]["entry"] for e in self.events if e.get("method") == "Log.entryAdded"]
        return texts + [entry["text"] for entry in logged if entry["level"] in ("error", "warning")]

    def requests(self) -> list[str]:
        """All that was asked of a network or a disk, without what stands in the page itself."""
        urls = [e["params"]["request"]["url"] for e in self.events if e.get("method") == "Network.requestWillBeSent"]
        return [url for url in urls if not url.startswith(("data:", "blob:"))]

    def pdf(self, path: Path) -> None:
        told = self.ask("Page.printToPDF", preferCSSPageSize=True, printBackground=False)
        path.write_bytes(base64.b64decode(told["data"]))
