// SPDX-License-Identifier: Apache-2.0
// The tree of modules, as a table and over time.

import test from "node:test";
import assert from "node:assert/strict";
import { buildTree, icicle, lanes, linesOf, openTo } from "../src/panels/hierarchy/tree_model.ts";

const row = (node_name: string, parent_name: string, start_ts: number, end_ts: number, mfu: number | null) =>
	({ node_name, parent_name, start_ts, end_ts, mfu });
const rows = [
	row("M/b", "M", 50, 90, 0.5), row("M", "", 0, 100, 0.4), row("M/a", "M", 0, 60, null),
	row("M/a/x", "M/a", 0, 10, 0.9), row("lost", "gone", 5, 6, null),
];
const roots = buildTree(rows, (cell) => Number(cell));
const value = (node: { row: Record<string, unknown> }, column: string) =>
	(node.row[column] ?? null) as number | null;

test("rows find their parents, in order of time", () => {
	assert.deepEqual(roots.map((node) => node.path), ["M", "lost"]);
	assert.deepEqual(roots[0]?.children.map((node) => [node.label, node.depth]), [["a", 1], ["b", 1]]);
});

test("the time of a node is what its intervals cover", () => {
	const [node] = buildTree([{ ...row("M", "", 0, 100, null), time_intervals: "[[0,10],[60,100]]" }],
		Number);
	assert.equal(node?.busyNs, 50);
	assert.equal(roots[0]?.busyNs, 0);
});

test("only open nodes show their children", () => {
	const closed = linesOf(roots, { open: new Set(), filter: "", order: null }, value);
	assert.equal(closed.length, 2);
	const open = linesOf(roots, { open: openTo(roots, 9), filter: "", order: null }, value);
	assert.deepEqual(open.map((line) => line.node.path), ["M", "M/a", "M/a/x", "M/b", "lost"]);
});

test("a filter opens the ancestors of matches", () => {
	const lines = linesOf(roots, { open: new Set(), filter: "x", order: null }, value);
	assert.deepEqual(lines.map((line) => line.node.path), ["M", "M/a", "M/a/x"]);
});

test("siblings are sorted, those without a value last", () => {
	const order = { column: "mfu", down: true };
	const lines = linesOf(roots, { open: new Set(["M"]), filter: "", order }, value);
	assert.deepEqual(lines.map((line) => line.node.path), ["M", "M/b", "M/a", "lost"]);
});

test("boxes are clipped to the window and never vanish", () => {
	const boxes = icicle(roots, 0, 50, 500);
	assert.deepEqual(boxes.find((box) => box.node.path === "M")?.x1, 500);
	assert.ok(boxes.every((box) => box.x1 - box.x0 >= 1));
	assert.equal(icicle(roots, 200, 300, 100).length, 0);
});

test("siblings that overlap go to separate lanes", () => {
	const { heights } = lanes(icicle(roots, 0, 100, 1000));
	assert.deepEqual(heights, [2, 2, 1]); // "lost" lies under "M", "b" under "a"
});

test("a cycle in damaged data ends", () => {
	const circle = buildTree([row("a", "b", 0, 1, null), row("b", "a", 0, 1, null)], Number);
	assert.deepEqual(circle, []);
});
