// SPDX-License-Identifier: Apache-2.0
// Order, filter and export of data tables.

import test from "node:test";
import assert from "node:assert/strict";
import {
	arrange, compareCells, nextOrder, toCsv, toTsv, visibleRange,
} from "../src/panels/parts/table_model.ts";

const columns = [{ name: "name" }, { name: "bytes", unit: "bytes" }];
const rows = [["b", 2048], ["a", null], ["c", "18446744073709551615"], ["d", 5]];

test("rows are ordered by size, missing values last in both directions", () => {
	assert.deepEqual(arrange(rows, columns, "", { column: 1, down: true }), [2, 0, 3, 1]);
	assert.deepEqual(arrange(rows, columns, "", { column: 1, down: false }), [3, 0, 2, 1]);
	assert.deepEqual(arrange(rows, columns, "", null), [0, 1, 2, 3]);
});

test("64-bit integers in strings are compared exactly", () => {
	assert.equal(compareCells("18446744073709551615", "18446744073709551614"), 1);
	assert.ok(compareCells("0.5", "0.25") > 0);
});

test("a filter matches formatted and raw values", () => {
	assert.deepEqual(arrange(rows, columns, "2 kib", null), [0]);
	assert.deepEqual(arrange(rows, columns, "2048", null), [0]);
	assert.deepEqual(arrange(rows, columns, "zzz", null), []);
});

test("a click sorts descending, then ascending, then not at all", () => {
	const down = nextOrder(null, 1);
	assert.deepEqual(down, { column: 1, down: true });
	const up = nextOrder(down, 1);
	assert.deepEqual(up, { column: 1, down: false });
	assert.equal(nextOrder(up, 1), null);
});

test("copies are raw and on one line each", () => {
	assert.equal(toTsv(columns, [["a\tb\nc", 1]], [0]), "name\tbytes\na b c\t1");
	assert.equal(toCsv(columns, [['say "x"', null]]), 'name,bytes\r\n"say ""x""",\r\n');
});

test("only visible rows are drawn", () => {
	assert.deepEqual(visibleRange(1000, 20, 2000, 200), [92, 118]);
	assert.deepEqual(visibleRange(3, 20, 0, 200), [0, 3]);
	assert.deepEqual(visibleRange(0, 20, 0, 200), [0, 0]);
});
