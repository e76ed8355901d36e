// SPDX-License-Identifier: Apache-2.0
// Captures of many devices in lists, and shortened names.

import { test } from "node:test";
import assert from "node:assert/strict";
import type { Profile } from "../src/api/types.ts";
import { foldedRows, foldText, leftBehind, namesIn } from "../src/pages/manager/fold.ts";
import type { ListQuery } from "../src/pages/manager/list.ts";
import { cutParts, cutText } from "../src/shell/cut.ts";
import { childrenOf, latest } from "../src/state/family.ts";

function profile(name: string, more: Partial<Profile> = {}): Profile {
	return { name, kind: "device", state: "ready", reason: "", created_ms: 1, opened_ms: 0,
		size_bytes: "0", row_count: "0", favourite: false, folder: "", parent: null,
		simulated: false, sources: [], run: null, sessions: [], stage: null, fraction: null, ...more };
}

const child = (number: number, more: Partial<Profile> = {}) =>
	profile(`run_model_${number}`, { parent: "run", created_ms: 20 + number, ...more });
const all = [
	...[2, 10, 1].map((number) => child(number, { opened_ms: number === 10 ? 90 : 0 })),
	profile("run", { kind: "system", created_ms: 10 }),
	profile("alone", { created_ms: 15, opened_ms: 80 }),
	profile("old", { created_ms: 5 }),
];
const query: ListQuery = { tab: "all", text: "", folder: null, sort: { key: "created",
	isDescending: true } };
const shown = (more: Partial<ListQuery> = {}, toggled: string[] = [], profiles = all) =>
	foldedRows(profiles, { ...query, ...more }, new Set(toggled)).map((row) =>
		`${row.isChild ? "  " : ""}${row.profile.name}${row.children.length ?
			` ${row.isOpen ? "-" : "+"}${row.children.length}` : ""}`);

test("devices are folded under their capture in natural order", () => {
	assert.deepEqual(shown(), ["alone", "run +3", "old"]);
	assert.deepEqual(shown({}, ["run"]),
		["alone", "run -3", "  run_model_1", "  run_model_2", "  run_model_10", "old"]);
	assert.deepEqual(shown({ sort: { key: "name", isDescending: true } }, ["run"]).slice(0, 2),
		["run -3", "  run_model_10"]);
});

test("a search unfolds captures of which only devices match", () => {
	assert.deepEqual(shown({ text: "_10" }), ["run -1", "  run_model_10"]);
	assert.deepEqual(shown({ text: "_10" }, ["run"]), ["run +1"]);
	assert.deepEqual(shown({ text: "run" }), ["run +3"]);
	assert.deepEqual(shown({ text: "system" }, ["run"]).length, 4);
	assert.deepEqual(shown({ text: "nothing" }), []);
});

test("a capture counts as viewed if one of its devices was", () => {
	const viewed = { tab: "viewed", sort: { key: "opened", isDescending: true } } as const;
	assert.deepEqual(shown(viewed), ["run +1", "alone"]);
	assert.deepEqual(shown(viewed, ["run"]), ["run -1", "  run_model_10", "alone"]);
});

test("favourites and folders show their profiles", () => {
	const chosen = all.map((one) => one.name === "run_model_2" ? { ...one, favourite: true,
		folder: "f" } : one);
	assert.deepEqual(shown({ tab: "favourites" }, [], chosen), ["run_model_2"]);
	assert.deepEqual(shown({ tab: "folders", folder: "f" }, [], chosen), ["run_model_2"]);
	const whole = chosen.map((one) => one.name === "run" ? { ...one, folder: "f" } : one);
	assert.deepEqual(shown({ tab: "folders", folder: "f" }, [], whole), ["run +3"]);
});

test("a device without its capture has its own row", () => {
	const rest = all.filter((one) => one.name !== "run");
	assert.equal(childrenOf(rest).size, 0);
	assert.deepEqual(shown({}, [], rest),
		["run_model_10", "run_model_2", "run_model_1", "alone", "old"]);
});

test("folded profiles are chosen, deleted and reported with their capture", () => {
	const rows = foldedRows(all, query, new Set());
	assert.deepEqual(namesIn(rows).length, all.length);
	assert.deepEqual(leftBehind(["run", "run_model_2"], all), ["run_model_1", "run_model_10"]);
	assert.deepEqual(leftBehind(["alone"], all), []);
	assert.deepEqual(foldText([child(1)]), { text: "1 device profile", trouble: "" });
	assert.equal(foldText([child(1, { state: "failed" }), child(2, { state: "processing" })]).trouble,
		"1 not usable");
	assert.equal(foldText([child(1, { state: "processing" }), child(2)]).trouble, "1 in progress");
});

test("the latest are captures, not their devices", () => {
	assert.deepEqual(latest(all, (one) => one.created_ms, 2).map((one) => one.name),
		["run", "alone"]);
	assert.deepEqual(latest(all, (one) => one.opened_ms, 8).map((one) => one.name),
		["run", "alone"]);
});

test("shortened names keep their ends", () => {
	assert.deepEqual(cutParts("short"), ["short", ""]);
	const name = "nccom_device_profile_model_511568900484287_31";
	assert.equal(cutParts(name).join(""), name);
	assert.equal(cutParts(name)[1], "84287_31");
	assert.equal(cutText(name, 24), "nccom_device_pr…84287_31");
	assert.equal(cutText("short", 24), "short");
	assert.equal(cutText("😀".repeat(40), 20), `${"😀".repeat(11)}…${"😀".repeat(8)}`);
});
