// SPDX-License-Identifier: Apache-2.0
// Rows: which exist, their order and positions.

import test from "node:test";
import assert from "node:assert/strict";
import type { Settings } from "../src/contract.ts";
import type { Track } from "../src/api/types.ts";
import { layoutRows, rowAt, lanesAt, scrollToShow, visibleRows } from "../src/timeline/layout.ts";
import { DEFAULT_SETTINGS } from "../src/state/url.ts";
import {
	applyOrder, buildRows, hideRow, MAX_LANES, moveRow, placeOfTrack, shortened, toggleFolded, togglePinned,
} from "../src/timeline/rows.ts";

const SETTINGS: Settings = {
	...DEFAULT_SETTINGS, rows: "full", coreOrder: "first", showCumulative: false,
};

let nextId = 0;
function track(fields: Partial<Track>): Track {
	return {
		id: nextId++, parent: null, kind: "spans", name: "", unit: "", table: null, depth_count: 1, row_count: "1",
		lost_count: "0", attributes: {}, ...fields,
	};
}

function device(cores: number): Track[] {
	const tracks: Track[] = [];
	for (let core = 0; core < cores; core++) {
		const group = track({ kind: "group", name: `core ${core}` });
		const add = (fields: Partial<Track>) => tracks.push(track({ parent: group.id, ...fields }));
		tracks.push(group);
		add({ kind: "counter", name: "Estimated instant MFU" });
		add({ kind: "counter", name: "pending DMA", table: "PendingDma" });
		for (const name of ["Vector", "TensorMatrix", "Sync", "Tensor"]) add({ name, table: "Instruction" });
		add({ name: "transfers qSyncIO0", table: "DmaPacketAggregated", depth_count: 3 });
		add({ kind: "counter", name: "SBUF usage", table: "SbufUsage" });
		for (let id = 0; id < 6; id++) add({ kind: "counter", name: `semaphore ${id}`, table: "SemaphoreUpdate" });
	}
	tracks.push(track({ name: "collectives stream 1", table: "CcOp" }));
	return tracks;
}

const keys = (rows: { key: string }[]) => rows.map(({ key }) => key);

test("device rows are in the order of the sections, engines by core", () => {
	const rows = buildRows("device", device(2), SETTINGS);
	assert.deepEqual(keys(rows.filter((row) => row.kind === "group")),
		["engines", "queues", "collectives", "memory", "semaphores", "pending", "utilisation"]);
	assert.deepEqual(rows.filter((row) => row.parent === "engines").map((row) => row.label),
		["Sync (nc0)", "Tensor (nc0)", "TensorMatrix (nc0)", "Vector (nc0)",
			"Sync (nc1)", "Tensor (nc1)", "TensorMatrix (nc1)", "Vector (nc1)"]);
});

test("a single core needs no suffix, and the server's titles are not repeated", () => {
	const labels = buildRows("device", device(1), SETTINGS).map((row) => row.label);
	assert.ok(labels.includes("Tensor"));
	assert.ok(labels.includes("qSyncIO0"));
});

test("the minimal view has instructions, collectives, utilisation, and what is pinned", () => {
	const tracks = device(1);
	const minimal = { ...SETTINGS, rows: "minimal" as const };
	assert.deepEqual(keys(buildRows("device", tracks, minimal).filter((row) => row.kind === "group")),
		["engines", "collectives", "utilisation"]);
	const pinned = buildRows("device", tracks, { ...minimal, pinned: ["memory/SBUF usage"] });
	assert.equal(pinned[0]!.key, "memory/SBUF usage");
	assert.ok(pinned[0]!.isPinned);
});

test("many semaphores start folded; their key in `collapsed` opens them", () => {
	const tracks = device(1);
	const open = buildRows("device", tracks, { ...SETTINGS, collapsed: ["semaphores"] });
	assert.equal(open.filter((row) => row.parent === "semaphores").length, 6);
	const begin = buildRows("device", tracks, SETTINGS);
	assert.equal(begin.filter((row) => row.parent === "semaphores").length, 0);
	assert.equal(begin.find((row) => row.key === "semaphores")!.rowCount, 6);
	assert.deepEqual(toggleFolded(toggleFolded(SETTINGS, "x"), "x").collapsed, []);
});

