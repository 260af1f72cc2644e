"""What the program makes of a trace by its laws and by a replay: the JSON of `gpufx trace-cost`, which is told the
chip's rates while it counts."""

import json
from pathlib import Path

import msgspec

from .. import UserError
from ..archive.load import load
from ..call.program import RefusedError, ask, root
from ..call.text import safe_tree, shown
from ..chip.prices import Chip, chip_of
from .played import Played, rates

LONGEST_TEXT = 4096  # of a name; those of templates are long
OWN_WORDS = {"incomplete", "no_archive", "no_lines"}
UNSEEN = ": instructions whose addresses can't be recorded are not counted: "  # behind a kernel's name


class Pattern(msgspec.Struct):
    """lanes: bytes from the base, -1 for an inactive lane; bytes: of a lane."""

    share: float
    lanes: list[int]
    bytes: int
    base: int = 0
    count: float | None = None
    best_count: float | None = None


class Cure(msgspec.Struct):
    text: str
    count: float | None = None
    cycles: float | None = None
    replaces: float = 1


class Blocks(msgspec.Struct):
    """What the accesses of one block of the sample cost."""

    n: int = 0
    mean: float | None = None
    variance: float | None = None  # None: of one block


class Instruction(msgspec.Struct):
    id: int
    kernel: int
    pc: int
    space: str
    op: str
    width: int
    file: str | None = None
    line: int | None = None
    sass: str | None = None
    inlined: list[tuple[str, int]] = []


class Row(msgspec.Struct):
    """An instruction in a launch: sums over the blocks that were recorded."""

    launch: int
    instruction: Instruction
    executed: float
    lanes: float | None = None
    bytes: float | None = None
    blocks: Blocks = msgspec.field(default_factory=Blocks)
    sectors: float | None = None
    wavefronts: float | None = None
    best_sectors: float | None = None
    best_wavefronts: float | None = None
    served: dict[str, float | None] = {}
    laws: list[str] = []
    claimed: float | None = None  # of its accesses the laws are meant for
    cycles: float | None = None
    best_cycles: float | None = None
    patterns: list[Pattern] = []
    cures: list[Cure] = []


class Sample(msgspec.Struct):
    total: int
    recorded: int


class Launch(msgspec.Struct):
    id: int
    kernel: int
    grid: tuple[int, int, int]
    block: tuple[int, int, int]
    blocks: Sample
    time_ns: float | None = None
    time: Played | None = None


class Call(msgspec.Struct):
    """Of all launches of a shape, also those that were not recorded, on one device."""

    kernel: int
    grid: tuple[int, int, int]
    block: tuple[int, int, int]
    launches: int = 0


class Kernel(msgspec.Struct):
    id: int
    name: str
    shown: str | None = None


class Device(msgspec.Struct):
    name: str = "unknown device"
    arch: str = ""


class Trace(msgspec.Struct):
    program: list[str] = []
    started: str = ""
    device: Device = msgspec.field(default_factory=Device)


class Note(msgspec.Struct):
    text: str
    code: str = ""


class Costs(msgspec.Struct):
    trace: Trace | None
    launches: list[Launch]
    rows: list[Row]
    kernels: list[Kernel] = []
    calls: list[Call] = []
    archive: str | None = None
    notes: list[Note] = []

    @property
    def unfinished(self) -> str | None:
        """Why what was recorded is not all of it."""
        return next((note.text for note in self.notes if note.code == "incomplete"), None)

    def said(self, kernels: set[str]) -> list[str]:
        """What the answer does not say in its own words. kernels: the names of those that it is of."""
        return [
            note.text
            for note in self.notes
            if note.code not in OWN_WORDS and (note.code != "not_seen" or note.text.partition(UNSEEN)[0] in kernels)
        ]


def parsed(document) -> Costs:
    try:
        found = msgspec.convert(safe_tree(document, LONGEST_TEXT), Costs)
    except msgspec.ValidationError as error:
        raise UserError(f"gpufx can't read this trace, which has an unexpected value: {error}") from None
    found.trace = found.trace or Trace()
    launches = {launch.id for launch in found.launches}
    if any(row.launch not in launches for row in found.rows):
        raise UserError("`gpufx trace-cost` has a row of a launch that it does not list")
    return found


def costs_of(
    trace: Path, archive: str | None, arch: str | None, kernel: str | None, chip: Chip | None = None, cold: bool = False
) -> tuple[Costs, Chip | None]:
    """chip: whose rates, if it is known already; cold: each launch begins with an empty L2. Raises UserError where
    the file is no trace."""
    options = {"--archive": archive, "--arch": arch, "--kernel": kernel}
    words = [word for name, value in options.items() if value for word in (f"{name}={value}",)]

    def told(first: dict) -> str:
        nonlocal chip
        if not chip and (path := _path(first.get("archive"))):
            chip = chip_of(load(path))  # while the program counts
        return json.dumps(rates(chip)[0]) if chip else ""

    caches = "cold" if cold else "warm"
    try:
        return parsed(ask("trace-cost", *words, "--", str(trace), reply=told, GPUFX_RATES=caches)), chip
    except RefusedError as error:
        raise UserError(error.reason) from None


def _path(archive: str | None) -> Path | None:
    path = Path(archive) if archive else None
    return path if path is None or path.is_absolute() else root() / shown(path)


def archive_of(costs: Costs) -> Path | None:
    return _path(costs.archive)
