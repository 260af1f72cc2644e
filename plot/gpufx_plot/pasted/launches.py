"""The launches of a kernel in a program: the arguments of its template and the block of each, read from the text.

Taken is what can't be anything else: constants, and names that the scope of the launch defines once and nowhere
changes. In a template, a launch is one for each list of arguments that the program gives to it."""

import math
import re
from collections.abc import Callable
from typing import NamedTuple

from .defines import DEFINE
from .heads import bare, specializations

MOST_THREADS, MOST_DEPTH = 1024, 8
TYPES = r"const|constexpr|static|inline|unsigned|int|long|short|size_t|uint|u?int\d+_t|auto|dim3"
TYPE = re.compile(rf"\b(?:(?:{TYPES})\s+)+|\benum\b[^;{{}}()]*\{{")
DECLARATOR = re.compile(r"\s*(\w+)\s*(?:=\s*(.+)|[({](.*)[)}])?\s*", re.DOTALL)
NO_TYPE = r"(?!(?:return|else|case|goto|new|delete|using|typename|class|namespace)\b)"
PARAMETER = re.compile(r"(\w+)\s*(?:=[^,<>]*)?[,>]")
ARGUMENT = re.compile(r"[-~]?\w[\w:. ]*(?:<[\w: ,]*>)?[ *]*")
SHAPE = re.compile(r"(?:dim3\s*)?[({](.*)[)}]|(.*)", re.DOTALL)
IN_ANGLES = r"<((?:[^<>(){};]|<[^<>;]*>)*)>"
KERNEL = re.compile(r"__global__\b(?:[^;{}()]|\([^()]*\))*?\b(?!__)(\w+)\s*\(")
LAUNCHED = re.compile(rf"\b(\w+)\s*(?:{IN_ANGLES})?\s*<<<")
NUMBER = re.compile(r"(?!.*(?:\*\*|//))[\d\s()+*/%<-]+")


class Launch(NamedTuple):
    arguments: tuple[str, ...]  # of the template; (): none, or not known
    block: tuple[int, ...]  # (): not known


def parts_of(text: str) -> list[str]:
    """What the commas part, but those in parentheses and braces, up to the end of the declaration or list."""
    depth, start, parts = 0, 0, []
    for i, sign in enumerate(text):
        depth += (sign in "([{") - (sign in ")]}")
        if depth < 0 or (sign == ";" and not depth):
            text = text[:i]
            break
        if sign == "," and not depth:
            parts.append(text[start:i])
            start = i + 1
    return [part.strip() for part in (*parts, text[start:])]


def declared(name: str, text: str) -> list[str]:
    """What the text initializes the name with; "": it says nothing that could be read."""
    lists = [parts_of(text[hit.end() :]) for hit in TYPE.finditer(text)] if re.search(rf"\b{name}\b", text) else []
    hits = [hit for parts in lists for part in parts if (hit := DECLARATOR.fullmatch(part)) and hit[1] == name]
    others = re.findall(rf"\b{NO_TYPE}[A-Za-z_]\w*(?:<[^<>;]*>)?[\s*&]+{name}\s*(?=[,)=;({{[]|$)", text)
    return [hit[2] or (hit[3] and f"({hit[3]})") or "" for hit in hits] + [""] * (len(others) > len(hits))


