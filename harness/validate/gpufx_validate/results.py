"""What a check is given: gpufx, a program that lists its probes, tells what the machine is, and runs cases. And what it
found: rows of the one table, what stands below it, and the same for programs. Every case of a row agrees, is off (a
prediction was wrong), is waived (it could not be checked here, and the reason is said) or failed."""

from argparse import Namespace
from collections.abc import Iterable
from dataclasses import dataclass, field
from functools import cached_property

from gpufx_plot import UserError
from gpufx_plot.call.grouped import grouped
from gpufx_plot.call.program import RefusedError, ask
from gpufx_plot.call.tables import table, wrapped

COUNTS = ("cases", "agree", "off", "waived", "failed")
COLUMNS = ("check", "what", *COUNTS, "verdict")
BAD, GOOD = ("FAILED", "OFF"), "agrees"


@dataclass
class Context:
    """What every check is given: the options of the command line and the program under test."""

    options: Namespace  # probes, device, quick, filter

    def ask(self, *arguments: str):
        """The answer of `gpufx ARGUMENTS`, among them --json. What gpufx refuses is refused here in its own words."""
        try:
            return ask(*arguments)
        except RefusedError as error:
            refused = UserError(error.reason)
            refused.ends_with = 77 if error.status == 77 else 2
            raise refused from None

    @property
    def device_arguments(self) -> list[str]:
        return ["--device", self.options.device] if self.options.device else []

    @cached_property
    def info(self) -> dict:
        """`gpufx info`: program, host, opened (the device), no_cuda_device (why there is none)."""
        return self.ask("info", "--json", *self.device_arguments)

    @cached_property
    def probes(self) -> list[dict]:
        """The declarations of the selected probes, without cases."""
        return self.ask("list", *self.options.probes, "--json")

    @property
    def selection(self) -> list[str]:
        """The options that narrow a run, and the listing of its cases, alike."""
        words = ["--quick"] if self.options.quick else []
        return [*words, *(["--filter", self.options.filter] if self.options.filter else [])]

    def no_device(self) -> str | None:
        """Why nothing can be measured here, or None."""
        if self.options.device and self.options.device.startswith("synthetic:"):
            return "a synthetic device is no witness: its samples are made from the laws."
        if self.info["no_cuda_device"]:
            return f"there is no CUDA device ({self.info['no_cuda_device']})."
        if self.info["not_opened"]:
            return f"the CUDA device can't be used now: {self.info['not_opened']}"
        return None


@dataclass
class Row:
    check: str
    what: str
    agree: int = 0
    off: int = 0
    waived: int = 0
    failed: int = 0
    reason: str | None = None  # why cases are off, waived or failed, where one sentence says it
    said: str | None = None  # the verdict where the check has one of its own, such as "no aim"

    @property
    def cases(self) -> int:
        return self.agree + self.off + self.waived + self.failed

    @property
    def verdict(self) -> str:
        if self.failed:
            return "FAILED"
        return self.said or ("OFF" if self.off else GOOD if self.agree else "waived")

    def as_json(self) -> dict:
        return {name: getattr(self, name) for name in (*COLUMNS, "reason")}


@dataclass
class Report:
    rows: list[Row]
    details: list[str] = field(default_factory=list)  # lines below the table
    data: dict = field(default_factory=dict)  # what else --json tells of this check


def waived(check: str, reason: str) -> Report:
    """The report of a check that can't be made here."""
    return Report([Row(check, "all", reason=reason)])


def tallied(check: str, found: Iterable[tuple[str, str, str | None]]) -> list[Row]:
    """found: of each case what it is of, its verdict, and the reason where one sentence says it."""
    rows: dict[str, Row] = {}
    for what, verdict, reason in found:
        row = rows.setdefault(what, Row(check, what))
        setattr(row, verdict, getattr(row, verdict) + 1)
        row.reason = reason or row.reason
    return list(rows.values())


def as_text(rows: list[Row]) -> str:
    """The table, then the reasons, each said once."""
    lines = table(COLUMNS, [tuple(str(getattr(row, name)) for name in COLUMNS) for row in rows], set(COUNTS))
    for reason, concerned in grouped((row for row in rows if row.reason), lambda row: row.reason).items():
        alone = len(concerned) == 1 and concerned[0].what != "all"
        about = ", ".join(dict.fromkeys(row.check for row in concerned)) + f", {concerned[0].what}" * alone
        lines += wrapped(f"{about}: {reason}", indent="  ")
    return "\n".join(lines) + "\n"


def exit_status(rows: list[Row]) -> int:
    """0 all that was checked agrees, 1 something did not, 77 nothing was checked: a row without an aim is no check."""
    if any(row.verdict in BAD for row in rows):
        return 1
    return 0 if any(row.verdict == GOOD for row in rows) else 77
