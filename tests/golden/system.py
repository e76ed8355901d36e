#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Check the one real system capture against numbers counted in its bytes by hand.

usage: system.py PROGRAM SHARED

SHARED is the folder with data/ next to the repository, on machines that have real
captures. Without it there is nothing to compare and the test is skipped (exit code 77).
"""
import collections
import json
import os
import subprocess
import sys
import tempfile

CPUS, TICKS = 12, 600
HARDWARE = {"nc_exec_running", "nc_model_switch", "timestamp_sync_point"}

failures = 0


def check(condition, what):
    global failures
    if not condition:
        failures += 1
        print(f"not ok - {what}")


def same(got, expected, what):
    check(got == expected, f"{what}: {got}, expected {expected}")


def export(program, directory, scratch):
    command = [program, "view", "-d", directory, "--output-format", "json", "--output-file",
               scratch, "--ignore-device-profile", "-v", "2"]
    done = subprocess.run(command, capture_output=True, text=True)
    same((done.returncode, done.stderr), (0, ""), "exit code and standard error")
    with open(os.path.join(scratch, "system_profile.json"), encoding="utf-8") as file:
        return file.read()


def check_process(profile):
    process, = profile["process_list"]
    same(process["instance_type"], "trn2.3xlarge", "instance type")
    same((process["arch"], process["logical_nc_size"], process["cpu_count"]), (2, 2, CPUS),
         "arch, physical cores of a logical one, CPUs")
    same((process["stored_event_count"], process["total_event_count"]), (1676, 1676), "records")
    same([w["lnc_idx"] for w in process["workers"]], [0, 1, 2, 3], "cores")
    same(profile["warnings"], [], "warnings")


def check_events(events):
    instants = [e for e in events if "is_instant" in e]
    same((len(events), len(instants)), (839, 2), "events, of them instants")
    same([e for e in events if "is_unfinished" in e or "is_orphan" in e], [], "open events")
    count = collections.Counter(e["name"] for e in events)
    for name, number in (("nrt_dma_mem_alloc", 395), ("nrt_dma_mem_dealloc", 5),
                         ("dmem_buf_copyin", 398), ("nrt_execute", 1), ("nc_exec_running", 2)):
        same(count[name], number, name)
    same({e["name"] for e in events if e["trace_event_source"] == "neuron_hw"}, HARDWARE,
         "names of hardware events")
    # An id is the core times 2^50 plus a number that starts at 1.
    same({e["id"] >> 50 == int(e["lnc_idx"]) and 0 < e["id"] % 2**50 <= 1676 for e in events},
         {True}, "layout of ids")
    same(len({e["id"] for e in events}), 839, "different ids")
    flows = {e["flow_id"] for e in events if e.get("exec_id") == 1 and "flow_id" in e}
    same(len(flows), 1, "flows of the one execution")


def check_nesting(events):
    by_id = {e["id"]: e for e in events}
    parents = collections.Counter()
    for event in events:
        if not event["parent_id"]:
            continue
        parent = by_id[event["parent_id"]]
        parents[parent["name"], event["name"]] += 1
        check(parent["thread_id"] == event["thread_id"] and
              parent["timestamp"] <= event["timestamp"] and
              parent["timestamp"] + parent["duration"] >= event["timestamp"] + event["duration"],
              f"event {event['id']} is not inside its parent")
    for pair in (("nrt_execute", "nrt_model_submit"), ("nrt_execute", "kmgr_exec_core"),
                 ("nrt_model_submit", "kbl_exec_pre"),
                 ("kbl_exec_wait", "notification_consume_errors")):
        check(parents[pair], f"{pair[1]} is not inside {pair[0]}")


def check_clocks(events):
    """The host time of a hardware record is the device time plus the offset of a sync point."""
    offsets = {int(e["cpu_timestamp_ns"]) - int(e["nc_timestamp_ns"]) for e in events
               if e["name"] == "timestamp_sync_point"}
    good = 0
    for event in events:
        if event["name"] not in ("nc_exec_running", "nc_model_switch"):
            continue
        good += event["timestamp"] - event["nc_start_timestamp_ns"] in offsets
        stop = event["timestamp"] + event["duration"]
        good += stop - event["nc_stop_timestamp_ns"] in offsets
    same((len(offsets), good), (2, 8), "offsets, hardware records that obey one")


def check_samples(profile):
    cpu, memory = profile["cpu_util"], profile["mem_usage"]
    same((len(cpu), len(memory)), (CPUS * TICKS, TICKS), "samples of CPUs and memory")
    ticks = [m["timestamp"] for m in memory]
    same(sorted({c["timestamp"] for c in cpu}), ticks, "ticks of CPUs")
    gaps = [b - a for a, b in zip(ticks, ticks[1:])]
    check(1000130000 <= min(gaps) and max(gaps) <= 1000390000,
          f"ticks are {min(gaps)} to {max(gaps)} ns apart")
    same({c["util"] for c in cpu[:CPUS]}, {0}, "load of the first tick")
    check(all(0 <= c["util"] <= 100 for c in cpu), "a load is no percentage")


def check_memory(profile):
    """Each total continues one of two chains of its core; the rows have the sum of both."""
    chains, continued, rows = collections.defaultdict(list), 0, iter(profile["hbm_usage"])
    events = [e for e in profile["trace_events"] if e.get("is_nc_hbm") == "1"]
    same((len(events), len(profile["hbm_usage"])), (398, 398), "changes of device memory")
    for event in sorted(events, key=lambda e: e["timestamp"] + e["duration"]):
        chain, total = chains[event["lnc_idx"]], int(event["total_bytes"])
        before = total + int(event["freed_bytes"]) if "freed_bytes" in event \
            else total - int(event["allocated_bytes"])
        if before in chain:
            continued += 1
            chain.remove(before)
        chain.append(total)
        row = next(rows)
        check((row["timestamp"], row["total_usage"]) ==
              (event["timestamp"] + event["duration"], sum(chain)),
              f"memory after event {event['id']}")
    same((continued, [len(c) for c in chains.values()]), (390, [2] * 4), "totals that continue")


def main():
    program, shared = sys.argv[1], os.path.realpath(sys.argv[2])
    directory = os.path.join(shared, "data", "neuron-system")
    if not os.path.isdir(directory):
        print("# SKIP no real system capture beside the repository")
        return 77
    with tempfile.TemporaryDirectory() as scratch:
        text = export(program, directory, scratch)
    check("instance_ip" not in text and "instance_hostname" not in text, "private fields")
    profile = json.loads(text)
    events = profile["trace_events"]
    check_process(profile)
    check_events(events)
    check_nesting(events)
    check_clocks(events)
    check_samples(profile)
    check_memory(profile)
    print("ok" if not failures else f"{failures} checks failed")
    return 1 if failures else 0


sys.exit(main())
