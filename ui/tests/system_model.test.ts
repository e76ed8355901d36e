// SPDX-License-Identifier: Apache-2.0
// The lines of a system profile's summary.

import test from "node:test";
import assert from "node:assert/strict";
import type { Track } from "../src/api/types.ts";
import { deviceLine, executionsOf, modelsSql, overviewSql, processesOf } from "../src/pages/summary/system_model.ts";

const track = (attributes: Record<string, string>): Track => ({
	id: 0, parent: null, kind: "spans", name: "", unit: "", table: null, depth_count: 1, row_count: "1",
	lost_count: "0", attributes,
});

test("processes are known by machine and number", () => {
	assert.deepEqual(processesOf([
		track({ instance_id: "a", process_id: "1" }), track({ instance_id: "a", process_id: "1" }),
		track({ instance_id: "b", process_id: "1" }), track({ instance_id: "b" }),
	]), [{ instance: "a", process: "1" }, { instance: "b", process: "1" }]);
});

test("what is asked keeps to one process and to what texts say", () => {
	const process = { instance: "i'x", process: "7" };
	for (const sql of [overviewSql(process), modelsSql(process)])
		assert.ok(sql.includes("instance_id = 'i''x' AND process_id = '7'"));
	assert.ok(!overviewSql(null).includes("process_id ="));
});

const MODELS = [
	{ m: "5", i: "a", p: 1, c: 0, n: 2, t: 30, longest: 20 }, { m: "5", i: "a", p: 1, c: 1, n: 2, t: 10, longest: 6 },
	{ m: "5", i: "b", p: 1, c: 0, n: 9, t: 9, longest: 1 }, { m: "", i: "a", p: 1, c: 0, n: 1, t: 1, longest: 1 },
];
const capture = (core: number) => ({ device_profile_name: "d", instance_id: "a", process_id: 1, nc_id: core,
	session_id: null, model_id: 5 });

test("a capture of a core has that core's calls, one of no core all of its process", () => {
	assert.deepEqual(executionsOf(capture(1), MODELS), [MODELS[1]]);
	assert.deepEqual(executionsOf(capture(-1), MODELS), MODELS.slice(0, 2));
	assert.deepEqual(executionsOf({ ...capture(0), model_id: null }, MODELS), []);
});

test("a line says cores, calls and their mean, and nothing where nothing is known", () => {
	const line = deviceLine(capture(-1), "stored", MODELS, { cores: 2, cells: [1, 2, 3, 4, 5] });
	assert.deepEqual(line.cells, ["d", 1, 2, "0, 1", 40, 4, 10, 1, 2, 3, 4, 5]);
	assert.deepEqual(deviceLine(capture(0), null, [], null).cells.slice(2), Array(10).fill(null));
});
