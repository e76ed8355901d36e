// SPDX-License-Identifier: Apache-2.0
// Cumulative means; the mean before a tile is requested once.

import test from "node:test";
import assert from "node:assert/strict";
import type { Batch } from "../src/timeline/cache.ts";
import { Cumulative, cumulate } from "../src/timeline/cumulative.ts";
import type { CounterStrip } from "../src/timeline/tile.ts";

const strip = (mean: number[]): CounterStrip => {
	const values = Float32Array.from(mean);
	return { kind: "counter", track: 3, depth: 0, count: mean.length, lowest: values, highest: values, mean: values,
		last: values };
};
const batch = (fromNs: number): Batch => ({ level: 1, fromNs, toNs: fromNs + 40, px: 4, colour: "", bytes: 1, used: 0,
	strips: new Map() });

test("the cumulative mean goes from 0 to each pixel's end", () => {
	assert.deepEqual([...cumulate(Float32Array.from([4, 0, 2, 2]), 0, 10, 99)], [4, 2, 2, 2]);
	// 40 ns of 1 before
	assert.deepEqual([...cumulate(Float32Array.from([6, 1]), 40, 10, 1)].map((one) => Math.round(one * 60)), [120, 110]);
	assert.deepEqual([...cumulate(Float32Array.from([NaN, 4]), 0, 10, 0)], [0, 2]);
	assert.deepEqual([...cumulate(Float32Array.from([4]), 10, 10, NaN)], [2]);
});

test("the mean before a tile is requested once, and again after a failure", async () => {
	const asked: string[] = [];
	let fails = true, changes = 0;
	const cumulative = new Cumulative((until, tracks) => {
		asked.push(`${until} ${tracks}`);
		return fails ? Promise.reject(new Error("no")) : Promise.resolve(new Map([[3, 2]]));
	}, () => void changes++);
	const one = strip([2, 2, 2, 2]);
	const wait = () => new Promise((done) => setTimeout(done, 5));
	assert.deepEqual([...cumulative.valuesOf(strip([1, 1, 1, 1]), batch(0))!], [1, 1, 1, 1]); // nothing before
	assert.equal(cumulative.valuesOf(one, batch(80)), null);
	assert.equal(cumulative.valuesOf(one, batch(80)), null);
	await wait();
	fails = false;
	assert.equal(cumulative.valuesOf(one, batch(80)), null);
	await wait();
	assert.deepEqual([...cumulative.valuesOf(one, batch(80))!], [2, 2, 2, 2]);
	assert.deepEqual(asked, ["80 3", "80 3"]);
	assert.equal(changes, 2);
});
