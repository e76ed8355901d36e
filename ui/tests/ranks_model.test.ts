// SPDX-License-Identifier: Apache-2.0
// Comparison of ranks.

import test from "node:test";
import assert from "node:assert/strict";
import type { Rank } from "../src/api/types.ts";
import { clockText, collectiveTable, lagOf, metricTable, rankTable, rankTitles, slowestOf, type RankSummary }
	from "../src/pages/ranks/ranks_model.ts";

const rank = (number: number, row: RankSummary["row"]): RankSummary =>
	({ rank: { rank: number, core: number, instance: "i-1", process: 7, profile: `p_${number}`, offset_ns: 100 * number,
		total_ns: 1 }, title: `Rank ${number}`, row });
const COLUMNS = [
	{ name: "total_time", type: "number", unit: "seconds", description: "How long" },
	{ name: "hbm_read_bytes", type: "integer", unit: "bytes" }, { name: "event_count", type: "integer" },
];
const RANKS = [
	rank(0, { total_time: 1, hbm_read_bytes: "10", event_count: 5 }),
	rank(1, { total_time: 1.5, hbm_read_bytes: "40", event_count: 5 }),
	rank(2, {}), // could not be read
];

test("ranks have numbers, else cores, else the names of their profiles", () => {
	const one = (number: number | null, core: number): Rank => ({ rank: number, core, instance: "i-1",
		process: 7, profile: `p_${core}`, offset_ns: 0, total_ns: 1 });
	assert.deepEqual(rankTitles([one(0, 0), one(12, 2)]), ["Rank 0", "Rank 12"]);
	assert.deepEqual(rankTitles([one(0, 0), one(0, 4)]), ["Rank 0, core 0", "Rank 0, core 4"]);
	assert.deepEqual(rankTitles([one(null, 0), one(null, 4)]), ["Core 0", "Core 4"]);
	assert.deepEqual(rankTitles([one(null, 3)]), ["p_3"]);
});

test("the slowest rank is found if one is slower", () => {
	assert.equal(slowestOf(RANKS), 1);
	assert.equal(slowestOf(RANKS.slice(0, 1)), null);
	assert.equal(slowestOf([RANKS[0]!, RANKS[0]!]), null);
	assert.equal(lagOf(RANKS, 0), 0);
	assert.equal(lagOf(RANKS, 1), 0.5);
	assert.equal(lagOf(RANKS, 2), null);
});

test("there is a row for each rank, with all metrics that any rank has", () => {
	const table = rankTable(RANKS, COLUMNS);
	assert.deepEqual(table.columns.map((column) => column.name), ["rank", "core", "instance", "process", "total_time", "lag", "hbm_read_bytes"]);
	assert.deepEqual(table.rows, [
		["Rank 0", 0, "i-1", 7, 1, 0, "10"], ["Rank 1", 1, "i-1", 7, 1.5, 0.5, "40"],
		["Rank 2", 2, "i-1", 7, null, null, null],
	]);
});

test("ranks on a common clock have a start", () => {
	const table = rankTable(RANKS, COLUMNS, true);
	assert.deepEqual(table.columns.map((column) => column.name),
		["rank", "core", "instance", "process", "offset", "total_time", "lag", "hbm_read_bytes"]);
	assert.deepEqual(table.rows.map((row) => row[4]), [0, 100, 200]);
	assert.match(clockText("host_clock").title, /host/);
	assert.equal(clockText("of a newer server"), clockText("none"));
});

test("there is a row for each metric, the largest differences first", () => {
	const table = metricTable(RANKS, COLUMNS);
	assert.deepEqual(table.rows.map((row) => row[0]), ["HBM read bytes", "Total time", "Event count"]);
	assert.deepEqual(table.rows[0]!.slice(1), [0.75, "10", "40", null]);
	assert.equal(table.units.length, 3);
});

test("collectives of all ranks are matched, and the last to arrive is named", () => {
	const op = (duration: number, kind = "AllReduce") =>
		({ operation: kind, op_id: 1, duration_ns: duration });
	const table = collectiveTable(RANKS, [
		[op(90), op(40, "AllGather")], [op(30), op(45, "AllGather"), op(7)], [],
	]);
	assert.deepEqual(table.columns.map((column) => column.name),
		["operation", "last", "longest", "p_0", "p_1", "p_2"]);
	assert.deepEqual(table.rows, [
		["AllReduce 1", "Rank 1", 60, 60, 0, null], ["AllGather 2", "Rank 0", 5, 0, 5, null],
		["AllReduce 3", null, null, null, 0, null],
	]);
});
