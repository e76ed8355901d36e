// SPDX-License-Identifier: Apache-2.0
// Threads on shared lines, the order of hardware and transfer rows, and the steps of a flow.

import test from "node:test";
import assert from "node:assert/strict";
import type { EventSummary, Track } from "../src/api/types.ts";
import { lanesAt, layoutRows } from "../src/timeline/layout.ts";
import { packedLanes } from "../src/timeline/packing.ts";
import { stepsOf } from "../src/timeline/draw_flow.ts";
import { buildRows, FOLD_ABOVE_LINES } from "../src/timeline/rows.ts";
import type { Link } from "../src/timeline/scene.ts";
import { systemLeaves } from "../src/timeline/system_rows.ts";
import { DEFAULT_SETTINGS } from "../src/state/url.ts";

let nextId = 0;
function track(fields: Partial<Track>): Track {
	return {
		id: nextId++, parent: null, kind: "spans", name: "events", unit: "", table: "SystemProfileEvents",
		depth_count: 1, row_count: "1", lost_count: "0", attributes: {}, ...fields,
	};
}

const BASE = 1_773_237_645_742_008_195n; // doubles would take neighbours for the same
const timed = (from: number, to: number, depths = 1, attributes: Record<string, string> = {}) => track({
	first_ns: String(BASE + BigInt(from)), last_ns: String(BASE + BigInt(to)), depth_count: depths, attributes,
});
const linesOf = (tracks: Track[], most = 48) => {
	const lanes = packedLanes(tracks, most);
	return tracks.map(({ id }) => lanes.filter((lane) => lane.track === id).map((lane) => lane.line));
};

test("tracks that follow each other share lines, those that overlap do not", () => {
	assert.deepEqual(linesOf([timed(0, 10), timed(10, 20), timed(20, 21)]), [[0], [0], [0]]);
	assert.deepEqual(linesOf([timed(0, 11), timed(10, 20), timed(20, 21)]), [[0], [1], [0]]);
	assert.deepEqual(linesOf([timed(5, 5), timed(5, 5)]), [[0], [1]]); // moments need room too
});

test("depths of a track stay below each other", () => {
	assert.deepEqual(linesOf([timed(0, 10), timed(2, 4), timed(5, 20, 2), timed(12, 20, 3)]),
		[[0], [1], [1, 2], [3, 4, 5]]);
	assert.deepEqual(linesOf([timed(0, 10, 3), timed(10, 20, 2)]), [[0, 1, 2], [0, 1]]);
});

test("a track without times shares no lines, and lines are limited", () => {
	assert.deepEqual(linesOf([track({}), timed(0, 1), timed(2, 3)]), [[0], [1], [1]]);
	assert.deepEqual(linesOf([timed(0, 10, 3), timed(1, 2, 3)], 4), [[0, 1, 2], [3]]);
});

test("random tracks never overlap on a line", () => {
	let seed = 7;
	const random = (most: number) => (seed = (seed * 48271) % 2147483647) % most;
	const tracks = Array.from({ length: 300 }, () => {
		const from = random(1000);
		return timed(from, from + random(80), 1 + random(4));
	});
	const lanes = packedLanes(tracks, 10_000);
	const byId = new Map(tracks.map((one) => [one.id, one]));
	const lines = new Map<number, Track[]>();
	for (const lane of lanes) lines.set(lane.line, [...lines.get(lane.line) ?? [], byId.get(lane.track)!]);
	for (const list of lines.values()) {
		list.sort((a, b) => (BigInt(a.first_ns!) < BigInt(b.first_ns!) ? -1 : 1));
		list.slice(1).forEach((one, i) =>
			assert.ok(BigInt(list[i]!.last_ns!) <= BigInt(one.first_ns!) ||
				list[i]!.first_ns === list[i]!.last_ns));
	}
	assert.equal(lanes.length, tracks.reduce((sum, one) => sum + one.depth_count, 0));
});

test("all tracks of a line are found at the pointer", () => {
	const where = { instance_id: "i-1", process_id: "1", trace_event_source: "neuron_rt", nc_idx: "0" };
	const rows = buildRows("system", [timed(0, 10, 2, where), timed(10, 20, 1, where)], DEFAULT_SETTINGS);
	const placed = layoutRows(rows).rows[1]!;
	assert.equal(placed.row.lineCount, 2);
	assert.deepEqual(lanesAt(placed, 5), [0, 2]);
	assert.deepEqual(lanesAt(placed, placed.height - 5), [1]);
	assert.equal(placed.row.source, "neuron_rt");
});

test("a row with very many lines starts folded and can be opened", () => {
	const where = { instance_id: "i-1", trace_event_source: "neuron_rt" };
	const tracks = Array.from({ length: FOLD_ABOVE_LINES + 1 }, () => timed(0, 9, 1, where));
	const rowOf = (collapsed: string[]) => buildRows("system", tracks,
		{ ...DEFAULT_SETTINGS, grouping: "instance", collapsed })[0]!;
	assert.ok(rowOf([]).isFolded);
	assert.ok(!rowOf([rowOf([]).key]).isFolded);
});

test("hardware rows are sorted by core, transfers to the device before those back", () => {
	const hardware = (nc: string, pcore?: string) => track({ attributes: { instance_id: "i", process_id: "1",
		trace_event_source: "neuron_hw", nc_idx: nc, ...(pcore ? { pcore_idx: pcore } : {}) } });
	const transfer = (nc: string, direction: string, kind: "spans" | "counter") => track({ kind,
		name: `${direction} ${kind === "spans" ? "transfers" : "bandwidth"} nc ${nc}`,
		attributes: { instance_id: "i", process_id: "1", nc_idx: nc, direction } });
	const labels = systemLeaves([
		hardware("10", "2"), hardware("2", "5"), hardware("2"), hardware("2", "4"),
		transfer("0", "device_to_host", "counter"), transfer("0", "device_to_host", "spans"),
		transfer("0", "host_to_device", "counter"), transfer("0", "host_to_device", "spans"),
	], "default").map((leaf) => leaf.label);
	assert.deepEqual(labels, [
		"neuron_hw/NC:2", "neuron_hw/NC2:4", "neuron_hw/NC2:5", "neuron_hw/NC10:2",
		"NC:0/host_to_device transfers", "NC:0/host_to_device bandwidth",
		"NC:0/device_to_host transfers", "NC:0/device_to_host bandwidth",
	]);
});

test("a flow goes from one start to the next", () => {
	const event = (fromNs: number, toNs: number) => ({ track: 0, depth: 0, fromNs, toNs });
	const link = (fromNs: number, toNs: number, isPredecessor: boolean): Link =>
		({ event: event(fromNs, toNs), isPredecessor, summary: { kind: "flow" } as EventSummary });
	const steps = stepsOf(event(10, 30), [
		link(5, 8, true), link(0, 40, true), link(20, 25, false), link(50, 60, false),
	]);
	assert.deepEqual(steps.map((step) => [step.from.fromNs, step.leaveNs, step.to.fromNs, step.isUpstream]), [
		[5, 8, 10, true], // it had ended before
		[0, 5, 5, true], // it still ran
		[10, 20, 20, false], [20, 25, 50, false],
	]);
});
