"""The command line of `gpufx validate`. Exit status 0 all that was checked agrees, 1 something did not, 2 wrong use or
bad input, 77 nothing could be checked here."""

import importlib
import json
import os
import signal
import sys
from types import SimpleNamespace

from gpufx_plot.call.arguments import Call, read
from gpufx_plot.call.stopping import leave
from gpufx_plot.call.terminal import unforeseen

from . import CHECKS, UserError, results
from .context import Context


def _tell(text: str) -> None:
    if sys.stderr is not None:
        print(f"gpufx validate: {text}", file=sys.stderr, flush=True)


def _module(name: str):
    return importlib.import_module(f"{__package__}.{name}")


def _options(call: Call) -> SimpleNamespace:
    shown = [word for name in call.options for word in (name, call[name]) if word != "yes"]
    return SimpleNamespace(
        probes=call.words,
        checks=[name for name in CHECKS if call.has(f"--{name}")],
        device=call.get("--device"),
        filter=call.get("--filter"),
        out=call.get("--out"),
        quick=call.has("--quick"),
        no_archive=call.has("--no-archive"),
        json=call.has("--json"),
        words=["..." if word == call.get("--out") else word for word in shown] + call.words,
    )


def _print(text: str) -> None:
    """Prints all at once. A reader that went away (`| head`) is no error, and takes nothing from the exit status."""
    if sys.stdout is None:
        raise UserError("standard output is closed, so there is nowhere to print to")
    try:
        sys.stdout.write(text)
        sys.stdout.flush()
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    except OSError as error:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        raise UserError(f"standard output can't be written: {error.strerror}") from None


def _run(words: list[str]) -> int:
    options = _options(read(words))
    path = os.environ.get("GPUFX_PRETENDER") or os.environ.get("GPUFX_PROGRAM")  # the former is for tests
    if not path:
        raise UserError("start it as `gpufx validate`: the program to check is not known")
    context = Context(options, path)
    if not context.probes:
        raise UserError("this gpufx has no probes")
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
        signal.pthread_sigmask(signal.SIG_UNBLOCK, {signal.SIGINT})  # gpufx starts Python with it blocked
        return _run(words)
    except UserError as error:
        _tell(str(error))
        return error.status
    except KeyboardInterrupt:
        return 130
    except Exception as error:
        return unforeseen("gpufx validate", error)


if __name__ == "__main__":
    leave(main())
