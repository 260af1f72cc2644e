"""`explain --format github` and `--format sarif`: what lines could save, by file and line, for what reads it beside a
change."""

from collections.abc import Iterator
from pathlib import PurePath
from urllib.parse import quote

from ..call.annotation import escaped, of_gate, path_of, place
from ..call.text import json_text
from ..explain.answer import Answer, Kernel, Line, Pair
from ..explain.cures import cures
from ..explain.demangled import bare_name
from .explain_text import CHANGED, access_text, count_text, cure_text, saving_text, worth

SARIF = "https://json.schemastore.org/sarif-2.1.0.json"
RULE = "costly-access"


def _found(found: Answer, pairs: list[Pair] | None) -> Iterator[tuple[Kernel, Line, str]]:
    """Of a change only the kernels that it made slower, or that are new."""
    kept = {x.now.name for x in pairs or () if x.now and (x.before is None or (x.ratio or 0) > 1 + CHANGED)}
    for kernel, line in worth(found):
        if line.file and not line.hidden_by and (pairs is None or kernel.name in kept):
            told = [f"{bare_name(kernel.name)}: {saving_text(kernel, line)}", access_text(line), count_text(line)]
            told += [cure_text(cure) for cure in cures(kernel, line)[:1]]
            yield kernel, line, ". ".join(filter(None, told))


def as_github(found: Answer, pairs: list[Pair] | None = None) -> str:
    """Workflow commands of GitHub Actions; what the gate says may be of other lines, or of none."""
    return of_gate("explain", found.fail_on) + "".join(
        f"::warning {place(line.file, line.line)},title=gpufx explain::{escaped(told)}\n"
        for _, line, told in _found(found, pairs)
    )


def _uri(file: str) -> str:
    path = path_of(file)
    return PurePath(path).as_uri() if PurePath(path).is_absolute() else quote(path)


def as_sarif(found: Answer, pairs: list[Pair] | None = None) -> str:
    results = [
        {
            "ruleId": RULE,
            "level": "warning",
            "message": {"text": told},
            "locations": [
                {"physicalLocation": {"artifactLocation": {"uri": _uri(line.file)}, "region": {"startLine": line.line}}}
            ],
            "properties": {"kernel": kernel.name, "estimated": line.estimated, "saved_at_most": line.saved},
        }
        for kernel, line, told in _found(found, pairs)
    ]
    text = {"text": "a memory access that takes longer than an ideal one of the same bytes"}
    driver = {"name": "gpufx explain", "rules": [{"id": RULE, "shortDescription": text}]}
    run = {"tool": {"driver": driver}, "results": results}
    return json_text({"$schema": SARIF, "version": "2.1.0", "runs": [run]}, 2)
