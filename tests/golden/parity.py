#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Compare exports of real captures with the output of AWS's own tool.

usage: parity.py PROGRAM SHARED

SHARED is the folder with data/ and tools/parity next to the repository, on machines that
have real captures. Without it there is nothing to compare and the test is skipped (exit code 77).
"""
import json
import os
import re
import struct
import subprocess
import sys
import tempfile

MINIMUM = "0.9998"
EXACT = """instruction dma semaphore_update active_time pending_dma dma_throughput ham layer_summary
nc_mem_usage dma_queues_info neff_header neff_node model_info instruction_usage""".split()
LINE = re.compile(r"(\S+)\s+rows (\d+) missing (\d+) extra (\d+)  fields (\d+)/(\d+)")
# The engine whose instructions feed a dynamic queue, by the name of the queue.
DGE_ENGINES = {"qScalarDynamic": 1, "qGpSimdDynamic": 2, "qSyncDynamic": 4}

failures = 0


def check(condition, what):
    global failures
    if not condition:
        failures += 1
        print(f"not ok - {what}")
    return condition


def export(program, ntff, neff, out):
    command = [program, "view", "-n", neff, "-s", ntff, "--output-format", "json",
               "--output-file", out]
    done = subprocess.run(command, capture_output=True, text=True)
    return check(done.returncode == 0, f"{ntff}: exit {done.returncode}: {done.stderr.strip()}")


def only(folder, suffix):
    names = [name for name in sorted(os.listdir(folder)) if name.endswith(suffix)]
    assert len(names) == 1, f"{folder} should have one *{suffix}"
    return os.path.join(folder, names[0])


# --- captures with a golden export ------------------------------------------------------------


def check_golden(program, parity, folder, out):
    if not export(program, only(folder, ".ntff"), only(folder, ".neff"), out):
        return
    golden = os.path.join(folder, "golden.json")
    done = subprocess.run([sys.executable, parity, "--min", MINIMUM, golden, out],
                          capture_output=True, text=True)
    name = os.path.basename(folder)
    check(done.returncode == 0, f"{name}: {done.stdout.strip().splitlines()[-1:]} {done.stderr}")
    seen = set()
    for line in done.stdout.splitlines():
        match = LINE.match(line)
        if not match or match[1] not in EXACT:
            continue
        seen.add(match[1])
        check(match[3] == "0" and match[4] == "0" and match[5] == match[6], f"{name}: {line}")
    check(seen == set(EXACT), f"{name}: sections missing: {sorted(set(EXACT) - seen)}")
    print(f"# {name}: {done.stdout.strip().splitlines()[-1]}")


# --- captures without one: invariants of all profiles -----------------------------------------


def fields(message):
    """Field numbers and values of a protobuf message."""
    at = 0

    def varint():
        nonlocal at
        value = shift = 0
        while True:
            byte = message[at]
            at += 1
            value |= (byte & 127) << shift
            shift += 7
            if byte < 128:
                return value

    while at < len(message):
        number, kind = divmod(varint(), 8)
        if kind == 0:
            yield number, varint()
            continue
        length = {1: 8, 5: 4}.get(kind) or varint()
        yield number, message[at:at + length]
        at += length


def field(message, wanted, default=0):
    for number, value in fields(message):
        if number == wanted:
            default = value
    return default


def dge_packets(path):
    """Packets that the DGE announced, per engine: explicit records with hint 1 in instruction rings."""
    with open(path, "rb") as file:
        content = file.read()
    size = struct.unpack_from("<Q", content, 1)[0]
    blobs = content[128 + size:]
    announced = {}
    for number, ring in fields(content[128:128 + size]):
        if number != 16 or field(ring, 1) != 0 or field(ring, 3) != 0:
            continue
        start, length = field(ring, 5), field(ring, 6)
        records = blobs[start:start + length // 16 * 16]
        for w0, w1, _ in struct.iter_unpack("<IIQ", records):
            kind = w0 >> 24 & 31
            if not 4 <= kind <= 0x17 or kind & 3 != 2 or w0 >> 20 & 15 != 1:
                continue
            engine = (kind >> 2) - 1
            packets = bin(w1 & 0xffff).count("1") * (w1 >> 16 & 0xfff or 4096)
            announced[engine] = announced.get(engine, 0) + packets
    return announced


def dynamic_packets(profile):
    """Packets on dynamic queues, per engine that feeds them."""
    owners = {}
    for row in profile["dma_queues_info"]:
        for name, engine in DGE_ENGINES.items():
            if row["q_name"].startswith(name):
                owners[row["subgraph"], str(row["q_idx"])] = engine
    shown = {}
    for row in profile["dma"]:
        if row["queue_type"].endswith("_dynamic") and row["aggregated"] == "no":
            engine = owners[row["subgraph"], row["dma_queue"]]
            shown[engine] = shown.get(engine, 0) + 1
    return shown


def check_counts(profile, name):
    summary = profile["summary"][0]
    models = profile["model_info"]
    packets = [row for row in profile["dma"] if row["aggregated"] == "no"]
    for engine in ("tensor", "scalar", "gpsimd", "vector", "sync"):
        key = engine + "_engine_instruction_count"
        check(summary[key] == sum(m[key] for m in models), f"{name}: {key}")
    executed = sum(v for m in models for k, v in m.items() if k.endswith("instruction_count"))
    check(0 < len(profile["instruction"]) <= executed, f"{name}: instruction rows")
    check(summary["trace_count"] == sum(m["trace_count"] for m in models), f"{name}: trace_count")
    check(sum(m["trace_count"] - m["event_count"] for m in models) - executed ==
          len(profile["dma"]), f"{name}: trace_count and rows of dma")
    by_kind = sum(summary.get(kind + "_dma_packet_count", 0)
                  for kind in ("static", "hardware_dynamic", "software_dynamic"))
    check(by_kind == len(packets), f"{name}: packets by kind")
    check(summary.get("dma_transfer_count", 0) == len(profile["dma"]) - len(packets),
          f"{name}: dma_transfer_count")
    check(max(row["timestamp"] + row["duration"] for row in profile["instruction"]) <=
          profile["metadata"][0]["last_hw_timestamp"], f"{name}: an instruction after the end")


def check_shares(profile, name):
    for key, value in profile["summary"][0].items():
        if key.endswith("active_time_percent"):
            check(0 <= value <= 1.000001, f"{name}: {key} is {value}")
    for row in profile["instruction_usage"]:
        check(0 <= row["usage_avg"] <= 1, f"{name}: usage {row}")


def check_raw(program, ntff, neff, out):
    name = os.path.basename(ntff)
    if not export(program, ntff, neff, out):
        return
    with open(out, encoding="utf-8") as file:
        profile = json.load(file)
    check_counts(profile, name)
    check_shares(profile, name)
    announced, shown = dge_packets(ntff), dynamic_packets(profile)
    check(announced and announced == shown,
          f"{name}: the DGE announced {announced} packets, {shown} are shown")
    print(f"# {name}: {len(profile['instruction'])} instructions, {len(profile['dma'])} packets")


def main():
    program, shared = sys.argv[1], os.path.realpath(sys.argv[2])
    data, parity = os.path.join(shared, "data"), os.path.join(shared, "tools", "parity")
    if not os.path.isdir(data) or not os.path.exists(parity):
        print("# SKIP no real captures beside the repository")
        return 77
    device, raw = os.path.join(data, "neuron-device"), os.path.join(data, "neuron-raw")
    system = os.path.join(data, "neuron-system")
    with tempfile.TemporaryDirectory() as scratch:
        out = os.path.join(scratch, "ours.json")
        for name in sorted(os.listdir(device)):
            check_golden(program, parity, os.path.join(device, name), out)
        for stem in ("attn_v6", "v6b"):
            check_raw(program, os.path.join(raw, f"profile_{stem}_exec_2.ntff"),
                      os.path.join(raw, stem + ".neff"), out)
        for name in sorted(os.listdir(system)):
            folder = os.path.join(system, name)
            check_raw(program, only(folder, ".ntff"), only(folder, ".neff"), out)
    print("ok" if not failures else f"{failures} checks failed")
    return 1 if failures else 0


sys.exit(main())
