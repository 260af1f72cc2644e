"""Shared fixtures: the reference archives, which are all that a test may read of results/; invented archives; and
--refresh, which rewrites the golden files for review."""

import json
import signal
from pathlib import Path

import pytest
from invent import archive_lines, case_line, run_line, sealed, write

from gpufx_plot.__main__ import main
from gpufx_plot.archive import file as named
from gpufx_plot.call.program import root

GOLDEN = Path(__file__).parent / "golden"
REFERENCE = named.references(root())
VECTORS = Path(__file__).parents[2] / "tests" / "vectors"


# A shell's background jobs ignore Ctrl-C, and so would all programs that the tests start.
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)


def pytest_addoption(parser):
    parser.addoption("--refresh", action="store_true", help="rewrite the expected output; review the diff")


def vectors(name: str) -> list[dict]:
    """The cases of a rule that the program has as well: its tests read the same file."""
    document = json.loads((VECTORS / name).read_text(encoding="utf-8"))
    return document["cases"] if isinstance(document, dict) else document


# ---- Archives of results/: a test reads no others, which come and go (tests/cli/tools/strangers) ----


@pytest.fixture(scope="session")
def references() -> dict[str, Path]:
    """By the word for the chip."""
    return REFERENCE


@pytest.fixture(scope="session")
def h200() -> Path:
    return REFERENCE["h200"]


@pytest.fixture(scope="session")
def h100() -> Path:
    return REFERENCE["h100"]


@pytest.fixture(scope="session", params=REFERENCE)
def reference(request) -> Path:
    """Each of them in turn."""
    return REFERENCE[request.param]


@pytest.fixture
def golden(request):
    """A function that compares a text with a golden file."""

    def check(name: str, text: str) -> None:
        path = GOLDEN / name
        if request.config.getoption("--refresh"):
            path.parent.mkdir(exist_ok=True)
            path.write_text(text, encoding="utf-8")
        assert text == path.read_text(encoding="utf-8")

    return check


HANDED = {row["verb"]: row for row in vectors("handed.json")}


def handed(verb: str, *arguments) -> list[str]:
    """A command line as gpufx hands it over."""
    row = HANDED[verb]
    long = {short: [name] for short, name in row["also"].items()} | {name: [name, "yes"] for name in row["switches"]}
    return [verb, *row["usual"], *(word for a in arguments for word in long.get(a, [str(a)]))]


@pytest.fixture(scope="session")
def no_archives(tmp_path_factory) -> Path:
    """A program that lists no archive, and has no claim."""
    path = tmp_path_factory.mktemp("program") / "gpufx"
    path.write_text("#!/bin/sh\necho '{\"answer\": []}'\n")
    path.chmod(0o755)
    return path


@pytest.fixture(autouse=True)
def _program(monkeypatch, no_archives):
    """Tests must not depend on what the tree has, nor on a build."""
    monkeypatch.setenv("GPUFX_PROGRAM", str(no_archives))
    monkeypatch.delenv("COLUMNS", raising=False)


@pytest.fixture
def program(tmp_path, monkeypatch):
    """A function after which a shell script stands for the program; what it answers is in the file $answer."""

    def make(script: str, answer="") -> Path:
        path, file = tmp_path / "gpufx", tmp_path / "answer.json"
        file.write_text(answer if isinstance(answer, str) else json.dumps({"answer": answer}), encoding="utf-8")
        path.write_text(f"#!/bin/sh\nanswer='{file}'\n{script}\n", encoding="utf-8")
        path.chmod(0o755)
        monkeypatch.setenv("GPUFX_PROGRAM", str(path))
        return path

    return make


@pytest.fixture
def lists(program):
    """A function after which the program lists these archives, as `gpufx archive list --json` does."""

    def make(*paths: Path) -> None:
        told = [json.loads(path.read_text(encoding="utf-8").splitlines()[0]) | {"path": str(path)} for path in paths]
        program('[ "$*" = \'archive list --json\' ] && exec cat "$answer"', told)

    return make


@pytest.fixture
def cli(capsys):
    """Runs the command line; returns status, standard output and standard error."""

    def run(*arguments: str) -> tuple[int, str, str]:
        status = main(handed(*arguments))
        captured = capsys.readouterr()
        return status, captured.out, captured.err

    return run


@pytest.fixture
def archive(tmp_path):
    """A function that writes an archive of hand-made cases: {name: medians of processes} or (medians, changes)."""

    def make(file: str, cases: dict, probe: str = "null", **run) -> Path:
        lines = []
        for name, entry in cases.items():
            medians, changes = entry if isinstance(entry, tuple) else (entry, {})
            spec = {"sweep": "s", "params": {"case": name}, "metric": ("access_ns", "ns", "gpu_ns")} | changes
            version, of = spec.pop("method_version", 1), spec.pop("probe", probe)
            lines += [case_line(of, spec, process, [m], version) for process, m in enumerate(medians)]
        count = max((line["process"] + 1 for line in lines), default=1)
        return write(tmp_path / file, sealed([run_line(count, **{"provenance": "measured"} | run), *lines]))

    return make


@pytest.fixture(scope="session")
def full(tmp_path_factory) -> Path:
    """A synthetic archive of all probes, two processes."""
    return write(tmp_path_factory.mktemp("full") / "full.jsonl.gz", archive_lines(2, n=3))


@pytest.fixture(scope="session")
def other(tmp_path_factory) -> Path:
    """A measured archive of another device, slower in transfers."""
    run = {"name": "NVIDIA RTX 4090", "arch": "sm_89", "run_id": "deadbeef", "provenance": "measured"}
    return write(tmp_path_factory.mktemp("b") / "b.jsonl.gz", archive_lines(2, 7, n=3, scale={"transfer": 2}, **run))
