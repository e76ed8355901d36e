// SPDX-License-Identifier: Apache-2.0
// Stores.

import { test } from "node:test";
import assert from "node:assert/strict";
import { createStore } from "../src/store.ts";

test("a listener is called for changes, not for equal values", () => {
	const store = createStore(1);
	const heard: [number, number][] = [];
	const stop = store.watch((now, before) => heard.push([now, before]));
	store.set(1);
	store.set(2);
	store.update((now) => now + 1);
	stop();
	store.set(9);
	assert.deepEqual(heard, [[2, 1], [3, 2]]);
});
