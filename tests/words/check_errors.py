"""One voice in errors: after "gpufx: " lower case, one sentence without a full stop, its parts joined by a semicolon.

Every literal that is handed to fx_fail, fx_warn, gb::fail or UserError is looked at; what a sentence starts with may be
a name (CUDA, Python), an option, a quotation or a value."""

import ast
import re
import sys
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
NAME = re.compile(r"CUDA|GPU|Google Benchmark|JSON|MIG|NVML|PCI|Python|SM |L1|L2|DRAM|HOME|MPI")
CALL = re.compile(r'\b(?:fx_fail|fx_warn|gb::fail|fail)\(\s*((?:[^;"]|\n)*?)((?:"(?:[^"\\]|\\.)*"\s*(?:PRI\w+\s*)?)+)')
LITERAL = re.compile(r'"((?:[^"\\]|\\.)*)"')


def of_c(path: Path) -> Iterator[tuple[int, str]]:
    text = path.read_text(encoding="utf-8")
    for call in CALL.finditer(text):
        yield text.count("\n", 0, call.start()) + 1, "".join(LITERAL.findall(call.group(2)))


def of_python(path: Path) -> Iterator[tuple[int, str]]:
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Call) and getattr(node.func, "id", "") == "UserError" and node.args:
            parts = getattr(node.args[0], "values", [node.args[0]])
            words = [str(p.value) if isinstance(p, ast.Constant) else "{}" for p in parts]
            yield node.lineno, "".join(words)


def faults(text: str) -> Iterator[str]:
    if text[:1].isupper() and not NAME.match(text):
        yield "it starts with a capital"
    if text.endswith(".") and not text.endswith("..."):
        yield "it ends with a full stop"
    if re.search(r"[a-z0-9')`}][.?!] [A-Z`]", text):
        yield "it is more than one sentence"


REASON = re.compile(r"^static const char \*\w+\(const fx_facts.*?^}", re.MULTILINE | re.DOTALL)
NAMED = re.compile(r"\w=\w|\bmust (not )?be |: |\bneeds? |\bmemory\b|\bdevice\b|\b(SM|L2)\b|compute capability")


def of_refusals(path: Path) -> Iterator[tuple[int, str]]:
    """Why a case is waived: it names a value of an axis or what the device lacks."""
    text = path.read_text(encoding="utf-8")
    for function in REASON.finditer(text):
        for literal in re.finditer(rf"(?:{LITERAL.pattern}\s*)+", function.group()):
            words = "".join(LITERAL.findall(literal.group()))
            if " " in words:
                yield text.count("\n", 0, function.start() + literal.start()) + 1, words


def sources() -> Iterator[tuple[Path, Iterator[tuple[int, str]]]]:
    for folder in ("harness", "micro"):
        for path in sorted((ROOT / folder).rglob("*")):
            if path.suffix in (".c", ".cu", ".cuh", ".cc", ".h") and "example" not in path.parts:
                yield path, of_c(path)
    for folder in ("harness/validate/gpufx_validate", "micro"):
        for path in sorted((ROOT / folder).rglob("*.py")):
            yield path, of_python(path)


def main() -> int:
    looked_at = wrong = 0
    for path, found in sources():
        for line, text in found:
            looked_at += 1
            for fault in faults(text):
                wrong += 1
                print(f'{path.relative_to(ROOT)}:{line}: {fault}: "{text}"')
    for path in sorted((ROOT / "micro").rglob("*.cu*")):
        for line, text in of_refusals(path):
            looked_at += 1
            found = [
                *faults(text),
                *([] if NAMED.search(text) else ["it names no axis=value and nothing of the device"]),
            ]
            wrong += len(found)
            for fault in found:
                print(f'{path.relative_to(ROOT)}:{line}: {fault}: "{text}"')
    print(f"{looked_at} sentences, {wrong} faults")
    # The checker itself: what it must find, and what it must not.
    bad = ("Out of memory.", "cannot open %s.", "the clock is wrong. Set it")
    good = (
        "cannot open '%s': %s; choose another",
        "CUDA is missing",
        "--out %s: no folder",
        "did you mean '%s'?",
        "%s",
    )
    blind = [text for text in bad if not list(faults(text))] + [text for text in good if list(faults(text))]
    for text in blind:
        print(f'the check misjudges "{text}"')
    return 1 if wrong or blind or looked_at < 250 else 0


if __name__ == "__main__":
    sys.exit(main())
