"""`explain --format github` and `--format sarif`: what lines could save, by file and line, for what reads it beside a
change."""

from collections.abc import Iterator
from pathlib import PurePath
from urllib.parse import quote

from ..call.annotation import escaped, path_of, place
from ..call.text import json_text
from ..explain.answer import Answer, Kernel, Line
from ..explain.cures import cures
from ..explain.demangled import bare_name
from .explain_text import access_text, count_text, cure_text, saving_text, worth

SARIF = "https://json.schemastore.org/sarif-2.1.0.json"
RULE = "costly-access"


def _found(found: Answer) -> Iterator[tuple[Kernel, Line, str]]:
    for kernel, line in worth(found):
        if line.file and not line.hidden_by:
            told = [f"{bare_name(kernel.name)}: {saving_text(kernel, line)}", access_text(line), count_text(line)]
            told += [cure_text(cure) for cure in cures(kernel, line)[:1]]
            yield kernel, line, ". ".join(filter(None, told))


def as_github(found: Answer) -> str:
    """Workflow commands of GitHub Actions."""
    return "".join(
        f"::warning {place(line.file, line.line)},title=gpufx explain::{escaped(told)}\n"
        for _, line, told in _found(found)
    )


def _uri(file: str) -> str:
    path = path_of(file)
    return PurePath(path).as_uri() if PurePath(path).is_absolute() else quote(path)


def as_sarif(found: Answer) -> str:
    results = [
        {
            "ruleId": RULE,
            "level": "warning",
            "message": {"text": told},
            "locations": [
                {
                    "physicalLocation": {
                        "artifactLocation": {"uri": _uri(line.file)},
                        "region": {"startLine": line.line},
                    }
                }
            ],
            "properties": {"kernel": kernel.name, "estimated": line.estimated, "saved_at_most": line.saved},
        }
        for kernel, line, told in _found(found)
    ]
    text = {"text": "a memory access that takes longer than an ideal one of the same bytes"}
    driver = {"name": "gpufx explain", "rules": [{"id": RULE, "shortDescription": text}]}
    run = {"tool": {"driver": driver}, "results": results}
    return json_text({"$schema": SARIF, "version": "2.1.0", "runs": [run]}, 2)
