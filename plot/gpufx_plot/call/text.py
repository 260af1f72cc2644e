"""Text that others wrote, made harmless: of archives, devices, file names and arguments.

The rule is that of harness/core/text.h: what moves a cursor, ends a line, turns the direction of writing or is no
character at all becomes one "?". Text of an archive goes through `safe` once, where it is read, so that no way out can
forget it; paths and arguments go through it where they are told. Formats with characters of their own add to it:
`markdown`, `csv_cell`. JSON is written in ASCII, and figures take no markup (text.parse_math is off)."""

import json
import os
import re
from collections.abc import Iterable
from difflib import get_close_matches
from functools import cache, partial
from pathlib import Path

LONGEST = 256  # characters of a text in an archive that are kept; no driver, device or case needs as many
UNSAFE = re.compile("[\x00-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ud800-\udfff\ufffe\uffff]")
LINES = re.compile(UNSAFE.pattern.replace("\x00-\x1f", "\x00-\x09\x0b-\x1f"))  # our own line breaks stay
MARKUP = re.compile(r"(^#|[\\`*\[\]|~$]|(?<![a-zA-Z0-9])_|_(?![a-zA-Z0-9]))")
FORMULA = ("=", "+", "-", "@", "\t", "\r")


def safe(text: str) -> str:
    """Any text on one line."""
    return UNSAFE.sub("?", text) if not text.isascii() or not text.isprintable() else text


def clipped(text: str, most: int = LONGEST) -> str:
    text = safe(text)
    return text if len(text) <= most else text[: most - 3] + "..."


def is_safe_json(text: bytes) -> bool:
    """True if no text in this JSON can be unsafe: raw control characters are none, and nothing is escaped."""
    return text.isascii() and b"\\" not in text and b"\x7f" not in text


def safe_lines(text: str) -> str:
    """Text of ours of many lines: the last guard before a terminal or a file."""
    return LINES.sub("?", text)


def safe_tree(value, most: int = LONGEST):
    """A JSON value with all its texts made safe and cut to `most` characters, the keys as well."""
    once = cache(partial(clipped, most=most))

    def tree(part):
        if isinstance(part, str):
            return once(part)
        if isinstance(part, dict):
            return {tree(name): tree(of) for name, of in part.items()}
        return [tree(of) for of in part] if isinstance(part, list) else part

    return tree(value)


def meant(word: str, known: Iterable[str], otherwise: str) -> str:
    """What is said behind a word that nobody knows: the one that it is near, else where they are listed."""
    known = [*known]
    akin = [one for one in known if {*one.split("_")} & {*word.split("_")}]  # a word of it
    near = get_close_matches(word, known, 1) or akin
    return f"did you mean '{near[0]}'?" if len(akin) == 1 or near != akin else otherwise


def shown(path: Path | str) -> str:
    """A path or an argument in a sentence."""
    return clipped(str(path), 4096)


def from_here(path: Path | str) -> str:
    """The path from the present folder, where that is shorter."""
    try:
        return shown(min(str(path), os.path.relpath(path), key=len))
    except OSError:  # the present folder is gone
        return shown(path)


def markdown(text: str) -> str:
    """A piece of text in a paragraph or a cell of Markdown: no HTML, link, picture, emphasis or further cell."""
    text = safe(text).replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")
    return MARKUP.sub(r"\\\1", text).replace("://", ":\\/\\/")


def csv_cell(value):
    """A cell that no spreadsheet takes for a formula."""
    if isinstance(value, str):
        return ("'" if value.startswith(FORMULA) else "") + safe(value)
    return "" if value is None else value


def fields_of(of, names: str) -> dict:
    """For JSON, those that are called there as they are here."""
    return {name: getattr(of, name) for name in names.split()}


def json_text(document, indent: int | None) -> str:
    """JSON in ASCII: whatever a text holds, it is escaped."""
    return json.dumps(document, indent=indent) + "\n"
