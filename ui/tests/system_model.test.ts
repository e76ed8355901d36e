// SPDX-License-Identifier: Apache-2.0
// The rows of a system profile's summary.

import test from "node:test";
import assert from "node:assert/strict";
import type { Track } from "../src/api/types.ts";
import { deviceLine, executionsOf, parametersOf, processesOf } from "../src/pages/summary/system_model.ts";

const track = (attributes: Record<string, string>): Track => ({
	id: 0, parent: null, kind: "spans", name: "", unit: "", table: null, depth_count: 1, row_count: "1",
	lost_count: "0", attributes,
});

test("processes are identified by machine and number", () => {
	assert.deepEqual(processesOf([
		track({ instance_id: "a", process_id: "1" }), track({ instance_id: "a", process_id: "1" }),
		track({ instance_id: "b", process_id: "1" }), track({ instance_id: "b" }),
	]), [{ instance: "a", process: "1" }, { instance: "b", process: "1" }]);
});

test("queries are for one process or all", () => {
	assert.deepEqual(parametersOf({ instance: "i", process: "7" }), { instance: "i", process: "7" });
	assert.deepEqual(parametersOf(null), {});
});

const model = (model_id: string, instance_id: string, nc_idx: number, execution_count: number,
	total_ns: number) => ({ model_id, instance_id, process_id: 1, nc_idx, execution_count, total_ns });
const MODELS = [model("5", "a", 0, 2, 30), model("5", "a", 1, 2, 10), model("5", "b", 0, 9, 9),
	model("", "a", 0, 1, 1)];
const capture = (core: number) => ({ device_profile_name: "d", instance_id: "a", process_id: 1, nc_id: core,
	session_id: null, model_id: 5 });

test("a capture with a core has that core's calls, one without all calls of its process", () => {
	assert.deepEqual(executionsOf(capture(1), MODELS), [MODELS[1]]);
	assert.deepEqual(executionsOf(capture(-1), MODELS), MODELS.slice(0, 2));
	assert.deepEqual(executionsOf({ ...capture(0), model_id: null }, MODELS), []);
});

test("a row has cores, calls and their mean, and null where they are unknown", () => {
	const line = deviceLine(capture(-1), "stored", MODELS, { cores: 2, cells: [1, 2, 3, 4, 5] });
	assert.deepEqual(line.cells, ["d", 1, 2, "0, 1", 40, 4, 10, 1, 2, 3, 4, 5]);
	assert.deepEqual(deviceLine(capture(0), null, [], null).cells.slice(2), Array(10).fill(null));
});
