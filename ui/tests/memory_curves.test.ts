// SPDX-License-Identifier: Apache-2.0
// Curves of the memory tracker.

import test from "node:test";
import assert from "node:assert/strict";
import { memoryCurves, placesOf } from "../src/panels/memory/memory_curves.ts";

test("the memories of a profile come in the order of the chip, by core", () => {
	const row = (memory: string, core: number) => [memory, core, "t", "input", 1, 2, 300, 40];
	const places = placesOf([row("hbm", 0), row("sbuf", 1), row("psum", 0), row("sbuf", 0), row("sbuf", 0)]);
	assert.deepEqual(places.map(({ title }) => title), ["SBUF, core 0", "SBUF, core 1", "PSUM, core 0",
		"HBM, core 0"]);
	assert.deepEqual([places[0]!.peak, places[0]!.peakNs], [300, 40]);
	assert.deepEqual(placesOf([]), []);
});

test("a tensor holds its bytes until it says otherwise, and the sum comes first", () => {
	const rows = [[0, "small", 1], [0, null, 1], [5, "large", 8], [5, null, 9], [9, "small", 0], [9, null, 8]]
		.map(([timestamp, series, value]) => ({ timestamp: timestamp!, series: series!, value: value! }));
	const { names, data } = memoryCurves(rows, (row) => Number(row["timestamp"]));
	assert.deepEqual(names, ["All tensors", "large", "small"]);
	assert.deepEqual(data, [[0, 5, 9], [1, 9, 8], [null, 8, 8], [1, 1, 0]]);
});