test("pinning moves a row out of its group, hiding removes it", () => {
	const tracks = device(1);
	const pinned = buildRows("device", tracks, togglePinned(SETTINGS, "engines/Vector"));
	assert.equal(pinned[0]!.key, "engines/Vector");
	assert.equal(pinned.filter((row) => row.key === "engines/Vector").length, 1);
	const hidden = buildRows("device", tracks, hideRow(togglePinned(SETTINGS, "engines/Vector"), "engines/Vector"));
	assert.ok(!keys(hidden).includes("engines/Vector"));
	assert.ok(!keys(buildRows("device", tracks, hideRow(SETTINGS, "engines"))).some((key) => key.startsWith("engines")));
});

test("equal names get different, stable keys", () => {
	const tracks = [track({ name: "A", table: "Instruction" }), track({ name: "A", table: "Instruction" })];
	assert.deepEqual(keys(buildRows("device", tracks, SETTINGS)), ["engines", "engines/A", "engines/A#2"]);
});

test("moved rows swap places among themselves", () => {
	const items = ["a", "b", "c", "d", "e"].map((key) => ({ key }));
	assert.equal(applyOrder(items, []), items);
	let order = moveRow([], ["a", "b", "c", "d", "e"], "b", "e");
	assert.deepEqual(keys(applyOrder(items, order)), ["a", "c", "d", "b", "e"]);
	assert.deepEqual(order, ["c", "d", "b"]); // what was not touched is not listed
	order = moveRow(order, ["a", "c", "d", "b", "e"], "e", "a");
	assert.deepEqual(keys(applyOrder(items, order)), ["e", "a", "c", "d", "b"]);
	order = moveRow(order, ["e", "a", "c", "d", "b"], "e", "");
	assert.deepEqual(keys(applyOrder(items, order)), ["a", "c", "d", "b", "e"]);
	assert.deepEqual(moveRow(order, ["a", "b"], "a", "a"), order);
});

test("every move among many rows gives the right order", () => {
	const names = [..."abcdefg"];
	const items = names.map((key) => ({ key }));
	let order: string[] = [];
	let shown = names;
	for (let i = 0; i < 200; i++) {
		const key = shown[(i * 5 + 3) % 7]!, before = i % 4 === 0 ? "" : shown[(i * 3 + 1) % 7]!;
		order = moveRow(order, shown, key, before);
		if (key !== before) {
			const rest = shown.filter((one) => one !== key);
			const at = before === "" ? rest.length : rest.indexOf(before);
			shown = [...rest.slice(0, at), key, ...rest.slice(at)];
		}
		assert.deepEqual(keys(applyOrder(items, order)), shown);
	}
});

function system(): Track[] {
	const tracks: Track[] = [];
	for (const pid of ["9", "10"]) {
		const group = track({ kind: "group", name: `i-1 pid ${pid}` });
		const own = { instance_id: "i-1", process_id: pid };
		const add = (attributes: Record<string, string>) => tracks.push(track({
			parent: group.id, name: "events", table: "SystemProfileEvents", attributes: { ...own, ...attributes },
		}));
		tracks.push(group);
		add({ trace_event_source: "neuron_hw", nc_idx: "0", pcore_idx: "4", thread_id: "7", worker_gid: "3" });
		add({ trace_event_source: "neuron_rt", nc_idx: "0", thread_id: "1" });
		add({ trace_event_source: "framework", thread_id: "1" });
		add({ trace_event_source: "framework", thread_id: "1", framework_stream_id: "0" });
	}
	tracks.push(track({ kind: "counter", name: "CPU 0", unit: "percent", attributes: { instance_id: "i-1" } }));
	return tracks;
}

const systemRows = (grouping: string) => buildRows("system", system(), { ...SETTINGS, grouping })
	.filter((row) => row.kind !== "group").map((row) => `${row.parent}|${row.label}|${row.tracks.length}`);

