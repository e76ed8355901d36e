// SPDX-License-Identifier: Apache-2.0
// Events of a device profile: hover card, details, dependencies, markers, boxes, searches, links
// and exports. All numbers are compared with SQL on the profile's tables.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { begin, runCases, until } from "./harness.mjs";
import { TimelinePage } from "./timeline_page.mjs";

const world = await begin(async (w) => {
	w.makeDevice("demo");
	await w.serve();
});
const open = (query = "", options) => TimelinePage.open(world, "demo", query, options);
const count = (number) => Number(number).toLocaleString("en-US");
const ORIGIN = 30; // the first moment of the demo; checked below

/** The longest instruction of an engine, which is wide enough for the pointer. */
const longest = (track, core = 0) => world.sql("demo", "SELECT start_ts, end_ts, opcode, duration_ns, pc, " +
	`engine FROM Instruction WHERE timeline_track LIKE '${track}%' AND pcore_idx = ${core} ` +
	"ORDER BY duration_ns DESC, start_ts LIMIT 1")[0];

/** A view three times as wide as an event. */
function around(event) {
	const from = event.start_ts - ORIGIN, size = event.end_ts - event.start_ts;
	return `?from=${Math.max(from - size, 0)}&to=${from + 2 * size}`;
}

async function point(t, row, event) {
	const y = await t.rowY(row);
	const x = await t.xOf((event.start_ts + event.end_ts) / 2 - ORIGIN);
	await t.page.mouse.move(x - 3, y);
	await t.page.mouse.move(x, y);
	return { x, y };
}

async function select(t, row, event) {
	const { x, y } = await point(t, row, event);
	await t.does(() => t.page.mouse.click(x, y), "the selection");
}

