// SPDX-License-Identifier: Apache-2.0
// Search conditions.

import test from "node:test";
import assert from "node:assert/strict";
import {
	conditionOf, orderFields, regexOf, whereOf,
} from "../src/panels/search/search_model.ts";

test("operators are converted to the server's syntax", () => {
	assert.equal(whereOf({ field: "opcode", operator: "=", value: "MATMUL" }), "opcode=MATMUL");
	assert.equal(whereOf({ field: "layer", operator: "contains", value: "a.b" }), "layer~(?i)a\\.b");
	assert.equal(whereOf({ field: "name", operator: "=", value: "/^conv/" }), "name~^conv");
	assert.equal(whereOf({ field: "name", operator: "matches", value: "x|y" }), "name~x|y");
});

test("slashes make a regular expression", () => {
	assert.equal(regexOf("/a.c/"), "a.c");
	assert.equal(regexOf("/a.c/i"), "(?i)a.c");
	assert.equal(regexOf("//"), null);
	assert.equal(regexOf("a/b"), null);
});

test("common fields come first", () => {
	assert.deepEqual(orderFields(["b", "a", "opcode"]), ["opcode", "a", "b"]);
});

test("a search from elsewhere can be shown in the form", () => {
	assert.deepEqual(conditionOf("duration_ns>=100"), { field: "duration_ns", operator: ">=", value: "100" });
	assert.deepEqual(conditionOf("name~^a=b"), { field: "name", operator: "matches", value: "^a=b" });
	assert.equal(whereOf(conditionOf("name~^a=b")), "name~^a=b");
});
