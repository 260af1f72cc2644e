"""The block and the arguments of a template that a program gives to a kernel, read from the text of its launches.

Taken is what can't be anything else: constants, or names that the text defines once and nowhere changes."""

import math
import re

MOST_THREADS = 1024
DEFINED = r"(?:#[ \t]*define[ \t]+|\b(?:int|unsigned|dim3)\s+)"
NUMBER = re.compile(rf"{DEFINED}(\w+)\s*=?\s*(\d+)[ \t]*[;\n]")
SHAPE = re.compile(r"\bdim3\s+(\w+)\s*[({]([^(){}]*)[)}]")
OUTSIDE = r",(?![^(]*\))"  # a comma that is in no parentheses
PARAMETER = re.compile(r"(\w+)\s*(?:=[^,<>]*)?[,>]")
ARGUMENT = re.compile(r"[-~]?\w[\w:. ]*(?:<[\w: ,]*>)?[ *]*")


def is_constant(name: str, text: str) -> bool:
    """True if the text defines the name once and never changes it."""
    starts = re.findall(rf"{DEFINED}{name}\b(\s*=)?", text)
    sets = re.findall(rf"\b{name}(?:\.\w)?\s*(?:[-+*/%&|^]|<<|>>)?=(?!=)", text)
    changes = re.findall(rf"\b{name}\s*(?:\+\+|--)|(?:\+\+|--|&)\s*{name}\b", text)
    return len(starts) == 1 and len(sets) == bool(starts[0]) and not changes


def instances(kernel: str, text: str) -> list[tuple[str, ...]]:
    """Arguments of the template, each list once; () of one that is deduced, or depends on another template."""
    hidden = {name for head in re.findall(r"\btemplate\s*(<[^{;(]*)", text) for name in PARAMETER.findall(head)}
    lists = re.findall(rf"\b{kernel}\s*<((?:[^<>(){{}};]|<[^<>;]*>)+)>(?!>)", text)
    lists += [""] if re.search(rf"\b{kernel}\s*<<<", text) else []
    found = [tuple(part.strip() for part in re.split(r",(?![^<]*>)", item)) for item in lists]
    known = [item if all(ARGUMENT.fullmatch(part) and part not in hidden for part in item) else () for item in found]
    return list(dict.fromkeys(known))


def launched_block(kernel: str, text: str, given: dict[str, list[int]]) -> tuple[list[int] | None, str]:
    """The block of all launches of the kernel, else of its bounds, and which; text: without comments; given: values of
    names."""
    known = {name: size for name, size in (*NUMBER.findall(text), *SHAPE.findall(text)) if is_constant(name, text)}
    known |= {name: str(values[0]) for name, values in given.items() if len(values) == 1}
    blocks, how = set(), "as the program launches it"
    for launch in re.findall(rf"\b{kernel}\s*(?:<[^;<>]*>\s*)?<<<(.*?)>>>", text, re.DOTALL):
        grid, size, *_ = (*(part.strip() for part in re.split(OUTSIDE, launch)), "")
        size = re.sub(r"^dim3\s*[({](.*)[)}]$", r"\1", known.get(size, size), flags=re.DOTALL)
        parts = [known.get(part.strip(), part.strip()) for part in size.split(",")]
        is_known = grid.count("(") == grid.count(")") and all(part.isdecimal() for part in parts)
        blocks.add(tuple(map(int, parts)) + (1,) * (3 - len(parts)) if is_known else ())
    bounds = re.search(rf"__launch_bounds__\s*\(\s*(\w+)[^;{{}}]*?\b{kernel}\s*\(", text)
    bound = known.get(bounds[1], bounds[1]) if bounds and not blocks else ""
    if bound.isdecimal():
        blocks, how = {(int(bound), 1, 1)}, "of __launch_bounds__"
    block = blocks.pop() if len(blocks) == 1 else ()
    return (list(block) if len(block) == 3 and 0 < math.prod(block) <= MOST_THREADS else None), how
