// SPDX-License-Identifier: Apache-2.0
// Sessions of a run on one time axis.

import { test } from "node:test";
import assert from "node:assert/strict";
import type { Session } from "../src/api/types.ts";
import { failureText, gapsOf, kindText, lengthText, placeOf } from "../src/state/sessions.ts";

const ORIGIN = 1_773_237_643_000_000_000n;
const session = (name: string, fromMs: number, toMs: number, more: Partial<Session> = {}): Session =>
	({ name, kind: "on_demand", reason: "", host_count: 1, failed_count: 0,
		start_ns: String(ORIGIN + BigInt(fromMs) * 1_000_000n),
		end_ns: String(ORIGIN + BigInt(toMs) * 1_000_000n), ...more });

test("a gap is what no session recorded", () => {
	const gaps = gapsOf([session("c", 5200, 6000), session("a", 0, 1000), session("b", 500, 2000)],
		ORIGIN);
	assert.deepEqual(gaps, [{ fromNs: 2e9, toNs: 5.2e9, text: "not recorded, 3.2 s", next: "c" }]);
});

test("sessions that touch or have no times leave no gap", () => {
	assert.deepEqual(gapsOf([session("a", 0, 1000), session("b", 1000, 2000)], ORIGIN), []);
	assert.deepEqual(gapsOf([session("a", 0, 1000),
		session("b", 0, 0, { start_ns: "0", end_ns: "0" })], ORIGIN), []);
});

test("a session is described in a few words", () => {
	const one = session("a", 1000, 2500, { kind: "snapshot", host_count: 3, failed_count: 1 });
	assert.equal(kindText(one), "Snapshot");
	assert.equal(lengthText(one), "1.5 s");
	assert.equal(failureText(one), "1 of 3 hosts failed");
	assert.equal(failureText(session("a", 0, 1)), "");
	assert.deepEqual(placeOf(one, ORIGIN), { fromNs: 1e9, toNs: 2.5e9 });
	assert.equal(placeOf(session("a", 0, 0, { end_ns: "0" }), ORIGIN), null);
});
