// SPDX-License-Identifier: Apache-2.0
// The Profile Manager's lists.

import { test } from "node:test";
import assert from "node:assert/strict";
import type { Profile, Session } from "../src/api/types.ts";
import { foldText, foldedRows, groupedByRun } from "../src/pages/manager/fold.ts";
import { foldersOf, folderFault, matches, nameFault, sortedBy, type ListQuery }
	from "../src/pages/manager/list.ts";
import { finished, withProgress } from "../src/state/profiles.ts";
import { agoText, bytesText, pluralText, waitText } from "../src/shell/words.ts";

function profile(name: string, more: Partial<Profile> = {}): Profile {
	return { name, kind: "device", state: "ready", reason: "", created_ms: 0, opened_ms: 0,
		size_bytes: "0", row_count: "0", favourite: false, folder: "", parent: null,
		simulated: false, sources: [], run: null, sessions: [], stage: null,
		fraction: null, ...more };
}

const all = [
	profile("run10", { size_bytes: "5", created_ms: 3, favourite: true }),
	profile("run9", { size_bytes: "70", created_ms: 1, folder: "sweep", opened_ms: 5 }),
	profile("Alpha", { size_bytes: "600", created_ms: 2, kind: "system", folder: "sweep" }),
];
const query: ListQuery = { tab: "all", text: "", folder: null, sort: { key: "name", isDescending:
	false } };
const names = (more: Partial<ListQuery>) => foldedRows(all, { ...query, ...more }, new Set())
	.map((row) => row.profile.name);

test("names are in natural order", () => {
	assert.deepEqual(names({}), ["Alpha", "run9", "run10"]);
	assert.deepEqual(names({ sort: { key: "size", isDescending: true } }),
		["Alpha", "run9", "run10"]);
	assert.deepEqual(names({ sort: { key: "created", isDescending: false } }),
		["run9", "Alpha", "run10"]);
});

test("tabs and words filter the list", () => {
	assert.deepEqual(names({ tab: "favourites" }), ["run10"]);
	assert.deepEqual(names({ tab: "viewed" }), ["run9"]);
	assert.deepEqual(names({ tab: "folders", folder: "sweep" }), ["Alpha", "run9"]);
	assert.deepEqual(names({ text: " RUN 9" }), ["run9"]);
	assert.deepEqual(names({ text: "system" }), ["Alpha"]);
	assert.ok(matches(profile("x", { sources: [{ name: "a.NEFF", size_bytes: "1" }] }), "neff"));
});

test("a second click reverses the order", () => {
	assert.deepEqual(sortedBy(query.sort, "name"), { key: "name", isDescending: true });
	assert.deepEqual(sortedBy(query.sort, "size"), { key: "size", isDescending: true });
	assert.deepEqual(sortedBy(query.sort, "kind"), { key: "kind", isDescending: false });
});

test("folders have counts, and empty ones are kept", () => {
	assert.deepEqual(foldersOf(all, ["new"]), [{ name: "new", count: 0 },
		{ name: "sweep", count: 2 }]);
	assert.match(folderFault("sweep", foldersOf(all, []))!, /already/);
	assert.equal(folderFault("other", []), null);
});

test("names are checked before they are sent", () => {
	assert.equal(nameFault("fine name-1.x", all), null);
	for (const name of ["", " x", ".x", "a/b", "x".repeat(151), "run9", "a\nb"])
		assert.notEqual(nameFault(name, all), null, name);
	assert.equal(nameFault("run9", all, true), null);
});

test("progress updates its profile, but not one that is ready", () => {
	const busy = [profile("a", { state: "processing" }), profile("b")];
	const next = withProgress(busy, { name: "a", stage: "Reading", fraction: 0.5 });
	assert.equal(next[0]?.fraction, 0.5);
	assert.equal(withProgress(busy, { name: "x", stage: null, fraction: 1 }), busy);
	assert.equal(withProgress(busy, { name: "b", stage: "Late", fraction: 1 })[1]?.state, "ready");
});

test("profiles that finished between two lists are found", () => {
	const before = [profile("a", { state: "processing" }), profile("b", { state: "processing" }),
		profile("c")];
	const now = [profile("a"), profile("b", { state: "failed" }), profile("c")];
	assert.deepEqual(finished(before, now).map((p) => p.name), ["a", "b"]);
});

test("sizes, counts and times are readable", () => {
	assert.equal(bytesText(0), "0 B");
	assert.equal(bytesText(1023), "1023 B");
	assert.equal(bytesText(1024 * 1024 - 1), "1.0 MiB");
	assert.equal(bytesText(5.5 * 1024 ** 3), "5.5 GiB");
	assert.equal(pluralText(1, "profile"), "1 profile");
	assert.equal(pluralText(1999, "profile"), "1,999 profiles");
	assert.equal(agoText(0, 1e12), "Never");
	assert.equal(agoText(1e12 - 59_000, 1e12), "Just now");
	assert.equal(agoText(1e12 - 3_600_000, 1e12), "1 hour ago");
	assert.equal(agoText(1e12 + 5000, 1e12), "Just now");
	assert.equal(waitText(0.2), "1 s");
	assert.equal(waitText(125), "2 min 5 s");
	assert.equal(waitText(Infinity), "");
});

test("profiles of a run are neighbours, with their sessions", () => {
	const run = { id: "1", name: "train" };
	const session = (name: string, kind: Session["kind"]): Session => ({ name, kind, reason: "",
		start_ns: "1", end_ns: "2", host_count: 2, failed_count: kind === "snapshot" ? 1 : 0 });
	const runs = [
		profile("b", { created_ms: 9, run, sessions: [session("s3", "snapshot")] }),
		profile("other", { created_ms: 8 }),
		profile("device", { created_ms: 7, parent: "a" }),
		profile("a", { created_ms: 6, kind: "system", run,
			sessions: [session("s1", "programmatic"), session("s2", "on_demand")] }),
	];
	const rows = groupedByRun(foldedRows(runs, { ...query, sort: { key: "created", isDescending:
		true } }, new Set(["a"])));
	assert.deepEqual(rows.map((row) => row.profile.name), ["b", "a", "device", "other"]);
	assert.deepEqual(rows[0]!.run, { name: "train", profileCount: 2, sessionCount: 3 });
	assert.deepEqual(rows.map((row) => !!row.isOfRun), [true, true, true, false]);
	assert.deepEqual(rows[1]!.sessions.map((one) => one.name), ["s2", "s1"]);
	assert.ok(rows[1]!.isOpen);
	assert.deepEqual(foldText(rows[1]!.children, rows[1]!.sessions),
		{ text: "2 sessions, 1 device profile", trouble: "" });
	assert.equal(foldText([], rows[0]!.sessions).trouble, "1 without some hosts");
});

test("a program's only session is not listed", () => {
	const one = profile("a", { run: { id: "1", name: "t" }, sessions: [{ name: "5", kind:
		"programmatic", reason: "", start_ns: "1", end_ns: "2", host_count: 1, failed_count: 0 }] });
	const rows = groupedByRun(foldedRows([one], query, new Set(["a"])));
	assert.equal(rows.length, 1);
	assert.ok(!rows[0]!.isOpen && !rows[0]!.run && !rows[0]!.sessions.length);
});
