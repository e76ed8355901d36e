// SPDX-License-Identifier: Apache-2.0
// Groups and formatting of metrics.

import test from "node:test";
import assert from "node:assert/strict";
import { groupOf, metricGroups } from "../src/panels/summary/summary_groups.ts";

test("metrics are in the right groups", () => {
	assert.equal(groupOf("tensor_engine_active_time_percent"), "Tensor engine");
	assert.equal(groupOf("mfu_estimated_percent"), "FLOPs and utilisation");
	assert.equal(groupOf("hbm_read_bytes"), "Memory");
	assert.equal(groupOf("static_dma_size"), "DMA");
	assert.equal(groupOf("total_time"), "Run");
	assert.equal(groupOf("cc_op_count"), "Collectives");
});

test("lines are formatted, fractions get a bar, and missing values are marked", () => {
	const columns = [
		{ name: "mfu_estimated_percent", type: "float", unit: "percent", description: "How busy." },
		{ name: "hbm_read_bytes", type: "int64", unit: "bytes" },
	];
	const groups = metricGroups(columns, { mfu_estimated_percent: 0.5, hbm_read_bytes: null });
	assert.deepEqual(groups.map((group) => group.title), ["FLOPs and utilisation", "Memory"]);
	assert.equal(groups[0]?.lines[0]?.value, "50%");
	assert.equal(groups[0]?.lines[0]?.fraction, 0.5);
	assert.ok(groups[1]?.lines[0]?.isMissing);
	assert.equal(metricGroups(columns, {}, "busy").length, 1);
});
