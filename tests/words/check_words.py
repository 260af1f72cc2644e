"""The words that people read. check_words.py GPUFX

errors     one voice: after "gpufx: " lower case, one sentence without a full stop, its parts joined by a semicolon.
           Every literal that is handed to fx_fail, FX_FAIL_IF, fx_warn, gb::fail or UserError is looked at; what a
           sentence starts with may be a name (CUDA, Python), an option, a quotation or a value. Why a case is waived
           names a value of an axis or what the device lacks.
files      every file of harness begins with a comment, which says what it is for.
axes       the help of an axis is a noun phrase that stands alone, and the question of a probe is one, as
           `gpufx list --json` prints them.

It begins with what each must find, and must not."""

import ast
import json
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
LITERAL = re.compile(r'"((?:[^"\\]|\\.)*)"')

# ---- Errors ----

NAME = re.compile(r"CUDA|GPU|Google Benchmark|JSON|MIG|NVML|PCI|Python|SM |L1|L2|DRAM|HOME|MPI")
CALL = re.compile(
    r'\b(?:FX_FAIL_IF\([^;]*?\bFX_[A-Z_]+,\s*|(?:fx_fail|fx_warn|gb::fail|fail)\((?:[^;"]|\n)*?)'
    r'((?:"(?:[^"\\]|\\.)*"\s*(?:PRI\w+\s*)?)+)'
)
REASON = re.compile(r"^static const char \*\w+\(const fx_facts.*?^}", re.MULTILINE | re.DOTALL)
NAMED = re.compile(r"\w=\w|\bmust (not )?be |: |\bneeds? |\bmemory\b|\bdevice\b|\b(SM|L2)\b|compute capability")


def of_error(text: str) -> Iterator[str]:
    if text[:1].isupper() and not NAME.match(text):
        yield "it starts with a capital"
    if text.endswith(".") and not text.endswith("..."):
        yield "it ends with a full stop"
    if re.search(r"[a-z0-9')`}][.?!] [A-Z`]", text):
        yield "it is more than one sentence"


def of_refusal(text: str) -> Iterator[str]:
    yield from of_error(text)
    if not NAMED.search(text):
        yield "it names no axis=value and nothing of the device"


def errors_of_c(text: str) -> Iterator[tuple[int, str]]:
    for call in CALL.finditer(text):
        yield text.count("\n", 0, call.start()) + 1, "".join(LITERAL.findall(call.group(1)))


def errors_of_python(text: str) -> Iterator[tuple[int, str]]:
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.Call) and getattr(node.func, "id", "") == "UserError" and node.args:
            parts = getattr(node.args[0], "values", [node.args[0]])
            yield node.lineno, "".join(str(p.value) if isinstance(p, ast.Constant) else "{}" for p in parts)


def refusals_of(text: str) -> Iterator[tuple[int, str]]:
    for function in REASON.finditer(text):
        for literal in re.finditer(rf"(?:{LITERAL.pattern}\s*)+", function.group()):
            words = "".join(LITERAL.findall(literal.group()))
            if " " in words:
                yield text.count("\n", 0, function.start() + literal.start()) + 1, words


NOT_YET = ("trace", "explain")  # folders of harness whose comments are not looked at yet

# ---- Axes and questions ----

NOUNS = ("SM", "B ", "DRAM", "L1", "L2", "ld.")
# What begins a fragment or a clause, and is no noun phrase.
FRAGMENT = re.compile(r"by|for|from|how|if|in|it|of|on|or|that|the|to|what|when|where|whether|which|who|whose|with")
WORDS = (" of which", " says", " tells", " is no ", " so many", "  ", ";;")


def of_help(text: str) -> Iterator[str]:
    first = text.split(" ", maxsplit=1)[0].rstrip(":;,") if text else ""
    if not text:
        yield "it is empty"
    if FRAGMENT.fullmatch(first):
        yield f"it starts with '{first}', so it does not stand alone"
    if text[:1].isupper() and not text.startswith(NOUNS):
        yield "it starts with a capital"
    if text.endswith((".", ",", ";", ":")):
        yield "it ends with a stop"
    yield from (f"it holds '{word.strip()}'" for word in WORDS if word in text)


def of_question(text: str) -> Iterator[str]:
    if not re.fullmatch(r"[A-Z].*[a-z0-9]\?", text):
        yield "this is no question"


# ---- All that is looked at ----


def looked_at(program: str) -> Iterator[tuple[str, str, object]]:
    """Where it stands, the words, and who judges them."""
    for path in sorted([*(ROOT / "harness").rglob("*"), *(ROOT / "micro").rglob("*")]):
        place = path.relative_to(ROOT)
        found = []
        if path.suffix in (".c", ".cu", ".cuh", ".cc", ".h"):
            text = path.read_text(encoding="utf-8")
            if "example" not in path.parts:
                found += [(line, words, of_error) for line, words in errors_of_c(text)]
            if place.parts[0] == "micro" and path.suffix in (".cu", ".cuh"):
                found += [(line, words, of_refusal) for line, words in refusals_of(text)]
            if place.parts[0] == "harness" and place.parts[1] not in NOT_YET and not text.startswith(("/*", "//")):
                found.append((1, "", lambda text: ["the file does not begin with what it is for"]))
        elif path.suffix == ".py" and ("gpufx_validate" in path.parts or place.parts[0] == "micro"):
            found = [(line, words, of_error) for line, words in errors_of_python(path.read_text(encoding="utf-8"))]
        yield from ((f"{place}:{line}", words, judge) for line, words, judge in found)
    run = subprocess.run([program, "list", "--json"], capture_output=True, text=True, check=True)
    for probe in json.loads(run.stdout)["answer"]:
        yield probe["name"], probe["question"], of_question
        for axis in probe["axes"]:
            yield f"{probe['name']}, axis {axis['name']}", axis["help"], of_help


EXAMPLES = {
    of_error: (
        ("Out of memory.", "cannot open %s.", "the clock is wrong. Set it"),
        ("cannot open '%s': %s; choose another", "CUDA is missing", "--out %s: no folder", "did you mean '%s'?", "%s"),
    ),
    of_refusal: (("it can't be done",), ("width=8 needs sm_90",)),
    of_help: (
        ("of permutation and random", "how lanes choose their words", "", "values of which half are zero", "Bytes"),
        ("bytes per lane: 4, 8 or 16", "SM that reads the line", "random seed, for pattern=random"),
    ),
    of_question: (("What it costs",), ("What does it cost?",)),
}


def main(program: str) -> int:
    blind = [text for judge, (bad, _) in EXAMPLES.items() for text in bad if not list(judge(text))]
    blind += [text for judge, (_, good) in EXAMPLES.items() for text in good if list(judge(text))]
    count, found = dict.fromkeys(EXAMPLES, 0), [f'the check misjudges "{text}"' for text in blind]
    for place, words, judge in looked_at(program):
        if judge in count:
            count[judge] += 1
        found += [f'{place}: {fault}: "{words[:200]}"' for fault in judge(words)]
    least = {of_error: 400, of_refusal: 20, of_help: 100, of_question: 50}
    found += [f"only {count[judge]} places {judge.__name__}" for judge in least if count[judge] < least[judge]]
    print("\n".join([*found, f"{sum(count.values())} places, {len(found)} faults"]))
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
