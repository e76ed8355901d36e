#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""XSpaces between our program and Google's protobuf library, and torch.profiler's traces.

usage: independent.py PROGRAM MAKE_CAPTURE DATA

DATA is the folder of real captures next to the repository, on machines that have them.
"""
import collections
import gzip
import json
import pathlib
import subprocess
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))
from tap_cases import Skip, run_cases

try:
    import xplane_messages as xplane
except ImportError:
    print("1..0 # SKIP python3-protobuf is not installed")
    sys.exit(0)

PROGRAM, MAKE_CAPTURE, DATA = sys.argv[1], sys.argv[2], pathlib.Path(sys.argv[3])
RUNTIME, CORE = "/device:CUSTOM:Neuron Runtime", "/device:CUSTOM:NeuronCore "


def view(source, form, target):
    done = subprocess.run([PROGRAM, "view", source, "--output-format", form, "--output-file", target,
                           "--ignore-device-profile", "-v", "2"], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return target


def events_of(source, folder):
    """Events as our program reads them, by source, name, start and duration."""
    with open(view(source, "json", folder / "events.json"), encoding="utf-8") as file:
        return json.load(file)["trace_events"]


def real(*parts):
    path = DATA.joinpath(*parts)
    if not path.exists():
        raise Skip("the real captures are not here")
    return path


def start_of(space):
    """profile_start_time of the plane Task Environment."""
    for plane in space.planes:
        names = xplane.names(plane.stat_metadata)
        for stat in plane.stats:
            if names.get(stat.metadata_id) == "profile_start_time":
                return stat.uint64_value
    return 0


def walk(space):
    """(plane, line, event, name, start ns, end ns) of every event."""
    start = start_of(space)
    for plane in space.planes:
        kinds = {entry.key: entry.value for entry in plane.event_metadata}
        for line in plane.lines:
            base = start + line.timestamp_ns
            for event in line.events:
                kind = kinds[event.metadata_id]
                yield (plane, line, event, kind.display_name or kind.name,
                       base + event.offset_ps // 1000,
                       base + (event.offset_ps + event.duration_ps) // 1000)


def source_of(plane):
    return ("neuron_rt" if plane.startswith(RUNTIME) else
            "neuron_hw" if plane.startswith(CORE) else "framework")


def make_system(folder, instances):
    subprocess.run([MAKE_CAPTURE, "--system", folder, "--instances", str(instances), "--workers", "2",
                    "--events", "3000"], check=True, capture_output=True)
    return folder


def check_written(folder, instances):
    system = make_system(folder / "system", instances)
    expected = events_of(system, folder)
    path = view(system, "xspace", folder / "host.xplane.pb")
    space = xplane.read(path)
    assert expected and start_of(space) == min(e["timestamp"] for e in expected)
    got = collections.Counter((source_of(plane.name), name, start, end - start)
                              for plane, line, event, name, start, end in walk(space))
    wanted = collections.Counter((e["trace_event_source"], e["name"], e["timestamp"], e["duration"])
                                 for e in expected)
    assert got == wanted, list((got - wanted).items())[:3] + list((wanted - got).items())[:3]
    check_lines(space)
    again = collections.Counter((e["trace_event_source"], e["name"], e["timestamp"], e["duration"])
                                for e in events_of(path, folder))
    assert again == wanted, "our reader differs"
    return space, expected


def check_lines(space):
    """In order, nested, ids unique, metadata complete."""
    for plane in space.planes:
        assert len({line.id for line in plane.lines}) == len(plane.lines), plane.name
        assert all(e.key == e.value.id for e in plane.event_metadata), plane.name
        for line in plane.lines:
            assert line.timestamp_ns < 1 << 60, "times of a file count from its start"
            open_ends, last = [], 0
            for event in line.events:
                assert event.WhichOneof("data") == "offset_ps" and event.offset_ps >= last
                last, end = event.offset_ps, event.offset_ps + event.duration_ps
                while open_ends and open_ends[-1] <= event.offset_ps:
                    open_ends.pop()
                assert not open_ends or end <= open_ends[-1], f"{plane.name} {line.name} overlaps"
                open_ends.append(end)


def a_system_profile_of_one_process_is_written(folder):
    space, expected = check_written(folder, 1)
    planes = [plane.name for plane in space.planes]
    assert planes.count("/host:CPU") == planes.count("Task Environment") == 1, planes
    assert any(name.startswith(RUNTIME) for name in planes), planes
    cores = {e["lnc_idx"] for e in expected if e["trace_event_source"] == "neuron_hw"}
    assert len([p for p in planes if p.startswith(CORE)]) >= len(cores), planes


def instances_share_one_file(folder):
    space, expected = check_written(folder, 3)
    assert sorted(space.hostnames) == sorted({e["instance_id"] for e in expected}), space.hostnames


def attributes_and_flows_are_stats(folder):
    space, expected = check_written(folder, 1)
    sizes, flows = collections.Counter(), collections.defaultdict(set)
    for plane, line, event, name, start, end in walk(space):
        names = xplane.names(plane.stat_metadata)
        stats = {names[s.metadata_id]: xplane.stat_value(s, names) for s in event.stats}
        if "size" in stats:
            sizes[(name, start, stats["size"])] += 1
        if "flow" in stats:
            flows[stats["flow"] >> 2 & (1 << 56) - 1].add(source_of(plane.name))
    assert sizes == collections.Counter((e["name"], e["timestamp"], int(e["size"]))
                                        for e in expected if "size" in e)
    assert any({"neuron_rt", "neuron_hw"} <= sources for sources in flows.values())


def counters_are_read_and_written(folder):
    """Samples on a line "_counters_" are counters of the program, in both directions."""
    space, start = xplane.XSpace(), 1700000000000000000
    task = space.planes.add(name="Task Environment")
    task.stat_metadata.add(key=1).value.name = "profile_start_time"
    task.stats.add(metadata_id=1, uint64_value=start)
    plane = space.planes.add(name="/host:CPU")
    plane.stat_metadata.add(key=1).value.name = "counter_value"
    for key, name in ((1, "loss"), (2, "rate"), (3, "step")):
        plane.event_metadata.add(key=key).value.name = name
    line = plane.lines.add(id=0, name="_counters_", timestamp_ns=1000)
    for at, (key, value) in enumerate(((1, 0.5), (2, 7), (1, 0.25))):
        stat = line.events.add(metadata_id=key, offset_ps=at * 5000000).stats.add(metadata_id=1)
        setattr(stat, "double_value" if key == 1 else "int64_value", value)
    line = plane.lines.add(id=7, name="main", timestamp_ns=500)
    line.events.add(metadata_id=3, offset_ps=0, duration_ps=90000000)
    source = folder / "made.xplane.pb"
    source.write_bytes(space.SerializeToString())
    wanted = [("loss", start + 1000, 0.5), ("rate", start + 6000, 7), ("loss", start + 11000, 0.25)]
    for path in (source, view(source, "xspace", folder / "again.xplane.pb")):
        with open(view(path, "json", folder / "counters.json"), encoding="utf-8") as file:
            got = json.load(file)
        assert [e["name"] for e in got["trace_events"]] == ["step"], got["trace_events"]
        samples = [(c["name"], c["timestamp"], c["value"]) for c in got["counters"]]
        assert samples == wanted, samples
    check_lines(xplane.read(path))


def compare_real(name):
    def case(folder):
        path = real("xprof", name)
        got = collections.Counter((e["name"], e["timestamp"], e["duration"])
                                  for e in events_of(path, folder))
        wanted = collections.Counter((name, start, end - start)
                                     for _, _, _, name, start, end in walk(xplane.read(path)))
        assert got == wanted, list((got - wanted).items())[:3]
        # and through our writer
        again = xplane.read(view(path, "xspace", folder / "again.xplane.pb"))
        check_lines(again)
        assert wanted == collections.Counter((n, s, e - s) for _, _, _, n, s, e in walk(again))
        return f"{sum(wanted.values())} events"
    return f"the real {name} is read and written again", case


def busy(intervals):
    total, last = 0, 0
    for start, end in sorted(intervals):
        total += max(0, end - max(start, last))
        last = max(last, end)
    return total


def a_gpu_is_as_busy_as_google_counts(folder):
    """What TraceLens calls busy and total time of a GPU: union and span of its events."""
    path = real("xprof", "jax08_gemm.xplane.pb")
    plane = "/device:GPU:0"
    wanted = [(s, e) for p, _, _, _, s, e in walk(xplane.read(path)) if p.name == plane]
    got = [(e["timestamp"], e["timestamp"] + e["duration"]) for e in events_of(path, folder)
           if e.get("thread_name", "").startswith(plane)]
    assert busy(got) == busy(wanted) > 0
    assert max(e for _, e in got) - min(s for s, _ in got) == \
        max(e for _, e in wanted) - min(s for s, _ in wanted)
    return f"busy {busy(got) / 1e6:.3f} ms"


def a_damaged_file_is_refused(folder):
    """Bytes that were taken for text, and came back as U+FFFD."""
    path = folder / "bad.xplane.pb"
    path.write_text(real("xprof", "tpu_inference_2.xplane.pb").read_bytes().decode("utf-8", "replace"))
    done = subprocess.run([PROGRAM, "view", path, "--output-format", "json", "--output-file",
                           folder / "x.json"], capture_output=True, text=True)
    assert done.returncode == 5 and "bad.xplane.pb is damaged" in done.stderr, done.stderr


def torch_traces_open_in_both_shapes(folder):
    """The object with traceEvents as torch.profiler exports it, and the bare list. Names are cut."""
    count = 0
    for path in sorted(real("kineto").rglob("*.json.gz")):
        with gzip.open(path, "rt", encoding="utf-8") as file:
            records = json.load(file)["traceEvents"]
        wanted = collections.Counter(r["name"][:4096] for r in records if r["ph"] in "Xi")
        bare = folder / "bare.json"
        bare.write_text(json.dumps(records))
        for shape in (path, bare):
            got = collections.Counter(e["name"] for e in events_of(shape, folder))
            assert got == wanted, f"{shape}: {list((got - wanted).items())[:3]}"
        count += 1
    return f"{count} files"


if __name__ == "__main__":
    sys.exit(run_cases([
        a_system_profile_of_one_process_is_written,
        instances_share_one_file,
        attributes_and_flows_are_stats,
        counters_are_read_and_written,
        compare_real("jax08_gemm.xplane.pb"),
        compare_real("tpu_inference_2.xplane.pb"),
        a_gpu_is_as_busy_as_google_counts,
        a_damaged_file_is_refused,
        torch_traces_open_in_both_shapes,
    ]))
