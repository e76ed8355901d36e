// SPDX-License-Identifier: Apache-2.0
// What a search asks for, in both languages.

import test from "node:test";
import assert from "node:assert/strict";
import {
	conditionOf, orderFields, regexOf, sqlOf, statisticsSql, suggestionsSql, whereOf,
} from "../src/panels/search/search_model.ts";

test("operators become what the server takes", () => {
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

test("SQL is quoted", () => {
	assert.equal(sqlOf({ field: "name", operator: "=", value: "it's" }),
		`CAST("name" AS VARCHAR) = 'it''s'`);
	assert.equal(sqlOf({ field: "pc", operator: ">=", value: "12" }), `"pc" >= 12`);
	assert.match(statisticsSql("T", "f", [{ field: "f", operator: "matches", value: "a" }], true),
		/regexp_matches\(CAST\("f" AS VARCHAR\), 'a'\)/);
	assert.match(suggestionsSql("T", "f", "Mat"), /contains\(lower\(.*'mat'\)/);
});

test("a condition without a value is left out", () => {
	assert.ok(!statisticsSql("T", "f", [{ field: "f", operator: "=", value: "" }], false).includes("WHERE"));
});

test("common fields come first", () => {
	assert.deepEqual(orderFields(["b", "a", "opcode"]), ["opcode", "a", "b"]);
});

test("what was set elsewhere can be shown in the form", () => {
	assert.deepEqual(conditionOf("duration_ns>=100"), { field: "duration_ns", operator: ">=", value: "100" });
	assert.deepEqual(conditionOf("name~^a=b"), { field: "name", operator: "matches", value: "^a=b" });
	assert.equal(whereOf(conditionOf("name~^a=b")), "name~^a=b");
});
