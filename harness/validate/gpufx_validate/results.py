"""What a check found: rows of the one table, what stands below it, and the same for programs. Every case of a row
agrees, is off (a prediction was wrong), is waived (it could not be checked here, and the reason is said) or failed."""

from dataclasses import dataclass, field

from gpufx_plot.call.tables import table, wrapped

COUNTS = ("cases", "agree", "off", "waived", "failed")
COLUMNS = ("check", "what", *COUNTS, "verdict")
BAD, GOOD = ("FAILED", "OFF"), "agrees"


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


def as_text(rows: list[Row]) -> str:
    """The table, then the reasons, each said once."""
    lines = table(COLUMNS, [tuple(str(getattr(row, name)) for name in COLUMNS) for row in rows], set(COUNTS))
    reasons: dict[str, list[Row]] = {}
    for row in rows:
        if row.reason:
            reasons.setdefault(row.reason, []).append(row)
    for reason, concerned in reasons.items():
        alone = len(concerned) == 1 and concerned[0].what != "all"
        about = ", ".join(dict.fromkeys(row.check for row in concerned)) + f", {concerned[0].what}" * alone
        lines += wrapped(f"{about}: {reason}", indent="  ")
    return "\n".join(lines) + "\n"


def exit_status(rows: list[Row]) -> int:
    """0 all that was checked agrees, 1 something did not, 77 nothing could be checked: a row without an aim is no
    check."""
    if any(row.verdict in BAD for row in rows):
        return 1
    return 0 if any(row.verdict == GOOD for row in rows) else 77
