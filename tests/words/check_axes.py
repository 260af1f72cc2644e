"""The help of an axis is a noun phrase that stands alone, and the question of a probe is one.

check_axes.py GPUFX: looks at what `gpufx list --json` prints."""

import json
import re
import subprocess
import sys

NAMES = ("SM", "B ", "DRAM", "L1", "L2", "ld.")
# What begins a fragment or a clause, and is no noun phrase.
FRAGMENT = re.compile(r"by|for|from|how|if|in|it|of|on|or|that|the|to|what|when|where|whether|which|who|whose|with")
WORDS = (" of which", " says", " tells", " is no ", " so many", "  ", ";;")


def faults_of_help(text: str) -> list[str]:
    first = text.split(" ", maxsplit=1)[0].rstrip(":;,") if text else ""
    faults = []
    if not text:
        faults.append("it is empty")
    if FRAGMENT.fullmatch(first):
        faults.append(f"it starts with '{first}', so it does not stand alone")
    if text[:1].isupper() and not text.startswith(NAMES):
        faults.append("it starts with a capital")
    if text.endswith((".", ",", ";", ":")):
        faults.append("it ends with a stop")
    return faults + [f"it holds '{word.strip()}'" for word in WORDS if word in text]


def main(program: str) -> int:
    wrong = looked_at = 0
    run = subprocess.run([program, "list", "--json"], capture_output=True, text=True, check=True)
    for probe in json.loads(run.stdout)["answer"]:
        if not re.fullmatch(r"[A-Z].*[a-z0-9]\?", probe["question"]):
            wrong += 1
            print(f'{probe["name"]}: this is no question: "{probe["question"]}"')
        for axis in probe["axes"]:
            looked_at += 1
            for fault in faults_of_help(axis["help"]):
                wrong += 1
                print(f'{probe["name"]}, axis {axis["name"]}: {fault}: "{axis["help"]}"')
    print(f"{looked_at} axes, {wrong} faults")
    # The check itself: what it must find, and what it must not.
    bad = ("of permutation and random", "how lanes choose their words", "", "values of which half are zero", "Bytes")
    good = ("bytes per lane: 4, 8 or 16", "SM that reads the line", "random seed, for pattern=random")
    blind = [text for text in bad if not faults_of_help(text)] + [text for text in good if faults_of_help(text)]
    for text in blind:
        print(f'the check misjudges "{text}"')
    return 1 if wrong or blind or not looked_at else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
