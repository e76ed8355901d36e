#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Opens an XSpace with our program and reads it with python3-protobuf.

usage: xspace.py NEURON_EXPLORER FILE WORKSPACE

Prints seconds, core seconds and megabytes resident of both. Exit 1 if ours misses its target.
"""
import os
import pathlib
import subprocess
import sys
import time

MAX_SECONDS, MAX_MB = 1.5, 1000
READ = """
import sys
sys.path.insert(0, sys.argv[1])
import xplane_messages
space = xplane_messages.read(sys.argv[2])
print(sum(len(line.events) for plane in space.planes for line in plane.lines))
"""


def run(command):
    """Seconds, core seconds and megabytes resident of a command, and what it printed."""
    begin = time.monotonic()
    child = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
    said = child.stdout.read()
    _, status, usage = os.wait4(child.pid, 0)
    child.returncode = os.waitstatus_to_exitcode(status)
    if child.returncode:
        sys.exit(f"bench: {command[0]} failed with {child.returncode}")
    return time.monotonic() - begin, usage.ru_utime + usage.ru_stime, usage.ru_maxrss / 1024, said


def main():
    program, path, workspace = sys.argv[1], pathlib.Path(sys.argv[2]), sys.argv[3]
    size_mb = path.stat().st_size / 1e6
    seconds, cores, resident, _ = run([program, "view", str(path), "--ingest-only", "--data-path",
                                       workspace, "-v", "2"])
    print(f"{f'XSpace of {size_mb:.0f} MB':<28} {'s':>7} {'core s':>7} {'MB resident':>12}")
    print(f"{'open, until it can be shown':<28} {seconds:7.2f} {cores:7.2f} {resident:12.0f}")
    messages = pathlib.Path(__file__).resolve().parent.parent / "xspace"
    try:
        import google.protobuf  # noqa: F401
    except ImportError:
        print("bench: python3-protobuf is not installed, comparison skipped")
    else:
        other = run([sys.executable, "-c", READ, str(messages), str(path)])
        print(f"{'python3-protobuf, reading':<28} {other[0]:7.2f} {other[1]:7.2f} {other[2]:12.0f}"
              f"   {int(other[3]):,} events")
    missed = [text for is_missed, text in (
        (seconds > MAX_SECONDS, f"{seconds:.1f} s, not {MAX_SECONDS}"),
        (resident > MAX_MB, f"{resident:.0f} MB, not {MAX_MB}")) if is_missed]
    if missed:
        print("bench: missed: " + ", ".join(missed))
    return bool(missed)


if __name__ == "__main__":
    sys.exit(main())
