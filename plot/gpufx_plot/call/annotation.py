"""Annotations of GitHub Actions: paths are those in the checkout."""

from collections.abc import Iterable, Mapping
from os.path import normpath
from pathlib import Path, PurePath


def escaped(text: str, more: str = "") -> str:
    for letter in "%\r\n" + more:
        text = text.replace(letter, f"%{ord(letter):02X}")
    return text


def path_of(file: str) -> str:
    """The file as the checkout that the working folder is in has it, or below the working folder: if it lies there, or
    if it was elsewhere and a file of its name lies there in folders of the same names."""
    here = Path.cwd()
    root = next((folder for folder in (here, *here.parents) if (folder / ".git").exists()), here)
    path = PurePath(normpath(file))
    if path.is_relative_to(root):
        return str(path.relative_to(root))
    tails = (PurePath(*path.parts[i:]) for i in range(1, len(path.parts) - 1) if not Path(path).exists())
    return str(next((tail for tail in tails if (root / tail).is_file()), file))


def place(file: str, line: int) -> str:
    return f"file={escaped(path_of(file), ':,')},line={line}"


def of_gate(verb: str, said: Iterable[str], places: Mapping[str, tuple[str, int]] | None = None) -> str:
    """A condition that is met is an error, an undecided one a warning, as of `pattern`. places: where, if known."""
    words = (("error" if "' is met" in one else "warning", one) for one in said)
    at = {one: f"{place(*where)}," for one, where in (places or {}).items()}
    return "".join(f"::{word} {at.get(one, '')}title=gpufx {verb}::{escaped(one)}\n" for word, one in words)
