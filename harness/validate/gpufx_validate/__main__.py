"""The command line of `gpufx validate`. Exit status 0 all that was checked agrees, 1 something did not, 2 wrong use or
bad input, 77 nothing could be checked here."""

import importlib
import os
import sys
from argparse import Namespace

from gpufx_plot import UserError
from gpufx_plot.call.arguments import read
from gpufx_plot.call.stopping import guarded, leave
from gpufx_plot.call.terminal import say
from gpufx_plot.call.text import json_text

from . import CHECKS, results


def _run(words: list[str]) -> int:
    call = read(words)
    os.environ["GPUFX_PROGRAM"] = os.environ.get("GPUFX_PRETENDER") or os.environ.get("GPUFX_PROGRAM", "")  # for tests
    quick, device, pattern = call.has("--quick"), call.get("--device"), call.get("--filter")
    context = results.Context(Namespace(probes=call.words, device=device, quick=quick, filter=pattern))
    if not context.probes:
        raise UserError("this gpufx has no probes")
    if context.selection:  # a filter that is none, or leaves nothing, is refused by gpufx itself, in its own words
        context.ask("list", *call.words, "--json", *context.selection)
    checks = [name for name in CHECKS if call.has(f"--{name}")] or CHECKS
    reports = {name: importlib.import_module(f"{__package__}.{name}").run(context) for name in checks}
    rows = [row for report in reports.values() for row in report.rows]
    status = results.exit_status(rows)
    if call.has("--json"):
        whole = {"exit_status": status, "rows": [row.as_json() for row in rows]}
        say(json_text(whole | {name: report.data for name, report in reports.items()}, 2), plain=True)
        return status
    details = "".join("\n" + "\n".join(report.details) + "\n" for report in reports.values() if report.details)
    say(results.as_text(rows) + details)
    return status


def main(arguments: list[str] | None = None) -> int:
    return guarded("gpufx validate", lambda: _run(sys.argv[1:] if arguments is None else arguments))


if __name__ == "__main__":
    leave(main())