class Scope:
    """Of a place in the text: names of template parameters have the values of `bound`, "": unknown ones."""

    def __init__(self, program: "Program", at: int, bound: dict[str, str]):
        self.program, self.bound = program, bound
        self.blocks, self.start = program.blocks_at(at)

    def changes(self, name: str, is_local: bool) -> bool:
        text = self.program.function_at(self.start) if is_local else self.program.text
        sets = re.findall(rf"\b{name}(?:\.\w)?\s*(?:[-+*/%&|^]|<<|>>)?=(?!=)", text)
        starts = re.findall(rf"(?:{TYPE.pattern})(?:[^;(){{}}]|\([^()]*\))*?\b{name}\s*=(?!=)", text)
        return len(sets) > len(starts) or bool(re.search(rf"\b{name}\s*(\+\+|--)|(\+\+|--|[(,=]\s*&)\s*{name}\b", text))

    def lookup(self, name: str) -> str:
        """The text that the name stands for; "": unknown."""
        if name in self.bound:
            return self.bound[name]
        for depth, text in reversed(list(enumerate(self.blocks))):
            if values := set(declared(name, text)):
                is_known = len(values) == 1 and not self.changes(name, depth > 0)
                return values.pop() if is_known else ""
        values = {body.strip() for macro, body in self.program.macros if macro == name}
        return values.pop() if len(values) == 1 else ""

    def number(self, text: str, depth: int = 0) -> int | None:
        if depth > MOST_DEPTH:
            return None
        words = re.sub(r"\b(0[xX][\da-fA-F]+|\d+)[uUlL]*\b", lambda hit: str(int(hit[1], 0)), text)
        for name in set(re.findall(r"\b[A-Za-z_]\w*", words)):
            value = self.number(self.lookup(name) or "?", depth + 1)
            words = re.sub(rf"(?<![.:>])\b{name}\b(?!\s*[(.:])", "?" if value is None else str(value), words)
        if not NUMBER.fullmatch(words):
            return None
        try:
            return int(eval(words.replace("/", "//")))  # of digits and signs alone
        except (SyntaxError, TypeError, ValueError, ArithmeticError):
            return None

    def block(self, text: str) -> tuple[int, ...]:
        for _ in range(MOST_DEPTH):
            if not re.fullmatch(r"[A-Za-z_]\w*", text) or not (value := self.lookup(text)):
                break
            text = value
        listed = SHAPE.fullmatch(text.strip())
        sizes = [self.number(part) for part in parts_of(text if listed[1] is None else listed[1])]
        return (*sizes, 1, 1)[:3] if None not in sizes and 0 < math.prod(sizes) <= MOST_THREADS else ()

    def arguments(self, text: str | None) -> tuple[str, ...]:
        """() where one is unknown."""
        parts = [part.strip() for part in re.split(r",(?![^<]*>)", text or "") if part.strip()]
        found = []
        for part in parts:
            value = self.number(part)
            names = re.compile(rf"\b({'|'.join(self.bound) or '(?!)'})\b")
            bound = names.sub(lambda hit: self.bound[hit[1]] or ";", part)
            found.append(bound if value is None else str(value))
        return tuple(found) if all(ARGUMENT.fullmatch(item) for item in found) else ()


