"""The pattern page (harness/page): it says what the program says, in a browser, from a file, without a network."""

import os
import re
import shlex
import shutil
import subprocess
import sys
import urllib.parse
from pathlib import Path

import pytest

TOP = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(TOP / "plot/tests"))

import browser  # noqa: E402

PAGE = TOP / "harness/page"
pytestmark = [
    pytest.mark.skipif(not shutil.which("emcc"), reason="emcc is missing: the page can't be compiled"),
    pytest.mark.skipif(not browser.find(), reason="no Chromium"),
]
CALLS = [
    "--tile 'float[32][32]' --expr 'tile[lane][t]' t=0:31",
    "--tile 'float[32][33]' --expr 'tile[lane][t]' t=0:31",
    "--tile 'float[64][68]' --expr 'tile[lane][0]' --width 16 --op store",
    "--expr 0,4,8,-,128",
    "--index 'lane*33'",
    "--tile 'half[64][64]' --swizzle 3,3,3 --op ldmatrix --expr 'tile[lane % 16][lane / 16 * 8]'",
    "--space global --tile 'float[128][4]' --expr 'tile[lane][1]'",
    "--space global --expr 'lane*8+4' --width 8 --op store",
    "--space constant --expr 'lane*4'",
    "--op atomic --tile 'int[256]' --expr 'tile[lane % 8]'",
    "--op cas --expr 'lane*128'",
    "--expr 'lane*4 +'",
    "--tile 'float[32][32]' --expr 'tile[lane*3]'",
    "--block 16,16 --tile 'double[16][16]' --expr 'tile[threadIdx.x][threadIdx.y]'",
    "--expr 'lane*64' --fail-on 'ways>1'",
]
RUN = "(async () => await run({words}))()"
READY = "(async () => { while (!document.body.dataset.ready) await new Promise(r => setTimeout(r, 20)) })()"


@pytest.fixture(scope="module")
def made(tmp_path_factory):
    folder = tmp_path_factory.mktemp("page")
    done = subprocess.run([PAGE / "make", folder / "pattern.html"], capture_output=True, text=True, check=False)
    if "can't be fetched" in done.stderr:
        pytest.skip(done.stderr.strip())
    assert not done.returncode, done.stderr
    probes = sorted(
        {one.parent.name for one in TOP.glob("micro/*/*/probe.cu") if re.search(r"\.access = ", one.read_text(), re.M)}
    )
    subprocess.run([sys.executable, PAGE / "fits.py", folder / "fits", ",".join(probes)], check=True)
    return folder


@pytest.fixture(scope="module")
def page(made):
    with browser.Browser() as opened:
        opened.open(made / "pattern.html", 1280)
        opened.value(READY)
        yield opened


def of_program(words: list[str], archive: Path) -> tuple[int, str]:
    environment = os.environ | {"GPUFX_ROOT": str(TOP), "COLUMNS": "80"}
    done = subprocess.run(
        [TOP / "build/bin/gpufx", "pattern", *words, "--archive", archive],
        capture_output=True, text=True, check=False, env=environment,
    )  # fmt: skip
    return done.returncode, done.stdout + done.stderr.replace("gpufx: ", "")


def without_paths(text: str) -> str:
    return re.sub(r"\n  fits of .*?(?=\n {0,2}\S|\Z)", "", text, flags=re.DOTALL)


@pytest.mark.parametrize("call", CALLS)
def test_page_and_program_agree(made, page, call):
    for archive in sorted((made / "fits").glob("*.jsonl")):
        words = shlex.split(call)
        told = page.value(RUN.format(words=[*words, "--archive", f"/{archive.name}"]))
        status, text = of_program(words, archive)
        assert told["status"] == status
        assert without_paths(told["text"] + "\n" + told["errors"]).strip() == without_paths(text).strip()


def test_it_is_small_and_asks_for_nothing(made, page):
    assert (made / "pattern.html").stat().st_size < 1e6
    assert page.complaints() == []
    assert [one for one in page.requests() if not one.startswith("file:")] == []


def test_a_link_carries_the_input(made):
    given = urllib.parse.urlencode({"space": "global", "tile": "float[64]", "expr": "tile[lane + 1]"})
    address = (made / "pattern.html").as_uri() + "#" + given
    with browser.Browser() as opened:
        opened.ask("Page.navigate", url=address)
        opened.wait("Page.loadEventFired")
        opened.value(READY)
        assert "5 sectors" in opened.value("document.getElementById('verdict').textContent")
        assert opened.value("document.querySelectorAll('#lanes .on').length") == 32


@pytest.mark.parametrize("dark", [False, True])
def test_a_phone_shows_it_and_keys_reach_all(made, dark):
    with browser.Browser() as opened:
        opened.open(made / "pattern.html", 390, dark=dark)
        opened.value(READY)
        assert opened.value("document.documentElement.scrollWidth") <= 390
        fields = opened.value("document.querySelectorAll('input, select, button, a').length")
        reached = (
            "[...document.querySelectorAll('input, select, button, a')]"
            ".filter(e => (e.focus(), document.activeElement === e)).length"
        )
        assert opened.value(reached) == fields
        opened.value("document.getElementById('on').click()")
        opened.value(
            "(async () => { while (document.body.dataset.ready === '1') await new Promise(r => setTimeout(r, 20)) })()"
        )
        assert opened.value("document.getElementById('which').value") == "t = 1"
