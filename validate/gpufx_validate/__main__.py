"""The command line of `gpufx validate`. Exit status 0 all that was checked agrees, 1 something did not, 2 wrong use or
bad input, 77 nothing could be checked here."""

import argparse
import importlib
import json
import os
import sys

from . import CHECKS, UserError, results
from .program import Context


def _tell(text: str) -> None:
    if sys.stderr is not None:
        print(f"gpufx validate: {text}", file=sys.stderr, flush=True)


class _Parser(argparse.ArgumentParser):
    def error(self, message: str):
        _tell(f"{message}.\n{self.format_usage()}".rstrip())
        sys.exit(2)


def _module(name: str):
    return importlib.import_module(f"{__package__}.{name}")


def parser() -> argparse.ArgumentParser:
    p = _Parser(prog="gpufx validate", allow_abbrev=False, description=(
        "Checks the instrument itself, as far as this machine allows, and prints one table. Without an option that "
        "names a check, all of them are made. What can't be checked here is waived, with the reason; the other checks "
        "go on. A row's cases agree, are waived, or failed: something differs, or could not be decided."))  # fmt: skip
    p.add_argument("probes", metavar="PROBE", nargs="*", help="these probes only (`gpufx list` has them)")
    for name in CHECKS:
        p.add_argument(f"--{name}", dest="checks", action="append_const", const=name, help=_module(name).TITLE)
    p.add_argument("--device", metavar="DEVICE", help="a CUDA index or a UUID (default: the first CUDA device)")
    p.add_argument("--quick", action="store_true", help="the few cases of `gpufx run --quick`")
    p.add_argument("--filter", metavar="REGEX", help="only cases whose name matches, as for `gpufx run`")
    p.add_argument("--out", metavar="DIR", help="folder of the archive (default: results/ARCH/DEVICE)")
    p.add_argument("--no-archive", action="store_true", help="print only")
    p.add_argument("--json", action="store_true", help="print JSON for other programs")
    return p


def _print(text: str) -> None:
    """Prints all at once. A reader that went away (`| head`) is no error, and takes nothing from the exit status."""
    if sys.stdout is None:
        raise UserError("standard output is closed, so there is nowhere to print to.")
    try:
        sys.stdout.write(text)
        sys.stdout.flush()
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    except OSError as error:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        raise UserError(f"standard output can't be written: {error.strerror}.") from None


def _run(words: list[str]) -> int:
    options = parser().parse_args(words)
    options.words = words
    path = os.environ.get("GPUFX_PRETENDER") or os.environ.get("GPUFX_PROGRAM")  # the former is for tests
    if not path:
        raise UserError("start it as `gpufx validate`: the program to check is not known.")
    context = Context(options, path)
    if not context.probes:
        raise UserError("this gpufx has no probes.")
    if context.selection:  # a filter that is none, or leaves nothing, is refused by gpufx itself, in its own words
        context.ask("list", *options.probes, "--json", *context.selection)
    reports = {name: _module(name).run(context) for name in CHECKS if not options.checks or name in options.checks}
    rows = [row for report in reports.values() for row in report.rows]
    status = results.exit_status(rows)
    if options.json:
        whole = {"exit_status": status, "rows": [row.as_json() for row in rows]}
        _print(json.dumps(whole | {name: report.data for name, report in reports.items()}, indent=2) + "\n")
        return status
    details = "".join("\n" + "\n".join(report.details) + "\n" for report in reports.values() if report.details)
    _print(results.table(rows) + details)
    return status


def main(arguments: list[str] | None = None) -> int:
    words = sys.argv[1:] if arguments is None else arguments
    for stream in (sys.stdout, sys.stderr):
        if hasattr(stream, "reconfigure"):
            stream.reconfigure(encoding="utf-8", errors="backslashreplace")
    try:
        return _run(words[1:] if words[:1] == ["validate"] else words)
    except UserError as error:
        _tell(str(error))
        return error.status
    except KeyboardInterrupt:
        return 130


if __name__ == "__main__":
    sys.exit(main())
