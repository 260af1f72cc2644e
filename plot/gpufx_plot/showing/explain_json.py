"""`gpufx explain --json`: docs/explain.md has the fields. Fields may be added; a change of a meaning raises the
version."""

from ..call.text import json_text
from ..explain.answer import Answer, Kernel, Line
from ..explain.before import Pair
from ..explain.cures import cures, kernel_cures
from ..explain.played import WORDS
from .compare_text import identity

VERSION = 1


def _line(kernel: Kernel, line: Line) -> dict:
    return {
        "file": line.file,
        "line": line.line,
        "inlined_at": [{"file": file, "line": number} for file, number in line.inlined],
        "pc": line.pc,
        "sass": line.sass,
        "space": line.space,
        "op": line.op,
        "width": line.width,
        "instructions": len(line.instructions),
        "executed": line.executed,
        "lanes": line.lanes,
        "bytes": line.bytes,
        "laws": line.laws,
        "unit": line.unit,
        "count": line.count,
        "best_count": line.best_count,
        "cycles": line.cycles,
        "best_cycles": line.best_cycles,
        "share": line.share,
        "served": line.served,
        "claimed": line.claimed,
        "error": line.error,
        "saved_ns": line.saved_ns if kernel.predicted_ns is not None else None,
        "saved": line.saved if kernel.predicted_ns is not None else None,
        "estimated": line.estimated if kernel.predicted_ns is not None else None,
        "hidden_by": line.hidden_by,
        "cures": [
            {"text": told.text, "cycles_before": told.before, "cycles": told.after} for told in cures(kernel, line)
        ],
        "patterns": [
            {"share": p.share, "bytes": p.bytes, "lanes": p.lanes, "count": p.count, "best_count": p.best_count}
            for p in line.patterns
        ],
    }


def _kernel(found: Answer, kernel: Kernel) -> dict:
    return {
        "name": kernel.name,
        "launches": kernel.launches,
        "recorded": kernel.recorded,
        "blocks": {"recorded": kernel.blocks[0], "total": kernel.blocks[1]},
        "predicted_ns": kernel.predicted_ns,
        "best_ns": kernel.best_ns,
        "parts_ns": kernel.parts or None,
        "bound": kernel.bound,
        "idle_sms": kernel.idle_sms,
        "explained": kernel.explained,
        "measured_ns": kernel.measured_ns,
        "played": kernel.played,
        "unknown": kernel.unknown,
        "four": kernel.four or None,
        "spent": [
            {
                "file": one.file,
                "line": one.line or None,
                "pc": one.pc,
                "parts_ns": {WORDS[k]: ns for k, ns in one.parts.items()},
            }
            for one in kernel.spent
        ],
        "cures": [{"text": x.text, "unit": x.unit, "before": x.before, "after": x.after} for x in kernel_cures(kernel)],
        "lines": [_line(kernel, line) for of, line in found.lines if of is kernel],
    }


def as_json(found: Answer, pairs: list[Pair] | None) -> str:
    trace = found.costs.trace
    document = {
        "gpufx_explain": VERSION,
        "program": trace.program,
        "started": trace.started,
        "device": {"name": trace.device.name, "arch": trace.device.arch},
        "archive": identity(found.chip.archive) if found.chip else None,
        "complete": found.costs.complete,
        "kernels": [_kernel(found, kernel) for kernel in found.kernels],
        "notes": found.notes,
    }
    if pairs is not None:
        document["against"] = [
            {
                "name": pair.name,
                "before_ns": pair.before.predicted_ns if pair.before else None,
                "now_ns": pair.now.predicted_ns if pair.now else None,
                "ratio_of_a_launch": pair.ratio,
            }
            for pair in pairs
        ]
    return json_text(document, 2)
