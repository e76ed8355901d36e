// SPDX-License-Identifier: Apache-2.0
// The callers and the flow of an event.

import test from "node:test";
import assert from "node:assert/strict";
import { callsOf } from "../src/panels/events/callers.ts";

const row = (way: string, number: number, name: string, flow: string[] | null = null) =>
	({ way, row_idx: number, name, flow_id: flow });

test("callers are listed outermost first, and flows come from callees", () => {
	const rows = [row("up", 1, "nrt_execute"), row("up", 2, "kmgr_exec_core"), row("down", 2, "kmgr_exec_core"),
		row("down", 3, "kbl_exec_pre", ["77"]), row("down", 4, "kbl_exec_post", ["77"])];
	assert.deepEqual(callsOf(rows, "2"), { callers: [{ row: "1", name: "nrt_execute" }], calledCount: 2, flows: ["77"] });
});

test("an event's own flow comes first, that of its callers last", () => {
	assert.deepEqual(callsOf([row("up", 1, "launch", ["5"]), row("up", 2, "x", ["6"]), row("down", 2, "x", ["6"])],
		"2").flows, ["6"]);
	assert.deepEqual(callsOf([row("up", 1, "launch", ["5"]), row("up", 2, "x"), row("down", 2, "x")], "2").flows, ["5"]);
	assert.deepEqual(callsOf([], "2"), { callers: [], calledCount: 0, flows: [] });
});
