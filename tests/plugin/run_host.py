#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The PJRT profiler plugin in a host that behaves like the real one; Google's protobuf library and our
reader look at what it collects.

usage: run_host.py NEURON_EXPLORER HOST PLUGIN LIBNRT LIBNXPROFILER EXAMPLES
"""
import collections
import json
import os
import pathlib
import subprocess
import sys

HERE = pathlib.Path(__file__).resolve().parent
sys.path[:0] = [str(HERE.parent), str(HERE.parent / "xspace")]
from tap_cases import run_cases

try:
    import xplane_messages as xplane
except ImportError:
    print("1..0 # SKIP python3-protobuf is not installed")
    sys.exit(0)

PROGRAM, HOST, PLUGIN, LIBNRT, LIBNX, EXAMPLES = (pathlib.Path(name).resolve() for name in sys.argv[1:7])


def run(folder, *command):
    path = os.pathsep.join(str(lib.parent) for lib in (LIBNRT, LIBNX))
    done = subprocess.run([str(part) for part in command], cwd=folder, text=True, timeout=240,
                          capture_output=True, check=False,
                          env={**os.environ, "LD_LIBRARY_PATH": path, "TMPDIR": str(folder)})
    assert done.returncode == 0, f"exit {done.returncode}\n{done.stdout}{done.stderr}"
    return done.stdout


def walk(space):
    """(plane, line, name, start ns, end ns, stats) of every event; times are absolute."""
    for plane in space.planes:
        kinds, names = xplane.names(plane.event_metadata), xplane.names(plane.stat_metadata)
        for line in plane.lines:
            assert line.timestamp_ns > 1 << 60, "plugins give times since 1970"
            for event in line.events:
                start = line.timestamp_ns + event.offset_ps // 1000
                yield (plane.name, line.name, kinds[event.metadata_id], start,
                       start + event.duration_ps // 1000,
                       {names[s.metadata_id]: xplane.stat_value(s, names) for s in event.stats})


def a_session_has_planes_for_host_runtime_and_core(folder):
    run(folder, PROGRAM, "neff", "--assemble", EXAMPLES / "vector_add.nasm", "-o", "file.neff")
    assert run(folder, HOST, PLUGIN, "session", "file.neff", "host.xplane.pb") == "done\n"
    assert not list(folder.glob("nx-pjrt-*")), "temporary folders are left"
    space = xplane.read(folder / "host.xplane.pb")
    planes = [plane.name for plane in space.planes]
    assert planes == ["/host:CPU", "/device:CUSTOM:Neuron Runtime", "/device:CUSTOM:NeuronCore 0"], planes
    events = list(walk(space))
    by_name = collections.defaultdict(list)
    for event in events:
        by_name[event[2]].append(event)
    steps = by_name["train"]
    assert [(s[5]["step_num"], s[5]["_r"]) for s in steps] == [(41, 1), (42, 1)], steps
    assert all(f[5]["batch_size"] == -32 for f in by_name["forward"])
    assert {e[1] for e in by_name["load batch"]} == {"loader"}
    assert [e[5]["counter_value"] for e in by_name["loss"]] == [0.5, 0.5]
    # calls and executions lie inside of their steps, on one clock
    for name, plane in (("nrt_execute", planes[1]), ("nc_exec_running", planes[2])):
        found = [e for e in by_name[name] if e[0] == plane]
        assert len(found) == 2, f"{name}: {found}"
        for call, step in zip(found, steps):
            assert step[3] <= call[3] <= call[4] <= step[4], f"{name} is not in its step"
    # flows leave "forward" and arrive in "load batch"
    out = {e[5]["flow"] >> 2 for e in by_name["forward"]}
    assert out == {e[5]["flow"] >> 2 for e in by_name["load batch"]} and len(out) == 2
    check_own_reader(folder, events)
    return f"{len(events)} events"


def check_own_reader(folder, events):
    run(folder, PROGRAM, "view", "host.xplane.pb", "--output-format", "json", "--output-file", "read.json",
        "-v", "2")
    profile = json.loads((folder / "read.json").read_text())
    read, counters = profile["trace_events"], [e for e in events if e[1] == "_counters_"]
    events = [e for e in events if e not in counters]
    assert [(c["name"], c["timestamp"], c["value"]) for c in profile["counters"]] == \
        [(e[2], e[3], e[5]["counter_value"]) for e in counters], profile["counters"]
    sources = {"/host:CPU": "framework", "/device:CUSTOM:Neuron Runtime": "neuron_rt",
               "/device:CUSTOM:NeuronCore 0": "neuron_hw"}
    assert collections.Counter((sources[e[0]], e[2], e[3], e[4] - e[3]) for e in events) == \
        collections.Counter((e["trace_event_source"], e["name"], e["timestamp"], e["duration"]) for e in read)


def chunks_hold_what_ended_since_the_last_one(folder):
    assert run(folder, HOST, PLUGIN, "chunks", "c.pb") == "done\n"
    found = [[e[5]["step_num"] for e in walk(xplane.read(folder / f"c.pb.{i}")) if e[2] == "train"]
             for i in range(3)]
    assert found == [[0], [1], []], found


def calls_in_the_wrong_order_are_errors(folder):
    said = run(folder, HOST, PLUGIN, "mistakes").splitlines()
    assert said[-1] == "done" and len(said) == 7, said
    assert any("already running" in line for line in said), said
    assert not list(folder.glob("nx-pjrt-*")), "temporary folders are left"


if __name__ == "__main__":
    sys.exit(run_cases([
        a_session_has_planes_for_host_runtime_and_core,
        chunks_hold_what_ended_since_the_last_one,
        calls_in_the_wrong_order_are_errors,
    ]))
