"""Invents archives in schema 2: six probes and null with plausible costs, seeded noise and several processes.

Run as `python tests/invent.py FILE [PROCESSES [SEED]]` it writes one to look at. What others add to an archive by hand
needs a new end line: `sealed` makes one.
"""

import gzip
import json
import random
import sys
import zlib
from collections.abc import Iterator
from functools import cache
from pathlib import Path

CYCLES = ("cycles", "sm_cycles")
NS = ("ns", "gpu_ns")


def spec(sweep: str, params: dict, metric: tuple, a: float, b: float, **more) -> dict:
    """A case that costs a + b x count."""
    return {"sweep": sweep, "params": params, "metric": metric, "a": a, "b": b} | more


def wavefronts(offsets: list[int], width: int) -> int:
    """Phases of 128 bytes; the busiest bank's distinct words in each."""
    lanes = {4: 32, 8: 16, 16: 8}[width]
    total = 0
    for start in range(0, 32, lanes):
        banks: dict[int, set[int]] = {}
        for offset in offsets[start : start + lanes]:
            for word in range(offset // 4, (offset + width) // 4):
                banks.setdefault(word % 32, set()).add(word)
        total += max(map(len, banks.values()))
    return total


def bank_lanes(offsets: list[int]) -> int:
    """The largest number of lanes that meet in one bank: what an atomic costs."""
    banks = [offset // 4 % 32 for offset in offsets]
    return max(map(banks.count, banks))


def bank_conflict() -> Iterator[dict]:
    base = {"mode": "throughput", "op": "load", "width": 4, "pattern": "stride", "stride": 1, "offset": 0}
    base |= {"words": 1, "seed": 1}

    def case(sweep, **changes):
        params = base | changes
        width, pattern = params["width"], params["pattern"]
        rng = random.Random(params["seed"])
        lanes = {
            "stride": [i * params["stride"] * width + params["offset"] for i in range(32)],
            "multicast": [i % params["words"] * width for i in range(32)],
            "column": [i * 32 * width for i in range(32)],
            "padded": [i * 33 * width for i in range(32)],
            "xor": [(i * 32 + (i ^ 5)) * width for i in range(32)],
            "permutation": [x * width for x in rng.sample(range(32), 32)],
            "random": [rng.randrange(1024) * width for _ in range(32)],
        }[pattern]
        mode, op = params["mode"], params["op"]
        law, count, a, b = "wavefronts", wavefronts(lanes, width), 0.002, 0.9965
        if op.startswith("atomic"):
            step = 1 + (op == "atomic_cas")
            law, count, a, b = "bank_lanes", bank_lanes(lanes), 0.007, 0.996 * step
        elif op == "store":
            law = "store_wavefronts"
        if mode == "latency":
            law = "wavefronts_and_half_phases" if op == "load" else law
            a, b = 21.0 if op == "load" else 24.15, 2 * b / 0.9965
            count += (width / 4 - 1) / 2 if op == "load" else 0
        more = {"lanes": lanes, "fit_by": "mode op", "law": law, "count": count, "bytes": 32 * width}
        return spec(sweep, params, ("access_cycles", *CYCLES), a, b, **more)

    for mode in ("throughput", "latency"):
        for op in ("load", "store", "atomic_add", "atomic_cas"):
            if (mode, op) == ("latency", "store"):
                continue
            for width in (4, 8, 16) if op in ("load", "store") else (4,):
                for stride in range(0, 65):
                    yield case("stride", mode=mode, op=op, width=width, stride=stride)
        for width in (4, 8, 16):
            for pattern in ("column", "padded", "xor", "permutation"):
                yield case("pattern", mode=mode, width=width, pattern=pattern)
            for words in (2, 4, 8, 16):
                yield case("pattern", mode=mode, width=width, pattern="multicast", words=words)
            for seed in (1, 2, 3, 4):
                yield case("pattern", mode=mode, width=width, pattern="random", seed=seed)
        for offset in range(4, 33, 4):
            yield case("offset", mode=mode, offset=offset)


def coalescing() -> Iterator[dict]:
    base = {"level": "l1", "op": "load", "layout": "isolated", "width": 4, "order": "linear"}
    base |= {"stride": 1, "offset": 0, "seed": 0}
    costs = {"l1": (0.8, 0.25), "l2": (1.5, 0.5), "dram": (0.002, 0.0066)}

    def case(sweep, **changes):
        params = base | changes
        width = params["width"]
        order = list(range(32))
        if params["order"] in ("shuffled", "random"):
            random.Random(3).shuffle(order)
        step = params["stride"] * width * (7 if params["order"] == "random" else 1)
        lanes = [i * step + params["offset"] for i in order]
        sectors = len({(o + k) // 32 for o in lanes for k in range(width)})
        a, b = costs[params["level"]]
        count = sectors if params["layout"] == "isolated" else max(width, 1)
        dram, store = params["level"] == "dram", params["op"] == "store"
        metric = ("access_ns", *NS) if dram else ("access_cycles", *CYCLES)
        more = {"lanes": lanes, "fit_by": "level op", "count": count, "bytes": 32 * width, "moved": 32 * count}
        more["law"] = "pairs" if dram else f"{params['level']}_{params['op']}"
        more["in_fit"] = params["layout"] == "isolated" and not (dram and store)
        return spec(sweep, params, metric, a, b * (1.3 if store else 1), **more)

    for level in costs:
        for op in ("load", "store") if level != "l1" else ("load",):
            for width in (1, 2, 4, 8, 16):
                for stride in (1, 2, 3, 4, 5, 6, 7, 8, 12, 16, 24, 32, 48, 64):
                    yield case("stride", level=level, op=op, width=width, stride=stride)
                for offset in range(0, 129, 4):
                    yield case("offset", level=level, op=op, width=width, offset=offset)
            for offset in range(4, 129, 4):
                yield case("offset", level=level, op=op, layout="stream", offset=offset)
            for order in ("linear", "shuffled", "reversed", "random"):
                for seed in range(1, 4):
                    yield case("order", level=level, op=op, order=order, seed=seed)


def constant() -> Iterator[dict]:
    base = {"mode": "throughput", "space": "constant", "path": "indexed", "distinct": 1, "spacing": 4}
    base |= {"footprint": 0}

    def case(sweep, **changes):
        params = base | changes
        distinct, spacing = params["distinct"], params["spacing"]
        lanes = [i % distinct * spacing for i in range(32)]
        law, count, a, b = {
            "constant": ("distinct", distinct, 24.0, 6.0),
            "shared": ("wavefronts", wavefronts(lanes, 4), 23.0, 2.0),
            "global": ("lines", len({o // 128 for o in lanes}), 33.0, 2.0),
        }[params["space"]]
        if params["mode"] == "throughput":
            a, b = a / 20, b * 0.66
        if params["footprint"] > 2048:
            a += 30 if params["footprint"] <= 32768 else 180
        more = {"lanes": lanes, "fit_by": "mode space spacing", "law": law, "count": count}
        more["in_fit"] = not params["footprint"] and (params["space"] != "constant" or distinct * spacing <= 2048)
        return spec(sweep, params, ("access_cycles", *CYCLES), a, b, **more)

    for mode in ("throughput", "latency"):
        for spacing in (4, 8, 16, 32, 64, 128, 256):
            for distinct in range(1, 33):
                yield case("divergence", mode=mode, spacing=spacing, distinct=distinct)
    for space in ("shared", "global"):
        for spacing in (4, 64, 256):
            for distinct in range(1, 33):
                yield case("crossover", space=space, spacing=spacing, distinct=distinct)
    for size in (256, 512, 1024, 1536, 2048, 3072, 4096, 8192, 16384, 24576, 32768, 49152, 65536):
        yield case("footprint", mode="latency", spacing=64, footprint=size)


def readonly() -> Iterator[dict]:
    base = {"mode": "latency", "path": "plain", "walk": "line", "footprint": 16384}
    extra = {"plain": 0, "ca": 0, "nc": 0, "cg": 180, "tex": 6, "tex2d_array": 8, "tex2d_pitch": 8, "const": -8}

    def case(sweep, **changes):
        params = base | changes
        path, size = params["path"], params["footprint"]
        cost = 33.0 if size <= 192 << 10 and path != "cg" else 215.0 if size <= 40 << 20 else 620.0
        cost += extra[path] if cost < 100 else 0
        if params["mode"] == "throughput":
            cost /= 20
        if sweep == "walk2d":
            walks = {"rows": 1.0, "columns": 3.1, "tiles": 1.4, "random": 4.0}
            cost *= walks[params["walk"]] ** (0.4 if path.startswith("tex2d") else 1)
        return spec(sweep, params, ("access_cycles", *CYCLES), cost, 0.0)

    for path in ("plain", "nc", "cg", "tex"):
        for power in range(10, 29):
            yield case("footprint", path=path, footprint=1 << power)
    for power in range(10, 21):
        yield case("footprint_ca", path="ca", footprint=1 << power)
    for power in range(10, 17):
        yield case("footprint_const", path="const", footprint=1 << power)
    for path in ("plain", "ca", "nc", "cg", "tex"):
        for size in (16 << 10, 1 << 20):
            yield case("hits", mode="throughput", path=path, footprint=size)
    for path in ("plain", "tex2d_array", "tex2d_pitch"):
        for walk in ("rows", "columns", "tiles", "random"):
            for size in (64 << 10, 2 << 20):
                yield case("walk2d", mode="throughput", path=path, walk=walk, footprint=size)


def transfer() -> Iterator[dict]:
    rates = {
        "pageable": (9000, 12),
        "registered": (2100, 55.1),
        "pinned": (2000, 55.4),
        "write_combined": (2000, 55.3),
        "mapped": (2500, 48),
        "managed_fault": (30000, 8),
        "managed_prefetch": (14000, 40),
        "managed_resident": (3000, 1900),
    }
    at_rest = {"task": "copy", "kind": "pinned", "direction": "h2d", "pieces": 1, "size": 64 << 20}

    def case(sweep, t0, rate, in_fit=True, **changes):
        params = at_rest | changes
        count = params["size"] * (2 if params["direction"] == "both" else 1)
        metric = ("copy_host_ns", "ns", "host_ns") if params["kind"] == "pageable" else ("copy_ns", *NS)
        more = {"fit_by": "task kind direction", "law": "bytes", "count": count, "in_fit": in_fit, "bytes": count}
        more["extras"] = {"h2d_GBps": 48.0, "d2h_GBps": 47.0} if params["direction"] == "both" else {}
        return spec(sweep, params, metric, float(t0), 1 / rate, **more)

    for kind, (t0, rate) in rates.items():
        managed = kind.startswith("managed")
        for direction, factor in (("h2d", 1.0), ("d2h", 0.99), *([] if managed else [("both", 1.8)])):
            for power in range(12 if managed else 2, 31, 2):
                yield case("copy", t0, rate * factor, kind=kind, direction=direction, size=1 << power)
    for task, each in (("loop", 2100), ("batch", 350)):
        for direction in ("h2d", "d2h"):
            for pieces in (1, 4, 16, 64, 256):
                for size in (1 << 20, 16 << 20):
                    changes = {"direction": direction, "pieces": pieces, "size": size}
                    yield case("many", each * pieces, 55.0, False, task=task, **changes)


def pinning() -> Iterator[dict]:
    for task, t0, rate in (("pin", 40000, 3.1), ("unpin", 20000, 9.0)):
        for kind in ("registered", "pinned"):
            for power in range(12, 31, 2):
                params, more = {"task": task, "kind": kind, "size": 1 << power}, {"fit_by": "task kind", "law": "bytes"}
                metric = ("call_host_ns", "ns", "host_ns")
                yield spec("pin", params, metric, float(t0), 1 / rate, count=1 << power, bytes=1 << power, **more)


def null() -> Iterator[dict]:
    yield spec("only", {}, ("overhead_ns", "ns", "host_ns"), 350.0, 0.0)


PROBES = {f.__name__: f for f in (bank_conflict, coalescing, constant, null, pinning, readonly, transfer)}
BYTES = ("width", "offset", "spacing", "footprint", "size")  # the axes of these probes that count bytes


def declared(probe: str, specs=None) -> dict:
    """What the run line says of a probe that has such cases."""
    specs = specs or specs_of(probe)
    axes = dict.fromkeys(axis for one in specs for axis in one["params"])
    metrics = {one["metric"][0]: one["metric"] for one in specs}
    return {
        "method_version": 1,
        "source_hash": "0123456789abcdef",
        "question": "What does it cost?",
        "fit_by": next((one["fit_by"].split() for one in specs if "fit_by" in one), None),
        "axes": [{"name": axis, "unit": "bytes" if axis in BYTES else ""} for axis in axes],
        "metrics": [
            {"name": name, "unit": unit, "timebase": timebase, "better": "lower", "per": name.rpartition("_")[0]}
            for name, unit, timebase in metrics.values()
        ],
        "claims": [],
    }


def run_line(
    processes=5, name="NVIDIA H200", arch="sm_90", provenance="synthetic", run_id="0a1b2c3d", **changes
) -> dict:
    """The first line. changes: any top-level key."""
    return {
        "type": "run",
        "schema": 2,
        "id": run_id,
        "started_utc": "2026-11-20T09:00:00Z",
        "provenance": provenance,
        "program": {
            "name": "gpufx",
            "version": "0.1.0",
            "commit": "0123456789abcdef",
            "dirty": False,
            "build_type": "Release",
            "c_compiler": "gcc 12.2.0",
            "cuda_compiler": "13.0.88",
            "cuda_architectures": "90",
            "google_benchmark": "1.7.1",
            "harness_hash": "fedcba9876543210",
        },
        "device": {
            "name": name,
            "slug": name.lower().replace(" ", "-"),
            "arch": arch,
            "sm_count": 132,
            "l2_bytes": 62914560,
            "memory_bytes": 150754820096,
            "memory_peak_GBps": 4916.2,
        },
        "driver": {"version": "580.65.06", "cuda_driver": 13000, "cuda_runtime": 13000},
        "host": {"cpu": "an invented CPU"},
        "environment": {"mig": False, "ecc": True},
        "arguments": ["run"],
        "processes": processes,
        "quick": False,
        "seed": 1,
        "profiled": False,
        "law_version": 1,
        "sampler": None,
        "labels": {},
        "probes": {probe: declared(probe) for probe in PROBES},
    } | changes


def middle(values: list[float]) -> float:
    ordered = sorted(values)
    return (ordered[(len(ordered) - 1) // 2] + ordered[len(ordered) // 2]) / 2


def case_line(probe: str, spec: dict, process: int, samples: list[float], method_version: int = 1) -> dict:
    name, unit, timebase = spec["metric"]
    ordered, median = sorted(samples), middle(samples)
    clocks = {"sm_MHz": 1980, "memory_MHz": 3201, "temperature_C": 41, "power_W": 220.5, "throttle_reasons": []}
    useful = spec.get("bytes", 0)
    moved = spec.get("moved", useful)
    unit_key = "GBps" if unit == "ns" else "bytes_per_cycle"
    law = None
    if "law" in spec:
        count, in_fit = spec["count"], spec.get("in_fit", True)
        law = {"name": spec["law"], "count": count, "in_fit": in_fit, "why_not": None if in_fit else "outside"}
        law["counts"] = {spec["law"]: count}
    return {
        "type": "case",
        "process": process,
        "place": 0,
        "name": name_of(probe, spec["params"]),
        "probe": probe,
        "method_version": method_version,
        "sweep": spec["sweep"],
        "params": spec["params"],
        "lanes": spec.get("lanes"),
        "metric": {"name": name, "unit": unit, "timebase": timebase, "better": spec.get("better", "lower")},
        "samples": samples,
        "n": len(samples),
        "median": median,
        "ci95": [ordered[len(ordered) // 4], ordered[-len(ordered) // 4]],
        "outliers": 0,
        "lag1": 0.01,
        "intercept": None,
        "stop": "precision",
        "law": law,
        "useful_bytes": useful,
        "moved_bytes": moved,
        "derived": {f"useful_{unit_key}": useful / median, f"moved_{unit_key}": moved / median} if useful else {},
        "extras": spec.get("extras", {}),
        "flags": spec.get("flags", []),
        "clock_moved": 0,
        "clocks": {"sm_clock_MHz": 1980.1, "nvml": [clocks | {"age_ms": 3}]},
        "code": None,
        "memory": None,
        "sms": None,
        "lengths": None,
        "began_s": 0.5,
        "elapsed_s": 0.01,
    }


def name_of(probe: str, params: dict) -> str:
    return "/".join([probe, *(f"{axis}:{value}" for axis, value in params.items())])


def fit_line(
    process: int | None, probe: str, group: dict, law: str, metric: str, a: float, b: float, **changes
) -> dict:
    line = {"type": "fit", "process": process, "probe": probe, "group": group, "law": law, "metric": metric, "n": 5}
    line |= {"a": a, "b": b, "a_ci95": None, "b_ci95": None, "r_squared": 0.99995, "residual_sd_pct": 0.1}
    return line | {"largest_residual_pct": 0.31, "worst_case": name_of(probe, group), "holds": True} | changes


def waived_line(process: int, probe: str, params: dict, reason: str) -> dict:
    line = {"type": "waived", "process": process, "place": 0, "name": name_of(probe, params), "probe": probe}
    return line | {"params": params, "reason": reason}


def failed_line(process: int, probe: str, params: dict, reason: str) -> dict:
    return waived_line(process, probe, params, reason) | {"type": "failed", "status": "device"}


def archive_lines(
    processes=5, seed=1, spread=0.0005, noise=0.001, probes=tuple(PROBES), scale=None, n=7, every=1, **run
) -> list[dict]:
    """All lines of one archive. spread: between processes, noise: between samples (both relative, one sigma). scale:
    {probe: factor} makes a probe slower. every: so many cases of each sweep are passed over. run: see run_line."""
    rng = random.Random(seed)
    lines = [run_line(processes, **run)]
    for process in range(processes):
        for probe in probes:
            groups: dict[tuple, list] = {}
            for spec in specs_of(probe)[::every]:
                true = (spec["a"] + spec["b"] * spec.get("count", 0)) * (scale or {}).get(probe, 1.0)
                level = true * (1 + rng.gauss(0, spread))
                line = case_line(probe, spec, process, [round(level * (1 + rng.gauss(0, noise)), 6) for _ in range(n)])
                lines.append(line)
                if "fit_by" in spec and line["law"]["in_fit"]:
                    group = tuple((axis, spec["params"][axis]) for axis in spec["fit_by"].split())
                    groups.setdefault((group, spec["law"], spec["metric"][0]), []).append((spec, line))
            for (group, law, metric), members in groups.items():
                spec, line = members[-1]
                factor = (scale or {}).get(probe, 1.0)
                more = {"n": len(members), "worst_case": line["name"]}
                a, b = spec["a"] * factor, spec["b"] * factor
                lines.append(fit_line(process, probe, dict(group), law, metric, a, b, **more))
    params = {"task": "copy", "kind": "managed_fault", "direction": "both", "size": 4}
    lines.append(waived_line(0, "transfer", params, "the device has no pageable access"))
    return sealed(lines)


@cache
def specs_of(probe: str) -> list[dict]:
    """As the program does: a case of several sweeps appears once, under the first."""
    specs: dict[str, dict] = {}
    for spec in PROBES[probe]():
        specs.setdefault(str(spec["params"]), spec)
    return list(specs.values())


def packed(lines: list[dict]) -> bytes:
    return "".join(json.dumps(line) + "\n" for line in lines).encode()


def sealed(lines: list[dict], **changes) -> list[dict]:
    """The lines with a last one that fits them."""
    lines = [line for line in lines if line["type"] != "end"]
    count = {kind: sum(line["type"] == kind for line in lines) for kind in ("case", "waived", "failed")}
    end = {"type": "end", "complete": True, "reason": None, "cases": count["case"], "waived": count["waived"]}
    end |= {"failed": count["failed"], "elapsed_s": 9.5, "crc32": f"{zlib.crc32(packed(lines)):08x}"}
    return [*lines, end | changes]


def write(path: Path, lines: list[dict]) -> Path:
    """The lines as they are, compressed if the name says so."""
    path.parent.mkdir(parents=True, exist_ok=True)
    content = packed(lines)
    path.write_bytes(gzip.compress(content, mtime=0) if path.suffix == ".gz" else content)
    return path


if __name__ == "__main__":
    numbers = [int(text) for text in sys.argv[2:]]
    write(Path(sys.argv[1]), archive_lines(*numbers))