test("system events by source, callers above what they call", () => {
	assert.deepEqual(systemRows("default").slice(0, 4), [
		"i-1/PID:9|framework/Stream:0|1", "i-1/PID:9|framework/TID:1|1", "i-1/PID:9|neuron_rt/NC:0|1",
		"i-1/PID:9|neuron_hw/NC0:4|1",
	]);
	assert.equal(systemRows("default").length, 8); // processors are there for those who unfold them
	const groups = buildRows("system", system(), SETTINGS).filter((row) => row.kind === "group");
	assert.deepEqual([groups.at(-1)!.label, groups.at(-1)!.isFolded], ["Processors · i-1", true]);
});

test("threads with a name, and lines of another profiler's device, show it", () => {
	const rows = (...all: Record<string, string>[]) => buildRows("system", all.map((attributes) => track({
		name: "events", table: "SystemProfileEvents",
		attributes: { instance_id: "h", process_id: "0", trace_event_source: "framework", ...attributes },
	})), SETTINGS).filter((row) => row.kind !== "group").map((row) => `${row.parent}|${row.label}`);
	assert.deepEqual(rows(
		{ thread_id: "7", thread_name: "loader" }, { thread_id: "8", thread_name: "loader" },
		{ thread_id: "9", thread_name: "a pool/9" }, { thread_id: "10" },
		{ thread_id: "8589934609", thread_name: "/device:GPU:0 Stream #17(Kernel)" },
	), [
		"h|framework/loader TID:7", "h|framework/loader TID:8", "h|framework/a pool/9", "h|framework/TID:10",
		"h|GPU:0 Stream #17(Kernel)",
	]);
});

test("the other groupings combine tracks", () => {
	assert.deepEqual(systemRows("core").slice(0, 2), ["i-1|No core|4", "i-1|NC:0|4"].sort().reverse());
	assert.deepEqual(systemRows("thread").slice(0, 2), ["i-1/PID:9|TID:1|3", "i-1/PID:9|TID:7|1"]);
	assert.deepEqual(systemRows("process").slice(0, 2), ["i-1|PID:9|4", "i-1|PID:10|4"]);
	assert.equal(systemRows("instance")[0], "|i-1|8");
	const devices = systemRows("cpu_device");
	assert.ok(devices.includes("CPU · i-1/PID:9|TID:1/neuron_rt|1"));
	assert.ok(devices.includes("Device · i-1/PID:9|Worker:3/neuron_hw|1"));
});

test("depths of several tracks are stacked, up to a limit", () => {
	const tracks = [1, 2].map(() => track({
		table: "SystemProfileEvents", depth_count: 30, attributes: { instance_id: "i" },
	}));
	const row = buildRows("system", tracks, { ...SETTINGS, grouping: "instance" })[0]!;
	assert.equal(row.lanes.length, MAX_LANES);
	assert.match(row.title, new RegExp(`${60 - MAX_LANES} more levels are not shown`));
	assert.deepEqual(row.lanes[30], { track: tracks[1]!.id, depth: 0, line: 30 });
});

test("rows are stacked; pinned ones do not scroll", () => {
	const rows = buildRows("device", device(1), togglePinned(SETTINGS, "engines/Vector"));
	const layout = layoutRows(rows);
	layout.rows.reduce((y, placed) => {
		assert.equal(placed.y, y);
		return y + placed.height;
	}, 0);
	assert.equal(layout.pinnedHeight, layout.rows[0]!.height);
	const scroll = 40;
	assert.equal(rowAt(layout, scroll, 5)!.row.key, "engines/Vector");
	const below = rowAt(layout, scroll, layout.pinnedHeight + 1)!;
	assert.ok(!below.row.isPinned && below.y <= layout.pinnedHeight + 1 + scroll);
	assert.equal(rowAt(layout, 0, layout.height + 10), null);
	assert.ok(visibleRows(layout, scroll, 120).length < rows.length);
	const last = layout.rows.at(-1)!;
	const to = scrollToShow(layout, last, 0, 120);
	assert.ok(visibleRows(layout, to, 120).includes(last));
	assert.equal(scrollToShow(layout, last, to, 120), to);
});

