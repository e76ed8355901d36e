// SPDX-License-Identifier: Apache-2.0
// The timeline of a device profile: rows, all ways to zoom and pan, the map, and changes to rows.
// The screen is compared with the profile's tables.

import assert from "node:assert/strict";
import { begin, runCases, until } from "./harness.mjs";
import { TimelinePage } from "./timeline_page.mjs";

const world = await begin(async (w) => {
	w.makeDevice("demo");
	await w.serve();
});
const open = (query = "", options) => TimelinePage.open(world, "demo", query, options);
const near = (a, b, slack, what) => assert.ok(Math.abs(a - b) <= slack, `${what}: ${a}, not ${b}`);
const span = ({ from, to }) => to - from;

const cases = {
	async "there is a row for each engine of each core, and more in the full view"() {
		const t = await open();
		const engines = world.sql("demo", "SELECT DISTINCT timeline_track AS name, pcore_idx AS core " +
			"FROM Instruction WHERE timeline_track IS NOT NULL");
		const labels = await t.labels();
		for (const { name, core } of engines)
			assert.ok(labels.includes(`${name.replace(/\(.*/, "")} (nc${core})`), `${name} of ${core}: ${labels}`);
		assert.ok(!labels.some((label) => label.startsWith("q")), "minimal has no queues");
		assert.ok(labels.includes("Utilisation"));
		await t.does(() => t.page.getByRole("button", { name: "Full", exact: true }).click());
		await t.settled();
		const seen = new Set();
		const scroller = t.page.locator(".tl-scroller");
		const height = await scroller.evaluate((element) => element.scrollHeight);
		for (let top = 0; top <= height; top += 300) {
			await scroller.evaluate((element, y) => element.scrollTo(0, y), top);
			await t.drawn();
			for (const label of await t.labels()) seen.add(label);
		}
		for (const { queue } of world.sql("demo", "SELECT DISTINCT queue_name AS queue FROM DmaPacketAggregated"))
			assert.ok([...seen].some((label) => label.startsWith(queue)), `queue ${queue}`);
		for (const group of ["DMA queues", "DMA packets", "Memory usage", "Semaphores", "Throttling",
			"Pending DMA", "Throughput", "Utilisation"]) assert.ok(seen.has(group), group);
		assert.equal(t.query().get("rows"), "full");
	},
	async "draws something in every row that has events"() {
		const t = await open();
		for (const name of ["Tensor (nc0)", "Vector (nc1)", "Scalar (nc0)"]) {
			const colours = await t.colours({ y: await t.rowY(name) });
			assert.ok(colours.length > 2, `${name} is empty`);
		}
		const axis = await t.page.locator(".tl-extent").innerText();
		assert.match(axis, /379\.5 µs from the beginning/);
	},
	async "a drag zooms to the dragged range"() {
		const t = await open();
		const y = await t.rowY("Vector (nc0)");
		const [x0, x1] = [await t.xOf(100_000), await t.xOf(150_000)];
		await t.does(() => t.drag(x0, y, x1, y));
		const perPx = t.endNs / (await t.area()).width;
		near(t.view().from, 100_000, perPx * 1.5, "from");
		near(t.view().to, 150_000, perPx * 1.5, "to");
	},
	async "the wheel zooms at the pointer, pans sideways, and scrolls without Ctrl"() {
		const t = await open("?from=100000&to=200000");
		const y = await t.rowY("Vector (nc0)");
		const x = await t.xOf(130_000);
		await t.page.mouse.move(x, y);
		await t.page.keyboard.down("Control");
		await t.does(() => t.page.mouse.wheel(0, -200));
		await t.page.keyboard.up("Control");
		assert.ok(span(t.view()) < 90_000, "zoomed in");
		near(await t.timeAt(x), 130_000, 500, "what is under the pointer stays there");
		const before = t.view();
		await t.page.keyboard.down("Shift");
		await t.does(() => t.page.mouse.wheel(0, 100));
		await t.page.keyboard.up("Shift");
		near(span(t.view()), span(before), 1, "the span stays");
		assert.ok(t.view().from > before.from, "moved right");
		const url = t.page.url();
		await t.page.mouse.wheel(0, 120);
		await until("rows scroll", () => t.page.locator(".tl-scroller").evaluate((element) => element.scrollTop > 0));
		await t.page.waitForTimeout(600);
		assert.equal(t.page.url(), url, "time stands still");
		// On the axis no key is needed.
		const axis = await t.page.locator("canvas.tl-axis").boundingBox();
		const now = span(t.view());
		await t.page.mouse.move(axis.x + 300, axis.y + 10);
		await t.does(() => t.page.mouse.wheel(0, 200));
		assert.ok(span(t.view()) > now, "zoomed out on the axis");
	},
	async "keys: WASD, arrows, plus and minus, home, end, fit"() {
		const t = await open("?from=100000&to=200000");
		const press = (key) => t.does(() => t.page.keyboard.press(key), key);
		let last = t.view();
		for (const [key, holds] of [
			["w", (a, b) => span(b) < span(a)], ["s", (a, b) => span(b) > span(a)],
			["ArrowUp", (a, b) => span(b) < span(a)], ["ArrowDown", (a, b) => span(b) > span(a)],
			["+", (a, b) => span(b) < span(a)], ["-", (a, b) => span(b) > span(a)],
			["a", (a, b) => b.from < a.from], ["d", (a, b) => b.from > a.from],
			["ArrowLeft", (a, b) => b.from < a.from], ["ArrowRight", (a, b) => b.from > a.from],
			["Shift+ArrowRight", (a, b) => b.from - a.from > span(a) * 0.5],
			["Home", (_, b) => b.from === 0], ["End", (_, b) => Math.abs(b.to - t.endNs) < 1],
			["f", (_, b) => b.from === 0 && Math.abs(b.to - t.endNs) < 1],
		]) {
			await press(key);
			const now = t.view();
			assert.ok(holds(last, now), `${key}: ${JSON.stringify(last)} to ${JSON.stringify(now)}`);
			last = now;
		}
	},
	async "Shift and drag, the axis and the middle button pan"() {
		const t = await open("?from=100000&to=200000");
		const y = await t.rowY("Vector (nc0)");
		const { x, width } = await t.area();
		const moved = (width / 4 / width) * 100_000;
		await t.does(() => t.drag(x + width / 2, y, x + width / 4, y, { modifier: "Shift" }));
		near(t.view().from, 100_000 + moved, 300, "shift and drag");
		near(span(t.view()), 100_000, 1, "the span stays");
		const axis = await t.page.locator("canvas.tl-axis").boundingBox();
		await t.does(() => t.drag(x + width / 4, axis.y + 8, x + width / 2, axis.y + 8));
		near(t.view().from, 100_000, 300, "the axis");
		await t.page.mouse.move(x + width / 2, y);
		await t.page.mouse.down({ button: "middle" });
		await t.page.mouse.move(x + width / 4, y, { steps: 5 });
		await t.does(() => t.page.mouse.up({ button: "middle" }));
		near(t.view().from, 100_000 + moved, 300, "the middle button");
	},
	async "the map: the lens can be dragged, resized and moved by a click"() {
		const t = await open("?from=100000&to=200000");
		const map = await t.page.locator("canvas.tl-map").boundingBox();
		const at = (ns) => map.x + (ns / t.endNs) * map.width;
		const y = map.y + map.height / 2;
		const perPx = t.endNs / map.width;
		await t.does(() => t.drag(at(150_000), y, at(200_000), y));
		near(t.view().from, 150_000, perPx * 2, "dragged");
		await t.does(() => t.drag(at(t.view().to) - 1, y, at(300_000), y));
		near(t.view().to, 300_000, perPx * 6, "sized by its right edge");
		near(t.view().from, 150_000, perPx * 2, "the left edge stays");
		await t.does(() => t.page.mouse.click(at(50_000), y));
		near((t.view().from + t.view().to) / 2, Math.max(50_000, span(t.view()) / 2), perPx * 2, "sent elsewhere");
	},
	async "the map: a lens of much less than a pixel is visible, and can be dragged and resized"() {
		const t = await open("?from=150000&to=150010");
		const map = await t.page.locator("canvas.tl-map").boundingBox();
		const at = (ns) => map.x + (ns / t.endNs) * map.width;
		const y = map.y + map.height / 2;
		const perPx = t.endNs / map.width;
		const marks = () => t.page.evaluate(() => { // columns that have the text's colour from top to bottom
			const canvas = document.querySelector("canvas.tl-map");
			const [r, g, b] = /\d+, \d+, \d+/.exec(getComputedStyle(document.querySelector(".tl-root")).color)[0]
				.split(", ").map(Number);
			const { data } = canvas.getContext("2d").getImageData(0, 0, canvas.width, canvas.height);
			const is = (i) => Math.abs(data[i] - r) + Math.abs(data[i + 1] - g) + Math.abs(data[i + 2] - b) < 12;
			return Array.from({ length: canvas.width }, (_, x) => x).filter((x) =>
				Array.from({ length: canvas.height }, (_, row) => row).every((row) => is((row * canvas.width + x) * 4)));
		});
		const [mark, ...others] = await marks();
		assert.deepEqual(others, []);
		near(mark, at(150_000) - map.x, 1, "the mark");
		await t.does(() => t.drag(at(150_000), y, at(150_000) + 100, y));
		near(t.view().from, 150_000 + 100 * perPx, perPx * 0.1, "dragged as far as the pointer");
		near(span(t.view()), 10, 0.1, "the span stays");
		const left = t.view().from;
		await t.does(() => t.drag(at(left) + 8, y, at(left) + 48, y));
		near(t.view().from, left, 1, "the left edge stays");
		near(span(t.view()), 40 * perPx, perPx * 0.1, "sized by its right grip");
		const url = t.page.url();
		await t.drag(at(left) + 20, y, at(left) + 21, y);
		await t.page.waitForTimeout(600);
		assert.equal(t.page.url(), url, "a hand that trembles moves nothing");
	},
	async "buttons zoom, and \"fit\" shows all"() {
		const t = await open("?from=100000&to=200000");
		await t.does(() => t.page.getByRole("button", { name: "Zoom in (W)" }).click());
		assert.ok(span(t.view()) < 100_000);
		await t.does(() => t.page.getByRole("button", { name: /Show the whole profile/ }).click());
		near(span(t.view()), t.endNs, 1, "all of it");
	},
	async "the view never leaves the profile, and zooms to single nanoseconds"() {
		const t = await open("?from=100000&to=100200");
		for (let i = 0; i < 30; i++) await t.page.keyboard.press("w");
		await until("single nanoseconds", () => span(t.view()) > 0 && span(t.view()) <= 20);
		for (let i = 0; i < 60; i++) await t.page.keyboard.press("s");
		await until("all of it", () => span(t.view()) >= t.endNs - 1);
		assert.ok(t.view().from >= 0 && t.view().to <= t.endNs + 1);
	},
	async "rows can be pinned, folded, hidden, shown again and moved, and the link contains it"() {
		const t = await open();
		const order = async () => (await t.labels()).filter((label) => /\(nc0\)/.test(label));
		const tool = async (row, name) => {
			await t.label(row).hover();
			await t.label(row).getByRole("button", { name }).click();
		};
		await t.does(() => tool("GpSimd (nc0)", /Pin to the top/));
		assert.deepEqual(t.query().getAll("pin"), ["engines/GpSimd (nc0)"]);
		await t.page.getByRole("tree", { name: "Pinned rows" }).getByRole("treeitem", { name: "GpSimd (nc0)" })
			.waitFor();
		assert.equal((await order())[0], "GpSimd (nc0)");
		await t.does(() => tool("GpSimd (nc0)", /Unpin/));
		assert.notEqual((await order())[0], "GpSimd (nc0)");

		await t.does(() => t.label("Engines").click());
		assert.ok(!(await t.labels()).includes("Sync (nc0)"), "folded");
		assert.equal(await t.label("Engines").getAttribute("aria-expanded"), "false");
		await t.does(() => t.label("Engines").click());
		await t.label("Sync (nc0)").waitFor();

		await t.does(() => tool("Sync (nc0)", /Hide the row/));
		assert.ok(!(await t.labels()).includes("Sync (nc0)"), "hidden");
		await t.does(() => t.page.getByRole("button", { name: "Show 1 hidden" }).click());
		await t.label("Sync (nc0)").waitFor();

		const before = await order();
		const from = await t.label("Sync (nc0)").boundingBox();
		const to = await t.label("Vector (nc0)").boundingBox();
		const x = from.x + from.width - 20; // by its name: the buttons are at the other end
		await t.does(() => t.drag(x, from.y + 10, x, to.y + to.height - 4, { steps: 2 }));
		const after = await order();
		assert.notDeepEqual(after, before);
		assert.ok(after.indexOf("Sync (nc0)") > after.indexOf("Vector (nc0)"), after.join());
		const again = await open(new URL(t.page.url()).search);
		assert.deepEqual((await again.labels()).filter((label) => /\(nc0\)/.test(label)), after);
	},
	async "rows of several depths fold into one line"() {
		const t = await open("?rows=full");
		const row = t.label("qSyncWeights0 (nc0)");
		await row.scrollIntoViewIfNeeded();
		const high = (await row.boundingBox()).height;
		await row.hover();
		await t.does(() => row.getByRole("button", { name: /Fold into one line/ }).click());
		assert.ok((await row.boundingBox()).height < high);
	},
	async "the menu of a row has the same commands"() {
		const t = await open();
		await t.page.mouse.click(await t.xOf(200_000), await t.rowY("Vector (nc0)"), { button: "right" });
		const menu = t.page.getByRole("menu", { name: "Timeline" });
		for (const name of [/Set marker here/, /Copy link/, /Pin row/, /Hide row/])
			await menu.getByRole("menuitem", { name }).waitFor();
		await t.does(() => menu.getByRole("menuitem", { name: /Pin row/ }).click());
		assert.deepEqual(t.query().getAll("pin"), ["engines/Vector (nc0)"]);
	},
	async "colours by name, layer, operator, engine and row all differ"() {
		const t = await open("?from=100000&to=160000");
		const y = await t.rowY("Vector (nc0)");
		const choice = t.page.getByLabel("Colour by");
		const seen = new Map();
		for (const id of await choice.locator("option").evaluateAll((all) => all.map((one) => one.value))) {
			await choice.selectOption(id);
			await until(`the link says ${id}`, () => (t.query().get("colour") ?? "name") === id);
			await t.settled();
			await until(`colours by ${id} are drawn`, async () => (await t.colours({ y })).length > 1);
			seen.set(id, (await t.colours({ y, height: 8 })).map(([colour]) => colour));
		}
		assert.ok(seen.size >= 4, [...seen.keys()].join());
		// One engine has one hue, several opcodes have several.
		assert.ok(seen.get("name").length > seen.get("engine").length, "names differ, the engine does not");
		assert.notDeepEqual(seen.get("layer"), seen.get("name"));
		assert.equal(t.query().get("colour"), [...seen.keys()].pop());
		const opcodes = world.one("demo", "SELECT count(DISTINCT opcode) FROM Instruction WHERE " +
			`timeline_track LIKE 'Vector%' AND pcore_idx = 0 AND end_ts > ${t.originNs + 100000n} ` +
			`AND start_ts < ${t.originNs + 160000n}`);
		assert.ok(opcodes > 1);
	},
	async "dark and light follow the switch and the system and are remembered"() {
		const t = await open("", { scheme: "light" });
		const ground = () => t.page.evaluate(() => getComputedStyle(document.body).backgroundColor);
		const light = await ground();
		const bright = (colour) => colour.match(/\d+/g).slice(0, 3).reduce((sum, c) => sum + Number(c), 0);
		assert.ok(bright(light) > 600, `light is light: ${light}`);
		const y = await t.rowY("Vector (nc0)");
		const inLight = (await t.colours({ y }))[0][0];
		await t.page.getByRole("button", { name: /dark|theme|colours/i }).first().click();
		await until("dark", async () => bright(await ground()) < 150);
		await t.settled();
		assert.notEqual((await t.colours({ y }))[0][0], inLight, "the canvas follows");
		await t.page.reload();
		await t.ready();
		assert.ok(bright(await ground()) < 150, "remembered");
	},
};

await runCases(world, cases);
