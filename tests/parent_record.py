"""Starts a process of gpufx as gpufx starts one, with a record of its parent (harness/call/parent_record.h).

As a program: parent_record.py '{"process": 1, ...}' GPUFX ARGUMENT...; texts of the record may be given as such.
"""

import json
import os
import subprocess
import sys

VARIABLE = "GPUFX_PARENT_RECORD"


def start(record: dict, command: list[str], pass_fds=(), **popen) -> subprocess.Popen:
    """The process, with this one as the parent that the record names."""
    texts = {key: list(os.fsencode(value)) if isinstance(value, str) else value for key, value in record.items()}
    file = os.memfd_create(VARIABLE, 0)
    try:
        os.write(file, json.dumps({"version": 1, "parent": os.getpid(), **texts}).encode())
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
