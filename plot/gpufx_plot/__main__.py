"""The command line: claims, compare, plot, summary, selfcheck. Exit status 0 fine, 1 the answer is no, 2 wrong use or
bad input, 3 undecided when asked, 77 nothing to compare. Each verb imports what it needs: scipy and matplotlib take
longer to load than most work."""

import argparse
import math
import os
import re
import sys
from pathlib import Path
from typing import TYPE_CHECKING, TextIO

from . import UserError

if TYPE_CHECKING:
    from .archive import Archive

VERBS = ("claims", "compare", "plot", "summary", "selfcheck")
NAMES = "a file, a folder (its newest archive), latest, part of a device's name (h200), sm_90 or a run's id; NAME~1 is \
the one before"
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


def _margin(text: str) -> float:
    try:
        value = float(text.removesuffix("%"))
    except ValueError:
        value = math.nan
    if not 0 <= value <= 50:
        raise argparse.ArgumentTypeError(f"{text!r} is no margin: give percent from 0 to 50, such as 1 or 0.5")
    return value / 100


def _regex(text: str) -> str:
    try:
        re.compile(text)
    except re.error as error:
        raise argparse.ArgumentTypeError(f"{text!r} is no regular expression: {error}") from None
    return text


def _fail_on(text: str) -> list[str]:
    words = [word.strip().lower() for word in text.split(",")]
    for word in words:
        if word not in FAIL_ON:
            raise argparse.ArgumentTypeError(f"{word!r} is none of {', '.join(FAIL_ON)}")
    return words


class _Parser(argparse.ArgumentParser):
    def error(self, message: str):
        sys.exit(_complain(f"{self.prog}: {message}.\n{self.format_usage()}".rstrip()))

    def print_help(self, file: TextIO | None = None) -> None:
        _print(self.format_help())


def parser() -> argparse.ArgumentParser:
    top = _Parser(prog="gpufx", description="Reads gpufx archives.", allow_abbrev=False)
    verbs = top.add_subparsers(dest="verb", required=True, metavar="|".join(VERBS))

    p = verbs.add_parser("claims", help="which rules of the guides hold", allow_abbrev=False, description=(
        "Holds what guides, lectures and blogs claim against an archive: HOLDS, where every measured pair of cases "
        "lies within the claim's bounds; HOLDS IN PART, where some do, or where a size was claimed (twice, 15 times) "
        "and some show half to twice that effect, in logarithms; DOES NOT HOLD. `gpufx list --claims` prints claims, "
        "bounds and cases. ARCHIVE is " + NAMES + "."))  # fmt: skip
    p.add_argument("archive", metavar="ARCHIVE")
    p.add_argument("--probe", help="this probe only")
    p.add_argument("--format", choices=("text", "markdown", "json"), default="text", help="(default: text)")

    p = verbs.add_parser("compare", help="compare archives case by case", allow_abbrev=False, description=(
        "Compares each further archive with the first, the base. ARCHIVE is " + NAMES + "."))  # fmt: skip
    p.add_argument("base", metavar="BASE")
    p.add_argument("others", metavar="ARCHIVE", nargs="+")
    p.add_argument("--margin", type=_margin, default=0.01, metavar="PCT", help="what is no difference (default: 1 %%)")
    p.add_argument("--fail-on", type=_fail_on, default=[], metavar="WORDS",
                   help=f"exit 1 where a case is one of these ({', '.join(FAIL_ON)}); 3 for undecided")  # fmt: skip
    p.add_argument("--format", choices=("text", "markdown", "json", "csv"), default="text", help="(default: text)")
    p.add_argument("--only-changed", action="store_true", help="leave SAME and UNDECIDED rows out")
    p.add_argument("--probe", help="this probe only")
    p.add_argument("--filter", type=_regex, default="", metavar="REGEX", help="only cases whose name holds it")

    p = verbs.add_parser("plot", help="draw archives", allow_abbrev=False, description=(
        "Draws one figure per probe, all archives overlaid. ARCHIVE is " + NAMES + "."))  # fmt: skip
    p.add_argument("archives", metavar="ARCHIVE", nargs="+")
    p.add_argument("-o", "--output", metavar="DIR", help="folder for the figures (default: out/charts)")
    p.add_argument("--probe", help="this probe only")
    p.add_argument("--format", choices=("png", "svg", "both"), default="both", help="(default: both)")

    p = verbs.add_parser("summary", help="one screen about an archive", allow_abbrev=False, description=(
        "Prints the key results of an archive. ARCHIVE is " + NAMES + "."))  # fmt: skip
    p.add_argument("archive", metavar="ARCHIVE")
    p.add_argument("--against", metavar="OTHER", help="compare with this archive and count the verdicts")
    p.add_argument("--margin", type=_margin, default=0.01, metavar="PCT", help="what is no difference (default: 1 %%)")

    p = verbs.add_parser("selfcheck", help="compare the launches of one archive with each other", allow_abbrev=False,
                         description="Splits the launches of an archive into two sides, compares them, and counts the "
                         "false alarms. ARCHIVE is " + NAMES + ".")  # fmt: skip
    p.add_argument("archive", metavar="ARCHIVE")
    p.add_argument("--margin", type=_margin, default=0.01, metavar="PCT", help="what is no difference (default: 1 %%)")
    p.add_argument("--json", action="store_true", help="print JSON for other programs")
    return top


