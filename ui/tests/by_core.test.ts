// SPDX-License-Identifier: Apache-2.0
// Tracks grouped by core.

import test from "node:test";
import assert from "node:assert/strict";
import { byCore } from "../src/panels/summary/by_core.ts";

const track = (id: number, parent: number | null, name: string, attributes: Record<string, string> = {}) =>
	({ id, parent, kind: "spans" as const, name, unit: "", table: null, depth_count: 1, row_count: "1",
		lost_count: "0", attributes });

test("the core comes from the track, else from its group", () => {
	const tracks = [track(0, null, "core 1"), track(1, 0, "Tensor"), track(2, null, "Tensor", { pcore_idx: "0" }),
		track(3, null, "Alone")];
	const groups = byCore(tracks, [{ track: 1 }, { track: 2 }, { track: 3 }]);
	assert.deepEqual(groups.map(([name]) => name), ["All", "Core 0", "Core 1"]);
});

test("a cycle of parents ends", () => {
	assert.equal(byCore([track(1, 2, "a"), track(2, 1, "b")], [{ track: 1 }]).length, 1);
});