const cases = {
	async "the first timestamp matches the tables"() {
		const t = await open();
		assert.equal(Number(t.originNs), ORIGIN);
		assert.ok(t.endNs + ORIGIN >= world.one("demo", "SELECT max(end_ts) FROM Instruction"));
	},
	async "the hover card matches the table"() {
		const event = longest("Vector");
		const t = await open(around(event));
		await point(t, "Vector (nc0)", event);
		const card = t.page.locator(".tl-card");
		await until("the card has its details", async () => /PC/.test(await card.innerText()));
		const text = await card.innerText();
		assert.ok(text.includes(event.opcode), text);
		assert.ok(text.includes(`${count(event.duration_ns)} ns`), text);
		assert.ok(text.includes(`${count(event.start_ts - ORIGIN)} ns`), text);
		await t.page.mouse.move(5, 5);
		await card.waitFor({ state: "detached" });
	},
	async "a pixel with many events shows their number, and none is lost"() {
		const t = await open();
		const y = await t.rowY("Tensor (nc0)");
		const { x, width } = await t.area();
		const track = t.tracks.find((one) => one.attributes.timeline_track === "Tensor" &&
			one.attributes.pcore_idx === "0") ?? t.tracks.find((one) => one.name === "Tensor");
		const answer = await fetch(`${world.root}api/v1/profiles/demo/window?from=${ORIGIN}&to=${ORIGIN + t.endNs}` +
			`&px=${Math.round(width)}&tracks=${track.id}`);
		const bytes = new DataView(await answer.arrayBuffer());
		let total = 0;
		for (let at = 32; at < bytes.byteLength;) {
			const items = bytes.getUint32(at + 12, true);
			for (let i = 0; i < items; i++) total += bytes.getUint32(at + 16 + 8 * items + 4 * i, true);
			at += 16 + items * 32;
		}
		// An event that reaches into the next pixel is counted there too.
		assert.ok(total >= Number(track.row_count), `all pixels together have ${total} events`);
		for (let step = 0.03; step < 0.2; step += 0.002) {
			await t.page.mouse.move(x + width * step, y);
			const text = await t.page.locator(".tl-card").innerText().catch(() => "");
			if (/^[\d,]+ events/.test(text)) return assert.match(text, /Busy/);
		}
		assert.fail("no pixel has several events");
	},
	async "a click shows all fields of the row in groups"() {
		const event = longest("Scalar");
		const t = await open(around(event));
		await select(t, "Scalar (nc0)", event);
		assert.match(t.query().get("event"), /^Instruction:\d+$/);
		const [, row] = t.query().get("event").split(":");
		const answer = await world.api(`profiles/demo/tables/Instruction/rows/${row}`);
		const value = (name) => answer.fields.find((one) => one.name === name).value;
		assert.equal(value("start_ts"), event.start_ts, "the server's row is SQL's row");
		const panel = t.page.getByRole("region", { name: "Event details" });
		await panel.getByRole("heading", { name: event.opcode, exact: true }).waitFor();
		const groups = await panel.locator(".pn-group h3").allTextContents();
		const filled = answer.fields.filter((one) => one.value !== null && one.value !== "" &&
			!(Array.isArray(one.value) && !one.value.length));
		const isInternal = ({ name }) => /^raw_|^(penguin|bir)_id$|^crc|_chain$/.test(name);
		const wanted = [...new Set(filled.filter((one) => !isInternal(one)).map((one) => one.group))];
		assert.deepEqual([...groups].sort(), wanted.sort());
		const internal = panel.locator("details.pn-group");
		await internal.getByText(`Compiler internals (${filled.filter(isInternal).length})`).waitFor();
		assert.equal(await internal.locator("dd").first().isVisible(), false, "they are folded");
		for (const one of answer.fields.filter((each) => ["pc", "opcode", "engine"].includes(each.name)))
			await panel.locator("dd", { hasText: String(one.name === "pc" ? count(one.value) : one.value) }).first().waitFor();
		assert.ok(await t.overlayPixels([255, 255, 255], 60) > 20, "the selection is drawn");
	},
	async "dependencies are drawn and listed, and can be opened"() {
		// An instruction with predecessors and successors.
		const busy = world.sql("demo", "SELECT start_ts, end_ts, opcode, timeline_track AS track FROM Instruction " +
			"WHERE timeline_track LIKE 'Vector%' AND pcore_idx = 0 AND duration_ns > 200 " +
			"ORDER BY start_ts LIMIT 1 OFFSET 40")[0];
		const t = await open(around(busy));
		await select(t, "Vector (nc0)", busy);
		const [, row] = t.query().get("event").split(":");
		const known = await world.api(`profiles/demo/tables/Instruction/rows/${row}/dependencies`);
		assert.ok(known.total_predecessors + known.total_successors > 0, "it has some");
		await t.panel("Event details");
		const panel = t.page.getByRole("region", { name: "Event details" });
		await panel.getByRole("tab", { name: "Dependencies" }).click();
		await panel.locator(".ed-sides").waitFor();
		const text = await panel.innerText();
		assert.ok(text.includes(`${count(known.total_predecessors)} predecessor`), text);
		assert.ok(text.includes(`${count(known.total_successors)} successor`), text);
		assert.equal(await panel.locator(".ed-predecessors .ed-card").count(), known.predecessors.length);
		assert.equal(await panel.locator(".ed-successors .ed-card").count(), known.successors.length);
		await t.settled();
		const warm = () => t.overlayPixels([240, 96, 60], 40), cool = () => t.overlayPixels([61, 139, 253], 40);
		if (known.predecessors.length) assert.ok(await warm() > 0, "what it waited for is drawn");
		if (known.successors.length) assert.ok(await cool() > 0, "what waited for it is drawn");
		await t.page.getByRole("button", { name: /Show dependencies/ }).click();
		await until("they go", async () => await warm() === 0);
		await t.page.getByRole("button", { name: /Show dependencies/ }).click();
		const target = known.predecessors[0] ?? known.successors[0];
		await t.does(() => panel.locator(".ed-card").first().getByRole("button", { name: /^Go to/ }).click());
		assert.equal(t.query().get("event"), `${target.table}:${target.row}`);
		const { from, to } = t.view();
		const start = Number(target.start_ns) - ORIGIN, end = Number(target.end_ns) - ORIGIN;
		assert.ok(start >= from - 1 && end <= to + 1, `${start} to ${end} is in ${from} to ${to}`);
		await t.page.goBack();
		await until("Back returns", () => t.query().get("event") === `Instruction:${row}`);
	},
	async "markers can be set by key and menu, snapped, named, measured, moved, saved and opened"() {
		const event = longest("Vector");
		const t = await open(around(event));
		const y = await t.rowY("Vector (nc0)");
		// By menu, two pixels from an edge: it snaps to the edge.
		await t.page.mouse.click(await t.xOf(event.start_ts - ORIGIN) + 2, y, { button: "right" });
		await t.does(() => t.page.getByRole("menuitem", { name: /Set marker here/ }).click());
		await t.page.mouse.click(await t.xOf(event.end_ts - ORIGIN) - 2, y, { button: "right" });
		await t.does(() => t.page.getByRole("menuitem", { name: /Set marker here/ }).click());
		const marks = () => t.query().getAll("mark").map((text) => text.split("~"));
		assert.deepEqual(marks().map((one) => Number(one[1])), [event.start_ts - ORIGIN, event.end_ts - ORIGIN]);
		const panel = await t.panel("Annotations");
		const rows = panel.locator("tbody tr");
		assert.equal(await rows.count(), 2);
		assert.equal(Number((await rows.nth(1).locator("td.an-number").innerText()).replace(/,/g, "")),
			event.duration_ns / 1000, "the difference, in microseconds");
		await rows.nth(0).getByLabel("Name").fill("before ~ it");
		await t.does(() => rows.nth(0).getByLabel("Name").press("Tab"));
		assert.equal(marks()[0].slice(4).join("~"), "before ~ it");
		// A third one by key at the pointer, measured from the first.
		await t.page.mouse.move(await t.xOf(event.end_ts - ORIGIN) + 60, y);
		await t.page.mouse.click(await t.xOf(event.end_ts - ORIGIN) + 60, y);
		await t.does(() => t.page.keyboard.press("m"));
		assert.equal(await rows.count(), 3);
		await t.does(() => rows.nth(2).getByLabel(/Measure/).selectOption({ label: "before ~ it" }));
		const third = Number(marks()[2][1]);
		assert.equal(Number((await rows.nth(2).locator("td.an-number").innerText()).replace(/,/g, "")),
			(third - (event.start_ts - ORIGIN)) / 1000);
		// Stored by the server and opened by another user.
		await panel.getByLabel("Annotation set").fill("mine");
		await panel.getByRole("button", { name: "Save", exact: true }).click();
		await t.page.getByText("Saved as “mine”.").waitFor();
		assert.deepEqual((await world.api("profiles/demo/annotations")).sets, ["mine"]);
		const other = await open();
		const theirs = await other.panel("Annotations");
		await theirs.getByLabel("Annotation set").fill("mine");
		await other.does(() => theirs.getByRole("button", { name: "Open", exact: true }).click());
		assert.deepEqual(other.query().getAll("mark").map((text) => Number(text.split("~")[1])),
			[event.start_ts - ORIGIN, event.end_ts - ORIGIN, third]);
		await theirs.getByRole("button", { name: "Delete", exact: true }).click();
		await until("the set is gone", async () => !(await world.api("profiles/demo/annotations")).sets.length);
	},
	async "a marker is dragged along the axis"() {
		const t = await open("?from=100000&to=200000&mark=m1~150000~%23e69f00~~1");
		const axis = await t.page.locator("canvas.tl-axis").boundingBox();
		// Find its flag by the cursor's shape.
		const x = await t.xOf(150_000);
		let grip = null;
		for (let y = axis.y + 2; y < axis.y + axis.height && grip === null; y += 3) {
			await t.page.mouse.move(x, y);
			if (await t.page.locator("canvas.tl-axis").evaluate((element) => element.style.cursor) === "ew-resize")
				grip = y;
		}
		assert.notEqual(grip, null, "the marker can be taken");
		await t.does(() => t.drag(x, grip, x + 200, grip));
		const moved = Number(t.query().getAll("mark")[0].split("~")[1]);
		const perPx = 100_000 / (await t.area()).width;
		assert.ok(Math.abs(moved - (150_000 + 200 * perPx)) < perPx * 10, `${moved}`);
	},
	async "box statistics match the server's, and those match SQL"() {
		const t = await open();
		const asked = () => t.page.waitForResponse((answer) => /\/statistics\?/.test(answer.url()) &&
			/tracks=\d/.test(answer.url()));
		const panel = await t.panel("Box selection summary");
		await panel.getByText("No box selection").waitFor();
		await t.canvas.focus();
		await t.page.keyboard.press("b");
		const y0 = await t.rowY("Vector (nc0)"), y1 = await t.rowY("Scalar (nc0)");
		const [x0, x1] = [await t.xOf(100_000), await t.xOf(200_000)];
		const [answer] = await Promise.all([asked(), t.drag(x0, y0, x1, y1)]);
		const shown = await answer.json();
		const url = new URL(answer.url()).searchParams;
		const [from, to] = [Number(url.get("from")), Number(url.get("to"))];
		assert.ok(Math.abs(from - ORIGIN - 100_000) < 1000, `${from}`);
		assert.equal(shown.tracks.length, 2, "two rows");
		for (const one of shown.tracks) {
			const { timeline_track: name, pcore_idx: core } = t.tracks.find((track) => track.id === one.track).attributes;
			const [row] = world.sql("demo", "SELECT count(*) AS n, sum(end_ts - start_ts) AS whole, " +
				`sum(least(end_ts, ${to}) - greatest(start_ts, ${from})) AS inside FROM Instruction WHERE ` +
				`timeline_track = '${name}' AND pcore_idx = ${core} AND end_ts > ${from} AND start_ts < ${to}`);
			assert.equal(Number(one.count), row.n, `${name}: count`);
			assert.equal(Number(one.sum_ns), row.whole, `${name}: sum`);
			assert.equal(one.names.reduce((sum, each) => sum + Number(each.busy_ns), 0), row.inside, `${name}: inside`);
		}
		await panel.locator("summary").first().waitFor();
		const text = await panel.innerText();
		for (const one of shown.tracks) assert.ok(text.includes(`${count(one.count)} events`), text);
		assert.ok(await t.overlayPixels([91, 157, 255], 60) > 0 || await t.overlayPixels([76, 154, 255], 60) > 0,
			"the box is drawn");
		await t.canvas.focus();
		await t.page.keyboard.press("Escape");
		await panel.getByText("No box selection").waitFor();
	},
	async "a box shows its statistics at once, without a panel to add"() {
		const t = await open();
		const panel = t.page.getByRole("region", { name: "Box selection summary" });
		assert.equal(await panel.count(), 0);
		await t.canvas.focus();
		await t.page.keyboard.press("b");
		const y = await t.rowY("Vector (nc0)");
		await t.drag(await t.xOf(100_000), y, await t.xOf(200_000), y + 2);
		await panel.locator("summary").first().waitFor();
		assert.match(await panel.innerText(), /Box: \d/);
	},
	async "the position in the results survives a reload, and both pagers have it"() {
		const { opcode } = world.sql("demo", "SELECT opcode FROM Instruction GROUP BY opcode ORDER BY count(*) DESC LIMIT 1")[0];
		const total = world.one("demo", `SELECT count(*) FROM Instruction WHERE opcode = '${opcode}'`);
		const t = await open(`?find=Instruction&where=opcode%3D${opcode}&panels=v(500~timeline)(500~h(600~search*)(400~event-details*))`);
		const pagers = t.page.getByRole("group", { name: "Search results" });
		await until("there are two", async () => await pagers.count() === 2);
		for (let i = 0; i < 3; i++) await t.does(() => pagers.first().getByRole("button", { name: "Next result" }).click());
		const wanted = `3 of ${count(total)} results`;
		const agree = async () => (await pagers.allInnerTexts()).every((text) => text.replaceAll("\n", "").includes(wanted));
		await until("both say the same", agree);
		await t.page.reload();
		await until("and after a reload", async () => await pagers.count() === 2 && await agree());
	},
	async "the summary of the view follows the view"() {
		const t = await open("?from=100000&to=200000");
		const panel = await t.panel("Current selection summary");
		await panel.locator("summary").first().waitFor();
		await until("the link knows of the panel", () =>
			t.query().get("panels")?.includes("current-selection"));
		const before = await panel.innerText();
		await t.canvas.focus();
		await t.does(() => t.page.keyboard.press("w"));
		await until("it follows", async () => await panel.innerText() !== before);
	},
	async "a search has the count of SQL, is listed in order, highlighted, paged, and part of the link"() {
		const t = await open();
		const opcode = world.one("demo", "SELECT opcode FROM Instruction GROUP BY opcode ORDER BY count(*) DESC LIMIT 1");
		const total = world.one("demo", `SELECT count(*) FROM Instruction WHERE opcode = '${opcode}'`);
		const engine = world.one("demo", `SELECT timeline_track FROM Instruction WHERE opcode = '${opcode}' LIMIT 1`);
		const row = `${engine.replace(/\(.*/, "")} (nc0)`;
		const before = await t.colours({ y: await t.rowY(row) });
		const panel = await t.panel("Search");
		await panel.getByLabel(/^In(?! )/).first().selectOption("Instruction");
		await panel.locator("select").nth(1).selectOption("opcode");
		await panel.getByPlaceholder(/Value, or/).fill(opcode);
		await t.does(() => panel.getByRole("button", { name: "Search", exact: true }).click());
		await panel.getByText(`${count(total)} found`).waitFor();
		assert.equal(t.query().get("find"), "Instruction");
		assert.deepEqual(t.query().getAll("where"), [`opcode=${opcode}`]);
		const first = world.sql("demo", `SELECT start_ts FROM Instruction WHERE opcode = '${opcode}' ORDER BY start_ts LIMIT 3`);
		await t.settled();
		const after = await t.colours({ y: await t.rowY(row) });
		assert.notDeepEqual(after, before, "hits are drawn");
		const pager = t.page.getByRole("group", { name: "Search results" }).first();
		for (let i = 0; i < 3; i++) {
			await t.does(() => pager.getByRole("button", { name: "Next result" }).click());
			const [table, index] = t.query().get("event").split(":");
			const answer = await world.api(`profiles/demo/tables/${table}/rows/${index}`);
			assert.equal(answer.fields.find((one) => one.name === "opcode").value, opcode);
			assert.equal(Number(answer.start_ns), first[i].start_ts, `hit ${i}`);
			await t.page.getByText(`${i + 1} of ${count(total)} results`).first().waitFor();
		}
		await t.does(() => panel.getByRole("button", { name: "Clear", exact: true }).click());
		assert.equal(t.query().get("find"), null);
	},
	async "a filter leaves only the matching events on the timeline, and is part of the link"() {
		const t = await open();
		// An engine that does not run the most common instruction: all of its bars disappear.
		const { opcode, timeline_track: kept } = world.sql("demo", "SELECT opcode, timeline_track FROM Instruction " +
			"GROUP BY ALL ORDER BY count(*) DESC LIMIT 1")[0];
		const other = world.one("demo", "SELECT timeline_track FROM Instruction GROUP BY ALL " +
			`HAVING count(*) FILTER (opcode = '${opcode}') = 0 ORDER BY count(*) DESC LIMIT 1`);
		const ground = async (track) =>
			(await t.colours({ y: await t.rowY(`${track.replace(/\(.*/, "")} (nc0)`) }))[0][1];
		const panel = await t.panel("Search");
		await panel.getByLabel(/^In(?! )/).first().selectOption("Instruction");
		await panel.locator("select").nth(1).selectOption("opcode");
		await panel.getByPlaceholder(/Value, or/).fill(opcode);
		await t.does(() => panel.getByRole("button", { name: "Search", exact: true }).click());
		await t.settled();
		const before = await ground(other);
		await t.does(() => panel.getByText("Filter", { exact: true }).click());
		assert.equal(t.query().get("filter"), "1");
		await until("the other engine's row is empty", async () => await ground(other) > before);
		assert.ok(await ground(kept) < await ground(other), "the hits are drawn");
		const link = t.page.url();
		await t.page.goto("about:blank");
		await t.page.goto(link);
		await until("a link shows the filter", async () => await ground(other).catch(() => 0) > before);
	},
	async "a regular expression finds the same events as SQL"() {
		const t = await open();
		const panel = await t.panel("Search");
		await panel.getByLabel(/^In(?! )/).first().selectOption("Instruction");
		await panel.locator("select").nth(1).selectOption("opcode");
		await panel.getByPlaceholder(/Value, or/).fill("/^T/");
		await panel.getByPlaceholder(/Value, or/).press("Enter");
		const total = world.one("demo", "SELECT count(*) FROM Instruction WHERE regexp_matches(opcode, '^T')");
		await panel.getByText(`${count(total)} found`).waitFor();
		await panel.getByRole("tab", { name: "By value" }).click();
		const values = world.one("demo", "SELECT count(DISTINCT opcode) FROM Instruction WHERE regexp_matches(opcode, '^T')");
		await until("values are counted", async () =>
			await panel.locator(".dt-rows [role=row]").count() === Number(values));
	},
	async "a link shows the same page in a new browser"() {
		const event = longest("Vector");
		const from = event.start_ts - ORIGIN - 2000;
		const t = await open(`?from=${from}&to=${from + 9000.5}&rows=full&colour=engine&pin=engines%2FScalar+%28nc0%29` +
			"&hide=engines%2FSync+%28nc0%29&mark=m1~120000~%23e69f00~~one");
		await select(t, "Vector (nc0)", event);
		await t.page.mouse.move(5, 5);
		await t.settled();
		const link = new URL(t.page.url());
		const other = await TimelinePage.open(world, "demo", link.search);
		await other.page.mouse.move(5, 5);
		await other.settled();
		await other.page.waitForTimeout(600);
		assert.equal(other.page.url(), t.page.url(), "the link stays what it is");
		assert.deepEqual(await other.labels(), await t.labels());
		await until("the same picture", async () => await other.picture() === await t.picture());
	},
	async "CSV and SQL have the same rows for a time range"() {
		const t = await open("?from=100000&to=150000");
		await t.page.getByRole("button", { name: /as CSV/ }).click();
		const dialog = t.page.getByRole("dialog", { name: "Export as CSV" });
		for (const box of await dialog.getByRole("checkbox").all()) await box.uncheck();
		await dialog.getByRole("checkbox", { name: /^Instruction/ }).check();
		const [file] = await Promise.all([t.page.waitForEvent("download"),
			dialog.getByRole("button", { name: /^Export/ }).click()]);
		assert.equal(file.suggestedFilename(), "demo-Instruction.csv");
		const [head, ...rows] = readFileSync(await file.path(), "utf8").trimEnd().split(/\r?\n/);
		const { n, s } = world.sql("demo", "SELECT count(*) AS n, sum(start_ts) AS s FROM Instruction WHERE " +
			`end_ts > ${ORIGIN + 100000} AND start_ts < ${ORIGIN + 150000}`)[0];
		assert.equal(rows.length, n);
		const at = head.split(",").indexOf("start_ts");
		assert.ok(at >= 0, head.slice(0, 80));
		assert.equal(rows.reduce((sum, row) => sum + Number(row.split(",")[at]), 0), Number(s), "the same rows");
	},
	async "a whole session with the keyboard alone"() {
		const t = await open();
		const { page } = t;
		await t.canvas.focus();
		for (let i = 0; i < 12 && await t.label("Vector (nc0)").getAttribute("aria-selected") !== "true"; i++) {
			await page.keyboard.press("j");
			await t.drawn();
		}
		assert.equal(await t.label("Vector (nc0)").getAttribute("aria-selected"), "true");
		await t.does(() => page.keyboard.press("n"), "the first event");
		const first = world.sql("demo", "SELECT start_ts FROM Instruction WHERE timeline_track LIKE 'Vector%' AND " +
			"pcore_idx = 0 ORDER BY start_ts LIMIT 3").map((row) => row.start_ts);
		const start = async () => Number((await world.api("profiles/demo/tables/Instruction/rows/" +
			t.query().get("event").split(":")[1])).start_ns);
		assert.ok(first.slice(0, 2).includes(await start()), "the first or the one after");
		const was = first.indexOf(await start());
		await t.does(() => page.keyboard.press("n"));
		assert.equal(await start(), first[was + 1]);
		await t.does(() => page.keyboard.press("p"));
		assert.equal(await start(), first[was]);
		await t.does(() => page.keyboard.press("z"), "zoom to it");
		const { from, to } = t.view();
		assert.ok(first[was] - ORIGIN >= from && first[was] - ORIGIN <= to);
		await t.does(() => page.keyboard.press("m"), "a marker");
		await t.does(() => page.keyboard.press("t"), "pinned");
		assert.deepEqual(t.query().getAll("pin"), ["engines/Vector (nc0)"]);
		await page.keyboard.press("Shift+F10");
		const menu = page.getByRole("menu", { name: "Timeline" });
		await menu.waitFor();
		await page.keyboard.press("Escape");
		await menu.waitFor({ state: "detached" });
		await t.canvas.focus();
		await t.does(() => page.keyboard.press("Escape"), "nothing is selected");
		assert.equal(t.query().get("event"), null);
		await page.keyboard.press("?");
		await page.getByRole("dialog").waitFor();
		await page.keyboard.press("Escape");
		await page.getByRole("dialog").waitFor({ state: "detached" });
	},
	async "every control has an accessible name, and the selection is announced"() {
		const event = longest("Vector");
		const t = await open(around(event));
		const nameless = await t.page.evaluate(() => [...document.querySelectorAll(
			"button, a[href], input:not([type=hidden]), select, textarea, [role=tab], [role=treeitem], [tabindex='0']")]
			.filter((element) => element.checkVisibility?.() !== false)
			.filter((element) => !(element.getAttribute("aria-label") || element.textContent.trim() ||
				element.getAttribute("title") || element.labels?.length || element.getAttribute("aria-labelledby")))
			.map((element) => element.outerHTML.slice(0, 120)));
		assert.deepEqual(nameless, []);
		await select(t, "Vector (nc0)", event);
		await until("it is said", async () => /^Selected .* in Vector \(nc0\)/.test(
			await t.page.locator(".tl-speaker").innerText()));
		assert.equal(await t.page.locator(".tl-speaker").getAttribute("aria-live"), "polite");
		const order = [];
		await t.page.getByRole("toolbar", { name: "Timeline" }).getByRole("button").first().focus();
		for (let i = 0; i < 40; i++) {
			await t.page.keyboard.press("Tab");
			order.push(await t.page.evaluate(() => document.activeElement?.className ?? ""));
		}
		assert.ok(order.some((name) => /tl-overlay/.test(name)), "the events are reached by Tab");
		assert.ok(order.some((name) => /tl-label/.test(name)), "so are the rows");
	},
};

await runCases(world, cases);
