// SPDX-License-Identifier: Apache-2.0
// Lists of numbers.

import test from "node:test";
import assert from "node:assert/strict";
import { parseRanges, rangesText } from "../src/panels/settings/ranges.ts";

test("single numbers and ranges, in any order, without duplicates", () => {
	assert.deepEqual(parseRanges("4, 1 24-26;25"), [1, 4, 24, 25, 26]);
	assert.deepEqual(parseRanges("S[7]"), [7]);
	assert.deepEqual(parseRanges("nothing"), []);
	assert.deepEqual(parseRanges("9-3"), []);
	assert.equal(parseRanges("0-99999").length, 256);
});

test("and back", () => {
	assert.equal(rangesText([1, 4, 5, 6, 9]), "1, 4-6, 9");
	assert.equal(rangesText([]), "");
	assert.deepEqual(parseRanges(rangesText([3, 1, 2])), [1, 2, 3]);
});
