"""Types a command into a pseudo-terminal, as a person would, and reads the screen.

The command is bash's, which leads a session of its own with the pseudo-terminal as its controlling one; standard input
is that terminal, and nobody types into it unless `keys` says so. What can fool it: a command that writes past the last
column wraps, and what wiped one row leaves the other. The screen is therefore computed with its rows."""

import fcntl
import os
import pty
import re
import select
import signal
import struct
import subprocess
import termios
import time
from pathlib import Path
from typing import NamedTuple

LIMIT_S = 900  # of a command, on a busy machine, too
ROWS, COLUMNS = 24, 80


class WaitsForEverError(AssertionError):
    pass


class Screen(NamedTuple):
    lines: list[str]  # as they stand at the end, longer than the terminal where one wraps
    garbage: list[str]  # what no terminal should get: control characters other than colours, \\r, \\n, tab and erase
    colours: int
    wiped: int  # how often something was erased


class Typed(NamedTuple):
    status: int  # as the shell has it: 128 and the signal
    output: str  # every byte
    screen: Screen


TOKEN = re.compile(r"\x1b\[([0-9;?]*)([A-Za-z])|([\r\n\t\b])|([^\x00-\x1f\x7f\x80-\x9f]+)|(.)", re.DOTALL)


def screen_of(output: str, columns: int = COLUMNS) -> Screen:
    """A line may take several rows. The cursor stays on a row's last column until the next character comes."""
    lines, garbage, colours, wiped = [], [], 0, 0
    line: list[str] = []
    at = 0
    for token in TOKEN.finditer(output):
        arguments, final, control, text, other = token.groups()
        row = (at - 1 if at and at % columns == 0 else at) // columns * columns
        if text:
            line[at : at + len(text)] = text
            at += len(text)
        elif final == "m":
            colours += 1
        elif final == "K" and arguments in ("", "0"):
            wiped += 1
            line[at : row + columns] = " " * len(line[at : row + columns])
        elif control == "\r":
            at = row
        elif control == "\n":
            lines.append("".join(line).rstrip())
            line, at = [], 0
        elif control == "\t":
            to = (at // 8 + 1) * 8
            line[at:to] = " " * (to - at)
            at = to
        elif control == "\b":
            at -= at > row
        else:
            garbage.append(repr(token[0] if other is None else other))
    last = "".join(line).rstrip()
    return Screen([*lines, last] if last else lines, garbage, colours, wiped)


def _listen() -> None:
    """What a shell gives its background jobs, an ignored Ctrl-C, and nohup, would go on to everything that is typed."""
    for number, usual in ((signal.SIGINT, signal.default_int_handler), (signal.SIGHUP, signal.SIG_DFL)):
        if signal.getsignal(number) is signal.SIG_IGN:
            signal.signal(number, usual)


def type_in(
    command: str,
    folder: Path,
    environment: dict[str, str],
    columns: int = COLUMNS,
    keys: tuple[tuple[str, str | None], ...] = (),
    limit_s: float = LIMIT_S,
) -> Typed:
    """keys: pairs of a regular expression and what is typed once the output since the last key matches it; None: the
    terminal is closed."""
    _listen()
    ours, theirs = pty.openpty()
    fcntl.ioctl(theirs, termios.TIOCSWINSZ, struct.pack("HHHH", ROWS, columns, 0, 0))
    process = subprocess.Popen(
        ["setsid", "--ctty", "bash", "-c", command],
        stdin=theirs,
        stdout=theirs,
        stderr=theirs,
        cwd=folder,
        env=environment,
    )
    os.close(theirs)
    ends, output, seen, left = time.monotonic() + limit_s, b"", 0, list(keys)
    open_ = True
    try:
        while open_ or process.poll() is None:
            ended = process.poll() is not None
            ready = open_ and select.select([ours], [], [], 0 if ended else 0.5)[0]
            try:
                got = os.read(ours, 65536) if ready else b""
            except OSError:  # EIO: nobody has the terminal any more
                open_ = False
                continue
            output += got
            if ended and not got:
                break
            if time.monotonic() > ends:
                os.killpg(process.pid, signal.SIGKILL)
                raise WaitsForEverError(f"{command}: not done in {limit_s} s")
            if not open_:
                time.sleep(0.1)
            while left and re.search(left[0][0], output[seen:].decode(errors="replace")):
                key, seen = left.pop(0)[1], len(output)
                if key is None:
                    os.close(ours)
                    open_, ours, left = False, -1, []
                else:
                    os.write(ours, key.encode())
    finally:
        if ours >= 0:
            os.close(ours)
        if process.poll() is None:
            process.kill()
        status = process.wait()
    text = output.decode(errors="backslashreplace")
    return Typed(status if status >= 0 else 128 - status, text, screen_of(text, columns))


class Piped(NamedTuple):
    status: int
    out: list[str]
    err: list[str]


def in_a_pipe(command: str, folder: Path, environment: dict[str, str]) -> Piped:
    _listen()
    told = subprocess.run(
        ["bash", "-c", command], stdin=subprocess.DEVNULL, capture_output=True, cwd=folder, env=environment, check=False
    )
    out, err = (text.decode(errors="backslashreplace").expandtabs().splitlines() for text in (told.stdout, told.stderr))
    status = told.returncode
    return Piped(status if status >= 0 else 128 - status, out, err)


# What differs between two runs of one command.
NOISE = (
    (r"\d{8}T\d{6}Z", "TIME"),
    (r"\d{4}-\d\d-\d\d(T\d\d:\d\d:\d\d(\.\d+)?Z?)?", "DATE"),
    (r"\b(?=[0-9a-f]*\d)[0-9a-f]{8}\b", "ID"),
    (r"\d+(\.\d+)? (ms|s)\b", "SECONDS"),
    (r"(elapsed_s\W+)[\d.e+-]+", r"\1SECONDS"),
    (r"own work [\d.]+, reading clocks [\d.]+", "OVERHEAD"),
    (r" measured(, \d+ flagged)? in SECONDS.*", " measured"),
    (r"\s+", " "),
)


NUMBER = (r"[<~±]*\d[\d.,e+-]*", "N")  # of a synthetic device, on a machine so busy that cases reach their time limit


def plain(lines: list[str], folder: Path, numbers: bool = True) -> list[str]:
    found = []
    for line in lines:
        text = line.replace(str(folder), "FOLDER").replace(f"/{folder.name}/", "/FOLDER/")
        for pattern, name in NOISE if numbers else (*NOISE, NUMBER):
            text = re.sub(pattern, name, text)
        found.append(text.strip())
    return [text for text in found if text]


def difference(typed: Typed, piped: Piped, folder: Path, piped_folder: Path, numbers: bool = True) -> str:
    """ "" where the screen is the two outputs of the pipe, each in its order; else the first line that is not."""
    out, err = (plain(lines, piped_folder, numbers) for lines in (piped.out, piped.err))
    states = {(0, 0)}
    for line in plain(typed.screen.lines, folder, numbers):
        after = {(i + 1, j) for i, j in states if i < len(out) and out[i] == line}
        after |= {(i, j + 1) for i, j in states if j < len(err) and err[j] == line}
        if not after:
            wanted = {out[i] for i, _ in states if i < len(out)} | {err[j] for _, j in states if j < len(err)}
            return f"the terminal shows {line!r}, a pipe gets {' or '.join(map(repr, sorted(wanted))) or 'the end'}"
        states = after
    if (len(out), len(err)) not in states:
        i, j = max(states)
        return f"the terminal ends where a pipe gets {[*out[i:], *err[j:]][0]!r}"
    return ""
