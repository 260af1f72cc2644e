"""Records per second of processor time of `gpufx trace-cost`, on invented traces.

    python tests/studies/bench_trace.py PROGRAM [--records N]

Each trace has one instruction and 64 blocks: streams that read each line once; a strided loop that lives in the L1;
columns of shared memory with 32 patterns; gathers whose patterns are all different, 65,536 of them."""

import argparse
import json
import resource
import subprocess
import tempfile
from pathlib import Path

import numpy as np

RECORD = np.dtype(
    [("instruction", "<u4"), ("pattern", "<u4"), ("base", "<u8"), ("block", "<u4"), ("warp", "<u2"), ("times", "<u2")]
)
PATTERN = np.dtype([("mask", "<u4"), ("bytes", "<u4"), ("offset", "<i4", 32)])
BLOCKS = 64


def frame(value: dict, data: np.ndarray | None = None) -> bytes:
    if data is None:
        return json.dumps(value).encode() + b"\n"
    binary = data.tobytes()
    return json.dumps(value | {"bytes": len(binary)}).encode() + b"\n" + binary + b"\n"


def trace(space: str, offsets: np.ndarray, pattern: np.ndarray, base: np.ndarray) -> bytes:
    patterns = np.zeros(len(offsets), PATTERN)
    patterns["mask"], patterns["bytes"], patterns["offset"] = 0xFFFFFFFF, 4, offsets
    records = np.zeros(len(pattern), RECORD)
    records["pattern"], records["base"], records["times"] = pattern, base, 1
    records["block"] = np.arange(len(pattern)) * BLOCKS // len(pattern)
    blocks = {"total": 100 * BLOCKS, "recorded": BLOCKS}
    return b"".join(
        [
            frame({"gpufx_trace": 1, "program": ["bench"], "device": {"name": "NVIDIA H200", "arch": "sm_90"}}),
            frame({"kernel": {"id": 0, "name": "bench", "max_blocks_per_sm": 2}}),
            frame({"instruction": {"id": 0, "kernel": 0, "space": space, "op": "load", "width": 4}}),
            frame({"patterns": {"first": 0, "count": len(patterns)}}, patterns),
            frame({"launch": {"id": 0, "kernel": 0, "blocks": blocks}}),
            frame({"records": {"launch": 0, "count": len(records)}}, records),
            frame({"end": {"status": 0}}),
        ]
    )


def traces(n: int) -> dict[str, bytes]:
    rng = np.random.default_rng(1)
    lanes, all_records = np.arange(32), np.arange(n)
    gathers = rng.integers(0, 1 << 16, (65536, 32)) * 4
    return {
        "stream": trace("global", 4 * lanes[None], np.zeros(n), all_records * 128),
        "strided, in the L1": trace("global", 128 * lanes[None] + 4 * lanes[:, None], all_records % 32, np.zeros(n)),
        "shared columns": trace("shared", 128 * lanes[None] + 4 * lanes[:, None], all_records % 32, np.zeros(n)),
        "gathers": trace("global", gathers, rng.integers(0, 65536, n), rng.integers(0, 1 << 16, n) * 128),
    }


def processor_seconds() -> float:
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("program")
    parser.add_argument("--records", type=int, default=1_000_000)
    asked = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "bench.fxtrace"
        for name, data in traces(asked.records).items():
            path.write_bytes(data)
            before = processor_seconds()
            subprocess.run([asked.program, "trace-cost", path], check=True, stdout=subprocess.DEVNULL)
            seconds = processor_seconds() - before
            print(f"{name:20} {seconds:6.2f} s  {asked.records / seconds / 1e6:6.2f} million records per second")


if __name__ == "__main__":
    main()
