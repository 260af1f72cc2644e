"""`explain --format github`: what lines could save, by file and line, beside a change."""

from ..call.annotation import escaped, place
from ..explain.answer import Answer
from ..explain.cures import cures
from ..explain.demangled import bare_name
from .explain_text import access_text, count_text, cure_text, saving_text, worth


def as_github(found: Answer) -> str:
    """Workflow commands of GitHub Actions."""
    lines = []
    for kernel, line in worth(found):
        if line.file and not line.hidden_by:
            told = [f"{bare_name(kernel.name)}: {saving_text(kernel, line)}", access_text(line), count_text(line)]
            told += [cure_text(cure) for cure in cures(kernel, line)[:1]]
            what = escaped(". ".join(filter(None, told)))
            lines.append(f"::warning {place(line.file, line.line)},title=gpufx explain::{what}\n")
    return "".join(lines)
