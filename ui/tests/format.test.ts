// SPDX-License-Identifier: Apache-2.0
// Formatted numbers are correct to the last digit.

import test from "node:test";
import assert from "node:assert/strict";
import {
	exactCell, formatByUnit, formatBytes, formatCell, formatFraction, formatInteger, formatNs,
	formatNumber, formatRate, formatSeconds, formatVersion, isDate, sinceOrigin, titleOf, unitOf,
} from "../src/format.ts";

test("integers are grouped and never rounded", () => {
	assert.equal(formatInteger(0), "0");
	assert.equal(formatInteger(-1234567), "-1,234,567");
	assert.equal(formatInteger("18446744073709551615"), "18,446,744,073,709,551,615");
	assert.equal(formatInteger("a name"), "a name");
});

test("durations use a suitable unit", () => {
	assert.equal(formatNs(0), "0 ns");
	assert.equal(formatNs(999), "999 ns");
	assert.equal(formatNs(1500), "1.5 µs");
	assert.equal(formatNs(999_999), "1 ms");
	assert.equal(formatNs(2_069_900), "2.07 ms");
	assert.equal(formatNs(-3e9), "-3 s");
	assert.equal(formatNs(NaN), "–");
	assert.equal(formatSeconds(0.000376712), "376.7 µs");
});

test("bytes are binary, rates decimal", () => {
	assert.equal(formatBytes(1023), "1,023 B");
	assert.equal(formatBytes(1536), "1.5 KiB");
	assert.equal(formatBytes(1024 ** 3), "1 GiB");
	assert.equal(formatRate(3.07e9), "3.07 GB/s");
});

test("fractions become percentages, and small ones are not shown as 0", () => {
	assert.equal(formatFraction(0), "0%");
	assert.equal(formatFraction(0.1234), "12.3%");
	assert.equal(formatFraction(0.00001), "<0.01%");
	assert.equal(formatFraction(1), "100%");
	assert.equal(formatCell(0.5, unitOf("mfu")), "50%");
	assert.equal(formatCell(50, unitOf("util_percent", "percent")), "50%");
});

test("small and large numbers stay readable", () => {
	assert.equal(formatNumber(0.00001234), "1.23e-5");
	assert.equal(formatNumber(1234.5678), "1,235");
	assert.equal(formatNumber(123456.7), "123,457");
	assert.equal(formatByUnit(1.4, "gigahertz"), "1.4 GHz");
});

test("cells without a unit are unchanged", () => {
	assert.equal(formatCell("16574567391909935517"), "16574567391909935517");
	assert.equal(formatCell(null), "–");
	assert.equal(formatCell(true), "yes");
	assert.equal(formatCell("1500", "nanoseconds"), "1.5 µs");
	assert.equal(exactCell("1773237645742008195", "nanoseconds"), "1,773,237,645,742,008,195 ns");
	assert.equal(exactCell(12.5, "bytes"), "12.5");
});

test("times since the origin are computed without doubles", () => {
	assert.equal(sinceOrigin("1773237645742008196", 1773237645742008195n), 1);
	assert.equal(sinceOrigin(5, 2n), 3);
	assert.ok(Number.isNaN(sinceOrigin(null, 0n)));
});

test("names of columns become titles", () => {
	assert.equal(titleOf("hbm_read_bytes"), "HBM read bytes");
	assert.equal(titleOf("mfu_estimated_percent"), "MFU estimated");
});

test("ids have no separators, and every time has a unit", () => {
	for (const name of ["worker_gid", "process_id", "pc", "rank", "nc_idx"])
		assert.equal(formatCell(14487, unitOf(name)), "14487", name);
	assert.equal(formatCell(23584, unitOf("dma_trigger_start_ts")), "23.58 µs");
});

test("what was not recorded is not shown as a date or a version", () => {
	assert.equal(isDate("1970-01-01T00:00:00Z"), false);
	assert.equal(isDate("2026-03-11T14:00:45.742Z"), true);
	assert.equal(formatVersion("0.0.0 ()"), "");
	assert.equal(formatVersion("2.26.0 ()"), "2.26.0");
	assert.equal(formatVersion("2.30.51 (simul)"), "2.30.51 (simul)");
});
