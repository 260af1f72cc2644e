"""The page of `gpufx report`: what it holds, that nothing of an archive gets out of its place, that it needs nothing
from outside; and, where there is a browser, what it looks like."""

import base64
import hashlib
import importlib.util
import math
import re
from dataclasses import replace
from itertools import pairwise
from pathlib import Path
from xml.etree import ElementTree

import browser
import pytest
from html_page import OPTIONAL, Page
from invent import archive_lines, case_line, run_line, sealed, write

from gpufx_plot.archive.load import load
from gpufx_plot.chip.quantities import infer
from gpufx_plot.judging import claims
from gpufx_plot.showing.charts import Wanted
from gpufx_plot.showing.report import build, content, hierarchy, roofline
from gpufx_plot.showing.screen import Side

pytestmark = pytest.mark.slow

SVG = "{http://www.w3.org/2000/svg}"
TOP = Path(__file__).resolve().parents[2]
HOSTILE = (
    '</script><script>alert(1)</script>',
    '"><img src=x onerror=alert(1)>',
    "' onmouseover='alert(1)",
    "\u202egnp.exe",
    "{{ 7 * 7 }}{% raw %}",
    "]]><!--",
    "[x](javascript:alert(1))|`<b>",
)  # fmt: skip


@pytest.fixture(scope="module")
def made(full, other, tmp_path_factory):
    """The pages of one archive and of two, with few figures: they are drawn elsewhere."""
    folder = tmp_path_factory.mktemp("pages")

    def page(name: str, *archives: Path) -> Path:
        build.html(list(archives), folder / name, 0.01)
        return folder / name

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(build, "draw_all", dots)
        patch.setattr(build, "judged", verdicts)
        rows = [("dram.latency", "1", "2", "A paper"), ("", "", "3", "siblings")]  # the second of the same quantity
        patch.setattr(build.published, "rows", lambda *_: rows)
        patch.setattr(content, "short", lambda verdict: verdict.reason)
        patch.setattr(claims, "references", lambda _: {})
        patch.setattr(build, "load_beside", lambda *_: [])
        return {"one": page("one.html", full), "two": page("two.html", full, other)}


def verdicts(archive):
    """One claim of each verdict."""
    found = [
        claims.Verdict("null", f"Claim {n} of <all>.", "A guide", "ratio", (1, 2), word, reason="no case of it")
        for n, word in enumerate((claims.FAILS, claims.UNDECIDED, claims.UNKNOWN))
    ]
    return claims.Judged(archive, found, [])


def dots(archives, probes):
    """A figure of one dot for each probe but one."""
    from gpufx_plot.showing.report.build import Drawn

    return {p: Drawn(p, f'{len(archives)} are "<so>"', "Why?", b"dot", 10, 10) for p in probes[1:] or probes}


def parsed(path: Path) -> Page:
    return Page(path.read_text(encoding="utf-8"))


def test_the_page_is_well_formed_and_needs_nothing(made):
    for path in made.values():
        page = parsed(path)
        assert page.wrong == [] and set(page.open) <= OPTIONAL
        ids = [attrs["id"] for _, attrs in page.elements if "id" in attrs]
        assert len(ids) == len(set(ids))
        links = [a["href"] for a in page.all("a")]
        assert links and all(href[0] == "#" and href[1:] in ids for href in links)
        assert all(src["src"].startswith("data:image/") for src in page.all("img"))
        assert not page.all("link") and not page.all("iframe")
        assert not page.all("script")
        text = path.read_text(encoding="utf-8")
        style = text.partition("<style>")[2].partition("</style>")[0]
        assert "url(" not in style and "@import" not in style
        # No attribute that the policy forbids.
        assert not any(name == "style" or name.startswith("on") for _, attrs in page.elements for name in attrs)


def test_the_policy_lets_in_this_style_alone(made):
    text = made["two"].read_text(encoding="utf-8")
    (policy,) = [
        m["content"] for m in parsed(made["two"]).all("meta") if "content" in m and "default-src" in m["content"]
    ]
    assert policy.startswith("default-src 'none'; img-src data:; ")
    assert "unsafe" not in policy and "http" not in policy
    (style,) = re.findall(r"<style>(.*?)</style>", text, re.S)
    sha = base64.b64encode(hashlib.sha256(style.encode()).digest()).decode()
    assert f"style-src 'sha256-{sha}'" in policy and "script-src" not in policy


