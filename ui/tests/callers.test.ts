// SPDX-License-Identifier: Apache-2.0
// What called an event, and the flow that it leads to.

import test from "node:test";
import assert from "node:assert/strict";
import type { EventDetails } from "../src/api/types.ts";
import { callsOf, callsSql } from "../src/panels/events/callers.ts";

const row = (way: string, number: number, name: string, flow: string[] | null = null) =>
	({ way, row_: number, name, flow_id: flow });

test("callers stand outermost first, and flows come from what was called", () => {
	const rows = [row("up", 1, "nrt_execute"), row("up", 2, "kmgr_exec_core"), row("down", 2, "kmgr_exec_core"),
		row("down", 3, "kbl_exec_pre", ["77"]), row("down", 4, "kbl_exec_post", ["77"])];
	assert.deepEqual(callsOf(rows, "2"), { callers: [{ row: "1", name: "nrt_execute" }], calledCount: 2, flows: ["77"] });
});

test("its own flow counts first, that of its callers last", () => {
	assert.deepEqual(callsOf([row("up", 1, "launch", ["5"]), row("up", 2, "x", ["6"]), row("down", 2, "x", ["6"])],
		"2").flows, ["6"]);
	assert.deepEqual(callsOf([row("up", 1, "launch", ["5"]), row("up", 2, "x"), row("down", 2, "x")], "2").flows, ["5"]);
	assert.deepEqual(callsOf([], "2"), { callers: [], calledCount: 0, flows: [] });
});

test("texts and numbers in what is asked are themselves", () => {
	const details = { row: "7", start_ns: "1773237645742008195", end_ns: "1773237645742008196", fields: [
		{ name: "instance_id", value: "i'1" }, { name: "process_id", value: 3 }] } as unknown as EventDetails;
	const sql = callsSql(details);
	assert.ok(sql.includes("'i''1'") && sql.includes("start_ts <= 1773237645742008196") && sql.includes("row_ = 7"));
	assert.throws(() => callsSql({ ...details, row: "7 OR true" }));
});
