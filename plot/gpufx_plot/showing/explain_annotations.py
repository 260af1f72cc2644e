"""`explain --format github`: what lines could save, by file and line, beside a change."""

from os.path import normpath
from pathlib import Path, PurePath

from ..explain.answer import Answer
from ..explain.cures import cures
from ..explain.demangled import bare_name
from .explain_text import access_text, count_text, cure_text, saving_text, worth


def _root() -> Path:
    """Of the checkout that the working folder is in, which GitHub counts paths from; else the working folder."""
    here = Path.cwd()
    return next((folder for folder in (here, *here.parents) if (folder / ".git").exists()), here)


def _path(file: str) -> str:
    """Relative to the root where it lies below it."""
    path, root = PurePath(normpath(file)), _root()
    return str(path.relative_to(root)) if path.is_relative_to(root) else file


def _escaped(text: str, more: str = "") -> str:
    for letter in "%\r\n" + more:
        text = text.replace(letter, f"%{ord(letter):02X}")
    return text


def as_github(found: Answer) -> str:
    """Workflow commands of GitHub Actions."""
    lines = []
    for kernel, line in worth(found):
        if line.file and not line.hidden_by:
            told = [f"{bare_name(kernel.name)}: {saving_text(kernel, line)}", access_text(line), count_text(line)]
            told += [cure_text(cure) for cure in cures(kernel, line)[:1]]
            place = f"file={_escaped(_path(line.file), ':,')},line={line.line}"
            lines.append(f"::warning {place},title=gpufx explain::{_escaped('. '.join(filter(None, told)))}\n")
    return "".join(lines)