test("lanes are found by their height, all of them in a folded row", () => {
	const key = "queues/qSyncIO0";
	const find = (settings: Settings) => layoutRows(buildRows("device", device(1), settings))
		.rows.find(({ row }) => row.key === key)!;
	const open = find(SETTINGS);
	assert.deepEqual(lanesAt(open, 4), [0]);
	assert.deepEqual(lanesAt(open, open.height - 5), [2]);
	const folded = find(toggleFolded(SETTINGS, key));
	assert.ok(folded.height < open.height);
	assert.deepEqual(lanesAt(folded, 5), [2, 1, 0]);
});

test("long instance ids are shortened in the middle", () => {
	assert.equal(shortened("i-0a1b2c3d4e5f60718/PID:7"), "i-…f60718/PID:7");
	assert.equal(shortened("i-1/PID:7"), "i-1/PID:7");
});

test("shares of a counter are part of its row", () => {
	const usage = track({ kind: "counter", name: "SBUF usage", table: "SbufUsage" });
	const share = track({
		kind: "counter", name: "partition 0", table: "SbufUsage", parent: usage.id,
		attributes: { column: "partition_0_util_percent" },
	});
	const rows = buildRows("device", [usage, share], SETTINGS);
	assert.deepEqual(keys(rows), ["memory", "memory/SBUF usage"]);
	assert.deepEqual(rows[1]!.shares, [share]);
});

test("counters of instructions go to utilisation, limits to throttling", () => {
	const tracks = [
		track({ kind: "counter", name: "model FLOPS", unit: "FLOP/s", table: "Instruction" }),
		track({ kind: "counter", name: "utilization limit", table: "Throttle" }),
	];
	assert.deepEqual(keys(buildRows("device", tracks, SETTINGS)),
		["throttling", "throttling/Utilization limit", "utilisation", "utilisation/MFU"]);
});

test("transfers and processors of a system have groups of their own", () => {
	const own = { instance_id: "i-1", process_id: "9", nc_idx: "0" };
	const tracks = [
		track({
			name: "host_to_device transfers nc 0", table: "SystemProfileEvents",
			attributes: { ...own, direction: "host_to_device" },
		}),
		...["CPU 10", "CPU 9", "CPU average"].map((name) =>
			track({ kind: "counter", name, unit: "percent", attributes: { instance_id: "i-1" } })),
	];
	const rows = buildRows("system", tracks, SETTINGS);
	assert.deepEqual(rows.map((row) => row.label), ["Transfers · PID:9 · i-1", "NC:0/host_to_device transfers",
		"Processors · i-1"]);
	assert.ok(rows.at(-1)!.isFolded);
});

test("the row of a track is known even if it is folded", () => {
	const tracks = device(1);
	const semaphore = tracks.find((one) => one.name === "semaphore 3")!;
	assert.equal(placeOfTrack("device", tracks, SETTINGS, semaphore.id)?.key, "semaphores/Semaphore 3");
	assert.equal(placeOfTrack("device", tracks, SETTINGS, semaphore.id)?.group, "semaphores");
	assert.equal(placeOfTrack("device", tracks, SETTINGS, 1e6), null);
});

function packets(): Track[] {
	const tracks: Track[] = [];
	for (const core of ["0", "1"])
		for (const engine of ["64", "65", "66"])
			for (const queue of ["qSyncIO0", "qGpSimdDynamic", undefined])
				tracks.push(track({
					name: `DMA engine ${engine}`, table: "DmaPacket", depth_count: 2,
					attributes: { pcore_idx: core, engine_idx: engine, ...(queue ? { queue_name: queue } : {}) },
				}));
	return tracks;
}

test("packets are grouped by queue or engine and start folded", () => {
	const rowsOf = (part: Partial<Settings>) => buildRows("device", packets(),
		{ ...SETTINGS, collapsed: ["packets"], ...part }).filter((row) => row.kind !== "group");
	assert.deepEqual(rowsOf({}).map((row) => row.label), ["qSyncIO0 (nc0)", "qGpSimdDynamic (nc0)", "No queue (nc0)",
		"qSyncIO0 (nc1)", "qGpSimdDynamic (nc1)", "No queue (nc1)"]);
	assert.deepEqual(rowsOf({ dmaBy: "engine" }).map((row) => row.label),
		["E64 (nc0)", "E65 (nc0)", "E66 (nc0)", "E64 (nc1)", "E65 (nc1)", "E66 (nc1)"]);
	const [first] = rowsOf({ dmaBy: "engine" });
	assert.equal(first!.tracks.length, 3);
	assert.equal(first!.lanes.length, 6);
	assert.ok(first!.isFolded);
	const [open] = rowsOf({ dmaBy: "engine", collapsed: ["packets", first!.key] });
	assert.ok(!open!.isFolded);
});

