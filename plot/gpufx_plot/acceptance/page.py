"""Writes the tables of docs/fleet.md that are about acceptance, from the archives in results/ and from simulation.

    python -m gpufx_plot.acceptance.page

Each stands between <!-- accept:NAME --> and <!-- end -->. Nothing else of the page is touched.
"""

import math
import re
import sys
from pathlib import Path

from .. import UserError
from ..archive import load
from ..definitions import definitions
from ..model import number
from ..output import write
from ..program import root
from ..tables import markdown_table
from ..terminal import complain
from .base import Board, boards
from .choice import Chosen, Listed, choose
from .judge import MARGIN
from .simulate import tables
from .verb import laid_out, offered

PLACE = re.compile(r"(<!-- accept:([a-z-]+) -->\n).*?(<!-- end -->)", re.S)
SHOWN = 16


def newest(found: list[Board]) -> Board:
    """Of the chip with most archives."""
    slugs = [one.slug for one in found]
    most = max(set(slugs), key=lambda slug: (slugs.count(slug), slug))
    return max((one for one in found if one.slug == most), key=lambda one: one.started)


def chosen(found: list[Board]) -> tuple[Board, Chosen]:
    """What an acceptance of the newest card would measure, by the other cards' archives."""
    card = newest(found)
    known = [d for d in definitions({"probes": {}}) if d.by != "reported"]
    listed: Listed = {}
    for point in load(card.path).points:
        listed.setdefault(point.probe, []).append((point.name, point.params))
    base = laid_out(card.run["device"], [one for one in found if one.card != card.card], known)
    wanted, took = offered(base, known, listed, {})
    return card, choose(base, wanted, took, math.inf, MARGIN)


def choice_table(card: Board, found: Chosen) -> list[str]:
    rows = [(name, number(gain, 3), f"{seconds:.2f}") for name, gain, seconds in found.steps[:SHOWN]]
    lines = markdown_table(("quantity", "more faults found", "seconds"), rows, {"more faults found", "seconds"})
    rest = len(found.steps) - len(rows)
    return [
        *lines,
        "",
        f"Of an {card.device}, by {card.id}; {rest} more follow. All together: {len(found.cases)} cases, "
        f"{found.seconds:.0f} s in each process.",
    ]


def filled(text: str, parts: dict[str, list[str]]) -> str:
    """Raises UserError if the page and the tables don't fit."""
    places = {name for _, name, _ in PLACE.findall(text)}
    if places != parts.keys():
        raise UserError(f"the page has places for {sorted(places)}, and there are tables for {sorted(parts)}")
    return PLACE.sub(lambda m: m[1] + "\n".join(parts[m[2]]) + "\n" + m[3], text)


def main() -> int:
    page = root() / "docs" / "fleet.md"
    try:
        found, _ = boards(sorted((root() / "results").glob("sm_*/*/*.jsonl.gz")))
        parts = tables() | {"choice": choice_table(*chosen(found))}
        write(Path(page), filled(page.read_text(encoding="utf-8"), parts).encode())
    except UserError as error:
        return complain(f"gpufx: {error}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
