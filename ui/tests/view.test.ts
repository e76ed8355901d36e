// SPDX-License-Identifier: Apache-2.0
// The visible time range.

import { test } from "node:test";
import assert from "node:assert/strict";
import { clampView, viewAround, viewToReveal } from "../src/state/view.ts";

test("a view stays within the profile and keeps its width when moved", () => {
	assert.deepEqual(clampView({ fromNs: -50, toNs: 50 }, 1000), { fromNs: 0, toNs: 100 });
	assert.deepEqual(clampView({ fromNs: 950, toNs: 1050 }, 1000), { fromNs: 900, toNs: 1000 });
	assert.deepEqual(clampView({ fromNs: -5, toNs: 5000 }, 1000), { fromNs: 0, toNs: 1000 });
	assert.deepEqual(clampView({ fromNs: 10, toNs: 10 }, 1000), { fromNs: 10, toNs: 11 });
	assert.deepEqual(clampView({ fromNs: 0, toNs: 0 }, 0), { fromNs: 0, toNs: 1 });
});

test("zooming keeps a margin", () => {
	assert.deepEqual(viewAround(400, 600, 1000), { fromNs: 370, toNs: 630 });
	assert.deepEqual(viewAround(0, 1000, 1000), { fromNs: 0, toNs: 1000 });
});

test("the view does not move for a visible event", () => {
	const view = { fromNs: 0, toNs: 1000 };
	assert.equal(viewToReveal(view, 100, 200, 1e6), view);
});

test("an event that is out of view or too small is centred", () => {
	const away = viewToReveal({ fromNs: 0, toNs: 1000 }, 50_000, 50_100, 1e6);
	assert.equal((away.fromNs + away.toNs) / 2, 50_050);
	assert.equal(away.toNs - away.fromNs, 1000);
	const tiny = viewToReveal({ fromNs: 0, toNs: 1e6 }, 500_000, 500_010, 1e6);
	assert.equal(tiny.toNs - tiny.fromNs, 200);
	const long = viewToReveal({ fromNs: 0, toNs: 10 }, 1000, 2000, 1e6);
	assert.ok(long.fromNs <= 1000 && long.toNs >= 2000);
});
