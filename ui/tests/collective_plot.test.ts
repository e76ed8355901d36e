// SPDX-License-Identifier: Apache-2.0
// The plot of collectives.

import test from "node:test";
import assert from "node:assert/strict";
import { collectivePlot } from "../src/panels/device/collective_plot.ts";

test("points are in order of time, in the series of their kind", () => {
	const rows = [
		{ operation: "AllReduce", start_ts: 30, duration_ns: 7 },
		{ operation: "AllGather", start_ts: 10, duration_ns: 5 },
	];
	const plot = collectivePlot(rows, (row) => Number(row["start_ts"]));
	assert.deepEqual(plot.order, [1, 0]);
	assert.deepEqual(plot.data, [[10, 30], [null, 7], [5, null]]);
	assert.deepEqual(plot.series.map((series) => series.label), ["AllReduce", "AllGather"]);
});
