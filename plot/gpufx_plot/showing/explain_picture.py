"""A warp's 32 lanes as a picture: over the banks of shared memory, or over the lines and sectors of global memory."""

from collections import Counter
from dataclasses import dataclass

from ..explain.answer import Line
from ..explain.trace_costs import Pattern

BANKS, WORD, SECTOR, LINE = 32, 4, 32, 128
MOST_ROWS = 32
CELL, HIGH, LEFT = 20, 15, 64  # of a word


@dataclass(frozen=True)
class Box:
    x: float
    y: float
    width: float
    height: float
    name: str  # class of the style
    text: str = ""


@dataclass(frozen=True)
class Picture:
    width: int
    height: int
    boxes: list[Box]
    labels: list[tuple[float, str]]  # of rows: y and text
    words: str  # for screen readers
    more: int  # rows that are left out


def _touched(pattern: Pattern) -> dict[int, list[int]]:
    """Lanes by the index of each word of 4 bytes that they touch."""
    found: dict[int, list[int]] = {}
    for lane, offset in enumerate(pattern.lanes):
        if offset >= 0:
            for word in range(offset // WORD, (offset + max(pattern.bytes, 1) - 1) // WORD + 1):
                found.setdefault(word, []).append(lane)
    return found


def picture(line: Line) -> Picture | None:
    """Of the costliest pattern; None: it has none, or its memory is not drawn."""
    if not line.patterns or line.space not in ("shared", "global", "local"):
        return None
    touched = _touched(line.patterns[0])
    if not touched:
        return None
    shared = line.space == "shared"
    used = sorted({word * WORD // LINE for word in touched})
    rows = {row: i for i, row in enumerate(used[:MOST_ROWS])}
    top = HIGH if shared else 4
    busiest = _per_bank(touched) if shared else {}
    boxes = [Box(LEFT + CELL * bank, 0, CELL, HIGH, "name", str(bank)) for bank in range(BANKS)] if shared else []
    if not shared:
        sectors = sorted({word * WORD // SECTOR for word in touched if word * WORD // LINE in rows})
        for sector in sectors:
            x = LEFT + CELL * (sector % (LINE // SECTOR)) * (SECTOR // WORD)
            y = top + HIGH * rows[sector * SECTOR // LINE]
            boxes.append(Box(x, y, CELL * SECTOR // WORD, HIGH, "sector"))
    for word, lanes in sorted(touched.items()):
        row = word * WORD // LINE
        if row in rows:
            name = _level(busiest.get(word % BANKS, 1))
            text = str(lanes[0]) if len(lanes) == 1 else f"{lanes[0]}+"
            boxes.append(Box(LEFT + CELL * (word % BANKS), top + HIGH * rows[row], CELL, HIGH, name, text))
    labels = [(top + HIGH * i, f"+{row * LINE}") for row, i in rows.items()]
    height = top + HIGH * len(rows) + 2
    return Picture(LEFT + CELL * BANKS + 2, height, boxes, labels, _words(line, touched, used), len(used) - len(rows))


def _per_bank(touched: dict[int, list[int]]) -> Counter[int]:
    return Counter(word % BANKS for word in touched)


def _level(words: int) -> str:
    """How many words of one bank are wanted."""
    return "lane" if words == 1 else "two" if words < 4 else "many"


def _words(line: Line, touched: dict[int, list[int]], used: list[int]) -> str:
    if line.space == "shared":
        most = max(_per_bank(touched).values())
        return f"{len(touched)} words of shared memory, up to {most} of them in one bank"
    sectors = {word * WORD // SECTOR for word in touched}
    return f"{len(touched)} words in {len(sectors)} sectors of {len(used)} lines"
