// SPDX-License-Identifier: Apache-2.0
// Hit tests, bands, flags and the map.

import test from "node:test";
import assert from "node:assert/strict";
import type { Track } from "../src/api/types.ts";
import { TileCache } from "../src/timeline/cache.ts";
import { markerAt } from "../src/timeline/draw_axis.ts";
import { activityOf } from "../src/timeline/draw_map.ts";
import { bandAt, bandRuns } from "../src/timeline/draw_bands.ts";
import { hitAt } from "../src/timeline/hit.ts";
import { layoutRows } from "../src/timeline/layout.ts";
import type { PlacedBand, Scene } from "../src/timeline/scene.ts";
import { DEFAULT_SETTINGS } from "../src/state/url.ts";
import { buildRows } from "../src/timeline/rows.ts";
import type { SpanStrip } from "../src/timeline/tile.ts";

const track: Track = {
	id: 5, parent: null, kind: "spans", name: "Tensor", unit: "", table: "Instruction", depth_count: 1,
	row_count: "3", lost_count: "0", attributes: {},
};

function strip(spans: [number, number][]): SpanStrip {
	const column = (pick: (one: [number, number], i: number) => number) => spans.map(pick);
	return {
		kind: "spans", track: 5, depth: 0, count: spans.length, x0: new Float32Array(column(([a]) => a)),
		x1: new Float32Array(column(([, b]) => b)), spans: new Uint32Array(column(() => 1)),
		name: new Uint32Array(column((_, i) => i)), colour: new Uint32Array(spans.length),
		busy: new Float32Array(column(() => 1)), rowLow: new Uint32Array(column((_, i) => 100 + i)),
		rowHigh: new Uint32Array(spans.length),
	};
}

function sceneOf(spans: [number, number][]): Scene {
	const cache = new TileCache(1e6);
	cache.add({
		level: 0, fromNs: 0, toNs: 256, px: 256, colour: "", bytes: 1, strips: new Map([[5, [strip(spans)]]]),
	});
	const rows = buildRows("device", [track], { ...DEFAULT_SETTINGS, rows: "full" });
	return {
		view: { fromNs: 0, toNs: 128 }, width: 1280, height: 400, scroll: 0, layout: layoutRows(rows), level: 0,
		column: "", cache, spans: { cache, column: "" }, pieces: [],
	} as unknown as Scene;
}

test("the pointer finds the span at or near it", () => {
	const scene = sceneOf([[10, 20], [20, 20], [21, 22]]);
	const y = 24 + 10; // below the group's header
	const rowAtX = (x: number) => {
		const hit = hitAt(scene, x, y);
		return hit?.kind === "span" ? hit.row : null;
	};
	assert.equal(rowAtX(150), "100");
	assert.equal(rowAtX(215), "102");
	assert.equal(rowAtX(202), "101"); // an empty span can be pointed at
	assert.equal(rowAtX(500), null);
	assert.equal(hitAt(scene, 150, 5), null);
});

test("bands cover their rows, or all rows", () => {
	const scene = sceneOf([]);
	const band = (tracks: number[]): PlacedBand => ({
		fromNs: 10, toNs: 20,
		band: { kind: "reload", title: "", detail: "", from_ns: "10", to_ns: "20", tracks },
	});
	const { rows } = scene.layout;
	assert.equal(bandRuns(band([]), rows).length, 1);
	assert.deepEqual(bandRuns(band([5]), rows).map(([first]) => first.row.key), ["engines/Tensor"]);
	assert.equal(bandRuns(band([6]), rows).length, 0);
	assert.ok(bandAt([band([5])], 15, 0, rows[1]!));
	assert.equal(bandAt([band([5])], 15, 0, rows[0]!), null);
	assert.equal(bandAt([band([])], 25, 0, null), null);
});

test("flags of markers are found, the topmost first", () => {
	const marker = (id: string, timeNs: number) => ({ id, name: id, timeNs, colour: "#fff", diffTo: null });
	const markers = [marker("a", 100), marker("b", 101)];
	const view = { fromNs: 0, toNs: 1000 };
	assert.equal(markerAt(markers, view, 1000, 102, 5)?.id, "b");
	assert.equal(markerAt(markers, view, 1000, 98, 30)?.id, "b");
	assert.equal(markerAt(markers, view, 1000, 300, 5), null);
});

test("the map shows how busy all tracks are", () => {
	const batch = {
		level: 0, fromNs: 0, toNs: 256, px: 256, colour: "", bytes: 1, used: 0,
		strips: new Map([[5, [strip([[0, 64]])]], [6, [strip([[0, 32]])]]]),
	};
	const activity = activityOf(batch, 256, 4);
	assert.deepEqual([...activity], [0.75, 0, 0, 0]);
});