def test_what_stands_where(made):
    one, two = (parsed(made[name]) for name in ("one", "two"))
    ids = {attrs["id"] for _, attrs in two.elements if "id" in attrs}
    assert {"glance", "hierarchy", "effects", "sheet", "claims", "comparison", "provenance"} <= ids
    places = [attrs["id"] for tag, attrs in two.elements if tag == "section" and "id" in attrs]
    assert places[:2] == ["glance", "comparison"] and places[-1] == "provenance"
    assert "comparison" not in {attrs["id"] for _, attrs in one.elements if "id" in attrs}
    assert "SYNTHETIC: these numbers come from a parameter file, not from a GPU." in one.texts["p"]
    assert all(attrs["alt"].startswith("Figure of ") for attrs in two.all("img"))
    assert any('2 are "<so>". Why?' in attrs["alt"] for attrs in two.all("img"))
    drawings = [attrs for attrs in two.all("svg") if attrs.get("class") == "hierarchy"]
    assert len(drawings) == 2 and all(attrs["aria-label"] for attrs in drawings)
    assert "No figure can be drawn from its cases." in two.texts["p"]
    levels = [int(tag[1]) for tag, _ in two.elements if re.fullmatch(r"h\d", tag)]
    assert levels[0] == 1 and all(b - a <= 1 for a, b in pairwise(levels))


def of_text(text: str, number: int) -> dict:
    """A case whose name has the text."""
    spec = {"sweep": "s", "params": {"case": text, "n": number}, "metric": ("access_ns", "ns", "gpu_ns")}
    return case_line("null", spec, 0, [1.0, 1.1, 1.2])


@pytest.fixture(scope="module")
def usual(tmp_path_factory) -> Page:
    """The page of an archive that says nothing unusual."""
    folder = tmp_path_factory.mktemp("usual")
    run = run_line(1, provenance="measured", name="x")
    path = write(folder / "c.jsonl", sealed([run, of_text("plain", 2)]))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(claims, "references", lambda _: {})
        build.html([path], folder / "c.html", 0.01)
    return parsed(folder / "c.html")


@pytest.mark.parametrize("text", HOSTILE)
def test_strings_of_an_archive_stay_strings(usual, tmp_path, monkeypatch, text):
    monkeypatch.setattr(claims, "references", lambda _: {})
    run = run_line(1, provenance="measured")
    run["device"]["name"] = text
    run["probes"]["null"]["question"] = text
    run["driver"] = {"version": text}
    path = write(tmp_path / "h.jsonl", sealed([run, of_text(text, 1), of_text("plain", 2)]))
    build.html([path], tmp_path / "h.html", 0.01)
    page = parsed(tmp_path / "h.html")
    assert page.wrong == [] and set(page.open) <= OPTIONAL
    # Exactly the elements of a page whose archive says nothing unusual, but for the further case.
    kinds = [(tag, sorted(attrs)) for tag, attrs in page.elements if tag not in ("td", "tr", "img", "th")]
    assert kinds == [(tag, sorted(attrs)) for tag, attrs in usual.elements if tag not in ("td", "tr", "img", "th")]
    safe = text.replace("\u202e", "?")
    assert "".join(page.texts["h1"]).strip() == safe
    whole = (tmp_path / "h.html").read_text(encoding="utf-8")
    assert "\u202e" not in whole and "alert(1)</script>" not in whole and "49" not in page.texts["h1"][0]


# ---- The picture of the hierarchy ----


@pytest.fixture(scope="module")
def chips(h200, h100):
    archives = [load(h200), load(h100)]
    return [Side(archive, infer(archive)) for archive in archives]


def test_boxes_and_arrows_are_to_scale(chips):
    pictures = hierarchy.pictures(chips)
    scale = pictures[0]["scale"]
    assert all(p["scale"] is scale for p in pictures)
    boxes = {(p["chip"].name, m.name): m for p in pictures for m in p["chip"].memories}
    known = [m for m in boxes.values() if m.low]
    assert len(known) >= 8
    step = (hierarchy.RIGHT - hierarchy.LEFT) / (scale.last - scale.first)
    for memory in known:
        assert memory.box == pytest.approx(step * (math.log2(memory.low) - scale.first), abs=0.06)
        assert memory.box <= memory.edge <= hierarchy.RIGHT - hierarchy.LEFT
    rates = [r for p in pictures for m in p["chip"].memories for r in m.rates if r.flow and r.gbps]
    assert len(rates) >= 12
    for rate in rates:
        assert scale.width(rate.gbps) == pytest.approx(
            hierarchy.ARROW * rate.gbps / max(r.gbps for r in rates), abs=0.01
        )
    # The fastest is L1 or shared memory of all SMs: bytes per cycle x SMs x clock.
    assert max(r.gbps for r in rates) == pytest.approx(128 * 132 * 1.98, rel=0.02)


