// SPDX-License-Identifier: Apache-2.0
// Capturing a running job from the pages.

import { test } from "node:test";
import assert from "node:assert/strict";
import type { Task } from "../src/api/types.ts";
import { captureFault, groupsOf, isAddress, jobOf, taskText, typedAddresses }
	from "../src/capture/capture_model.ts";

const groups = groupsOf({ failure: "",
	local: [{ pid: 7, command: "train.py", address: "127.0.0.1:9012", needs_token: true }],
	jobs: [{ name: "llama", addresses: ["a:1", "b:1"], failure: "" },
		{ name: "eval", addresses: [], failure: "squeue: it fails with code 1" }] });

test("programs of this machine come first", () => {
	assert.deepEqual(groups.map((group) => group.title), ["This machine", "llama", "eval"]);
	assert.deepEqual(groups[0]!.targets, [{ address: "127.0.0.1:9012", isLocked: true,
		note: "train.py (pid 7)" }]);
	assert.match(groups[2]!.failure, /squeue/);
});

test("a run has the name of its job", () => {
	assert.equal(jobOf(groups, new Set(["a:1", "b:1"])), "llama");
	assert.equal(jobOf(groups, new Set(["a:1", "127.0.0.1:9012"])), "capture");
	assert.equal(jobOf(groups, new Set()), "capture");
});

test("addresses are checked before they are sent", () => {
	assert.deepEqual(typedAddresses(" a:1,\nb:2  [::1]:3 "), ["a:1", "b:2", "[::1]:3"]);
	for (const good of ["trn2-0:9012", "10.0.0.1:1", "[fe80::1%eth0]:65535".replace("%eth0", "")])
		assert.ok(isAddress(good), good);
	for (const bad of ["a", "a:", "a:0", "a:65536", "-a:1", "a b:1", ":1", "::1:9"])
		assert.ok(!isAddress(bad), bad);
	assert.match(captureFault(["a"], 1)!, /host:port/);
	assert.match(captureFault([], 1)!, /Choose/);
	assert.match(captureFault(["a:1"], 0)!, /600 seconds/);
	assert.equal(captureFault(["a:1"], 0.5), null);
});

test("progress is told in words", () => {
	const task: Task = { id: 1, kind: "capture", state: "recording", job: "llama", profile: "", stage: "",
		fraction: 0, message: "", duration_ms: 1000, hosts: [
			{ address: "a:1", stage: "done", failure: "" },
			{ address: "b:1", stage: "recording", failure: "" }] };
	assert.equal(taskText(task), "Recording, 1 of 2 hosts done");
	assert.equal(taskText({ ...task, state: "failed", message: "a:1: refused" }), "a:1: refused");
	assert.equal(taskText({ ...task, kind: "fetch", state: "processing" }), "Fetching");
});
