// SPDX-License-Identifier: Apache-2.0
// Which device captures belong to an event.

import test from "node:test";
import assert from "node:assert/strict";
import type { EventDetails } from "../src/api/types.ts";
import { capturesOf, placeOf, type EventPlace } from "../src/panels/events/device_match.ts";

const capture = (name: string, process: number, core: number, model: number | null) => ({
	device_profile_name: name, instance_id: "i-1", process_id: process, nc_id: core, session_id: null,
	model_id: model,
});
const place = (fields: Partial<EventPlace>): EventPlace =>
	({ instance: "i-1", process: "7", core: "0", model: "5", ...fields });

const LIST = [
	capture("a", 7, 0, 5), capture("b", 7, 1, 5), capture("c", 7, 0, 6), capture("d", 8, 0, 5),
];

test("the capture of the event's core is preferred, else any core's", () => {
	assert.deepEqual(capturesOf(LIST, place({})), ["a"]);
	assert.deepEqual(capturesOf(LIST, place({ core: "1" })), ["b"]);
	assert.deepEqual(capturesOf(LIST, place({ core: "3" })), ["a", "b"]);
	assert.deepEqual(capturesOf(LIST, place({ model: "9" })), []);
	assert.deepEqual(capturesOf([capture("x", 0, -1, 5)], place({})), ["x"]);
});

test("without a model all possible captures are listed, best first", () => {
	assert.deepEqual(capturesOf([capture("s1", 7, 1, null), capture("s0", 7, 0, null)], place({ model: "" })),
		["s0", "s1"]);
});

test("only executions have device profiles", () => {
	const details = (name: string) => ({ fields: [
		{ name: "name", value: name }, { name: "process_id", value: 7 }, { name: "nc_idx", value: 0 },
		{ name: "instance_id", value: "i-1" }] }) as unknown as EventDetails;
	assert.deepEqual(placeOf(details("nc_exec_running"), "5"), place({}));
	assert.equal(placeOf(details("nrt_tensor_write"), "5"), null);
});
