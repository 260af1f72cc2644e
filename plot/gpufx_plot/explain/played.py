"""What the launches of a trace take, by a replay of their machine code on one SM (harness/explain/replay.h), and the
rates of a chip that it is given."""

import msgspec

from ..chip.prices import Chip

SCHEDULERS = 4
START_WARPS = 8  # of a block, in the measurement that the price of a start comes from
# Of the program's parts of time: the four that a kernel's time has.
PARTS = {
    "issue": ("issue",),
    "pipes": ("math", "shared", "sm_l2", "l2", "dram", "atomics"),
    "warp": ("long", "short", "special", "fixed", "barrier", "code"),
    "starts": ("starts",),
}
WORDS = {
    "issue": "issue slots", "math": "arithmetic units", "shared": "shared memory and L1",
    "sm_l2": "SM to L2", "l2": "L2", "dram": "DRAM", "atomics": "L2 atomics",
    "long": "global memory latency", "short": "shared memory latency",
    "special": "special functions and constants", "fixed": "dependent arithmetic",
    "barrier": "barriers", "code": "jumps", "starts": "starts of blocks",
}  # fmt: skip
# What the program asks for: the name of its price (micro/GROUP/EFFECT/quantities.json), times what, and which other
# price does where an archive has no cases of that one; near and far are of an L2 with two halves.
ASKED = {
    "fma": ("fma32", SCHEDULERS), "imad": ("imad32", SCHEDULERS), "alu": ("alu32", SCHEDULERS),
    "uniform": ("alu32", SCHEDULERS), "fp64": ("fp64", SCHEDULERS), "special": ("special", SCHEDULERS),
    "tensor": ("mma", SCHEDULERS), "shuffle": ("shuffles", 1), "shared_latency": ("shared_rounds", 1),
    "l1_latency": ("l1_rounds", 1), "copy_latency": ("l2_rounds", 1),
    "near_latency": ("l2_near_rounds", 1, "l2_rounds"), "far_latency": ("l2_far_rounds", 1, "l2_rounds"),
    "dram_latency": ("dram_rounds", 1), "atomic_latency": ("atomic_rounds", 1),
    "constant_latency": ("constant_rounds", 1), "constant_far": ("constant_far_rounds", 1, "constant_rounds"),
    "special_latency": ("special_rounds", 1),
    "barrier": ("barriers", 1), "block": ("blocks", 1), "off": ("predicated_off", 1, "shared_steps"),
    "dram_read": ("dram_read_bytes", 1), "dram_write": ("dram_write_bytes", 1),
    "dram_pairs_16mi": ("dram_random_16mi_bytes", 1, "dram_read_bytes"),
    "dram_pairs_128mi": ("dram_random_128mi_bytes", 1, "dram_read_bytes"),
    "dram_pairs": ("dram_random_bytes", 1, "dram_read_bytes"),
    "dram_copy": ("dram_copy_bytes", 1), "l2": ("l2_bytes", 1), "l2_request": ("l2_request", 1),
    "l2_store": ("l2_store_requests", 1), "l2_atomic": ("l2_atomics", 1), "same_word": ("same_word_atomics", 1),
    "same_line": ("line_atomics", 1, "same_word_atomics"),
    "same_float": ("same_word_float_atomics", 1, "same_word_atomics"),
}  # fmt: skip


class PlayedLine(msgspec.Struct):
    """A line of the source, or an instruction; parts: ns of one launch."""

    pc: int
    parts: dict[str, float]
    file: str | None = None
    line: int = 0


class Played(msgspec.Struct):
    """unknown: what the code and the records can't tell; ns is then what is known, or None. held: what held its warps,
    in the words of parts. dram: the share of the time that it was busy. best: ns with the accesses of a line at their
    best, by the first of its instructions, and of "all"."""

    ns: float | None = None
    parts: dict[str, float] = {}
    held: dict[str, float] = {}
    dram: float = 0.0
    lines: list[PlayedLine] = []
    best: dict[str, float] = {}
    unknown: str | None = None
    managed: bool = False  # it accesses managed or pinned host memory


# What holds warps, as profilers name it.
HELD = {
    "global memory": ("long", "dram", "l2", "sm_l2", "atomics"), "shared memory": ("short", "shared"),
    "special functions and constants": ("special",), "barriers": ("barrier",),
    "dependent arithmetic": ("fixed", "code"), "arithmetic units": ("math",),
}  # fmt: skip
SHORT = ("shared memory", "special functions and constants")  # one reason to stall, for profilers
FULL = 0.6  # of issue slots or of DRAM's rate: it is the bound


def bound(parts: dict[str, float], held: dict[str, float], dram: float) -> str:
    """What a kernel is bound by: starts where they are most of its time, full issue slots, DRAM that is full and busier
    than others wait for other pipes, or else what holds its warps longest."""
    whole = sum(parts.values())
    if parts.get("starts", 0.0) > whole / 2:
        return WORDS["starts"]
    if parts.get("issue", 0.0) > FULL * (whole - parts.get("starts", 0.0)):
        return WORDS["issue"]
    others = sum(parts.get(part, 0.0) for part in PARTS["pipes"] if part != "dram")
    if dram > FULL and dram * whole > others:
        return WORDS["dram"]
    sums = {name: sum(held.get(part, 0.0) for part in of) for name, of in HELD.items()}
    short = max(SHORT, key=sums.__getitem__)
    sums[short] = sum(sums[name] for name in SHORT)
    return max(sums, key=sums.__getitem__)


def rates(chip: Chip) -> tuple[dict[str, float], list[str]]:
    """In cycles; and the prices that the archive does not have, which cost nothing."""
    found: dict[str, float] = {"ghz": chip.ghz, "sms": chip.sms}
    lacking = []
    for key, (price, times, *others) in {**ASKED, "start_ns": ("launches", 1 / chip.ghz)}.items():
        quantity = next(filter(None, (chip.prices.get(name) for name in (price, *others))), None)
        ns = chip.ns(quantity) if quantity else None
        found[key] = (ns or 0.0) * chip.ghz * times
        lacking += [price] if ns is None else []
    if blocks := chip.prices.get("blocks"):  # the case that tells has the start of its kernel in it
        found["block"] = max(0.0, found["block"] - found["start_ns"] * chip.ghz * blocks.definition.scale)
    # the replay plays what the start of the archive's empty kernel has in it, too: warps that begin, and a constant
    inside = found["block"] * (1 - 1 / START_WARPS) + found["constant_far"]
    found["start_ns"] = max(0.0, found["start_ns"] - inside / chip.ghz)
    return found, lacking
