"""The cure of a line, in words: the program's, which are found from one pattern at a time (harness/pattern), and those
that only several instructions show: a transposition, and fields of one structure."""

from dataclasses import dataclass
from itertools import pairwise

from .answer import Kernel, Line
from .trace_costs import Pattern

FAR_APART, NEAR = 0.75, 1.5  # sectors per active lane from which lanes lie apart; sectors over the best that are fine
ALIKE = 2.0  # as often as each other, so far
LEAST = 0.95  # of the cycles that it replaces: more is no cure
TILE = 2.0  # cycles of a store to a tile in shared memory and a load from it, without conflicts
WARP = 32
WORTH = 0.01  # of a kernel's time: what saves less is not shown
FEW_BLOCKS = 1000  # of a grid: larger ones would leave SMs idle
ORDER = (
    "another order of the work: in each step thread tid < s adds element tid + s to element tid, and s halves, so that "
    "active lanes and their elements are neighbours"
)
IN_TURN = (
    "neighbouring lanes access neighbouring elements: each round takes the next elements of the warp (or, of a "
    "structure, one array per field)"
)
OF_PARTS = {  # what is played with a quarter of the blocks, without barriers, and with half of the latency
    "starts": "four times the work per block: more elements per thread, or larger blocks",
    "barrier": "fewer barriers: steps within one warp need none (__shfl_down_sync, __syncwarp)",
    "long": "twice as many independent loads in flight: unroll, load before use, or more warps per SM",
}
WIDEST = 16  # bytes of one access
BESIDE = 4096  # bytes: what the warps of a block take of one array in one step
TYPES = {2: "2 bytes (char2, half)", 4: "4 bytes (char4, half2)", 8: "8 bytes (float2)", 16: "16 bytes (float4)"}


@dataclass(frozen=True)
class Told:
    """before, after: cycles of what it replaces, and with it; None: no fit tells."""

    text: str
    before: float | None = None
    after: float | None = None
    unit: str = "cycles"


def _scattered(line: Line, least: float | None = None) -> bool:
    """least: sectors per access; None: nearly one for each lane."""
    each = line.count / line.executed if line.space == "global" and line.count and line.executed else 0.0
    least = FAR_APART * line.lanes if least is None else least
    return each >= least and (line.count or 0.0) > NEAR * (line.best_count or line.count or 0.0)


def _transposes(kernel: Kernel, line: Line) -> bool:
    """Lanes lie apart here, and side by side where the same kernel does the opposite as often."""
    if not _scattered(line) or line.op not in ("load", "store"):
        return False
    other = "store" if line.op == "load" else "load"
    return any(
        one.op == other and one.space == "global" and one.width == line.width
        and one.count and one.count <= NEAR * (one.best_count or 0.0)
        and line.executed <= ALIKE * one.executed <= ALIKE**2 * line.executed
        for one in kernel.lines
    )  # fmt: skip


def _apart(pattern: Pattern) -> set[tuple[int, int]]:
    """From one active lane to the next: lanes, and bytes."""
    lanes = [(i, offset) for i, offset in enumerate(pattern.lanes) if offset >= 0]
    return {(j - i, b - a) for (i, a), (j, b) in pairwise(lanes)}


def _stride(line: Line) -> int:
    """Bytes from lane to lane in its commonest pattern; 0: not the same throughout."""
    if not line.patterns:
        return 0
    steps = {of / lanes for lanes, of in _apart(line.patterns[0])}
    return int(steps.pop()) if len(steps) == 1 and all(step == int(step) for step in steps) else 0


def _narrow_block(kernel: Kernel, line: Line) -> int:
    """Threads in x of blocks in which a warp has lanes of several rows, which lie apart; 0: it is not so."""
    widths = {block[0] for _, block in kernel.shapes if block[1] > 1}
    if len(widths) != 1 or not _scattered(line, NEAR) or not line.patterns:
        return 0
    (width,), lanes = widths, line.patterns[0].lanes
    whole = 1 < width < WARP and min(lanes) >= 0 and WARP % width == 0
    rows = [lanes[i : i + width] for i in range(0, WARP, width)] if whole else []
    side_by_side = [all(b - a == line.width for a, b in pairwise(row)) for row in rows]
    return width if rows and all(side_by_side) else 0


def _first(line: Line) -> int:
    pattern = line.patterns[0]
    return pattern.base + next((offset for offset in pattern.lanes if offset >= 0), 0)


