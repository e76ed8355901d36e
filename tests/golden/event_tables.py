#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Published tables of events, compared with the JSON export of the same capture.

usage: event_tables.py DUMP_TABLES PROGRAM MAKE_CAPTURE SHARED

The JSON export is AWS's format and is compared with AWS's own output elsewhere; a table must have
the same rows and the same numbers. Made captures are always compared; where SHARED has real ones,
they are too, and against AWS's JSON where there is one. Prints TAP.
"""
import itertools
import json
import os
import subprocess
import sys
import tempfile

NOTHING = ("", 0, None)

# column of the table -> field of the JSON
INSTRUCTION = dict(
    start_ts="timestamp", duration_ns="duration", engine="subgroup", timeline_track="label",
    evt_wait_time_ns="evt_wait_time", tensor_elements="elements",
    scalar_activation_fn="activation_fn", dma_trigger_start_ts="trigger")
INSTRUCTION.update({name: name for name in """opcode operands compiler_opcode compiler_operands pc
    compiler_pc penguin_id raw_penguin_id bir_id raw_bir_id bir_instruction_name crc_in crc_out
    hlo_attrs hlo_name raw_hlo_id layer hbm_read_bytes hbm_write_bytes sbuf_read_bytes
    sbuf_write_bytes psum_read_bytes psum_write_bytes psum_read_sbuf_write_bytes spill_save_bytes
    spill_reload_bytes weight_queue_bytes""".split()})
PACKET = dict(
    start_ts="timestamp", duration_ns="duration", id="id", packet_idx="packet_idx",
    read_bytes="read_size", write_bytes="write_size", transfer_bytes="transfer_size",
    throughput="transfer_rate", queue_type="queue_type", variable="variable", crc="crc")
TRANSFER = dict(
    start_ts="timestamp", duration_ns="duration", block_id="block_id", queue_name="subgroup",
    queue_type="queue_type", op="op", variable="variable", read_bytes="read_size",
    write_bytes="write_size", transfer_bytes="transfer_size", throughput="transfer_rate",
    semaphore_id="semaphore_id")
SIMPLE = [
    ("SemaphoreUpdate", "semaphore_update", dict(timestamp="timestamp", id="id", value="value")),
    ("PendingDma", "pending_dma", dict(timestamp="timestamp", value="value")),
    ("DmaUsage", "dma_throughput", dict(
        timestamp="timestamp", current_throughput="transfer_rate",
        total_transfer_bytes="total_transfer_bytes")),
    ("Throttle", "ham", dict(timestamp="timestamp", duration="duration", k="k", n="n")),
    ("ActiveTime", "active_time", {name: name for name in
                                   "start_ts end_ts engine pcore_idx duration_ns".split()}),
    ("Error", "error", {name: name for name in
                        "timestamp type description error_type_id pcore_idx metadata_hex".split()}),
]

count = failures = 0


def check(condition, what):
    global count, failures
    count += 1
    failures += not condition
    print(f"{'ok' if condition else 'not ok'} {count} - {what}")


class Capture:
    def __init__(self, dump, ntff, neff, name):
        self.files = [dump, ntff] + ([neff] if neff else [])
        self.name = name

    def table(self, name):
        done = subprocess.run(self.files + [name], capture_output=True, text=True, check=True)
        return [json.loads(line) for line in done.stdout.splitlines()]


def same(column, left, right):
    if left in NOTHING and right in NOTHING:
        return True
    if isinstance(left, float) or isinstance(right, float):
        return abs(left - right) <= 1e-6 * abs(right)
    return left == right


def core_of(row, graphs):
    return graphs.index(row["subgraph"]) if "subgraph" in row else 0


def compare(capture, table, rows, wanted, columns, graphs):
    """Rows in any order: rows of the same time may differ only in their numbers."""
    def key(row, names):
        return [json.dumps(None if row.get(name) in NOTHING or isinstance(row.get(name), float)
                           else row[name]) for name in names]

    core = "pcore_idx" not in columns
    left = sorted(rows, key=lambda r: (r["pcore_idx"] if core else 0, key(r, columns)))
    right = sorted(wanted, key=lambda r: (core_of(r, graphs) if core else 0,
                                          key(r, columns.values())))
    wrong = [f"{len(left)} rows for {len(right)}"] if len(left) != len(right) else []
    for l, r in zip(left, right):
        for column, field in columns.items():
            if not same(column, l.get(column), r.get(field)):
                wrong.append(f"{column} {l.get(column)!r} for {r.get(field)!r}")
        if core and l["pcore_idx"] != core_of(r, graphs):
            wrong.append("pcore_idx")
    check(not wrong, f"{capture.name}: {table}, {len(right)} rows {wrong[:3] or ''}")


def check_order(capture, table, rows):
    times = [row.get("start_ts", row.get("timestamp")) for row in rows]
    check(times == sorted(times), f"{capture.name}: {table} is in order of time")


def check_flops(capture, rows):
    wrong = [row for row in rows if "tensor_elements" in row and row["raw_flops"] !=
             row["tensor_elements"] * (1 if "src=fp32@" in row["operands"] else 2)]
    check(not wrong, f"{capture.name}: flops {wrong[:1] or ''}")


def check_flows(capture, instructions, wanted):
    """The edges of the JSON from predecessors."""
    flows = {}
    known = {(row["id"]): row for row in instructions}
    for row in capture.table("Flow"):
        if row["in_table"] == row["out_table"] == "Instruction":
            flows.setdefault(row["out_id"], set()).add(
                (row["in_id"], row.get("dependency_type", "INVALID")))
            start, end = known[row["out_id"]]["start_ts"], known[row["in_id"]]["end_ts"]
            if abs(row["gap_time"] - (start - end)) > 1:
                check(False, f"{capture.name}: gap {row}")
    expected = {row["id"]: {(p["id"], p["type"]) for p in row.get("predecessors", [])
                            if p["id"] < row["id"]} for row in wanted}
    expected = {key: value for key, value in expected.items() if value}
    check(flows == expected, f"{capture.name}: {sum(map(len, expected.values()))} flows")


def check_transfers(capture, transfers, packets, instructions):
    ids = {row["id"]: row for row in transfers}
    check(len(ids) == len(transfers), f"{capture.name}: ids of transfers are unique")
    moved = {}
    for row in packets:
        if row["packet_aggregation_id"] in ids and row["transfer_bytes"] > 4:
            key = row["packet_aggregation_id"]
            moved[key] = moved.get(key, 0) + row["transfer_bytes"]
    wrong = [row for row in transfers if moved.get(row["id"], 0) != row["transfer_bytes"]]
    check(not wrong, f"{capture.name}: transfers are the sums of their packets {wrong[:1] or ''}")
    known = {row["id"]: row for row in instructions}
    wrong = [row for row in transfers if "trigger" in row and
             known[row["trigger"]].get("dma_trigger_start_ts") != row["start_ts"]]
    check(not wrong, f"{capture.name}: triggers point at what they started {wrong[:1] or ''}")


def check_throttles(capture, summary):
    for row in capture.table("ThrottleSummary"):
        kind = "" if row["throttle_type"] == "all" else row["throttle_type"] + "_"
        limit = summary[f"throttle_{kind}avg_util_limit_nc{row['nc_idx']}_percent"]
        check(abs(row["max_achievable_util_with_throttling_percent"] - limit) < 1e-6,
              f"{capture.name}: limit of {row['throttle_type']}")
        if not kind:
            check(row["throttle_active_time_ns"] ==
                  summary[f"throttle_active_nc{row['nc_idx']}_time_ns"],
                  f"{capture.name}: throttled time")


def check_capture(capture, document, is_own):
    graphs = [row["sg_name"] for row in document["model_info"]]
    instructions = capture.table("Instruction")
    packets = capture.table("DmaPacket")
    transfers = capture.table("DmaPacketAggregated")
    dma = document["dma"]

    compare(capture, "Instruction", instructions, document["instruction"], INSTRUCTION, graphs)
    compare(capture, "DmaPacket", packets, [r for r in dma if r["aggregated"] == "no"], PACKET,
            graphs)
    compare(capture, "DmaPacketAggregated", transfers,
            [r for r in dma if r["aggregated"] == "yes"], TRANSFER, graphs)
    check_flops(capture, instructions)
    check_transfers(capture, transfers, packets, instructions)
    check_order(capture, "Instruction", instructions)
    check_order(capture, "DmaPacket", packets)
    check_order(capture, "DmaPacketAggregated", transfers)
    for table, section, columns in SIMPLE:
        rows = capture.table(table)
        check_order(capture, table, rows)
        compare(capture, table, rows, document.get(section, []), columns, graphs)
    check_throttles(capture, document["summary"][0])
    if is_own: # AWS's ids are hashes
        check_flows(capture, instructions, document["instruction"])


def export(program, ntff, neff, folder):
    out = os.path.join(folder, "out.json")
    subprocess.run([program, "view", "-s", ntff, "--output-format", "json", "--output-file", out,
                    "--force"] + (["-n", neff] if neff else []), check=True, capture_output=True)
    with open(out, encoding="utf-8") as file:
        return json.load(file)


def made(make_capture, folder):
    for name, options in (("two cores", ["--faults"]), ("one core", ["--cores", "1", "--arch", "1",
                                                                    "--version", "5"])):
        ntff, neff = (os.path.join(folder, "made" + end) for end in (".ntff", ".neff"))
        subprocess.run([make_capture, "--tiny", ntff, "--neff", neff] + options, check=True,
                       capture_output=True)
        yield name, ntff, neff, None
        yield name + " without its NEFF", ntff, None, None


def real(shared):
    for kind in ("neuron-device", "neuron-raw"):
        for folder, _, names in sorted(os.walk(os.path.join(shared, "data", kind))):
            for name in sorted(names):
                if not name.endswith(".ntff"):
                    continue
                neff = [n for n in names if n.endswith(".neff") and
                        n[:-5] in name.replace("profile_", "")]
                golden = os.path.join(folder, "golden.json")
                yield (os.path.basename(folder) + "/" + name, os.path.join(folder, name),
                       os.path.join(folder, neff[0]) if neff else None,
                       golden if os.path.exists(golden) else None)


def main(dump, program, make_capture, shared):
    with tempfile.TemporaryDirectory() as folder:
        captures = list(real(shared))
        if not captures:
            print("# no real captures beside the repository: only made ones are compared")
        for name, ntff, neff, golden in itertools.chain(made(make_capture, folder), captures):
            capture = Capture(dump, ntff, neff, name)
            check_capture(capture, export(program, ntff, neff, folder), True)
            if golden:
                with open(golden, encoding="utf-8") as file:
                    capture.name += " and AWS's JSON"
                    check_capture(capture, json.load(file), False)
    print(f"1..{count}")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
