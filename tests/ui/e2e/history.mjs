// SPDX-License-Identifier: Apache-2.0
// Back and Forward: jumps add history entries; panning and zooming replace the current one.

import assert from "node:assert/strict";
import { join } from "node:path";
import { isDeepStrictEqual } from "node:util";
import { begin, runCases, until } from "./harness.mjs";
import { TimelinePage } from "./timeline_page.mjs";

const world = await begin(async (w) => {
	w.makeDevice("demo");
	const folder = join(w.folder, "ranks");
	w.run("mkdir", folder);
	for (let i = 0; i < 2; i++)
		w.make("--size", "300K", join(folder, `profile_rank_${i}.ntff`), "--neff", join(w.folder, "model.neff"));
	w.ingest("tp", "-n", join(w.folder, "model.neff"), "-d", folder);
	await w.serve();
});
const open = (query = "", options) => TimelinePage.open(world, "demo", query, options);
const steps = (t) => t.page.evaluate(() => history.length);
const extent = (t) => t.page.locator(".tl-extent").innerText();

/** Moves through the history; the page must match the link. */
async function go(t, way, view) {
	await t.page[way]();
	await until(`${way} to ${JSON.stringify(view)}`, () => {
		const { from, to } = t.view();
		return Math.abs(from - view.from) < 1 && Math.abs(to - view.to) < 1;
	});
}

async function dragZoom(t, fromNs, toNs) {
	const y = await t.rowY("Vector (nc0)");
	const [x0, x1] = [await t.xOf(fromNs), await t.xOf(toNs)];
	await t.does(() => t.drag(x0, y, x1, y), "the view");
}

const cases = {
	async "drags add history entries, and the picture follows"() {
		const t = await open();
		const views = [t.view()], texts = [await extent(t)];
		const first = await steps(t);
		for (const [from, to] of [[100_000, 200_000], [120_000, 150_000], [130_000, 135_000]]) {
			await dragZoom(t, from, to);
			views.push(t.view());
			texts.push(await extent(t));
		}
		assert.equal(await steps(t), first + 3, "one step each");
		for (const i of [2, 1, 0]) {
			await go(t, "goBack", views[i]);
			await until("what is shown", async () => await extent(t) === texts[i]);
		}
		for (const i of [1, 2, 3]) await go(t, "goForward", views[i]);
		await until("what is shown", async () => await extent(t) === texts[3]);
		await t.page.waitForTimeout(600);
		assert.deepEqual(t.view(), views[3], "nothing of before is written afterwards");
	},
	async "wheel and keys replace the current history entry"() {
		const t = await open();
		const home = t.view();
		await dragZoom(t, 100_000, 200_000);
		const length = await steps(t);
		for (const key of ["d", "d", "w", "ArrowLeft"]) await t.page.keyboard.press(key);
		await t.page.keyboard.down("Shift");
		await t.does(() => t.page.mouse.wheel(0, 100));
		await t.page.keyboard.up("Shift");
		const moved = t.view();
		assert.equal(await steps(t), length);
		await go(t, "goBack", home);
		await go(t, "goForward", moved);
	},
	async "Back undoes a jump even while the view is still moving"() {
		const t = await open("", { reducedMotion: "no-preference" });
		const home = t.view();
		const y = await t.rowY("Vector (nc0)");
		const length = await steps(t);
		await t.drag(await t.xOf(100_000), y, await t.xOf(200_000), y);
		await until("the jump's history entry", async () => await steps(t) > length);
		await go(t, "goBack", home);
		await t.page.waitForTimeout(600);
		assert.deepEqual(t.view(), home);
	},
	async "fit, Home, End, a double click, the map and its lens each add one history entry"() {
		const t = await open("?from=100000&to=200000");
		const map = await t.page.locator("canvas.tl-map").boundingBox();
		const mapX = (ns) => map.x + (ns / t.endNs) * map.width, mapY = map.y + map.height / 2;
		const { row, start, end } = world.sql("demo", "SELECT row_ AS row, start_ts AS start, end_ts AS end FROM (" +
			"SELECT *, row_number() OVER () - 1 AS row_ FROM Instruction) WHERE timeline_track LIKE 'Vector%' AND " +
			"pcore_idx = 0 ORDER BY end_ts - start_ts DESC LIMIT 1")[0];
		const middle = Number((BigInt(start) + BigInt(end)) / 2n - t.originNs);
		let length = await steps(t);
		for (const [what, act] of Object.entries({
			fit: () => t.page.keyboard.press("f"),
			"a double click": async () => t.page.mouse.dblclick(await t.xOf(middle), await t.rowY("Vector (nc0)")),
			"the end": () => t.page.keyboard.press("End"),
			"the beginning": () => t.page.keyboard.press("Home"),
			"the map": () => t.page.mouse.click(mapX(300_000), mapY),
			"its lens": () => t.drag(mapX(300_000), mapY, mapX(150_000), mapY),
			"a double click on the map": () => t.page.mouse.dblclick(mapX(30_000), mapY),
		})) {
			const before = t.view();
			await t.does(act, what);
			const after = t.view();
			assert.equal(await steps(t), ++length, what);
			await go(t, "goBack", before);
			await go(t, "goForward", after);
		}
		assert.equal(t.query().get("event"), `Instruction:${row}`);
	},
	async "a jump to the current view adds no history entry"() {
		const t = await open();
		const length = await steps(t);
		await t.page.keyboard.press("Home");
		await t.page.keyboard.press("f");
		await t.page.waitForTimeout(600);
		assert.equal(await steps(t), length);
	},
	async "going to the summary and back keeps the history"() {
		const t = await open();
		const home = t.view();
		await dragZoom(t, 100_000, 200_000);
		const zoomed = t.view();
		await t.page.getByRole("link", { name: "Summary" }).click();
		await t.page.waitForURL(/\/summary$/);
		await t.page.evaluate(() => history.go(-2));
		await t.canvas.waitFor();
		await until("the view of before", () => isDeepStrictEqual(t.view(), home));
		await go(t, "goForward", zoomed);
	},
	async "ranks: zooming all of them adds a history entry"() {
		const page = await world.page("profile_cc/tp");
		const t = new TimelinePage(page, world, "tp_rank_0");
		await t.canvas.waitFor();
		await page.locator(".tl-notice").waitFor({ state: "detached" });
		const whole = new URL(page.url()).search;
		const length = await steps(t);
		const { x, y, width } = await t.area();
		await t.does(() => t.drag(x + width * 0.2, y + 40, x + width * 0.4, y + 40));
		assert.equal(await steps(t), length + 1);
		const zoomed = new URL(page.url()).search;
		const text = await extent(t);
		await page.goBack();
		await until("all again", async () => await extent(t) !== text);
		await page.waitForTimeout(600);
		assert.equal(new URL(page.url()).search, whole);
		await page.goForward();
		await until("the zoom again", async () => await extent(t) === text);
		assert.equal(new URL(page.url()).search, zoomed);
	},
};

await runCases(world, cases);
