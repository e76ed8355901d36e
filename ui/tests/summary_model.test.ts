// SPDX-License-Identifier: Apache-2.0
// The figures of the summary page.

import test from "node:test";
import assert from "node:assert/strict";
import {
	arcPath, bandwidthSlices, dmaBar, dmaKind, figuresOf, figuresOfSummary, machineOf, scaleOf,
	utilisationBar,
} from "../src/pages/summary/summary_model.ts";

const machine = machineOf({
	tensor_engine_num_rows: 128, tensor_engine_num_cols: 128, tensor_engine_clock_freq: 2.4,
	hbm_ddr_bandwidth: 1000, dma_ddr_bandwidth: 1600, num_dma_engines_per_neuroncore: 16, num_physical_cores: 2,
});
const total = (slices: { value: number }[]) => slices.reduce((sum, slice) => sum + slice.value, 0);

test("a tensor engine's time is a whole, however it is cut", () => {
	const costs = { engine: "Tensor", core: "0", activeNs: 600, adjustedFlops: machine.peakFlops * 4e-7,
		adjustedTranspose: machine.peakFlops * 1e-7, throttledActiveNs: 100, throttledNs: 150 };
	const bar = utilisationBar(costs, 1000, machine);
	assert.ok(Math.abs(total(bar.slices) - 1) < 1e-9);
	assert.ok(bar.slices.every((slice) => slice.value >= 0));
	assert.ok(Math.abs(bar.slices[0]!.value - 0.3) < 1e-9);
	const odd = utilisationBar({ ...costs, adjustedFlops: machine.peakFlops }, 1000, machine);
	assert.ok(Math.abs(total(odd.slices) - 1) < 1e-9);
});

test("other engines are active or not", () => {
	const bar = utilisationBar({ engine: "Vector", core: "1", activeNs: 250, adjustedFlops: 0,
		adjustedTranspose: 0, throttledActiveNs: 0, throttledNs: 0 }, 1000, machine);
	assert.deepEqual(bar.slices.map((slice) => slice.value), [0.25, 0.75]);
});

test("bandwidth adds up to what there was", () => {
	const slices = bandwidthSlices({ readBytes: 300, writeBytes: 100, reloadBytes: 50, saveBytes: 20 }, 1e9, machine);
	assert.equal(total(slices), 1000);
	assert.equal(slices[0]?.value, 250);
});

test("figures of a part do not divide by nothing", () => {
	const none = figuresOf({ flops: 0, transpose: 0, transfers: 0, bytes: 0, readBytes: 0, writeBytes: 0,
		reloadBytes: 0, saveBytes: 0 }, 0, machine);
	assert.equal(none.hfu, null);
	assert.equal(none.intensity, null);
	assert.equal(none.usefulRead, null);
});

test("figures of the whole are those of the Summary table, and say where MFU is from", () => {
	const figures = figuresOfSummary({ total_time: 0.5, mfu_estimated_percent: 0.3, mfu_hlo_estimated_percent: 0,
		hbm_read_bytes: 100, spill_reload_bytes: 25 }, machine);
	assert.equal(figures.mfu, 0.3);
	assert.equal(figures.usefulRead, 0.75);
	assert.equal(figures.hfu, null);
	assert.match(figures.mfuSource, /no HLO statistics/);
});

test("a DMA engine is busy beyond its bandwidth with small packets", () => {
	const bar = dmaBar({ label: "E0", bytes: new Map([["Dynamic", 10]]), activeNs: 5e8, engines: 1 }, 1e9, machine,
		new Map());
	assert.equal(bar.slices[0]?.value, 0.1);
	assert.equal(bar.slices[1]?.value, 0.4);
	assert.equal(dmaKind("hardware_dynamic", "source"), "Hardware dynamic");
	assert.equal(dmaKind("data", "source"), "Static");
	assert.equal(dmaKind("input", "kind"), "Inputs and outputs");
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
