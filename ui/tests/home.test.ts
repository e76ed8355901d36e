// SPDX-License-Identifier: Apache-2.0
// The initial view, and what "fit" shows.

import test from "node:test";
import assert from "node:assert/strict";
import type { Track } from "../src/api/types.ts";
import { fitOf, homeView, wholeView } from "../src/state/home.ts";

const ORIGIN = 1_773_237_643_676_937_891n;
const at = (ns: number) => String(ORIGIN + BigInt(ns));

function track(kind: Track["kind"], first: number, last: number, start = first): Track {
	return {
		id: 0, parent: null, kind, name: "", unit: "", table: null, depth_count: 1, row_count: "2",
		lost_count: "0", first_ns: at(first), last_ns: at(last),
		...(kind === "spans" ? { last_start_ns: at(start) } : {}), attributes: {},
	};
}

const SAMPLED = track("counter", 0, 600e9);

test("the initial view of a system profile shows its events, not the samples around them", () => {
	const tracks = [SAMPLED, track("spans", 2e9, 2.01e9, 2.005e9), track("spans", 2.001e9, 2.02e9, 2.019e9)];
	const home = homeView("system", tracks, ORIGIN, 600e9);
	assert.ok(home.fromNs > 1.99e9 && home.fromNs < 2e9);
	assert.ok(home.toNs > 2.02e9 && home.toNs < 2.03e9);
});

test("an event that never ended does not stretch the view", () => {
	const tracks = [SAMPLED, track("spans", 2e9, 2.1e9, 2.09e9), track("spans", 2e9, 600e9, 2e9)];
	const home = homeView("system", tracks, ORIGIN, 600e9);
	assert.ok(home.toNs > 2.09e9 && home.toNs < 2.2e9);
	// One long call.
	assert.ok(homeView("system", [track("spans", 0, 600e9)], ORIGIN, 600e9).toNs === 600e9);
});

test("other profiles start with the whole range", () => {
	assert.deepEqual(homeView("device", [track("spans", 5, 9)], ORIGIN, 100), wholeView(100));
	assert.deepEqual(homeView("system", [SAMPLED], ORIGIN, 600e9), wholeView(600e9));
	assert.deepEqual(homeView("system", [], ORIGIN, 0), { fromNs: 0, toNs: 1 });
});

test("\"fit\" shows the events, then the whole profile", () => {
	const home = { fromNs: 10, toNs: 20 }, whole = wholeView(100);
	assert.deepEqual(fitOf({ fromNs: 12, toNs: 13 }, home, 100), home);
	assert.deepEqual(fitOf(home, home, 100), whole);
	assert.deepEqual(fitOf(whole, home, 100), home);
	assert.deepEqual(fitOf(whole, whole, 100), whole);
});
