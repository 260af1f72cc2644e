"""Writes the tables of docs/fleet.md that are about acceptance, from the archives in results/ and from simulation.

    PYTHONPATH=plot python tests/studies/accept_page.py

Each stands between <!-- accept:NAME --> and <!-- end -->. Nothing else of the page is touched.
"""

import math
import re
import sys
import textwrap
from collections import Counter
from pathlib import Path

from gpufx_plot import UserError
from gpufx_plot.archive.load import load
from gpufx_plot.archive.model import number
from gpufx_plot.call.output import write
from gpufx_plot.call.program import root
from gpufx_plot.call.tables import markdown_table
from gpufx_plot.call.terminal import complain
from gpufx_plot.cards.accept import laid_out, offered
from gpufx_plot.cards.base import boards
from gpufx_plot.cards.board import Board
from gpufx_plot.cards.card_verdict import PASS, judge
from gpufx_plot.cards.choose_cases import Chosen, Listed, choose
from gpufx_plot.cards.judge import MARGIN
from gpufx_plot.chip.definitions import definitions
from simulate import tables

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


def _of_words(counts: Counter) -> str:
    return ", ".join(
        f"{count} {word}" for word, count in sorted(counts.items(), key=lambda entry: (-entry[1], entry[0]))
    )


def archives_text(found: list[Board], unread: list[str]) -> list[str]:
    """Which archives these figures are from, and what `gpufx accept` says of each: against the others of its chip."""
    chips = Counter(one.device for one in found)
    total = f"Of the {len(found) + len(unread)} archives in `results/`, {len(found)} are used: {_of_words(chips)}"
    out = "; ".join(why.rpartition(": ")[0].rpartition(": ")[2] for why in unread)
    chip = {one.slug: [other for other in found if other.slug == one.slug] for one in found}
    verdicts = {one.id: judge(one, chip[one.slug], MARGIN, {}) for one in found}
    lines = [f"{total}." + (f" Left out: {out}." if out else "")]
    told = [f"`{name}` is {v.word}: {v.reason}" for name, v in verdicts.items() if v.word != PASS]
    said = f"Each held against the others of its chip: {_of_words(Counter(v.word for v in verdicts.values()))}."
    return textwrap.wrap(
        " ".join([*lines, said, *(f"{one.rstrip('.')}." for one in told)]), 120, break_long_words=False
    )


def filled(text: str, parts: dict[str, list[str]]) -> str:
    """Raises UserError if the page and the tables don't fit."""
    places = {name for _, name, _ in PLACE.findall(text)}
    if places != parts.keys():
        raise UserError(f"the page has places for {sorted(places)}, and there are tables for {sorted(parts)}")
    return PLACE.sub(lambda m: m[1] + "\n".join(parts[m[2]]) + "\n" + m[3], text)


def main() -> int:
    page = root() / "docs" / "fleet.md"
    try:
        found, unread = boards(sorted((root() / "results").glob("sm_*/*/*.jsonl.gz")))
        parts = tables() | {"choice": choice_table(*chosen(found)), "archives": archives_text(found, unread)}
        write(Path(page), filled(page.read_text(encoding="utf-8"), parts).encode())
    except UserError as error:
        return complain(f"gpufx: {error}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