test("the last or the first core is at the top", () => {
	const labels = (coreOrder: Settings["coreOrder"]) =>
		buildRows("device", device(2), { ...SETTINGS, coreOrder }).filter((row) => row.parent === "engines")
			.map((row) => row.label);
	assert.equal(labels("last")[0], "Sync (nc1)");
	assert.equal(labels("first")[0], "Sync (nc0)");
});

test("rates have a cumulative row below them", () => {
	const tracks = [
		track({ kind: "counter", name: "DMA throughput", table: "DmaUsage", unit: "bytes/s" }),
		track({ kind: "counter", name: "model FLOPS", table: "Instruction", unit: "FLOP/s" }),
		track({ kind: "counter", name: "pending DMA", table: "PendingDma" }),
	];
	const rows = buildRows("device", tracks, { ...SETTINGS, showCumulative: true });
	assert.deepEqual(rows.filter((row) => row.kind !== "group").map((row) => [row.label, row.isCumulative]), [
		["Pending DMA", false], ["DMA throughput", false], ["Cumulative DMA", true],
		["MFU", false], ["Cumulative MFU", true],
	]);
});

test("semaphores can be chosen by number and are then shown", () => {
	const tracks = ["1", "2", "S[24] (qSyncIO0)", "4", "5", "6"].map((id) =>
		track({ kind: "counter", name: `semaphore ${id}`, table: "SemaphoreUpdate", attributes: { id } }));
	const rows = buildRows("device", tracks, { ...SETTINGS, semaphores: [24, 1, 4, 5, 6] });
	assert.deepEqual(rows.filter((row) => row.kind === "counter").map((row) => row.label),
		["Semaphore 1", "Semaphore S[24] (qSyncIO0)", "Semaphore 4", "Semaphore 5", "Semaphore 6"]);
});

test("errors of all types are one row for each core", () => {
	const tracks = ["0", "1"].flatMap((core) => ["OOB", "NaN"].map((type) =>
		track({ name: type, table: "Error", attributes: { pcore_idx: core, type } })));
	assert.deepEqual(buildRows("device", tracks, SETTINGS).map((row) => [row.label, row.lanes.length]),
		[["Errors", 0], ["Errors (nc0)", 2], ["Errors (nc1)", 2]]);
});

test("steps are above the calls of their process, gaps have groups of their own", () => {
	const own = { instance_id: "i-0", process_id: "7" };
	const group = track({ kind: "group", name: "i-0 pid 7", attributes: own });
	const tracks = [group,
		track({ parent: group.id, name: "framework thread 7", table: "SystemProfileEvents",
			attributes: { ...own, trace_event_source: "framework", thread_id: "7" } }),
		track({ parent: group.id, name: "steps train", table: "Step", attributes: { ...own, name: "train" } }),
		track({ parent: group.id, kind: "counter", name: "execution gap nc 0", table: "ExecutionGap",
			attributes: { ...own, nc_idx: "0" } }),
		track({ parent: group.id, name: "execution gaps nc 0", table: "ExecutionGap",
			attributes: { ...own, nc_idx: "0" } })];
	const rows = buildRows("system", tracks, SETTINGS);
	assert.deepEqual(rows.map((row) => row.key), ["i-0/PID:7", "i-0/PID:7/Steps/train",
		"i-0/PID:7/framework/TID:7", "Execution gaps · PID:7 · i-0",
		"Execution gaps · PID:7 · i-0/NC:0/gap length", "Execution gaps · PID:7 · i-0/NC:0/gaps"]);
	// Steps belong to their process in every grouping.
	assert.equal(buildRows("system", tracks, { ...SETTINGS, grouping: "instance" })
		.filter((row) => row.label === "Steps/train").length, 1);
});
