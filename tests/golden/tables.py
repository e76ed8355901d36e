#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Compare published tables of real captures with the JSON of AWS's own tool.

usage: tables.py DUMP_TABLES SHARED

SHARED is the folder with data/ next to the repository, on machines that have real
captures. Without it there is nothing to compare and the test is skipped (exit code 77).
"""
import json
import math
import os
import subprocess
import sys

# Columns whose name differs from the JSON's.
METADATA = {"tensor_engine_num_rows": "pe_num_rows", "tensor_engine_num_cols": "pe_num_cols",
            "tensor_engine_clock_freq": "pe_clock_freq",
            "scalar_engine_clock_freq": "pe_clock_others",
            "gpsimd_engine_clock_freq": "pe_clock_others",
            "neuroncore_clock_freq": "pe_clock_others"}
NEFF_HEADER = {"logical_neuroncore_count": "number_of_logical_neuroncores",
               "pcore_count_per_lnc": "number_of_neuroncores_per_lnc"}
# Fields of the summary that are in Metadata, in ThrottleSummary or nowhere.
NOT_IN_SUMMARY = {"instance_type", "runtime_version", "driver_version", "collectives_version",
                  "compiler_version", "profiler_version", "nc_idx", "nd_idx"}

failures = 0


def same(got, expected, what):
    global failures
    if got != expected:
        failures += 1
        print(f"not ok - {what}: {got}, expected {expected}")


def dump(program, *words):
    done = subprocess.run([program, *words], capture_output=True, text=True)
    same((done.returncode, done.stderr), (0, ""), " ".join(words))
    return [json.loads(line) for line in done.stdout.splitlines()]


def only(folder, suffix):
    names = [name for name in sorted(os.listdir(folder)) if name.endswith(suffix)]
    assert len(names) == 1, f"{folder} should have one *{suffix}"
    return os.path.join(folder, names[0])


def is_close(got, expected):
    """Columns are float32; AWS rounds some of its steps to float32."""
    return isinstance(got, float) and math.isclose(got, expected, rel_tol=1e-7)


def compare(row, golden, renamed, what):
    """Compares all columns that the JSON has too; returns their number."""
    pairs = [(column, renamed.get(column, column)) for column in row]
    pairs = [(column, name) for column, name in pairs if name in golden]
    for column, name in pairs:
        expected = golden[name]
        if isinstance(expected, str) and isinstance(row[column], int):
            expected = int(expected)
        if not is_close(row[column], expected):
            same(row[column], expected, f"{what}.{column}")
    return len(pairs)


def check_device(program, folder):
    name = os.path.basename(folder)
    files = [only(folder, ".ntff"), only(folder, ".neff")]
    with open(os.path.join(folder, "golden.json"), encoding="utf-8") as file:
        golden = json.load(file)
    summary, = dump(program, *files, "Summary")
    wanted = {key for key in golden["summary"][0] if not key.startswith("throttle_")}
    same(wanted - NOT_IN_SUMMARY - set(summary), set(), f"{name}: metrics without a column")
    compare(summary, golden["summary"][0], {}, f"{name}: Summary")
    metadata, = dump(program, *files, "Metadata")
    same(compare(metadata, golden["metadata"][0], METADATA, f"{name}: Metadata"), 17,
         f"{name}: columns of Metadata")
    compare(metadata, {key: golden["summary"][0].get(key) for key in
                       NOT_IN_SUMMARY - {"profiler_version", "nc_idx", "nd_idx"}}, {},
            f"{name}: Metadata")
    header, = dump(program, *files, "NeffHeader")
    same(compare(header, golden["neff_header"][0], NEFF_HEADER, f"{name}: NeffHeader"), 12,
         f"{name}: columns of NeffHeader")
    check_lists(program, files, golden, name)


def check_lists(program, files, golden, name):
    cores = sorted({row["sg_name"] for row in golden["model_info"]})
    queues = sorted((q["q_name"], q["q_type"], cores.index(q["subgraph"]), q["q_idx"],
                     q["q_eng_idx"], q["q_axi_port"], q["q_dram_channel"])
                    for q in golden["dma_queues_info"])
    columns = ("name", "type", "pcore_idx", "idx", "engine_idx", "axi_port", "dram_channel")
    rows = dump(program, *files, "DmaQueuesInfo")
    same(sorted(tuple(row[c] for c in columns) for row in rows), queues, f"{name}: queues")
    memory = sorted((m["nd"], m["nc"], m["usage_type"], m["amount_bytes"])
                    for m in golden["nc_mem_usage"])
    columns = ("neuron_device_idx", "neuroncore_idx", "usage_type", "usage_bytes")
    rows = dump(program, *files, "HbmUsageSummaryByType")
    same(sorted(tuple(row[c] for c in columns) for row in rows), memory, f"{name}: memory")


def check_system(program, directory):
    """Numbers counted in the capture's bytes by hand."""
    events = dump(program, directory, "SystemProfileEvents")
    same(len(events), 839, "events")
    starts = [event["start_ts"] for event in events]
    same(starts, sorted(starts), "order of events")
    same({e["pcore_idx"] for e in events if e["name"] == "nc_exec_running"}, {4, 5}, "cores")
    for event in events:
        same(event["end_ts"] - event["start_ts"], event["duration_ns"], "duration")
        extra = json.loads(event["extra_attributes_json"])
        same({type(value) for value in extra.values()}, {str}, "attributes are texts")
    cpu = dump(program, directory, "CpuUsage")
    same((len(cpu), sum(row["cpu_id"] == "average" for row in cpu)), (7800, 600), "processors")
    same(len(dump(program, directory, "HostMemUsage")), 600, "memory of the host")
    hbm = dump(program, directory, "SystemProfileHbmUsage")
    same(len(hbm), 398, "changes of device memory")
    for row in hbm:
        purposes = [value for key, value in row.items() if key.endswith("_bytes")]
        same(2 * row["total_bytes"], sum(purposes), "purposes add up to the total")
    same({(row["device_idx"], row["hbm_idx"]) for row in hbm}, {(0, i) for i in range(4)},
         "memories")


def main():
    program, shared = sys.argv[1:]
    data = os.path.join(shared, "data")
    if not os.path.isdir(data):
        print(f"skipped: no captures in {data}")
        return 77
    folder = os.path.join(data, "neuron-device")
    for name in sorted(os.listdir(folder)):
        check_device(program, os.path.join(folder, name))
    check_system(program, os.path.join(data, "neuron-system"))
    return 1 if failures else 0


sys.exit(main())