def test_an_arrow_is_as_wide_as_its_rate():
    points = [tuple(map(float, p.split(","))) for p in hierarchy.arrow(10, 0, 50, 24, True).split()]
    assert points[-1][0] - points[0][0] == 24
    assert min(y for _, y in points) == 0 and max(y for _, y in points) == 50
    thin = [float(p.split(",")[0]) for p in hierarchy.arrow(10, 0, 50, 0.2, False).split()]
    assert thin[-1] - thin[0] == pytest.approx(hierarchy.HAIR)


def test_the_picture_is_a_file_of_its_own(chips):
    text = hierarchy.standalone(chips)
    root = ElementTree.fromstring(text)
    names = [e.text for e in root.iter() if e.get("class") == "name"]
    assert names == [side.archive.run["device"]["name"] for side in chips]
    assert "http" not in text.replace("http://www.w3.org/2000/svg", "")
    assert "latency 284.8 cycles" in text and "prefers-color-scheme: dark" in text
    assert hierarchy.standalone(chips) == text
    assert "var(" not in text  # which librsvg draws black


def test_the_roofline_is_of_measured_rates(h200):
    archive = load(h200)
    side = Side(archive, infer(archive))
    known = {q.id: q.estimate.value for q in side.quantities if q.estimate and not q.estimate.bracket}
    (p,) = roofline.pictures([side])
    ridge = 1000 * known["chip.fp32_rate"] / known["dram.read_rate"]
    assert p["ridges"][0] == {
        "x": roofline.across(ridge),
        "y": roofline.up(known["chip.fp32_rate"]),
        "text": f"{ridge:.3g}",
    }
    assert [line["text"].split()[0] for line in p["lines"]] == ["DRAM", "L2", "L1"]
    assert any(text.startswith("FP16 ") and ", reached " in text for level in p["levels"] for text in level["texts"])
    assert re.search(
        r"FP32 65\.6\d, reached [\d.]+; FP64 TC 66\.\d\d, reached \d+", p["words"]
    )  # at one level, each with its own
    assert roofline.pictures([Side(archive, [])]) == []


def test_on_paper_a_page_is_no_higher_than_200_mm(h100, h200, tmp_path):
    pair = [load(h100), load(h200)]
    for sheet, pages in (("89mm", ["", "-2"]), ("183mm", [""])):
        files = roofline.files_of(pair, tmp_path, ["hierarchy", "roofline"], ["svg"], Wanted(sheet, heads=False))
        pictures = [path for path in files if path.suffix == ".svg"]
        assert [path.stem for path in pictures] == [f"{n}-{sheet}{p}" for n in ("hierarchy", "roofline") for p in pages]
        roots = [ElementTree.parse(path).getroot() for path in pictures]
        assert all(root.get("width") == sheet for root in roots)
        assert max(float(root.get("height").removesuffix("mm")) for root in roots) <= 200
    chips = [" ".join(path.read_text().split()) for path in files if path.suffix == ".txt"]
    assert all(word in chips[0] for word in ("size, logarithmic", "H100", "H200", "L2: 50 MiB"))
    first = ElementTree.parse(tmp_path / "hierarchy-89mm.svg").getroot()
    texts = ["".join(e.itertext()) for e in first.iter() if e.tag.endswith("}text")]
    # Which types the other one's archive has is seen, and that this one's has not.
    assert "FP64 TC" in texts and any("- not in this archive" in text for text in texts)


def test_what_is_not_known_is_not_drawn(archive, full):
    path = archive("little.jsonl", {"a": [1.0, 1.1]})
    one = load(path)
    side = Side(one, infer(one))
    text = hierarchy.standalone([side])
    assert not text or "not measured" in text or "not determined" in text
    assert 'class="box"' not in text
    synthetic = load(full)
    assert "SYNTHETIC" in hierarchy.standalone([Side(synthetic, infer(synthetic))])


