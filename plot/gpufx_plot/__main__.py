"""The command line: claims, compare, plot, summary, selfcheck. Exit status 0 fine, 1 the answer is no, 2 wrong use or
bad input, 3 undecided when asked, 77 nothing to compare. Each verb imports what it needs: matplotlib alone takes
longer to load than most work."""

import os
import re
import sys
from pathlib import Path
from typing import TYPE_CHECKING, TextIO

from . import UserError
from .handed import Call, read

if TYPE_CHECKING:
    from .archive import Archive

VERBS = ("claims", "compare", "plot", "summary", "selfcheck")
FAIL_ON = {
    "slower": ("SLOWER",),
    "faster": ("FASTER",),
    "small": ("SMALL",),
    "missing": ("MISSING",),
    "new": ("NEW",),
    "incomparable": ("INCOMPARABLE",),
    "undecided": ("UNDECIDED",),
    "changed": ("SLOWER", "FASTER", "SMALL", "MISSING", "NEW", "INCOMPARABLE"),
}


def _regex(text: str) -> str:
    try:
        re.compile(text)
    except re.error as error:
        raise UserError(f"--filter '{text}' is no regular expression: {error}") from None
    return text


def _check_probe(probe: str | None, archives: "list[Archive]") -> None:
    known = sorted({name for archive in archives for name in archive.probes})
    if probe is not None and probe not in known:
        raise UserError(f"no case of a probe {probe!r} in these archives; they have: {', '.join(known) or 'none'}.")


def _claims(call: Call) -> int:
    from .archive import load
    from .claims import FORMATS, judge_all, listed
    from .names import resolve

    archive = load(resolve(call.words[0]))
    _check_probe(call.get("--probe"), [archive])
    _print(FORMATS[call["--format"]](archive, judge_all(archive, listed(), call.get("--probe"))))
    return 0


def _compare(call: Call) -> int:
    from .archive import load
    from .compare import compare
    from .names import resolve
    from .report import FORMATS

    archives = [load(resolve(name)) for name in call.words]
    _check_probe(call.get("--probe"), archives)
    base, *others = archives
    probe, regex = call.get("--probe"), _regex(call.get("--filter") or "")
    comparisons = [compare(base, new, call.margin, probe, regex) for new in others]
    if not any(c.rows for c in comparisons):
        raise UserError("no case is left to compare: check --probe and --filter, and that the archives have cases.")
    shown = [
        [r for r in c.rows if not call.has("--only-changed") or r.verdict in FAIL_ON["changed"]] for c in comparisons
    ]
    _print(FORMATS[call["--format"]](comparisons, shown, call.margin))
    seen = {row.verdict for c in comparisons for row in c.rows}
    words = call["--fail-on"].split(",") if call.has("--fail-on") else []
    hit = {verdict for word in words for verdict in FAIL_ON[word]} & seen
    if hit - {"UNDECIDED"}:
        return 1
    return 3 if hit else 0


def _plot(call: Call) -> int:
    from .archive import load
    from .charts import draw_all
    from .names import resolve, root

    archives = [load(resolve(name)) for name in call.words]
    _check_probe(call.get("--probe"), archives)
    folder = Path(call["--output"]) if call.has("--output") else root() / "out" / "charts"
    formats = ("png", "svg") if call["--format"] == "both" else (call["--format"],)
    _print("".join(f"{path}\n" for path in draw_all(archives, folder, call.get("--probe"), formats)))
    return 0


def _summary(call: Call) -> int:
    from .archive import load
    from .names import resolve
    from .summary import summarise

    against = load(resolve(call["--against"])) if call.has("--against") else None
    _print(summarise(load(resolve(call.words[0])), against, call.margin))
    return 0


def _selfcheck(call: Call) -> int:
    from .archive import load
    from .names import resolve
    from .selfcheck import selfcheck

    text, status = selfcheck(load(resolve(call.words[0])), call.margin, call.has("--json"))
    _print(text)
    return status


def _give_up(stream: TextIO) -> None:
    """What the stream still holds goes nowhere, so that Python doesn't try, and fail, once more at its end."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), stream.fileno())


def _print(text: str) -> None:
    """Prints all at once. A reader that went away (`| head`) is no error, and takes nothing from the exit status."""
    if sys.stdout is None:
        raise UserError("standard output is closed, so there is nowhere to print to.")
    try:
        sys.stdout.write(text)
        sys.stdout.flush()
    except BrokenPipeError:
        _give_up(sys.stdout)
    except OSError as error:
        _give_up(sys.stdout)
        raise UserError(f"standard output can't be written: {error.strerror}.") from None


def _complain(text: str) -> int:
    """The status says it too, where nobody can be told."""
    if sys.stderr is not None:
        try:
            print(text, file=sys.stderr, flush=True)
        except OSError:
            _give_up(sys.stderr)
    return 2


def _run(arguments: list[str]) -> int:
    call = read(arguments)
    verbs = {"claims": _claims, "compare": _compare, "plot": _plot, "summary": _summary, "selfcheck": _selfcheck}
    return verbs[call.verb](call)


def main(arguments: list[str] | None = None) -> int:
    words = sys.argv[1:] if arguments is None else arguments
    name = " ".join(["gpufx", *[w for w in words[:1] if w in VERBS]])
    for stream in (sys.stdout, sys.stderr):
        if hasattr(stream, "reconfigure"):
            # A path may hold any byte but NUL and "/".
            stream.reconfigure(encoding="utf-8", errors="backslashreplace")
    try:
        return _run(words)
    except UserError as error:
        return _complain(f"{name}: {error}")
    except ImportError as error:
        return _complain(
            f"{name}: it needs its Python packages: start it through ./gpufx, which installs them ({error})."
        )
    except KeyboardInterrupt:
        return 130


if __name__ == "__main__":
    sys.exit(main())
