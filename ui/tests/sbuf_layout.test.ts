// SPDX-License-Identifier: Apache-2.0
// The map of the state buffer.

import test from "node:test";
import assert from "node:assert/strict";
import { addressRange, allocationAt, rectOf, ticks } from "../src/panels/memory/sbuf_layout.ts";

const area = { left: 10, top: 0, width: 100, height: 100, fromNs: 0, toNs: 1000, low: 0, high: 100 };
const big = { fromNs: 0, toNs: 1000, low: 0, high: 100, isDma: true, row: {} };
const small = { fromNs: 100, toNs: 200, low: 10, high: 20, isDma: false, row: {} };

test("time runs to the right, addresses upwards", () => {
	assert.deepEqual(rectOf(small, area), { x: 20, y: 80, width: 10, height: 10 });
	assert.deepEqual(rectOf(big, area), { x: 10, y: 0, width: 100, height: 100 });
	assert.equal(rectOf({ ...small, fromNs: 2000, toNs: 3000 }, area), null);
});

test("the smallest allocation at the pointer is found", () => {
	assert.equal(allocationAt([small, big], area, 25, 85), small);
	assert.equal(allocationAt([small, big], area, 60, 50), big);
	assert.equal(allocationAt([small], area, 60, 50), null);
});

test("the map covers the used addresses", () => {
	assert.deepEqual(addressRange([{ ...small, low: 0x4010, high: 0x5000 }]), [0x4000, 0x6000]);
	assert.deepEqual(addressRange([]), [0, 0x2000]);
});

test("ticks have round values", () => {
	assert.deepEqual(ticks(0, 100, 5, 10), [0, 20, 40, 60, 80, 100]);
	assert.deepEqual(ticks(0, 0x4000, 4, 2), [0, 0x1000, 0x2000, 0x3000, 0x4000]);
	assert.deepEqual(ticks(5, 5, 4, 10), [5]);
});
