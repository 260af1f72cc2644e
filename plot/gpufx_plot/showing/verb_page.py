"""The table of docs/verbs.md, read from the program's list of verbs, harness/cli/verbs.c."""

import re
from pathlib import Path

# A row: group, name, arguments, fewest and most words, summary, and what the page of help says.
ROW = re.compile(
    r'\{"([A-Z][a-z ]*)",\s+"([a-z ]+)",\s+(?:"[^"]*"\s*)+,\s+\w+,\s+\w+,\s+"([^"]+)",(.*?)(?=\n    \{"|\n\};)',
    re.DOTALL,
)
PAGE = re.compile(r"docs/(\w+)\.md")


def part(top: Path) -> dict[str, str]:
    lines, group = ["| verb | what it does | page |", "|---|---|---|"], None
    for heading, name, summary, text in ROW.findall((top / "harness/cli/verbs.c").read_text(encoding="utf-8")):
        if heading != group:
            lines.append(f"| **{heading}** | | |")
            group = heading
        pages = ", ".join(f"[{page}]({page}.md)" for page in dict.fromkeys(PAGE.findall(text)))
        lines.append(f"| `{name}` | {summary} | {pages} |")
    return {"verbs": "\n".join(lines)}
