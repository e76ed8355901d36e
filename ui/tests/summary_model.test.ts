// SPDX-License-Identifier: Apache-2.0
// The figures of the summary page.

import test from "node:test";
import assert from "node:assert/strict";
import {
	activePart, arcPath, bandwidthSlices, dmaBars, scaleOf, utilisationBar,
} from "../src/pages/summary/summary_model.ts";

test("the tensor engine's bar shows how it spent its time, the others only active time", () => {
	const row = { engine: "Tensor", core: 0, model_frac: 0.3, transpose_frac: 0.1,
		other_active_frac: 0.1, throttled_active_frac: 0.1, throttled_idle_frac: 0.05,
		unused_frac: 0.35 };
	const bar = utilisationBar(row);
	assert.equal(bar.label, "Tensor, core 0");
	assert.deepEqual(bar.slices.map((slice) => slice.value), [0.3, 0.1, 0.1, 0.1, 0.05, 0.35]);
	assert.ok(Math.abs(activePart(bar) - 0.6) < 1e-9);
	const vector = utilisationBar({ ...row, engine: "Vector" });
	assert.deepEqual(vector.slices.map((slice) => slice.label), ["Active", "Unused"]);
});

test("bandwidth is split into traffic and unused", () => {
	const slices = bandwidthSlices({ useful_read_bytes: "250", useful_write_bytes: 80,
		spill_reload_bytes: 50, spill_save_bytes: 20, unused_bytes: 600 });
	assert.deepEqual(slices.map((slice) => slice.value), [250, 80, 50, 20, 600]);
	assert.ok(bandwidthSlices({}).every((slice) => slice.value === 0));
});

test("DMA bars are in natural order and name their traffic", () => {
	const bars = dmaBars([{ label: "E10", kind: "dynamic", frac: 0.1 },
		{ label: "E10", kind: "busy", frac: 0.4 }, { label: "E9", kind: "no such kind", frac: 0.2 }]);
	assert.deepEqual(bars.map((bar) => bar.label), ["E9", "E10"]);
	assert.deepEqual(bars[1]?.slices.map((slice) => slice.label), ["Dynamic", "Busy below peak rate"]);
	assert.equal(bars[0]?.slices[0]?.label, "Unknown");
});

test("scales end at round values", () => {
	const bar = (value: number) => ({ label: "", slices: [{ label: "", value, colour: "" }] });
	assert.equal(scaleOf([bar(0.07), bar(0.01)]), 0.1);
	assert.equal(scaleOf([bar(1.2)]), 1);
	assert.equal(scaleOf([]), 0.01);
});

test("a whole ring is still drawn", () => {
	assert.ok(!arcPath(0, 1, 50, 10).includes("NaN"));
	assert.ok(arcPath(0, 1, 50, 10).startsWith("M0.000 -50.000"));
});
