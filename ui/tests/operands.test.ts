// SPDX-License-Identifier: Apache-2.0
// Operands from real captures.

import test from "node:test";
import assert from "node:assert/strict";
import { parseOperands } from "../src/panels/events/operands.ts";

test("a matrix product", () => {
	const parts = parseOperands("S[5] (Tensor)++@complete acc_flags=3 " +
		"src=bfloat16@0xba08[1,0,0][128,1,1] dst=0x2001000[1,0,0][128,1,1] 128*96");
	assert.deepEqual(parts.map((part) => part.kind), ["update", "field", "memory", "memory", "size"]);
	assert.equal(parts[0]?.text, "S[5] (Tensor)++@complete");
	assert.match(parts[0]!.meaning, /Adds 1 to semaphore 5 \(Tensor\) once the result is written/);
	assert.match(parts[2]!.meaning, /state buffer at 0xba08, from partition 0 as bfloat16: 128 elements/);
	assert.match(parts[3]!.meaning, /PSUM bank 2 /);
	assert.match(parts[4]!.meaning, /128 rows by 96 columns/);
});

test("waits and cleared events", () => {
	const [wait] = parseOperands("S[10] (qGpSimdDynamic)>=80");
	assert.equal(wait?.kind, "wait");
	assert.match(wait!.meaning, /is at least 80\.$/);
	const [event] = parseOperands("$E[4]==1- cycle=1 ");
	assert.match(event!.meaning, /event 4 equals 1, and then clears it/);
	const [set] = parseOperands("$E[1]+@complete");
	assert.match(set!.meaning, /^Sets event 1 once/);
	const [add] = parseOperands("$S[2]+=16@read");
	assert.match(add!.meaning, /^Adds 16 to semaphore 2 once the operands are read/);
});

test("an activation names its function", () => {
	const parts = parseOperands("EXP bias_ptr=fp32@0x4050 src=fp32@0x5ab0[1,1,1][2,1,1] channels=128");
	assert.equal(parts[0]?.kind, "word");
	assert.match(parts[1]!.meaning, /Added to the input, read from the state buffer at 0x4050/);
	assert.match(parts[3]!.meaning, /^128 of 128/);
});

test("unknown parts are returned unchanged", () => {
	assert.deepEqual(parseOperands(""), []);
	const [odd] = parseOperands("novel_field=7");
	assert.equal(odd?.kind, "field");
	assert.equal(odd?.meaning, "novel field is 7.");
	assert.match(parseOperands("dst=0x802802701804")[0]!.meaning, /address 0x802802701804/);
});
