// SPDX-License-Identifier: Apache-2.0
// Visible tracks are requested before nearby ones, each once.

import test from "node:test";
import assert from "node:assert/strict";
import type { Track } from "../src/api/types.ts";
import { DEFAULT_SETTINGS } from "../src/state/url.ts";
import { tracksInSight } from "../src/timeline/in_sight.ts";
import { layoutRows } from "../src/timeline/layout.ts";
import { buildRows } from "../src/timeline/rows.ts";

const track = (id: number, more: Partial<Track> = {}): Track => ({
	id, parent: null, kind: "spans", name: `t${id}`, unit: "", table: "SystemProfileEvents", depth_count: 2,
	row_count: "9", lost_count: "0", first_ns: "0", last_ns: "9",
	attributes: { instance_id: "i-1", process_id: "7", trace_event_source: "framework", thread_id: String(id) },
	...more,
});

const layout = layoutRows(buildRows("system", Array.from({ length: 100 }, (_, i) => track(i)), DEFAULT_SETTINGS));
const rowOf = (id: number) => layout.rows.find(({ row }) => row.tracks.some((one) => one.id === id))!;

test("visible rows come first, then those around them", () => {
	const scroll = 1000, height = 300;
	const { ids, tracks, costs } = tracksInSight(layout, scroll, height);
	const isSeen = ids.map((id) => rowOf(id).y < scroll + height && rowOf(id).y + rowOf(id).height > scroll);
	const seen = isSeen.lastIndexOf(true) + 1;
	assert.ok(seen > 2 && isSeen.slice(0, seen).every((one) => one));
	assert.ok(ids.length > seen, "some are asked for ahead");
	assert.ok(ids.length < 60, "and most are not");
	assert.equal(new Set(ids).size, ids.length);
	assert.deepEqual(tracks, ids.map(String));
	assert.ok(costs!.every((cost) => cost === 2));
});

test("a track with too many depths is requested by depth, and counters cost more", () => {
	const rows = buildRows("system", [track(1, { depth_count: 60 }),
		track(2, { kind: "counter", depth_count: 0, unit: "B", attributes: { instance_id: "i-1", process_id: "7" } })],
	DEFAULT_SETTINGS);
	const { ids, tracks, costs } = tracksInSight(layoutRows(rows), 0, 5000);
	const deep = ids.indexOf(1), counter = ids.indexOf(2);
	assert.equal(tracks[deep]!.split(",").length, 48);
	assert.equal(costs![deep], 48);
	assert.equal(tracks[counter], "2");
	assert.ok(costs![counter]! > 1);
});
