// SPDX-License-Identifier: Apache-2.0
// Gates of hidden panels.

import { test } from "node:test";
import assert from "node:assert/strict";
import { createStore } from "../src/store.ts";
import { gatedStore } from "../src/state/gate.ts";

test("a closed gate holds changes back and delivers the latest when it opens", () => {
	const source = createStore(1);
	const isOpen = createStore(true);
	const gated = gatedStore(source, isOpen);
	const heard: number[] = [];
	gated.watch((now) => heard.push(now));
	source.set(2);
	isOpen.set(false);
	source.set(3);
	source.set(4);
	assert.equal(gated.get(), 2);
	isOpen.set(true);
	assert.deepEqual(heard, [2, 4]);
	assert.equal(gated.get(), 4);
});

test("a value set by a panel reaches everyone at once", () => {
	const source = createStore(1);
	const gated = gatedStore(source, createStore(true));
	gated.update((now) => now + 1);
	assert.equal(source.get(), 2);
	assert.equal(gated.get(), 2);
});
