// SPDX-License-Identifier: Apache-2.0
// The tables of the steps panel.

import test from "node:test";
import assert from "node:assert/strict";
import {
	GAP_COLUMNS, gapTable, kindTable, markOf, processTitle, STEP_COLUMNS, stepTable,
} from "../src/panels/system/steps_model.ts";

const step = (fields = {}) => ({ name: "train", step_num: "3", instance_id: "i-0", process_id: "7",
	start_ts: "150", duration_ns: "40", duration_rank: 2, is_outlier: false, is_unfinished: false,
	...fields });

test("a step is marked as unfinished, outlier or slowest, in this order", () => {
	assert.equal(markOf(step()), "");
	assert.equal(markOf(step({ duration_rank: 1 })), "slowest");
	assert.equal(markOf(step({ duration_rank: 1, is_outlier: true })), "outlier");
	assert.equal(markOf(step({ duration_rank: null, is_unfinished: true })), "unfinished");
});

test("the machine is named only if there are several", () => {
	const rows = [step(), step({ instance_id: "i-1" })];
	const at = STEP_COLUMNS.findIndex(({ name }) => name === "process");
	assert.deepEqual(stepTable(rows, () => 0).map((row) => row[at]), ["7 on i-0", "7 on i-1"]);
	assert.equal(stepTable([step()], () => 0)[0]![at], "7");
	assert.equal(processTitle(step({ instance_id: "i-0123456789abcdef0" }), false),
		"7 on i-…bcdef0");
});

test("missing shares stay empty", () => {
	const at = STEP_COLUMNS.findIndex(({ name }) => name === "host_bound_frac");
	assert.equal(stepTable([step()], () => 0)[0]![at], null);
	assert.equal(kindTable([{ name: "train", process_id: "7" }])[0]!.at(-1), null);
});

test("growing gaps are marked", () => {
	const at = GAP_COLUMNS.findIndex(({ name }) => name === "mark");
	assert.deepEqual(gapTable([{ is_growing: true }, { is_growing: false }]).map((row) => row[at]),
		["grows", ""]);
});