class Program:
    """The text, and its headers, of which macros and constants alone are taken; files: all by path, the text's ""."""

    def __init__(self, text: str, files: dict | None = None, given: dict | None = None, deduce: Callable | None = None):
        self.special, self.sources = specializations(text), {at: of for at, of in (files or {}).items() if at}
        headers = "\n".join(self.sources.values())
        self.macros = DEFINE.findall(f"{text}\n{headers}")
        self.text, self.headers, self.given = bare(text), self.visible(bare(headers))[0][0], given or {}
        self.deduce = deduce or (lambda _, arguments, *__: arguments)

    @staticmethod
    def visible(text: str) -> tuple[list[str], int]:
        """Of each block that is open at the end of the text, namespaces but one, the text of its own; and where the
        outermost of a function or class begins, with its head; -1: none."""
        blocks, starts, end = [""], [], 0
        for hit in re.finditer(r"[{}]", text):
            blocks[-1] += text[end : hit.start()]
            end = hit.end()
            if hit[0] == "{":
                head = re.split(r"[;}]", blocks[-1])[-1]
                starts.append((hit.start() - len(head), bool(re.search(r"\bnamespace\b|\bextern\s*$", head))))
                blocks.append("")
            elif len(blocks) > 1:
                inner, (_, is_open) = blocks.pop(), starts.pop()
                kept = f"{{{inner}}}" if ";" not in inner else ""
                before = blocks[-1][: len(blocks[-1]) - len(re.split(r"[;}]", blocks[-1])[-1])]
                blocks[-1] = f"{before}{inner};" if is_open else blocks[-1] + kept if kept else f"{before};"
        blocks[-1] += text[end:]
        first = next((i for i, (_, is_open) in enumerate(starts) if not is_open), len(starts))
        return ["".join(blocks[: first + 1]), *blocks[first + 1 :]], starts[first][0] if first < len(starts) else -1

    def blocks_at(self, at: int) -> tuple[list[str], int]:
        blocks, start = self.visible(self.text[:at])
        if start >= 0:  # parameters are the function's
            head = re.split(r"[;}]", blocks[0])[-1]
            blocks = [blocks[0][: len(blocks[0]) - len(head)], head, *blocks[1:]]
        return [f"{self.headers};{blocks[0]}", *blocks[1:]], start

    def function_at(self, start: int) -> str:
        depth = 0
        for hit in re.finditer(r"[{}]", self.text[start:]):
            depth += 1 if hit[0] == "{" else -1
            if not depth:
                return self.text[start : start + hit.end()]
        return self.text[start:]

    def numbers(self) -> dict[str, str]:
        return {name: str(values[0]) for name, values in self.given.items() if len(values) == 1}

    def scopes(self, at: int, depth: int) -> list[Scope]:
        """One for each list of arguments of the template around the place."""
        given = self.numbers()
        start = self.visible(self.text[:at])[1]
        head = self.text[start:at].partition("{")[0] if start >= 0 else ""
        template = re.match(r"\s*template\s*<(.*?)>(?=\s*[^\s,>])", head, re.DOTALL)
        names = PARAMETER.findall(f"{template[1]}>") if template else []
        if not names:
            return [Scope(self, at, given)]
        rest = head[template.end() :]
        name = re.search(r"\b(?:struct|class)\s+(\w+)", rest) or re.search(r"\b(?!__)(\w+)\s*\(", rest)
        lists = self.instances(name[1], depth + 1) if name and depth < MOST_DEPTH else []
        unknown = dict.fromkeys(names, "")
        return [Scope(self, at, unknown | dict(zip(names, item, strict=False)) | given) for item in lists or [()]]

    def uses(self, name: str, depth: int):
        """Of each use: its scope, the template's arguments, what a launch has in <<<>>> (None: it is none), its end."""
        for hit in re.finditer(rf"\b{name}\s*(?:{IN_ANGLES}(?!>)|(?=\(|<<<))\s*(?:<<<(.*?)>>>)?", self.text, re.DOTALL):
            is_head = hit[1] is None and hit[2] is None and self.visible(self.text[: hit.start()])[1] < 0
            for scope in () if is_head else self.scopes(hit.start(), depth):
                arguments = scope.arguments(hit[1])
                yield scope, self.deduce(name, arguments, hit.start(), scope.start, scope.bound), hit[2], hit.end()

    def instances(self, name: str, depth: int = 0) -> list[tuple[str, ...]]:
        """Arguments of a template, each list once; (): one that is not known."""
        return list(dict.fromkeys(arguments for _, arguments, *_ in self.uses(name, depth)))

    def launches(self, kernel: str) -> list[Launch]:
        """Each arguments and block once."""
        uses = [use[:3] for use in self.uses(kernel, 0) if use[2] is not None]
        found = [Launch(arguments, scope.block([*parts_of(launch), "?"][1])) for scope, arguments, launch in uses]
        return list(dict.fromkeys(found))

    def values(self, kernel: str) -> list[int | None]:
        """What all launches give for each parameter; None: no number that is known, or several. Of kernels of one name
        none: a launch may be another's."""
        heads = rf"__global__\b[^;{{}}]*?\b{kernel}\s*(?:<[^;{{}}]*>\s*)?\([^;{{}}]*\{{"
        if len(re.findall(heads, self.text)) > 1:
            return []
        lists = [[scope.number(part) for part in parts_of(self.text[end:].partition("(")[2])]
                 for scope, _, launch, end in self.uses(kernel, 0) if launch is not None]  # fmt: skip
        return [values[0] if len({*values}) == 1 else None for values in zip(*lists, strict=False)]

    def bounds(self, kernel: str) -> tuple[int, ...]:
        """The block that __launch_bounds__ has as its largest."""
        hit = re.search(rf"__launch_bounds__\s*\(([^;{{}}]*?)\)[^;{{}}()]*?\b{kernel}\s*\(", self.text)
        return Scope(self, hit.start(), self.numbers()).block(parts_of(hit[1])[0]) if hit else ()

    def of_headers(self, own: set[str]) -> list[tuple[str, int, str]]:
        """Kernels of headers that the text names or another function of a header launches: name, line, and why."""
        texts = self.text, "\n".join(self.sources.values())
        here, there = ({hit[1] for hit in LAUNCHED.finditer(text)} for text in texts)
        found = []
        for path, text in self.sources.items():
            for name in {*KERNEL.findall(text)} - own:
                named = re.search(rf"\b{name}\b", self.text)
                how = "launched here" if name in here else "named here" if named else "launched in a header"
                if named or name in there:
                    line = self.text.count("\n", 0, named.start() if named else 0) + 1
                    found.append((name, line, f"{how}, its body is in {path}: judge --file {path}:{name}"))
        return sorted(found)
