"""What `gpufx trace-cost` says of two transposes, by hand: `naive` writes columns and is bound by that, `tiled` reads a
column of a tile in shared memory without padding and is bound by barriers. 64 of 16384 blocks are recorded of each."""

import json
from copy import deepcopy

BLOCKS, ALL = 64, 16384
WARPS = 8 * BLOCKS
SIDE, ROWS, COLUMN = ([step * lane for lane in range(32)] for step in (4, 16384, 128))
TILE = (
    "swap the index order, or threadIdx.x and .y, so that neighbouring lanes access neighbouring elements of "
    "a row; if the algorithm needs columns, stage a tile in shared memory"
)


def instruction(id_: int, kernel: int, op: str, line: int | None, space: str = "global", **more) -> dict:
    place = {"file": "/src/app.cu", "line": line} if line else {}
    return {"id": id_, "kernel": kernel, "pc": 16 * id_, "space": space, "op": op, "width": 4} | place | more


def row(launch: int, of: dict, count: tuple, cycles: tuple, served: dict, lanes: list, executed=WARPS, **more) -> dict:
    """count, cycles: of an access, and at best."""
    shared = of["space"] == "shared"
    name, other = ("wavefronts", "sectors") if shared else ("sectors", "wavefronts")
    level = "shared" if shared else "l2"
    pattern = {"share": 1.0, "lanes": lanes, "bytes": 4, "base": 0, "count": count[0], "best_count": count[1]}
    return {
        "launch": launch,
        "instruction": of,
        "executed": executed,
        "lanes": 32.0,
        "bytes": 128.0 * executed,
        "blocks": {"n": BLOCKS, "mean": cycles[0] * executed / BLOCKS, "variance": 0.0},
        name: count[0] * executed,
        f"best_{name}": count[1] * executed,
        other: None,
        f"best_{other}": None,
        "served": served,
        "laws": [f"{level}_{of['op']}"],
        "claimed": 1.0,
        "cycles": cycles[0] * executed,
        "best_cycles": cycles[1] * executed,
        "patterns": [pattern],
        "cures": [],
    } | more


SHAPE = {"grid": [128, 128, 1], "block": [32, 8, 1]}


def launch(id_: int, kernel: int, **more) -> dict:
    shape = SHAPE | {"cluster": [1, 1, 1]}
    counts = {"blocks": {"total": ALL, "recorded": BLOCKS}}
    told = {"id": id_, "kernel": kernel, "process": 1, "device": 0}
    return told | shape | counts | {"time": deepcopy(TILED if kernel == 1 else NAIVE)} | more


NAIVE = {
    "ns": 1e5,
    "parts": {"issue": 1e4, "l2": 8e4, "starts": 1e4},
    "held": {"l2": 9e5, "fixed": 1e4},
    "lines": [{"pc": 64, "parts": {"l2": 8e4, "issue": 5e3}, "file": "/src/app.cu", "line": 4}],
    "best": {"4": 4e4, "all": 3e4},
}
TILED = {
    "ns": 8e4,
    "parts": {"issue": 2e4, "barrier": 5e4, "starts": 1e4},
    "held": {"barrier": 5e5, "short": 4e5},
    "lines": [{"pc": 0, "parts": {"barrier": 5e4}, "file": "/src/app.cu", "line": 7}],
    "best": {"21": 8e4, "all": 8e4, "barrier": 6e4, "long": 7.95e4},
}


def transposes() -> dict:
    dram, written = {"l1": 0.0, "l2": 0.0, "dram": 1.0}, {"l1": 0.0, "l2": 0.875, "dram": 0.125}
    better = {"text": TILE, "count": 4.0 * WARPS, "cycles": 4.0 * WARPS, "replaces": 1}
    padded = {"text": "padding: 4 bytes after every 128", "count": 4.0 * WARPS, "cycles": 4.0 * WARPS, "replaces": 1}
    read, far, tile, column = ((4, 4), (1.05, 1.05)), ((32, 4), (63.3, 4.0)), ((1, 1), (1, 1)), ((32, 1), (32, 1))
    rows = [row(0, instruction(k, 0, "load", 4), *read, dram, SIDE) for k in range(4)]
    rows += [row(0, instruction(4 + k, 0, "store", 4), *far, written, ROWS, cures=[better]) for k in range(4)]
    rows += [row(1, instruction(10 + k, 1, "load", 6), *read, dram, SIDE) for k in range(4)]
    rows += [row(1, instruction(14 + k, 1, "store", 9), (4, 4), (4, 4), dram, SIDE) for k in range(4)]
    own = {"shared": 1.0}
    rows.append(row(1, instruction(20, 1, "store", 6, "shared"), *tile, own, SIDE, 4 * WARPS))
    rows.append(row(1, instruction(21, 1, "load", 9, "shared"), *column, own, COLUMN, 4 * WARPS, cures=[padded]))
    return {
        "trace": {
            "gpufx_trace": 1,
            "program": ["./app", "4096"],
            "recorder": "injected",
            "started": "2026-11-23T21:00:00Z",
            "device": {"name": "NVIDIA H200", "arch": "sm_90", "sms": 132},
        },
        "archive": None,
        "kernels": [
            {"id": 0, "name": "_Z5naivePfPKfi", "shown": "naive(float*, float const*, int)"},
            {"id": 1, "name": "_Z5tiledPfPKfi", "shown": "tiled(float*, float const*, int)"},
        ],
        "calls": [{"kernel": 0, "launches": 3} | SHAPE, {"kernel": 1, "launches": 2} | SHAPE],
        "launches": [launch(0, 0), launch(1, 1)],
        "rows": rows,
        "notes": [],
    }


def printed(archive, **change) -> str:
    """What `gpufx trace-cost` prints where it is told rates."""
    told = {"archive": str(archive)}
    return json.dumps(told) + "\n" + json.dumps(transposes() | told | change)
