"""Puts the page together: what the archives say, the picture of the hierarchy, the figures, and the templates."""

import base64
import hashlib
from collections import Counter
from dataclasses import dataclass
from pathlib import Path

from markupsafe import Markup

from ... import UserError
from ...archive.load import Archive, load
from ...call.cache import kept, version_of
from ...call.output import write
from ...call.program import root
from ...call.terminal import counted_off
from ...call.workers import shared
from ...chip import published
from ...chip.quantities import basis, data, infer
from ...judging.changes import differing
from ...judging.claims import judged
from ...judging.compare import compare
from ...judging.facts import warnings
from ...judging.levels import load_beside
from ..claims_text import totals as claims_totals
from ..difference import legend, sentences
from ..screen import chip_line
from ..sheet import PUBLISHED
from ..side import Side, chip_names
from . import content, hierarchy, render, roofline

# The groups in the order in which a reader looks for them; a folder that is not named here comes last.
GROUPS = {
    "shared": "Shared memory",
    "global": "Global memory",
    "cached": "Caches, constants and local memory",
    "execution": "Execution and atomics",
    "host": "Host and link",
    "power": "Power",
    "algorithm": "Algorithms",
    "instrument": "The instrument itself",
}
PROCESSES = 2  # that draw side by side pictures which keep well in a page
# What the browser may do with the page: nothing but show it, with this style.
POLICY = "default-src 'none'; img-src data:; style-src 'sha256-{}'; base-uri 'none'; form-action 'none'"


def _read(paths: list[Path]) -> list[Archive]:
    if len({*paths}) < len(paths):
        raise UserError("an archive is given twice; name each once")
    archives = [load(path) for path in paths]
    if not any(archive.points for archive in archives):
        raise UserError("no archive has a completed case, so there is nothing to report")
    return archives


@dataclass
class Drawn:
    """The figure of one effect."""

    probe: str
    title: str
    question: str
    picture: bytes  # webp
    width: int
    height: int


def _draw(archives: list[Archive], probe: str) -> Drawn | None:
    from .. import charts

    try:
        drawing = charts.draw(archives, probe, charts.Wanted("report", heads=False))
    except UserError:
        return None
    if not drawing:
        return None
    size = drawing.figure.canvas.get_width_height()  # that of the layout, which knows the sizes of all words
    return Drawn(probe, drawing.title, drawing.question, charts.content(drawing, "webp", "report"), *size)


def draw_all(archives: list[Archive], probes: list[str]) -> dict[str, Drawn]:
    """The figures of these probes that there are, in their order; what was drawn once is kept."""
    libraries = [version_of(name).encode() for name in ("matplotlib", "pillow")]
    code = [path.read_bytes() for path in sorted((root() / "micro").rglob("figure.json"))]
    follows_from = [*libraries, *data(), *code, *(archive.sum for archive in archives)]

    def drawn(probe: str) -> Drawn | None:
        return kept("picture", [probe.encode(), *follows_from], Drawn | None, lambda: _draw(archives, probe))

    found = counted_off("drawing figures", shared(drawn, probes, PROCESSES), len(probes))
    return {one.probe: one for one in found if one}


def groups() -> dict[str, str]:
    """The group of each effect, in the order in which a reader looks for them."""
    order = list(GROUPS)
    found = [(path.parent.parent.name, path.parent.name) for path in (root() / "micro").glob("*/*/README.md")]
    found.sort(key=lambda of: (order.index(of[0]) if of[0] in order else len(order), of))
    return {effect: GROUPS.get(group, group) for group, effect in found}


def effects(questions: dict[str, str], figures: dict[str, Drawn]) -> list[dict]:
    """Groups of figures in the reader's order, each with its finding, else its question."""
    group_of = groups()
    found: dict[str, list[dict]] = {group: [] for group in group_of.values()}
    for probe, question in questions.items():
        drawn = figures.get(probe)
        title, below = (drawn.title, drawn.question) if drawn and drawn.title else (question or probe, "")
        entry = {"probe": probe, "title": title, "question": below, "alt": f"{title}. {below}", "drawn": drawn}
        found.setdefault(group_of.get(probe, "Others"), []).append(entry)
    return [{"title": group, "effects": members} for group, members in found.items() if members]


def sha(text: str) -> str:
    return base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()


def html(paths: list[Path], target: Path, margin: float) -> None:
    """Writes the page."""
    archives = _read(paths)
    cases = Counter(point.probe for archive in archives for point in archive.points)
    probes = [probe for probe, _ in cases.most_common()]  # what takes longest goes first
    sides = [Side(archive, infer(archive)) for archive in archives]
    for side in sides:  # what figures ask for as well is known before processes part
        side.archive.quantities = {quantity.id: quantity for quantity in side.quantities}
        _ = side.archive.merged_fits
    labels = chip_names(archives)
    subjects = [
        content.Subject(side, judged(side.archive), index, label)
        for index, (side, label) in enumerate(zip(sides, labels, strict=True))
    ]
    comparisons, first = [], sides[0]  # each of the others against the first, the base
    for side, label in zip(sides[1:], labels[1:], strict=True):
        pair = first.archive, side.archive
        comparison = compare(*pair, margin, others=load_beside(*pair))
        comparison.quantities = differing(first.quantities, side.quantities)
        comparisons.append(content.compared(comparison, margin, (labels[0], label)))
    declared = {probe: of for archive in reversed(archives) for probe, of in archive.run["probes"].items()}
    questions = {probe: declared.get(probe, {}).get("question") or "" for probe in sorted(cases)}
    pages = [subject.claims for subject in subjects]
    sheet = content.sheet(sides, groups())
    style = render("page.css", colours=[subject.colours for subject in subjects])
    page = render(
        "page.html",
        policy=POLICY.format(sha(style)),  # the browser hashes what stands between the tags
        style=Markup(style),
        uri=lambda drawn: f"data:image/webp;base64,{base64.b64encode(drawn.picture).decode()}",
        title=" and ".join(labels),
        subjects=subjects,
        basis=basis,
        warnings=warnings,
        pictures=hierarchy.pictures(sides),
        rooflines=roofline.pictures(sides),
        cards=content.cards(sides),
        costs=content.costs(sides),
        sheet=sheet,
        published=[(PUBLISHED, published.rows(side.archive.run, side.quantities)) for side in sides],
        groups=effects(questions, draw_all(archives, probes)),
        claims=content.claims(pages),
        claim_totals=[claims_totals(page.verdicts) for page in pages],
        comparisons=comparisons,
        chips=[chip_line(side.archive) for side in sides],
        differences=[sentences(sides[0], side) for side in sides[1:]],
        legend=" ".join(legend(row["change"] for rows in sheet.values() for row in rows)),
    )
    write(target, page.encode())
