"""Invents archives in schema 2: three probes and null with plausible costs, seeded noise and several processes.

What others add to an archive by hand needs a new end line: `sealed` makes one.
"""

import gzip
import json
import random
import zlib
from collections.abc import Iterator
from functools import cache
from itertools import product
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


def bank_conflict() -> Iterator[dict]:
    """Strides alone. An atomic costs what the largest number of lanes that meet in one bank does."""
    base = {"op": "load", "width": 4, "pattern": "stride", "offset": 0, "words": 1, "seed": 1}
    for mode in ("throughput", "latency"):
        for op, width, stride in product(("load", "store", "atomic_add", "atomic_cas"), (4, 8, 16), range(65)):
            if (mode, op) == ("latency", "store") or (op.startswith("atomic") and width > 4):
                continue
            lanes = [i * stride * width for i in range(32)]
            law, count, a, b = "wavefronts", wavefronts(lanes, width), 0.002, 0.9965
            if op.startswith("atomic"):
                banks = [lane // 4 % 32 for lane in lanes]
                law, count, b = "bank_lanes", max(map(banks.count, banks)), 0.996 * (1 + (op == "atomic_cas"))
            elif op == "store":
                law = "store_wavefronts"
            if mode == "latency":
                a, b = 21.0 if op == "load" else 24.15, 2 * b / 0.9965
                if op == "load":
                    law, count = "wavefronts_and_half_phases", count + (width / 4 - 1) / 2
            params = {"mode": mode} | base | {"op": op, "width": width, "stride": stride}
            more = {"lanes": lanes, "fit_by": "mode op", "law": law, "count": count, "bytes": 32 * width}
            yield spec("stride", params, ("access_cycles", *CYCLES), a, b, **more)


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


def transfer() -> Iterator[dict]:
    rates = {"pageable": (9000, 12), "registered": (2100, 55.1), "pinned": (2000, 55.4), "managed_fault": (30000, 8)}
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


def null() -> Iterator[dict]:
    yield spec("only", {}, ("overhead_ns", "ns", "host_ns"), 350.0, 0.0)


PROBES = {f.__name__: f for f in (bank_conflict, constant, null, transfer)}
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
