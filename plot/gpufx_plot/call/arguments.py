"""A command line as the program gpufx hands it over, checked by its table of options
(harness/call/option_table.c), which holds names, ranges, defaults and help. Nothing is checked, and no default is
known, a second time here."""

from collections.abc import Iterable
from dataclasses import dataclass, field

from .. import UserError


@dataclass
class Call:
    verb: str
    words: list[str] = field(default_factory=list)
    options: dict[str, str] = field(default_factory=dict)  # by name, "yes" for a switch
    behind: list[str] | None = None  # those of the words that stand behind "--"; None: there is none

    def __getitem__(self, name: str) -> str:
        if name not in self.options:  # not started by gpufx
            raise UserError(f"{name} is missing; start it through gpufx, which fills in the defaults")
        return self.options[name]

    def get(self, name: str) -> str | None:
        return self.options.get(name)

    def has(self, name: str) -> bool:
        return name in self.options

    @property
    def margin(self) -> float:
        return float(self["--margin"]) / 100


def read(arguments: Iterable[str]) -> Call:
    """The verb; then every option with its value; then the words, among them "--"."""
    rest = iter(arguments)
    call = Call(next(rest, ""))
    for word in rest:
        if word == "--":
            call.behind = [*rest]
            call.words += call.behind
        elif word.startswith("--"):
            call.options[word] = next(rest, "")
        else:
            call.words.append(word)
    return call