def _fields(kernel: Kernel, line: Line) -> list[Line]:
    """Lines that take other parts of what lies between two lanes, itself among them; one for each part."""
    stride = _stride(line)
    if line.space != "global" or stride <= line.width:
        return []
    alike = {
        _first(one) % stride: one for one in kernel.lines
        if one.space == line.space and one.op == line.op and _stride(one) == stride
        and abs(_first(one) - _first(line)) < BESIDE and one.executed == line.executed
    }  # fmt: skip
    return list(alike.values()) if len(alike) > 1 else []


def halves(line: Line) -> bool:
    """A reduction whose steps take elements, or lanes, that are twice as far apart each time."""
    steps = [(pattern.bytes, _apart(pattern)) for pattern in line.patterns if pattern.bytes]
    # Elements from lane to lane, of patterns that have the same steps throughout.
    elements = [of / each for each, found in steps if len(found) == 1 for _, of in found]
    apart = {of for of in elements if of > 1 and of.is_integer()}
    return line.op in ("load", "store") and len(apart) > 1 and all(int(x) & int(x) - 1 == 0 for x in apart)


def kernel_cures(kernel: Kernel) -> list[Told]:
    """What the machine code and the parts of the time suggest, that is of no access alone, as times of a launch: those
    with most to gain first, and none where the model computes no saving."""
    if not kernel.played or not kernel.launches:
        return []
    whole, few = kernel.predicted_ns, kernel.blocks[1] <= FEW_BLOCKS * kernel.recorded
    saved = {OF_PARTS[part]: whole - ns for part, ns in kernel.cured_ns.items() if part != "starts" or not few}
    reduced = [line for line in kernel.lines if halves(line)]
    places = {(line.file, line.line or line.pc) for line in reduced}
    spent = sum(one.total for one in kernel.spent if (one.file, one.line or one.pc) in places)
    packed = sum(line.executed * line.lanes / WARP for line in reduced)
    saved[ORDER] = spent * (1 - packed / sum(line.executed for line in reduced)) if reduced else 0.0
    return [
        Told(text, whole / kernel.launches, (whole - ns) / kernel.launches, "ns")
        for text, ns in sorted(saved.items(), key=lambda one: one[1], reverse=True)
        if ns >= WORTH * whole
    ]


def cures(kernel: Kernel, line: Line) -> list[Told]:
    """The best first; none where nothing is known that would help."""
    if halves(line):
        now = line.cycles / line.executed if line.cycles and line.executed else None
        best = line.best_cycles / line.executed if now and line.best_cycles is not None else None
        return [Told(ORDER, now, best)] if now is None or best is None or best < LEAST * now else []
    if not line.executed or not line.count or not line.best_count or line.count <= line.best_count:
        return []
    known = line.cycles is not None and line.best_cycles is not None
    now, best = (line.cycles / line.executed, line.best_cycles / line.executed) if known else (None, None)
    found = []
    if _transposes(kernel, line):
        text = "stage a tile of 32 rows of 33 elements in shared memory: read and write rows of global memory, and "
        text += "exchange rows and columns in the tile"
        found.append(Told(text, now, best + TILE if known else None))
    fields = _fields(kernel, line)
    width = sum(one.width for one in fields)
    if fields and width == _stride(line) <= WIDEST and width in TYPES:
        text = f"one access of {TYPES[width]} per lane instead of {len(fields)} side by side"
        found.append(Told(text, len(fields) * now if known else None, now))
    if narrow := _narrow_block(kernel, line):
        text = f"another block shape: 32 threads in x, not {narrow}, so that the lanes of a warp stay in one row"
        found.append(Told(text, line.count / line.executed, line.best_count / line.executed, line.unit))
    for cure in line.cures:
        # A wider access, where the kernel takes the neighbours that it would bring; then there is no structure.
        wide = any("one access of" in one.text for one in found)
        apart = cure.replaces == 1 and "structure of arrays" in cure.text
        if cure.replaces > max(len(fields), len(line.instructions)) or (wide and (apart or cure.replaces > 1)):
            continue
        after = cure.cycles / line.executed if known and cure.cycles is not None else None
        fewer = cure.count is None or cure.count < LEAST * line.count
        useless = not fewer or (after is not None and after > LEAST * now)
        if not useless and not (found and "shared memory" in cure.text and line.space == "global"):  # said already
            of = cure.replaces
            rounds = apart and line.width * len(line.instructions) >= _stride(line) > 0
            before, after = (None, None) if after is None else (of * now, of * after)
            found.append(Told(IN_TURN if rounds else cure.text, before, after))
    return found
