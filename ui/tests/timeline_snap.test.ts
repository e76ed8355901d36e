// SPDX-License-Identifier: Apache-2.0
// Snapping of markers, and source lines of events.

import test from "node:test";
import assert from "node:assert/strict";
import type { EventDetails, Track } from "../src/api/types.ts";
import { layoutRows } from "../src/timeline/layout.ts";
import { buildRows } from "../src/timeline/rows.ts";
import { lanesToSnap, Snapper } from "../src/timeline/snap.ts";
import { sourceOf } from "../src/timeline/events.ts";
import { DEFAULT_SETTINGS } from "../src/state/url.ts";

const EDGES: Record<number, number[]> = { 1: [100, 200], 2: [104], 3: [] };
const nearest = (timeNs: number, lane: { track: number }, within: number) => {
	const near = EDGES[lane.track]!.filter((edge) => Math.abs(edge - timeNs) <= within);
	near.sort((a, b) => Math.abs(a - timeNs) - Math.abs(b - timeNs));
	return near.length ? Promise.resolve(near[0]!) : Promise.reject(new Error("404"));
};
const lanes = [1, 2, 3].map((track) => ({ track, depth: 0 }));

test("the nearest edge of all rows is used, unless it is too far away", async () => {
	const snapper = new Snapper(nearest);
	assert.equal(await snapper.snap(103, lanes, 10), 104);
	assert.equal(await snapper.snap(101, lanes, 10), 100);
	assert.equal(await snapper.snap(150, lanes, 10), 150);
	assert.equal(await snapper.snap(103, [], 10), 103);
});

test("one request at a time while a marker moves; the last position wins", async () => {
	let asked = 0;
	const snapper = new Snapper((...all) => {
		asked++;
		return nearest(...all);
	});
	const taken: string[] = [];
	const go = (timeNs: number) => snapper.follow(timeNs, [lanes[0]!], 10, (at) => taken.push(`${timeNs}:${at}`));
	const first = go(95);
	void go(150);
	void go(196);
	await first;
	assert.equal(asked, 2); // 150 was gone when its turn came
	assert.deepEqual(taken, ["196:200"]);
});

const track = (id: number, name: string): Track => ({
	id, parent: null, kind: "spans", name, unit: "", table: "Instruction", depth_count: 2, row_count: "1",
	lost_count: "0", attributes: {},
});

test("the focused row is used, else all visible rows", () => {
	const layout = layoutRows(buildRows("device", [track(1, "Tensor"), track(2, "Vector")], DEFAULT_SETTINGS));
	const meant = (key: string, scroll: number) =>
		lanesToSnap(layout, key, scroll, 500).map(({ track, depth }) => `${track}:${depth}`);
	assert.deepEqual(meant("engines/Vector", 0), ["2:0", "2:1"]);
	assert.deepEqual(meant("", 0), ["1:0", "2:0"]);
	assert.deepEqual(meant("", 10_000), []);
});

test("an event's own line comes before the compiler's", () => {
	const details = (values: Record<string, string>): EventDetails => ({
		table: "Instruction", row: "1", track: 1, depth: 0, start_ns: "0", end_ns: "1",
		fields: Object.entries(values).map(([name, value]) => ({ name, value, unit: "", description: "", group: "" })),
	});
	assert.deepEqual(sourceOf(details({ bir_debug_info_source_location: "a.py:3", nki_source_location: "k.py:9" })),
		{ column: "nki_source_location", location: "k.py:9" });
	assert.deepEqual(sourceOf(details({ bir_debug_info_source_location: "a.py:3" })),
		{ column: "bir_debug_info_source_location", location: "a.py:3" });
	assert.equal(sourceOf(details({ nki_source_location: "unknown" })), null);
	assert.equal(sourceOf(details({})), null);
});
