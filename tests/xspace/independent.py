#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""XSpaces between our program and Google's protobuf library, and torch.profiler's traces.

usage: independent.py PROGRAM MAKE_CAPTURE DATA

DATA is the folder of real captures next to the repository, on machines that have them.
"""
import collections
import gzip
import json
import os
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


def varint(number):
    digits = bytearray()
    while number >= 128:
        digits.append(number & 127 | 128)
        number >>= 7
    return bytes(digits + bytes([number]))


def small_space(plane, count):
    space = xplane.XSpace()
    plane = space.planes.add(name=plane)
    plane.event_metadata.add(key=1).value.name = f"op of {plane.name}"
    line = plane.lines.add(id=1, name="main", timestamp_ns=100)
    for i in range(count):
        line.events.add(metadata_id=1, offset_ps=i * 1000000, duration_ps=500000)
    return space.SerializeToString()


def a_file_over_2_gib_is_read_to_its_end(folder):
    """A field that nobody knows, most of it a hole of the file system, between two planes."""
    path, hole = folder / "large.xplane.pb", (2 << 30) + (300 << 20)
    with open(path, "wb") as file:
        file.write(small_space("/host:CPU", 3))
        file.write(varint(15 << 3 | 2) + varint(hole))
        file.seek(hole, 1)
        file.write(small_space("/device:GPU:0", 4))
    assert path.stat().st_size > 1 << 31
    got = collections.Counter(e["name"] for e in events_of(path, folder))
    assert got == {"op of /host:CPU": 3, "op of /device:GPU:0": 4}, got


def tpus_have_the_counts_that_were_published(folder):
    """7 planes, 142 lines and 26,723 events, four TPUs of type v6 Lite."""
    path = real("xprof", "tpu_inference_2.xplane.pb")
    space, events = xplane.read(path), events_of(path, folder)
    assert (len(space.planes), sum(len(p.lines) for p in space.planes)) == (7, 142)
    assert len(events) == 26723, len(events)
    cores = {e["thread_name"].split()[0] for e in events
             if e.get("thread_name", "").startswith("/device:TPU:")}
    assert cores == {f"/device:TPU:{i}" for i in range(4)}, cores
    derived = {e["thread_name"] for e in events if e.get("is_derived")}
    assert all(name.startswith("/device:") for name in derived), derived


def a_folder_of_ranks_is_one_profile(folder):
    """Files of any name; threads are shown by name, rows of the device by stream."""
    for rank, name in enumerate(("alexnet", "simple_add")):
        (folder / "ranks").mkdir(exist_ok=True)
        (folder / "ranks" / f"rank{rank}.json.gz").write_bytes(
            real("kineto", "hta", f"{name}.json.gz").read_bytes())
    events = events_of(folder / "ranks", folder)
    assert {e["instance_id"] for e in events} == {"rank0", "rank1"}
    names = {e["thread_name"] for e in events if "thread_name" in e}
    assert {"stream 7", "stream 20", "thread 493459 (python3.10)"} <= names, names
    assert {e["framework_stream_id"] for e in events if "framework_stream_id" in e} >= {7, 20}


def a_gzip_bomb_costs_no_memory(folder):
    """256 MiB of one event's name, 256 KiB on disk: joined gzip members are one text."""
    path, target = folder / "bomb.trace.json.gz", folder / "bomb.json"
    path.write_bytes(
        gzip.compress(b'{"traceEvents": [{"ph": "X", "ts": 1, "dur": 2, "pid": 1, "tid": 1, "name": "')
        + gzip.compress(b"a" * (1 << 20)) * 256
        + gzip.compress(b'"}, {"ph": "X", "ts": 5, "dur": 2, "pid": 1, "tid": 1, "name": "b"}]}'))
    child = subprocess.Popen([PROGRAM, "view", path, "--output-format", "json", "--output-file", target,
                              "-v", "2"], stdout=subprocess.DEVNULL)
    _, status, usage = os.wait4(child.pid, 0)
    child.returncode = os.waitstatus_to_exitcode(status)
    assert child.returncode == 0
    names = [e["name"] for e in json.loads(target.read_text())["trace_events"]]
    assert [len(names[0]), names[1]] == [4096, "b"], [n[:9] for n in names]
    assert usage.ru_maxrss < 200 << 10, f"{usage.ru_maxrss} KiB resident"


def edges_of_a_path_are_those_hta_publishes(folder):
    """Facebook's HolisticTraceAnalysis asserts these edges of the critical path of simple_add, in us."""
    events = events_of(real("kineto", "hta", "simple_add.json.gz"), folder)
    launch, kernels = {}, collections.defaultdict(list)
    for e in events:
        if e["name"].startswith("cudaLaunchKernel") and "flow_id" in e:
            launch[e["flow_id"]] = e
        elif "framework_stream_id" in e:
            kernels[e["framework_stream_id"]].append(e)
    of_flow = {e["flow_id"]: e for row in kernels.values() for e in row if "flow_id" in e}
    # from the launch of a kernel to its start, on an idle stream
    fft = of_flow[5597]
    assert fft["name"].startswith("void fft2d_r2c_32x32<float, false, 0u, false>"), fft["name"]
    assert fft["timestamp"] - launch[5597]["timestamp"] == 27000
    # from kernel to kernel: the next one of the stream was launched before the first had ended
    row = sorted(kernels[fft["framework_stream_id"]], key=lambda e: e["timestamp"])
    following = row[row.index(fft) + 1]
    assert following["flow_id"] == 5604 and "gemm" in following["name"], following["name"]
    assert launch[5604]["timestamp"] < fft["timestamp"] + fft["duration"]
    assert following["timestamp"] - fft["timestamp"] - fft["duration"] == 7000
    # the parts of aten::relu_ before, in and after what it calls
    chains = []
    for relu in (e for e in events if e["name"] == "aten::relu_"):
        inside = [e for e in events if e["thread_id"] == relu["thread_id"] and e is not relu
                  and relu["timestamp"] <= e["timestamp"]
                  and e["timestamp"] + e["duration"] <= relu["timestamp"] + relu["duration"]]
        if [e["name"] for e in inside] != ["aten::clamp_min_", "cudaLaunchKernel"]:
            continue
        ends = [e["timestamp"] + e["duration"] for e in (relu, *inside)]
        times = [relu["timestamp"], *(e["timestamp"] for e in inside), *reversed(ends)]
        chains.append([(b - a) // 1000 for a, b in zip(times, times[1:])])
    assert [15, 14, 17, 15, 32] in chains, chains


if __name__ == "__main__":
    sys.exit(run_cases([
        a_gzip_bomb_costs_no_memory,  # first: a child counts the memory of its parent as its own
        a_system_profile_of_one_process_is_written,
        instances_share_one_file,
        attributes_and_flows_are_stats,
        counters_are_read_and_written,
        compare_real("jax08_gemm.xplane.pb"),
        compare_real("tpu_inference_2.xplane.pb"),
        a_gpu_is_as_busy_as_google_counts,
        a_damaged_file_is_refused,
        torch_traces_open_in_both_shapes,
        a_file_over_2_gib_is_read_to_its_end,
        tpus_have_the_counts_that_were_published,
        a_folder_of_ranks_is_one_profile,
        edges_of_a_path_are_those_hta_publishes,
    ]))
