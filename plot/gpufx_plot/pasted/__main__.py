"""What `gpufx pattern --code` starts: a question as JSON, the accesses of its text as JSON Lines."""

import itertools
import json
import sys

from .. import UserError


def values_of(word: str) -> tuple[str, list[int] | str]:
    """NAME=VALUE or NAME=FIRST:LAST[:STEP]; any other text is a macro's."""
    name, _, text = word.partition("=")
    try:
        ends = [int(part, 0) for part in text.split(":")]
    except ValueError:
        ends = []
    if not name or not text or len(ends) > 3 or (len(ends) == 3 and ends[2] < 1):
        raise UserError(f"'{word}' is not NAME=VALUE or NAME=FIRST:LAST, such as N=1024, T=float, blockIdx.x=3, t=0:31")
    if not ends:
        return name, text
    first, last, step = ends[0], ends[min(1, len(ends) - 1)], ends[2] if len(ends) == 3 else 1
    return name, list(range(first, last + 1, step))


def answer(question: dict) -> list[dict]:
    try:
        from . import front_end, interpreter
    except ImportError as problem:
        raise UserError(f"--code needs the Python package libclang ({problem}); ./gpufx setup installs it") from problem
    words = dict(values_of(word) for word in question["words"])
    given = {name: values for name, values in words.items() if isinstance(values, list)}
    parsed = front_end.parse(question, given, {name: text for name, text in words.items() if name not in given})
    warp, found = interpreter.Warp(parsed, question["block"], question["space"]), {}
    for values in itertools.product(*given.values()):
        found = warp.run(dict(zip(given, values, strict=True)))
    if not found:
        raise UserError(f"{parsed.what}: {front_end.no_access(parsed)}")
    notes = [{"note": f"{name} is not declared: its accesses are not priced"} for name in parsed.unpriced]
    return [
        *notes,
        *(one_of(access) for access in found.values()),
    ]


def one_of(access) -> dict:
    return {
        "text": access.text,
        "array": access.array.name,
        "space": access.array.space,
        "op": access.op,
        "width": access.width,
        "element": access.array.element,
        "element_bytes": access.array.element_bytes,
        "sizes": access.array.sizes,
        "steps": [access.steps[key] for key in sorted(access.steps)],
    }


def main() -> int:
    try:
        for line in answer(json.loads(sys.argv[1])):
            print(json.dumps(line, separators=(",", ":")))
    except UserError as problem:
        print(json.dumps({"error": str(problem)}))
    return 0


if __name__ == "__main__":
    sys.exit(main())
