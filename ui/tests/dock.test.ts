// SPDX-License-Identifier: Apache-2.0
// Layouts of panels: changes, text form, geometry.

import { test } from "node:test";
import assert from "node:assert/strict";
import * as model from "../src/dock/model.ts";
import { dockText, parseDock } from "../src/dock/text.ts";
import { dropAt, layOut, neighbour } from "../src/dock/geometry.ts";

const dock = (text: string) => parseDock(text)!;
const after = (text: string, change: (dock: model.Dock) => model.Dock) =>
	dockText(change(dock(text)));

test("a layout can be converted to text and back", () => {
	for (const text of ["a", "a.b*.c", "v(520~timeline)(480~h(600~ops*.search)(400~details))",
		"h(500~a)(500~b)!b"])
		assert.equal(dockText(dock(text)), text);
});

test("a group whose first panel's name starts like a split is not a split", () => {
	assert.equal(dockText(dock("hierarchy.view*")), "hierarchy.view*");
});

test("texts that are not layouts are rejected", () => {
	for (const text of ["", "a..b", "v(500~a)", "v(0~a)(1~b)", "v(1~a)(1~a)", "v(1~a)(1~b",
		"v(1~a))(1~b)", "a!b", "<script>", "v(1~a)x(1~b)", "a!a!a",
		"v(1~a)(1~".repeat(40) + "b" + ")".repeat(40)])
		assert.equal(parseDock(text), null, text);
});

test("closing the last tab of a group gives its space to the others", () => {
	assert.equal(after("v(500~a)(500~h(500~b)(500~c))", (d) => model.close(d, "b")),
		"v(500~a)(500~c)");
	assert.equal(after("v(500~a)(500~b)", (d) => model.close(d, "a")), "b");
	assert.equal(model.close(dock("a"), "a").root, null);
});

test("closing the active tab shows the next one, or the previous one at the end", () => {
	assert.equal(after("a.b*.c", (d) => model.close(d, "b")), "a.c*");
	assert.equal(after("a.b.c*", (d) => model.close(d, "c")), "a.b*");
	assert.equal(after("a*.b.c", (d) => model.close(d, "c")), "a*.b");
});

test("nested splits of one direction are merged", () => {
	assert.equal(after("h(500~a)(500~b)", (d) => model.place(d, "c",
		{ beside: "b", edge: "right" })),
		"h(500~a)(250~b)(250~c)");
	assert.equal(after("h(500~a)(500~v(500~b)(500~c))", (d) => model.close(d, "a")),
		"v(500~b)(500~c)");
});

test("a panel goes to each edge of a group", () => {
	const at = (edge: model.Edge) => after("a.b", (d) => model.place(d, "b",
		{ beside: "a", edge }));
	assert.equal(at("left"), "h(500~b)(500~a)");
	assert.equal(at("right"), "h(500~a)(500~b)");
	assert.equal(at("top"), "v(500~b)(500~a)");
	assert.equal(at("bottom"), "v(500~a)(500~b)");
});

test("a tab dragged off its own group leaves the others there", () => {
	assert.equal(after("a*.b", (d) => model.place(d, "a", { beside: "a", edge: "right" })),
		"h(500~b)(500~a)");
	const alone = dock("v(500~a)(500~b)");
	assert.equal(model.place(alone, "a", { beside: "a", edge: "left" }), alone);
});

test("tabs are inserted where they are dropped", () => {
	assert.equal(after("a.b.c", (d) => model.place(d, "a", { into: "a", index: 3 })), "b.c.a*");
	assert.equal(after("a.b.c", (d) => model.place(d, "c", { into: "a", index: 0 })), "c*.a.b");
	assert.equal(after("a.b.c", (d) => model.place(d, "b", { into: "a", index: 1 })), "a.b*.c");
	assert.equal(after("v(500~a)(500~b.c)", (d) => model.place(d, "a", { into: "c", index: 1 })),
		"b.a*.c");
});

test("a drop at the dock's edge splits the whole dock", () => {
	assert.equal(after("v(500~a)(500~b.c)", (d) => model.place(d, "c", { edge: "left" })),
		"h(300~c)(700~v(500~a)(500~b))");
});

