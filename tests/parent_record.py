"""Starts a process of gpufx as gpufx starts one, with a record of its parent (harness/call/parent_record.h).

As a program: parent_record.py '{"process": 1, ...}' GPUFX ARGUMENT...; texts of the record may be given as such.
"""

import json
import os
import struct
import subprocess
import sys

VARIABLE = "GPUFX_PARENT_RECORD"


def start(record: dict, command: list[str], pass_fds=(), **popen) -> subprocess.Popen:
    """The process, with this one as the parent that the record names."""
    said = {"child": False, "process": 0, "events_fd": -1, "began_s": 0, "usual": False, "seed": -1}
    numbers = [record.get(key, default) for key, default in said.items()]
    texts = [os.fsencode(record.get(key, "")) for key in ("device", "append", "chosen")]
    file = os.memfd_create(VARIABLE, 0)
    try:
        os.write(file, struct.pack("@i0q?qqd?q3P", os.getpid(), *numbers, 0, 0, 0))
        os.write(file, b"".join(text + b"\0" for text in texts))
        environment = {**os.environ, VARIABLE: str(file)}
        return subprocess.Popen(command, env=environment, pass_fds=[file, *pass_fds], **popen)
    finally:
        os.close(file)


def main():
    record, events = json.loads(sys.argv[1]), []
    if record.get("child"):
        events = [os.dup(1)]  # it reports to its parent, here to standard output
        record["events_fd"] = events[0]
    sys.exit(start(record, sys.argv[2:], events).wait())


if __name__ == "__main__":
    main()
