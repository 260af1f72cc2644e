"""Probes that the host times run no kernel whose machine code would say that their method changed: their
`method_version` alone does. So a test knows the sources of each version, and asks whoever edits them."""

import hashlib
import json
import re
from pathlib import Path

TOP = Path(__file__).resolve().parents[2]
KNOWN = TOP / "tests" / "host_methods.json"
ASK = (
    "the sources of {probe} changed, which the host times: are its old and new numbers still the same measurement? If "
    "not, raise method_version in its probe.cu. Then state the version that these sources have: pytest --refresh {test}"
)


def without_comments(text: str) -> str:
    return " ".join(re.sub(r"/\*.*?\*/|//[^\n]*", " ", text, flags=re.S).split())


def stated(folder: Path) -> dict:
    """The version, and a hash of what the compiler sees of the folder and of the headers beside it."""
    sources = sorted([*folder.glob("*.cu"), *folder.glob("*.c"), *folder.glob("*.h"), *folder.parent.glob("*.h")])
    text = "\n".join(f"{path.name} {without_comments(path.read_text(encoding='utf-8'))}" for path in sources)
    version = re.search(r"\.method_version = (\d+)", (folder / "probe.cu").read_text(encoding="utf-8"))
    return {"method_version": int(version[1]), "sources": hashlib.sha256(text.encode()).hexdigest()[:16]}


def host_timed() -> dict[str, dict]:
    folders = sorted(path.parent for path in (TOP / "micro").glob("*/*/probe.cu"))
    timed = [f for f in folders if "FX_HOST_NS" in without_comments((f / "probe.cu").read_text(encoding="utf-8"))]
    return {folder.name: stated(folder) for folder in timed}


def test_an_edit_of_a_method_that_the_host_times_is_stated(request):
    found = host_timed()
    if request.config.getoption("--refresh"):
        KNOWN.write_text(json.dumps(found, indent=2) + "\n", encoding="utf-8")
    known = json.loads(KNOWN.read_text(encoding="utf-8"))
    changed = [probe for probe in {*found, *known} if found.get(probe) != known.get(probe)]
    assert len(found) > 5
    assert not changed, ASK.format(probe=", ".join(sorted(changed)), test=Path(__file__).relative_to(TOP))