test("adding a panel shows it if it is open, else adds it to the biggest group", () => {
	assert.equal(after("v(500~a)(500~b*.c)", (d) => model.add(d, "c")), "v(500~a)(500~b.c*)");
	assert.equal(after("v(500~a)(500~b*.c)", (d) => model.add(d, "x")), "v(500~a)(500~b.c.x*)");
	assert.equal(after("timeline", (d) => model.add(d, "x")), "v(500~timeline)(500~x)");
	assert.equal(dockText(model.add({ root: null, maximised: null }, "x")), "x");
});

test("a maximised panel is restored when another one is opened", () => {
	const big = model.toggleMaximised(dock("v(500~a)(500~b.c)"), "b");
	assert.equal(dockText(big), "v(500~a)(500~b*.c)!b");
	assert.equal(model.activate(big, "a").maximised, null);
	assert.equal(model.activate(big, "c").maximised, "c");
	assert.equal(model.close(big, "b").maximised, "c");
	assert.equal(model.toggleMaximised(big, "b").maximised, null);
});

test("gutters stop at the least size", () => {
	const by = (part: number) => after("h(500~a)(500~v(500~b)(500~c))",
		(d) => model.resize(d, [], 0, part, 0.1));
	assert.equal(by(0.2), "h(700~a)(300~v(500~b)(500~c))");
	assert.equal(by(-0.9), "h(100~a)(900~v(500~b)(500~c))");
	assert.equal(by(0.9), "h(900~a)(100~v(500~b)(500~c))");
	assert.equal(after("h(500~a)(500~v(500~b)(500~c))", (d) => model.resize(d, [1], 0, 0.1, 0.1)),
		"h(500~a)(500~v(600~b)(400~c))");
});

test("unknown panels are removed from a saved layout", () => {
	assert.equal(after("v(500~a)(500~gone.b)", (d) => model.keepKnown(d, (p) => p !== "gone")),
		"v(500~a)(500~b)");
});

test("groups and gutters fill the dock without a gap", () => {
	const { groups, gutters } = layOut(dock("h(333~a)(667~v(500~b)(500~c))"), 1001, 601);
	const area = [...groups, ...gutters].reduce((sum, one) => sum + one.rect.width *
		one.rect.height, 0);
	assert.equal(area, 1001 * 601);
	assert.deepEqual(gutters.map((gutter) => gutter.path), [[], [1]]);
});

test("only a maximised panel's group is placed", () => {
	const { groups, gutters } = layOut(dock("h(500~a)(500~b)!b"), 100, 100);
	assert.equal(groups.length, 1);
	assert.equal(gutters.length, 0);
	assert.deepEqual(groups[0]?.rect, { x: 0, y: 0, width: 100, height: 100 });
});

test("a tab can be dropped on tabs, edges, middles and the dock's edge", () => {
	const size = { width: 1004, height: 600 };
	const placed = layOut(dock("h(500~a)(500~b.c)"), size.width, size.height);
	const tabs = (): [number, number][] => [[504, 560], [560, 620]];
	const at = (x: number, y: number, panel = "a") => dropAt(placed, size, x, y, panel,
		tabs)?.target;
	assert.deepEqual(at(550, 10), { into: "b", index: 1 });
	assert.deepEqual(at(900, 10), { into: "b", index: 2 });
	assert.deepEqual(at(750, 300), { into: "b" });
	assert.deepEqual(at(750, 590), { edge: "bottom" });
	assert.deepEqual(at(750, 560), { beside: "b", edge: "bottom" });
	assert.deepEqual(at(520, 300), { beside: "b", edge: "left" });
	assert.equal(at(250, 300), undefined); // onto itself
	assert.equal(at(750, 300, "b"), undefined); // it is there already
	assert.equal(at(-1, 5), undefined);
});

test("keys find the neighbouring group on a side", () => {
	const placed = layOut(dock("v(500~a)(500~h(500~b)(500~c))"), 800, 600);
	assert.equal(neighbour(placed, "b", "top")?.active, "a");
	assert.equal(neighbour(placed, "b", "right")?.active, "c");
	assert.equal(neighbour(placed, "b", "left"), null);
});
