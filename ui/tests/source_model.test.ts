// SPDX-License-Identifier: Apache-2.0
// Source lines of instructions.

import test from "node:test";
import assert from "node:assert/strict";
import { costsByFile, engineText, matchFile, splitLocation } from "../src/panels/source/source_model.ts";

test("a location is a path and a line", () => {
	assert.deepEqual(splitLocation("/a:b/k.py:139"), { path: "/a:b/k.py", line: 139 });
	assert.equal(splitLocation("k.py"), null);
});

test("the engines of one line are summed", () => {
	const files = costsByFile([
		{ location: "k.py:3", engine: "Tensor", instruction_count: 2, duration_ns: 10, flops: 100 },
		{ location: "k.py:3", engine: "Vector", instruction_count: "5", duration_ns: "20", flops: null },
		{ location: "nowhere", engine: "Sync", instruction_count: 1, duration_ns: 1, flops: 0 },
	]);
	const cost = files.get("k.py")?.get(3);
	assert.equal(cost?.count, 7);
	assert.equal(cost?.durationNs, 30);
	assert.equal(engineText(cost!), "Vector 5, Tensor 2");
	assert.equal(files.size, 1);
});

test("the compiler's paths match stored files by their last parts", () => {
	const stored = ["llama/model.py", "kernels/attention.py", "old/attention.py"];
	assert.equal(matchFile("/home/me/llama/kernels/attention.py", stored), "kernels/attention.py");
	assert.equal(matchFile("/x/other.py", stored), null);
});