def test_plot_draws_the_hierarchy_beside_the_figures(cli, full, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    status, out, _ = cli("plot", full, "-o", tmp_path)
    assert status == 0 and out.endswith("\nhierarchy.png\nhierarchy.svg\n")  # no roofline without arithmetic
    assert "hierarchy." not in cli("plot", full, "-o", tmp_path / "one", "--probe", "null")[1]


def test_a_picture_alone(cli, h200, full, tmp_path):
    """No figure of any probe."""
    assert cli("plot", h200, "-o", tmp_path / "r", "--probe", "roofline", "--format", "pdf")[0] == 0
    (path,) = (tmp_path / "r").iterdir()
    assert path.name == "roofline.pdf" and path.read_bytes().startswith(b"%PDF")
    assert cli("plot", h200, "-o", tmp_path / "c", "--probe", "hierarchy", "--no-title", "--format", "pdf")[0] == 0
    caption = (tmp_path / "c" / "hierarchy.tex").read_text()
    assert "linear.\nNVIDIA H200: FMA: latency 4" in caption and not re.search(r"(?<!\\)[%_&#]|\.\.", caption)
    options = ("-o", tmp_path / "p", "--probe", "hierarchy", "--width", "89mm", "--no-title")
    assert (cli("plot", h200, h200, *options)[0], cli("plot", h200, *options, "--panel", "a")[0]) == (0, 2)
    root = ElementTree.parse(tmp_path / "p" / "hierarchy-89mm.svg").getroot()
    assert (root.get("width"), root.get("viewBox").split()[2]) == ("89mm", "424")  # below each other
    run = "run " + Path(h200).name.partition("-")[2].partition(".")[0]
    assert f"{run}\n" in (tmp_path / "p" / "hierarchy-89mm.txt").read_text()
    assert not any(run in (e.text or "") for e in root.iter()) and "NVIDIA H200" in [e.text for e in root.iter()]
    status, _, wrong = cli("plot", full, "-o", tmp_path / "n", "--probe", "roofline")
    assert (status, wrong) == (2, "gpufx plot: these archives have not what roofline would show\n")


# ---- The command ----


def test_the_command_says_what_it_wrote(cli, archive, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(build, "draw_all", dots)
    monkeypatch.setattr(claims, "references", lambda _: {})
    path = archive("a.jsonl", {"a": [1.0, 1.1]})
    assert cli("report", path, "-o", tmp_path / "x.html") == (0, "report: x.html\n", "")
    for words, said in (
        ((path, path), "an archive is given twice; name each once"),
        ((path, "-o", tmp_path), "is a folder; name a file"),
    ):
        status, out, err = cli("report", *words)
        assert (status, out) == (2, "") and said in err


def test_an_archive_without_a_case_is_refused(cli, tmp_path):
    path = write(tmp_path / "e.jsonl", sealed([run_line(1)]))
    assert cli("report", path, "-o", tmp_path / "x.html")[0] == 2
    assert not (tmp_path / "x.html").exists()


def test_two_full_archives_are_under_two_megabytes(cli, tmp_path, monkeypatch, h200, h100):
    """Real figures of every eighth effect stand for those between; no other archive is asked for spreads, and no
    program for claims."""

    def some(archives, probes, draw_all=build.draw_all):
        drawn = [*draw_all(archives, probes[::8]).values()]
        return {probe: replace(drawn[i % len(drawn)], probe=probe) for i, probe in enumerate(probes)}

    monkeypatch.setattr(build, "draw_all", some)
    monkeypatch.setattr(build, "load_beside", lambda *_: [])
    monkeypatch.setattr(claims, "references", lambda _: {})
    target = tmp_path / "two.html"
    status, _, err = cli("report", h200, h100, "-o", target)
    assert (status, err) == (0, "")
    assert target.stat().st_size < 2_000_000
    page = parsed(target)
    assert page.wrong == []
    assert len(page.all("img")) >= len(load(h200).measured | load(h100).measured) - 1


# ---- In a browser ----

needs_browser = pytest.mark.skipif(browser.find() is None, reason="no Chromium here: apt-get install chromium")


@needs_browser
def test_the_page_in_a_browser(made):
    with browser.Browser() as chromium:
        for name, path in made.items():
            for width in (390, 1280):
                chromium.open(path, width)
                assert chromium.value("document.documentElement.scrollWidth") == width, (name, width)
                assert chromium.value("[...document.querySelectorAll('details')].map(d => d.open = true).length") > 0
                assert chromium.value("document.documentElement.scrollWidth") == width, (name, width)
                assert chromium.complaints() == []
                assert chromium.requests() == [path.resolve().as_uri()]
                height = {390: 844, 1280: 800}[width]
                cards = "document.querySelector('.answer, .cards')?.getBoundingClientRect().top ?? 0"
                assert chromium.value(cards) < height / 2, (name, width)  # the first screen has the answer
                glance, foot = (f"document.getElementById('{one}').offsetTop" for one in ("glance", "provenance"))
                assert chromium.value(glance) < chromium.value(foot)


AXE = importlib.util.find_spec("axe_core_python")
needs_axe = pytest.mark.skipif(browser.find() is None or AXE is None, reason="no Chromium or no axe-core-python here")


@needs_axe
def test_axe_finds_no_violation(made):
    """All is unfolded. Of rows that are alike, four stay: it takes a minute for a thousand."""
    rules = (Path(AXE.origin).parent / "axe.min.js").read_text(encoding="utf-8")
    with browser.Browser() as chromium:
        for name, width, dark in (("one", 1280, False), ("two", 390, False), ("two", 1280, True)):
            chromium.open(made[name], width, dark=dark)
            for alike in ("tbody", "dd", "#claims", "#effects"):
                chromium.value(
                    f"document.querySelectorAll('{alike}').forEach(e => [...e.children].filter("
                    "c => c.matches('tr, details, article, a')).slice(4).forEach(c => c.remove())); 0"
                )
            chromium.value("document.querySelectorAll('details').forEach(d => d.open = true); 0")
            chromium.value(f"{rules}; 0")
            found = chromium.value(
                "axe.run(document, {resultTypes: ['violations']}).then(r => "
                "r.violations.map(v => [v.id, v.nodes.length, v.nodes[0].html]))"
            )
            assert found == [], (name, width, dark)
        chromium.value("document.querySelector('h1').outerHTML = '<img src=\"data:,\">'; 0")  # it can find one
        assert chromium.value("axe.run(document).then(r => r.violations.some(v => v.id === 'image-alt'))")


@needs_browser
def test_nothing_is_cut_on_a_phone_or_on_paper(made, tmp_path):
    right = ".map(e => e.getBoundingClientRect().right)"
    wide = f"Math.max(0, ...[...document.querySelectorAll('.figure img, svg.hierarchy')]{right})"
    with browser.Browser() as chromium:
        for path in made.values():
            chromium.open(path, 390)
            assert 0 < chromium.value(wide) <= 390
            links = f"[...document.querySelectorAll('nav[aria-label=Contents] a')]{right}"
            assert max(chromium.value(links)) <= 390
            chromium.pdf(tmp_path / "page.pdf")
            assert (tmp_path / "page.pdf").read_bytes().startswith(b"%PDF")
            chromium.open(path, 520)  # narrower than A4: these tables are short
            chromium.ask("Emulation.setEmulatedMedia", media="print")
            tables = f"Math.max(0, ...[...document.querySelectorAll('table')]{right})"
            assert 0 < chromium.value(tables) <= 520
            chromium.ask("Emulation.setEmulatedMedia", media="")


@needs_browser
def test_how_far_and_which_way_a_case_moved_is_seen_at_every_width(tmp_path, cli):
    given = {"probes": ("transfer",), "provenance": "measured"}
    lines = [archive_lines(3, n=3, run_id=f"0a1b2c3{i}", **given) for i in range(2)]
    for line in (line for line in lines[1] if line["type"] == "case"):  # no factor for all of them
        factor = 1.2 + 0.1 * (len(line["name"]) * line["params"]["size"] % 7)
        line |= {name: [factor * value for value in line[name]] for name in ("samples", "ci95")}
        line["median"] *= factor
    both = [write(tmp_path / f"{i}.jsonl", sealed(of)) for i, of in enumerate(lines)]
    assert cli("report", *both, "-o", tmp_path / "page.html")[0] == 0
    with browser.Browser() as chromium:
        for width, columns in ((390, 2), (1280, 7)):
            chromium.open(tmp_path / "page.html", width)
            cells = f"[...document.querySelectorAll('.changed tr')].flatMap(r => [...r.cells].slice(0, {columns}))"
            assert max(chromium.value(f"{cells}.map(e => e.getBoundingClientRect().right)")) <= width
            assert {"change", "verdict", "SLOWER"} <= {*chromium.value(f"{cells}.map(e => e.textContent)")}


def test_every_row_can_be_linked_to_wherever_it_is_shown(made):
    """Of the sheet and the claims, by the same id in the page of one archive and of two."""
    ids = {}
    for name, path in made.items():
        page = parsed(path)
        ids[name] = {attrs["id"] for tag, attrs in page.elements if tag in ("tr", "details") and "id" in attrs}
        assert len(ids[name]) > 30
        links = {a["href"] for a in page.all("a")}
        assert {f"#{attrs['id']}" for attrs in page.all("article") if "id" in attrs} <= links
    assert ids["one"] <= ids["two"]
    assert any(one.startswith("q-") for one in ids["one"]) and any(one.startswith("claim-") for one in ids["one"])
