"""Comments in plain English: the phrases of phrases.json are looked for in the comments of harness and micro, and every
file of harness begins with one, which says what it is for."""

import json
import re
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
COMMENT = re.compile(r"/\*.*?\*/|(?<!:)//[^\n]*", re.DOTALL)
PHRASES = [
    (re.compile(pattern, re.IGNORECASE), instead, example)
    for pattern, instead, example in json.loads((Path(__file__).parent / "phrases.json").read_text(encoding="utf-8"))
]
NOT_YET = ("trace", "explain")  # folders of harness that are not looked at yet


def faults(text: str):
    """The line and the fault of each phrase, comments that are wrapped read as one line."""
    for comment in COMMENT.finditer(text):
        words = re.sub(r"\s*\n\s*(?:\*|//)?\s*", " ", comment.group())
        for phrase, instead, _ in PHRASES:
            for found in phrase.finditer(words):
                yield text.count("\n", 0, comment.start()) + 1, f'"{found.group()}": {instead}'


def main() -> int:
    looked_at = wrong = 0
    for folder in ("harness", "micro"):
        for path in sorted((ROOT / folder).rglob("*")):
            name = path.relative_to(ROOT)
            if path.suffix not in (".c", ".cu", ".cuh", ".cc", ".h") or (
                folder == "harness" and name.parts[1] in NOT_YET
            ):
                continue
            text = path.read_text(encoding="utf-8")
            looked_at += 1
            found = list(faults(text))
            if folder == "harness" and not text.startswith(("/*", "//")):
                found.append((1, "it does not begin with what it is for"))
            wrong += len(found)
            for line, fault in found:
                print(f"{name}:{line}: {fault}")
    print(f"{looked_at} files, {wrong} faults")
    # The checker itself: each example of phrases.json is found in a comment, and nothing outside of one.
    examples = [example for _, _, example in PHRASES]
    blind = [example for example in examples if not list(faults("/* " + example.replace("\n", "\n * ") + " */"))]
    blind += [example for example in examples if list(faults(f'puts("{example}");'))]
    for example in blind:
        print(f'the check misjudges "{example}"')
    return 1 if wrong or blind or looked_at < 200 else 0


if __name__ == "__main__":
    sys.exit(main())
