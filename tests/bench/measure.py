#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Runs commands and prints time, throughput and peak memory.

measure.py head
measure.py row LABEL INPUT RECORDS [--file OUT] [LIMITS] -- COMMAND...
measure.py compare TIMES -- COMMAND... -- COMMAND...
measure.py system-head
measure.py system LABEL INPUT_BYTES SLICES FILE [--max-mb MB] [--save F] [--ratio-to F] -- COMMAND...
measure.py ingest-head
measure.py ingest LABEL INPUT RECORDS WORKSPACE [--min-rows R] [--max-mb MB] -- COMMAND...

What a command writes to standard output is counted and thrown away. LIMITS are
--max-seconds, --max-mb and --min-out-mb (megabytes per second written); a row that
misses one says so and the exit code is 1. --save keeps the seconds in a file, --ratio-to
says how many times as long as those it took. INPUT of ingest is a file or a folder, WORKSPACE
where the command leaves its one profile; --min-rows is per second and core.
"""
import argparse
import json
import os
import pathlib
import statistics
import subprocess
import sys
import tempfile
import time

MEGABYTE = 1e6
CHUNK = 1 << 20
SYSTEM_LINE = "{:<26}{:>9}{:>12}{:>10}{:>9}{:>13}  {}"
INGEST_LINE = "{:<24}{:>9}{:>9}{:>11}{:>10}{:>13}{:>15}{:>9}{:>11}  {}"
LINE = "{:<24}{:>9}{:>10}{:>10}{:>11}{:>12}  {}"


def run_fully(command):
    """Seconds, what the kernel counted, and bytes written to standard output."""
    with tempfile.TemporaryFile() as errors:
        begin = time.monotonic()
        child = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=errors,
                                 bufsize=0)
        written = 0
        buffer = bytearray(CHUNK)
        while True:
            count = child.stdout.readinto(buffer)
            if not count:
                break
            written += count
        _, status, usage = os.wait4(child.pid, 0)
        seconds = time.monotonic() - begin
        child.returncode = os.waitstatus_to_exitcode(status)
        if child.returncode:
            errors.seek(0)
            sys.stderr.write(errors.read().decode(errors="replace"))
            sys.exit(f"measure.py: {command[0]} ended with {child.returncode}")
    return seconds, usage, written


def run(command):
    """Seconds, peak resident bytes and bytes written to standard output."""
    seconds, usage, written = run_fully(command)
    return seconds, usage.ru_maxrss * 1024, written


def misses(options, seconds, resident, out_rate):
    found = []
    if options.max_seconds and seconds > options.max_seconds:
        found.append(f"MISSED: at most {options.max_seconds:g} s")
    if options.max_mb and resident / MEGABYTE > options.max_mb:
        found.append(f"MISSED: at most {options.max_mb:g} MB resident")
    if options.min_out_mb and out_rate < options.min_out_mb:
        found.append(f"MISSED: at least {options.min_out_mb:g} MB/s out")
    return found


def print_row(arguments, command):
    parser = argparse.ArgumentParser()
    parser.add_argument("label")
    parser.add_argument("input")
    parser.add_argument("records", type=int)
    parser.add_argument("--file")
    parser.add_argument("--max-seconds", type=float)
    parser.add_argument("--max-mb", type=float)
    parser.add_argument("--min-out-mb", type=float)
    options = parser.parse_args(arguments)
    seconds, resident, written = run(command)
    if options.file:
        written = os.path.getsize(options.file)
    in_rate = os.path.getsize(options.input) / seconds / MEGABYTE
    out_rate = written / seconds / MEGABYTE
    found = misses(options, seconds, resident, out_rate)
    print(LINE.format(options.label, f"{seconds:.2f}", f"{in_rate:.0f}", f"{out_rate:.0f}",
                      f"{resident / MEGABYTE:.0f}", f"{seconds * 1e9 / options.records:.1f}",
                      "; ".join(found)), flush=True)
    return 1 if found else 0


def print_system(arguments, command):
    parser = argparse.ArgumentParser()
    parser.add_argument("label")
    parser.add_argument("input_bytes", type=int)
    parser.add_argument("slices", type=int)
    parser.add_argument("file")
    parser.add_argument("--max-mb", type=float)
    parser.add_argument("--save")
    parser.add_argument("--ratio-to")
    options = parser.parse_args(arguments)
    seconds, resident, _ = run(command)
    missed = options.max_mb and resident / MEGABYTE > options.max_mb
    note = f"MISSED: at most {options.max_mb:g} MB resident" if missed else ""
    if options.save:
        with open(options.save, "w", encoding="ascii") as file:
            file.write(str(seconds))
    if options.ratio_to:
        with open(options.ratio_to, encoding="ascii") as file:
            note = f"{seconds / float(file.read()):.1f} times as long as writing it"
    print(SYSTEM_LINE.format(options.label, f"{seconds:.1f}", f"{options.slices / seconds:.0f}",
                             f"{options.input_bytes / seconds / MEGABYTE:.0f}",
                             f"{resident / MEGABYTE:.0f}",
                             f"{os.path.getsize(options.file) / options.slices:.1f}",
                             note),
          flush=True)
    return 1 if missed else 0


def size_of(path):
    """Bytes of a file, or of all files in a folder."""
    files = [path] if path.is_file() else [file for file in path.rglob("*") if file.is_file()]
    return sum(file.stat().st_size for file in files)


def print_ingest(arguments, command):
    parser = argparse.ArgumentParser()
    parser.add_argument("label")
    parser.add_argument("input", type=pathlib.Path)
    parser.add_argument("records", type=int)
    parser.add_argument("workspace", type=pathlib.Path)
    parser.add_argument("--min-rows", type=float)
    parser.add_argument("--max-mb", type=float)
    options = parser.parse_args(arguments)
    seconds, usage, _ = run_fully(command)
    core_seconds = usage.ru_utime + usage.ru_stime
    resident = usage.ru_maxrss * 1024
    record, = options.workspace.rglob("profile.json")
    rows = sum(table["row_count"] for table in json.loads(record.read_text())["tables"])
    found = []
    if options.min_rows and rows / core_seconds < options.min_rows:
        found.append(f"MISSED: at least {options.min_rows / 1e6:g} M rows/s per core")
    if options.max_mb and resident / MEGABYTE > options.max_mb:
        found.append(f"MISSED: at most {options.max_mb:g} MB resident")
    print(INGEST_LINE.format(options.label, f"{seconds:.2f}", f"{core_seconds:.2f}", rows,
                             f"{rows / seconds:.0f}", f"{rows / core_seconds:.0f}",
                             f"{options.records / core_seconds:.0f}",
                             f"{resident / MEGABYTE:.0f}",
                             f"{size_of(record.parent) / rows:.1f}", "; ".join(found)), flush=True)
    return 1 if found else 0


def compare(times, first, second):
    run(first)  # once more than counted, so that both find the files in memory
    ours = statistics.median(run(first)[0] for _ in range(times))
    theirs = statistics.median(run(second)[0] for _ in range(times))
    print(f"\nmedian of {times}: {ours * 1e3:.1f} ms, reference decoder {theirs * 1e3:.1f} ms: "
          f"{theirs / ours:.0f} times as fast")
    return 0


def split(arguments):
    parts = [[]]
    for argument in arguments:
        if argument == "--":
            parts.append([])
        else:
            parts[-1].append(argument)
    return parts


def main():
    mode, *rest = sys.argv[1:] or [""]
    parts = split(rest)
    if mode == "head":
        print(LINE.format("capture", "seconds", "MB/s in", "MB/s out", "MB peak", "ns/record",
                          ""), flush=True)
        return 0
    if mode == "row" and len(parts) == 2:
        return print_row(parts[0], parts[1])
    if mode == "system-head":
        print(SYSTEM_LINE.format("system profile", "seconds", "slices/s", "MB/s in", "MB peak",
                                 "bytes/slice", ""), flush=True)
        return 0
    if mode == "system" and len(parts) == 2:
        return print_system(parts[0], parts[1])
    if mode == "ingest-head":
        print(INGEST_LINE.format("file to queryable", "seconds", "core s", "rows", "rows/s",
                                 "rows/core s", "records/core s", "MB peak", "bytes/row", ""),
              flush=True)
        return 0
    if mode == "ingest" and len(parts) == 2:
        return print_ingest(parts[0], parts[1])
    if mode == "compare" and len(parts) == 3:
        return compare(int(parts[0][0]), parts[1], parts[2])
    sys.exit(__doc__)


if __name__ == "__main__":
    sys.exit(main())
