"""`gpufx explain --json`, of which docs/explain.md has the fields: fields may be added, a change of a meaning raises
the version. `--format github` and `--format sarif`: what lines could save, by file and line, for what reads it beside
a change."""

from collections.abc import Iterator
from pathlib import PurePath
from urllib.parse import quote

from ..call.annotation import escaped, of_gate, path_of, place
from ..call.text import fields_of, json_text
from ..explain.answer import Answer, Kernel, Line, Pair
from ..explain.cures import cures, kernel_cures
from ..explain.played import WORDS
from .compare_text import identity
from .explain_text import CHANGED, access_text, count_text, cure_text, saving_text, worth

VERSION = 1
SARIF = "https://json.schemastore.org/sarif-2.1.0.json"
RULE = "costly-access"
LEAST = 0.004  # of the kernel's time: lines that take less are left out


def _line(kernel: Kernel, line: Line) -> dict:
    times = fields_of(line, "saved_ns saved estimated")
    told = [{"text": x.text, "cycles_before": x.before, "cycles": x.after} for x in cures(kernel, line)]
    return {
        **fields_of(line, "file line"),
        "inlined_at": [{"file": file, "line": number} for file, number in line.inlined],
        **fields_of(line, "pc sass space op width"),
        "instructions": len(line.instructions),
        **fields_of(line, "executed lanes bytes laws unit count best_count cycles best_cycles"),
        **fields_of(line, "share served claimed error"),
        **(times if kernel.predicted_ns is not None else dict.fromkeys(times)),
        "hidden_by": line.hidden_by,
        "cures": told,
        "patterns": [fields_of(pattern, "share bytes lanes count best_count") for pattern in line.patterns],
    }


def _kernel(found: Answer, kernel: Kernel) -> dict:
    spent = [
        {"file": x.file, "line": x.line or None, "pc": x.pc, "parts_ns": {WORDS[k]: ns for k, ns in x.parts.items()}}
        for x in kernel.spent
        if x.total > LEAST * kernel.predicted_ns
    ]
    return {
        **fields_of(kernel, "name launches recorded"),
        "blocks": {"recorded": kernel.blocks[0], "total": kernel.blocks[1]},
        **fields_of(kernel, "predicted_ns best_ns"),
        "parts_ns": kernel.parts or None,
        **fields_of(kernel, "bound idle_sms dram_bytes explained measured_ns played unknown"),
        "four": kernel.four or None,
        "spent": spent,
        "cures": [fields_of(cure, "text unit before after") for cure in kernel_cures(kernel)],
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
        "complete": not found.costs.unfinished,
        **fields_of(found.costs, "unfinished"),
        **fields_of(found, "gate fail_on judged"),
        "not_judged": [{"kernel": name, "why": why} for name, why in found.not_judged.items()],
        "kernels": [_kernel(found, kernel) for kernel in found.kernels],
        "notes": found.notes,
    }
    if found.others:
        of_each = "name predicted_ns best_ns bound dram unknown"
        document["chips"] = [
            {
                "archive": identity(one.chip.archive) if one.chip else None,
                "kernels": [fields_of(kernel, of_each) for kernel in one.kernels],
            }
            for one in (found, *found.others)
        ]
    if pairs is not None:
        document["against"] = [
            {
                "name": pair.kernel.name,
                "before_ns": pair.before.predicted_ns if pair.before else None,
                "now_ns": pair.now.predicted_ns if pair.now else None,
                "ratio_of_a_launch": pair.ratio,
            }
            for pair in pairs
        ]
    return json_text(document, 2)


def _found(found: Answer, pairs: list[Pair] | None) -> Iterator[tuple[Kernel, Line, str]]:
    """Of a change only the kernels that it made slower, or that are new."""
    kept = {x.now.name for x in pairs or () if x.now and (x.before is None or (x.ratio or 0) > 1 + CHANGED)}
    for kernel, line in worth(found):
        if line.file and not line.hidden_by and (pairs is None or kernel.name in kept):
            told = [f"{kernel.label}: {saving_text(kernel, line)}", access_text(kernel, line), count_text(line)]
            told += [cure_text(cure) for cure in cures(kernel, line)[:1]]
            yield kernel, line, ". ".join(filter(None, told))


def as_github(found: Answer, pairs: list[Pair] | None = None) -> str:
    """Workflow commands of GitHub Actions; what the gate says may be of other lines, or of none."""
    return of_gate("explain", found.fail_on, found.places) + "".join(
        f"::warning {place(line.file, line.line)},title=gpufx explain::{escaped(told)}\n"
        for _, line, told in _found(found, pairs)
    )


def _uri(file: str) -> str:
    path = path_of(file)
    return PurePath(path).as_uri() if PurePath(path).is_absolute() else quote(path)


def _result(level: str, told: str, file: str, line: int, **properties) -> dict:
    place = {"artifactLocation": {"uri": _uri(file)}, "region": {"startLine": line}}
    result = {"ruleId": RULE, "level": level, "message": {"text": told}, "locations": [{"physicalLocation": place}]}
    return result | ({"properties": properties} if properties else {})


def as_sarif(found: Answer, pairs: list[Pair] | None = None) -> str:
    """What the gate says of a line is a result, and of no line a notification."""
    met, results = {place: told for told, place in found.places.items()}, []
    for kernel, line, told in _found(found, pairs):
        level = "error" if met.pop((line.file, line.line), None) else "warning"
        of = {"kernel": kernel.name, "estimated": line.estimated, "saved_at_most": line.saved}
        results.append(_result(level, told, line.file, line.line, **of))
    results += [_result("error", told, *place) for place, told in met.items()]
    text = {"text": "a memory access that takes longer than an ideal one of the same bytes"}
    driver = {"name": "gpufx explain", "rules": [{"id": RULE, "shortDescription": text}]}
    told = [{"level": "error", "message": {"text": each}} for each in found.fail_on if each not in found.places]
    ended = {"executionSuccessful": found.gate != "undecided", "toolExecutionNotifications": told}
    run = {"tool": {"driver": driver}, "invocations": [ended], "results": results}
    return json_text({"$schema": SARIF, "version": "2.1.0", "runs": [run]}, 2)