def _check_probe(probe: str | None, archives: "list[Archive]") -> None:
    known = sorted({name for archive in archives for name in archive.probes})
    if probe is not None and probe not in known:
        raise UserError(f"no case of a probe {probe!r} in these archives; they have: {', '.join(known) or 'none'}.")


def _claims(options: argparse.Namespace) -> int:
    from .archive import load
    from .claims import FORMATS, judge_all, listed
    from .names import resolve

    archive = load(resolve(options.archive))
    _check_probe(options.probe, [archive])
    _print(FORMATS[options.format](archive, judge_all(archive, listed(), options.probe)))
    return 0


def _compare(options: argparse.Namespace) -> int:
    from .archive import load
    from .compare import compare
    from .names import resolve
    from .report import FORMATS

    archives = [load(resolve(name)) for name in (options.base, *options.others)]
    _check_probe(options.probe, archives)
    base, *others = archives
    comparisons = [compare(base, new, options.margin, options.probe, options.filter) for new in others]
    if not any(c.rows for c in comparisons):
        raise UserError("no case is left to compare: check --probe and --filter, and that the archives have cases.")
    shown = [[r for r in c.rows if not options.only_changed or r.verdict in FAIL_ON["changed"]] for c in comparisons]
    _print(FORMATS[options.format](comparisons, shown, options.margin))
    seen = {row.verdict for c in comparisons for row in c.rows}
    hit = {verdict for word in options.fail_on for verdict in FAIL_ON[word]} & seen
    if hit - {"UNDECIDED"}:
        return 1
    return 3 if hit else 0


def _plot(options: argparse.Namespace) -> int:
    from .archive import load
    from .charts import draw_all
    from .names import resolve, root

    archives = [load(resolve(name)) for name in options.archives]
    _check_probe(options.probe, archives)
    folder = Path(options.output) if options.output else root() / "out" / "charts"
    formats = ("png", "svg") if options.format == "both" else (options.format,)
    _print("".join(f"{path}\n" for path in draw_all(archives, folder, options.probe, formats)))
    return 0


def _summary(options: argparse.Namespace) -> int:
    from .archive import load
    from .names import resolve
    from .summary import summarise

    against = load(resolve(options.against)) if options.against else None
    _print(summarise(load(resolve(options.archive)), against, options.margin))
    return 0


def _selfcheck(options: argparse.Namespace) -> int:
    from .archive import load
    from .names import resolve
    from .selfcheck import selfcheck

    text, status = selfcheck(load(resolve(options.archive)), options.margin, options.json)
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


def _run(arguments: list[str] | None) -> int:
    options = parser().parse_args(arguments)
    verbs = {"claims": _claims, "compare": _compare, "plot": _plot, "summary": _summary, "selfcheck": _selfcheck}
    return verbs[options.verb](options)


def main(arguments: list[str] | None = None) -> int:
    words = sys.argv[1:] if arguments is None else arguments
    name = " ".join(["gpufx", *[w for w in words[:1] if w in VERBS]])
    for stream in (sys.stdout, sys.stderr):
        if hasattr(stream, "reconfigure"):
            # A path may hold any byte but NUL and "/".
            stream.reconfigure(encoding="utf-8", errors="backslashreplace")
    try:
        return _run(arguments)
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
