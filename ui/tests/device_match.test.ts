// SPDX-License-Identifier: Apache-2.0
// Which device captures belong to an event.

import test from "node:test";
import assert from "node:assert/strict";
import type { EventDetails } from "../src/api/types.ts";
import {
	captureTitle, capturesOf, placeOf, type EventPlace,
} from "../src/panels/events/device_match.ts";

const capture = (name: string, process: number, core: number, model: number | null) => ({
	device_profile_name: name, instance_id: "i-1", process_id: process, nc_id: core, session_id: null,
	model_id: model,
});
const place = (fields: Partial<EventPlace>): EventPlace =>
	({ instance: "i-1", process: "7", core: "0", model: "5", ...fields });

const LIST = [
	capture("a", 7, 0, 5), capture("b", 7, 1, 5), capture("c", 7, 0, 6), capture("d", 8, 0, 5),
];

const namesOf = (place: EventPlace, list = LIST) => capturesOf(list, place).map(({ name }) => name);

test("the capture of the event's core is preferred, else any core's", () => {
	assert.deepEqual(namesOf(place({})), ["a"]);
	assert.deepEqual(namesOf(place({ core: "1" })), ["b"]);
	assert.deepEqual(namesOf(place({ core: "3" })), ["a", "b"]);
	assert.deepEqual(namesOf(place({ model: "9" })), []);
	assert.deepEqual(namesOf(place({}), [capture("x", 0, -1, 5)]), ["x"]);
});

test("without a model all possible captures are listed, best first", () => {
	assert.deepEqual(namesOf(place({ model: "" }), [capture("s1", 7, 1, null), capture("s0", 7, 0, null)]),
		["s0", "s1"]);
});

test("only executions have device profiles", () => {
	const details = (name: string) => ({ fields: [
		{ name: "name", value: name }, { name: "process_id", value: 7 }, { name: "nc_idx", value: 0 },
		{ name: "instance_id", value: "i-1" }] }) as unknown as EventDetails;
	assert.deepEqual(placeOf(details("nc_exec_running"), "5"), place({}));
	assert.equal(placeOf(details("nrt_tensor_write"), "5"), null);
});

test("a link names the core, and says if it is another one", () => {
	const [own] = capturesOf(LIST, place({})), [other] = capturesOf(LIST, place({ core: "3" }));
	assert.equal(captureTitle(own!, place({})), "Open device profile of core 0");
	assert.equal(captureTitle(other!, place({ core: "3" })), "Core 3 was not captured; open core 0 instead");
	const [unknown] = capturesOf([capture("x", 0, -1, 5)], place({}));
	assert.equal(captureTitle(unknown!, place({})), "Open device profile");
});
