// SPDX-License-Identifier: Apache-2.0
// State is converted to a URL and back.

import { test } from "node:test";
import assert from "node:assert/strict";
import { DEFAULT_SETTINGS, queryOf, stateOf, type PageState } from "../src/state/url.ts";

const DEFAULT_STATE: PageState = {
	view: null, selected: null, search: null, settings: DEFAULT_SETTINGS, dock: "",
	annotationSet: "", session: null, markers: [],
};
import { pathOf, routeOf } from "../src/state/route.ts";

const there = (state: PageState) => stateOf(queryOf(state));

test("the default state has no query", () => {
	assert.equal(queryOf(DEFAULT_STATE), "");
	assert.deepEqual(stateOf(""), DEFAULT_STATE);
});

test("a page's whole state can be restored from its link", () => {
	const state: PageState = {
		view: { fromNs: 1234.5, toNs: 9007199254740000 },
		session: null,
		selected: { table: "Instruction", row: "18446744073709551615" },
		search: { table: "DmaPacket", where: ["name~^a&b", "size>=4096"], text: "50 % + ü", isFilter: true },
		settings: {
			colourBy: "layer", rows: "full", grouping: "thread", pinned: ["a,b", "c=d"],
			hidden: ["x&y"], collapsed: ["#1"], order: ["b", "a"], showBands: false,
			showDependencies: false,
			showText: false,
			showCumulative: false,
			snap: false,
			dmaBy: "engine",
			coreOrder: "first",
			layerDepth: 3,
			semaphores: [1, 24],
		},
		dock: "v(520~timeline)(480~details*.sql)!sql",
		annotationSet: "my set",
		markers: [
			{ id: "1", name: "a~b", timeNs: 0.25, colour: "#ff0000", diffTo: null },
			{ id: "2", name: "", timeNs: 77, colour: "", diffTo: "1" },
		],
	};
	assert.deepEqual(there(state), state);
});

test("short spans of a long profile keep their fractions", () => {
	const view = { fromNs: 1e15 + 0.125, toNs: 1e15 + 0.5 };
	assert.deepEqual(there({ ...DEFAULT_STATE, view }).view, view);
});

test("invalid values are ignored", () => {
	for (const query of ["?from=1", "?from=9&to=3", "?from=1e5&to=1e9", "?from=NaN&to=Infinity",
		"?event=Instruction", "?event=a/b:1", "?colour=red", "?mark=1~x~y~z", "?rows=&bands=2",
			"?%"])
		assert.deepEqual(stateOf(query), DEFAULT_STATE, query);
});

test("paths are mapped to pages", () => {
	assert.deepEqual(routeOf(""), { page: "manager" });
	assert.deepEqual(routeOf("index.html"), { page: "manager" });
	assert.deepEqual(routeOf("profile/a%2Fb%20c"), { page: "analysis", profile: "a/b c" });
	assert.deepEqual(routeOf("profile/x/"), { page: "analysis", profile: "x" });
	assert.deepEqual(routeOf("profile_cc/a%20b"), { page: "ranks", profile: "a b" });
	assert.equal(pathOf({ page: "ranks", profile: "a b" }), "profile_cc/a%20b");
	assert.deepEqual(routeOf("profile_cc/x/summary"), { page: "summary", profile: "x" });
	assert.deepEqual(routeOf("profile/100%"), { page: "analysis", profile: "100%" });
	for (const path of ["profile", "profile/", "x", "profile/x/y", "profile/x/summary/z"])
		assert.equal(routeOf(path).page, "unknown", path);
});

test("pages are mapped to paths", () => {
	for (const name of ["x", "a/b", "50%", "ü ?#"])
		for (const page of ["analysis", "summary"] as const)
			assert.deepEqual(routeOf(pathOf({ page, profile: name })), { page, profile: name });
});
