// SPDX-License-Identifier: Apache-2.0
// The lens of the map is visible and can be grabbed at any zoom, marks the true place, and
// follows the pointer.

import test from "node:test";
import assert from "node:assert/strict";
import type { View } from "../src/contract.ts";
import { dragLens, lensOf, lensPartAt, type LensPart } from "../src/timeline/lens.ts";

const END = 3_830_880_000, WIDTH = 1200;
const partsOf = (view: View, endNs = END, width = WIDTH) => {
	const counts: Record<LensPart, number> = { left: 0, inside: 0, right: 0, outside: 0 };
	for (let x = 0; x < width; x++) counts[lensPartAt(view, endNs, width, x)]++;
	return counts;
};

test("a wide lens matches the view exactly", () => {
	const lens = lensOf({ fromNs: 200, toNs: 600 }, 1000, 1000);
	assert.deepEqual(lens, { from: 200, to: 600, trueFrom: 200, trueTo: 600, isWidened: false });
	const at = (x: number) => lensPartAt({ fromNs: 200, toNs: 600 }, 1000, 1000, x);
	assert.deepEqual([400, 201, 195, 598, 605, 900, 100].map(at),
		["inside", "left", "left", "right", "right", "outside", "outside"]);
});

test("a narrow lens is widened for the pointer and keeps its true place", () => {
	const view = { fromNs: 1_000_000_000, toNs: 1_000_000_010 };
	const lens = lensOf(view, END, WIDTH);
	assert.ok(lens.isWidened && lens.to - lens.from === 18);
	assert.ok(Math.abs(lens.trueFrom - (1e9 / END) * WIDTH) < 1e-9);
	assert.ok(lens.trueTo - lens.trueFrom < 1e-5);
	assert.ok(lens.from < lens.trueFrom && lens.trueTo < lens.to);
	const { left, inside, right } = partsOf(view);
	assert.ok(left >= 8 && inside >= 6 && right >= 8, `${left} ${inside} ${right}`);
});

test("at the profile's ends the frame stays on the map and can be grabbed", () => {
	for (const fromNs of [0, END - 10]) {
		const view = { fromNs, toNs: fromNs + 10 };
		const lens = lensOf(view, END, WIDTH);
		assert.ok(lens.from >= 0 && lens.to <= WIDTH);
		assert.ok(lens.trueFrom >= lens.from && lens.trueTo <= lens.to);
		const { left, inside, right } = partsOf(view);
		assert.ok(left >= 4 && inside >= 6 && right >= 4);
	}
	assert.equal(lensOf({ fromNs: 0, toNs: 10 }, 1000, 4).to, 4); // a map narrower than a lens
});

test("the frame does not jump where it stops being widened", () => {
	let last = 0;
	for (let px = 1; px < 40; px += 0.25) {
		const { from, to } = lensOf({ fromNs: 5000, toNs: 5000 + px * 10 }, 10_000, 1000);
		assert.ok(to - from >= last && to - from - last <= 18);
		if (px > 2) assert.ok(to - from - last <= 1);
		last = to - from;
	}
});

test("a drag moves the view as far as the pointer moves on the map", () => {
	const view = { fromNs: 1_000_000_000, toNs: 1_000_000_010 };
	const perPx = END / WIDTH;
	const near = (a: number, b: number) => assert.ok(Math.abs(a - b) < 1, `${a}, not ${b}`);
	const moved = dragLens(view, "inside", 100, END, WIDTH);
	near(moved.fromNs, view.fromNs + 100 * perPx);
	near(moved.toNs - moved.fromNs, 10);
	const wider = dragLens(view, "right", 50, END, WIDTH);
	near(wider.fromNs, view.fromNs);
	near(wider.toNs, view.toNs + 50 * perPx);
	near(dragLens(view, "left", -50, END, WIDTH).fromNs, view.fromNs - 50 * perPx);
	assert.deepEqual(dragLens(view, "inside", 0, END, WIDTH), view);
});

test("a grip stops at the other grip and at the profile's ends", () => {
	const view = { fromNs: 2000, toNs: 8000 };
	assert.deepEqual(dragLens(view, "left", 900, 10_000, 1000), { fromNs: 7990, toNs: 8000 });
	assert.deepEqual(dragLens(view, "right", -900, 10_000, 1000), { fromNs: 2000, toNs: 2010 });
	assert.deepEqual(dragLens(view, "left", -900, 10_000, 1000), { fromNs: 0, toNs: 8000 });
	assert.deepEqual(dragLens(view, "right", 900, 10_000, 1000), { fromNs: 2000, toNs: 10_000 });
	assert.deepEqual(dragLens(view, "inside", 900, 10_000, 1000), { fromNs: 4000, toNs: 10_000 });
});
