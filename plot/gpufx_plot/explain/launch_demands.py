"""What the accesses of a launch ask of the chip (chip/demands.py), as they are and at best: from the counts of its
rows, scaled from the blocks that were recorded to all of them. Arithmetic, latency and barriers are not in a trace."""

import math
from collections import Counter

from ..chip.demands import Chip
from .trace_costs import Launch, Row

SECTOR_BYTES, SECTORS_OF_LINE = 32, 4
REQUESTS = "L2 requests"  # the part of the chip
ATOMIC = ("atomic", "count", "reduction", "cas", "bulk_reduce")
STORE = ("store", "async_store", "matrix_store", "bulk_store")


def scale(launch: Launch) -> float:
    """From what was kept of a launch to all of it."""
    blocks = launch.blocks.total / launch.blocks.recorded if launch.blocks.recorded else 0.0
    lost = launch.accesses.seen / launch.accesses.kept if launch.accesses.kept else 1.0
    return blocks * max(lost, 1.0)


def of_busiest(launch: Launch, sms: int) -> float:
    """The share of all blocks that come to the SM that has most of them."""
    return math.ceil(launch.blocks.total / sms) / launch.blocks.total if launch.blocks.total else 0.0


def _steps(op: str, level: str) -> tuple[str, bool] | None:
    """The demand that counts the steps of a level, and whether it is one of the busiest SM."""
    if level == "shared":
        return ("shared_atomic_steps" if op in ATOMIC else "shared_steps"), True
    if level == "l1":
        return "l1_steps", True
    if level == "l2":
        return ("l2_atomics", False) if op in ATOMIC else ("l2_store_steps" if op in STORE else "l2_load_steps", True)
    return None


def requests(chip: Chip) -> str | None:
    """The demand that counts lines of loads beyond the L1; None: the archive has no price of it."""
    priced = (name for (name, _), quantity in chip.prices.items() if quantity.definition.serves.engine == REQUESTS)
    return next(priced, None)


def asked(row: Row, launch: Launch, sms: int, of_loads: str | None = None) -> tuple[Counter, Counter]:
    """By all executions of the instruction in the launch: as it is, and at best. of_loads: see requests()."""
    times, busiest, op = scale(launch), of_busiest(launch, sms), row.instruction.op
    now, best = Counter(), Counter()
    for level in row.levels:
        if demand := _steps(op, level.level):
            name, of_sm = demand
            share = times * busiest if of_sm else times
            count = level.count or 0.0
            now[name] += count * share
            best[name] += (count if level.best_count is None else min(level.best_count, count)) * share
    if row.sectors:
        l1, dram = row.served.get("l1") or 0.0, row.served.get("dram") or 0.0
        beyond, far = row.sectors * (1 - l1), row.sectors * dram
        least = row.best_sectors if row.best_sectors is not None else row.sectors
        store, share = op in STORE, least / row.sectors if row.best_share is None else row.best_share
        for found, moved in ((now, beyond), (best, beyond * share)):
            lines = (row.lines or 0.0) * (1 - l1)
            lines = min(lines, moved / SECTORS_OF_LINE) if found is best else lines
            if store:
                found["l2_store_requests"] += times * (lines + moved)
            elif of_loads and op not in ATOMIC:
                found[of_loads] += times * lines
            found["l2_bytes"] += SECTOR_BYTES * times * moved
            found["dram_write_bytes" if store else "dram_read_bytes"] += SECTOR_BYTES * times * min(far, moved)
    return now, best
