// SPDX-License-Identifier: Apache-2.0
// Panels, layouts and the summary of a device profile: every panel opens and matches its table, the
// summary matches the Summary table, and layouts are restored.

import assert from "node:assert/strict";
import { join } from "node:path";
import { begin, runCases, until } from "./harness.mjs";
import { TimelinePage } from "./timeline_page.mjs";

const world = await begin(async (w) => {
	const folder = w.makeDevice("demo", "other");
	w.ingest("tracked", "-n", join(folder, "demo.neff"), "-s", join(folder, "demo.ntff"),
		"--enable-memory-tracker");
	await w.serve();
});
const open = (query = "", profile = "demo") => TimelinePage.open(world, profile, query);
const count = (number) => Number(number).toLocaleString("en-US");
const sql = (statement) => world.sql("demo", statement);
const rowsOf = (table, where = "") => world.one("demo", `SELECT count(*) FROM ${table} ${where}`);
const summary = sql("SELECT * FROM Summary")[0];

/** A page with only one panel. */
async function alone(id, title, { profile = "demo", query = "" } = {}) {
	const t = await open(`?panels=v(300~timeline)(700~${id}*)${query}`, profile);
	const panel = t.page.getByRole("region", { name: title, exact: true });
	await panel.waitFor();
	await t.settled();
	await until("it is loaded", async () => !/Loading/.test(await panel.innerText()));
	assert.ok(!/could not be loaded/.test(await panel.innerText()), await panel.innerText());
	return { t, panel };
}
const gridRows = async (panel) => Number(await panel.getByRole("grid").first().getAttribute("aria-rowcount")) - 1;

/** Formats a share like the pages: three significant digits. */
function percent(fraction) {
	const digits = Number((fraction * 100).toPrecision(3));
	return `${digits}%`;
}

const cases = {
	async "every panel opens from the list without an error"() {
		const t = await open();
		await t.page.keyboard.press("i");
		const dialog = t.page.getByRole("dialog", { name: "Add panel" });
		const titles = await dialog.locator(".add-tile span:first-child").allTextContents();
		assert.ok(titles.length >= 20, titles.join());
		await t.page.keyboard.press("Escape");
		for (const title of titles) {
			const panel = await t.panel(title);
			await panel.first().waitFor();
			await until(`${title} is loaded`, async () => !/Loading/.test(await panel.first().innerText()));
			assert.ok(!/could not be loaded|went wrong/.test(await panel.first().innerText()), title);
		}
	},
	async "overall summary: the numbers match the Summary table"() {
		const { panel } = await alone("overall-summary", "Overall summary");
		const text = await panel.innerText();
		assert.ok(text.includes(percent(summary.total_active_time_percent)), "active time");
		assert.ok(text.includes(count(summary.dma_transfer_count ?? summary.transfer_count ??
			rowsOf("DmaPacketAggregated"))), "transfers");
	},
	async "operator table: the first row has the instructions of its node"() {
		const { panel } = await alone("operator-table", "Operator table");
		const first = panel.getByRole("treegrid").getByRole("row").nth(1);
		const name = await first.locator(".ot-name").innerText();
		const [node] = sql("SELECT node_name, vector_engine_instruction_count AS vector FROM FrameworkNode WHERE " +
			`parent_name IS NULL OR parent_name = '' ORDER BY length(node_name) LIMIT 1`);
		assert.ok(name.includes(node.node_name.split("/").pop()), `${name}: ${node.node_name}`);
		assert.ok((await first.innerText()).includes(count(node.vector)), await first.innerText());
	},
	async "layer summary lists the layers"() {
		const { panel } = await alone("layer-summary", "Layer summary");
		assert.ok(await gridRows(panel) > 0);
	},
	async "tensors, queues, nodes and throttling show the rows of their tables"() {
		for (const [id, title, rows] of [
			["tensors", "Tensors", rowsOf("TensorInfo")],
			["dma-queues", "DMA queues", rowsOf("DmaQueuesInfo")],
			["neff-nodes", "NEFF nodes", rowsOf("TensorInfo")],
		]) {
			const { t, panel } = await alone(id, title);
			await until(`${title}: ${rows} rows`, async () => await gridRows(panel) === Number(rows), 4000);
			await t.page.context().close();
		}
	},
	async "warnings match the Warning table"() {
		const { panel } = await alone("warnings", "Warnings");
		for (const { message } of sql("SELECT COLUMNS('message|text|warning') AS message FROM Warning LIMIT 1"))
			assert.ok((await panel.innerText()).includes(String(message).slice(0, 40)), String(message));
	},
	async "the NEFF's header and the model are shown"() {
		const { panel, t } = await alone("neff-header", "NEFF header");
		const [header] = sql("SELECT * FROM NeffHeader");
		const text = await panel.innerText();
		const known = Object.values(header).filter((value) => typeof value === "string" && value.length > 3 && value.length < 40);
		assert.ok(known.some((value) => text.includes(value)), text.slice(0, 300));
		await t.page.context().close();
		const info = await alone("model-info", "Model info");
		assert.ok((await info.panel.innerText()).length > 50);
	},
	async "SQL gives the same result as the command line and rejects invalid queries"() {
		const { t, panel } = await alone("sql", "SQL");
		const statement = "SELECT opcode, count(*) AS n FROM Instruction GROUP BY opcode ORDER BY n DESC, opcode";
		const editor = panel.locator("textarea").first();
		await editor.fill(statement);
		await panel.getByRole("button", { name: /^Run/ }).click();
		const rows = sql(statement);
		await until("all rows", async () => await gridRows(panel) === rows.length);
		const first = await panel.locator(".dt-rows [role=row]").first().innerText();
		assert.ok(first.includes(rows[0].opcode) && first.includes(count(rows[0].n)), first);
		world.expected.push(/\/sql$/);
		await editor.fill("DROP TABLE Instruction");
		await panel.getByRole("button", { name: /^Run/ }).click();
		await panel.getByRole("alert").first().waitFor();
		assert.equal(rowsOf("Instruction"), rows.reduce((sum, row) => sum + Number(row.n), 0));
		await t.settled();
	},
	async "the hierarchy zooms the timeline to the chosen node"() {
		const { t, panel } = await alone("hierarchy", "Hierarchy");
		const box = await panel.locator("canvas").first().boundingBox();
		assert.ok(box, "it is drawn");
		const before = t.page.url();
		await t.page.mouse.dblclick(box.x + box.width * 0.5, box.y + Math.min(box.height / 2, 40));
		await until("something is chosen", async () => t.page.url() !== before ||
			(await panel.innerText()).length > 10);
	},
	async "memory: the drawn allocations match the table"() {
		const { panel } = await alone("memory-usage", "Memory usage");
		assert.ok((await panel.innerText()).length > 10);
		assert.ok(await panel.locator("canvas").count() > 0, "it is drawn");
		assert.ok(Number(rowsOf("SbufAllocation")) > 0);
	},
	async "memory by tensor: curves and what holds each memory at its peak"() {
		const { t, panel } = await alone("memory-usage", "Memory usage", { profile: "tracked" });
		await panel.getByRole("tab", { name: "By tensor" }).click();
		const choice = panel.locator(".mu-bar select");
		await choice.waitFor();
		const tracked = (statement) => world.sql("tracked", statement);
		const memories = tracked("SELECT DISTINCT memory, pcore_idx FROM MemoryUsage");
		assert.equal(await choice.locator("option").count(), memories.length);
		for (const [id, title] of [["psum 0", "PSUM, core 0"], ["sbuf 0", "SBUF, core 0"]]) {
			const [memory, core] = id.split(" ");
			const mine = `FROM MemoryUsage WHERE memory = '${memory}' AND pcore_idx = ${core}`;
			await choice.selectOption(id);
			const plot = panel.getByRole("img", { name: `${title} by tensor over time` });
			await plot.locator("canvas").waitFor();
			// the sum and the largest tensors have a curve each
			const [{ n }] = tracked(`SELECT count(DISTINCT tensor_name) AS n ${mine}`);
			const curves = await plot.locator(".u-legend .u-series").allInnerTexts();
			assert.equal(curves.length, 2 + Math.min(Number(n), 7), curves.join());
			assert.ok(curves[1].startsWith("All tensors"), curves.join());
			const holders = tracked(".query memory_holders").filter((row) => row.memory === memory &&
				Number(row.pcore_idx) === Number(core) && Number(row.bytes_at_peak) > 0).slice(0, 7);
			for (const { tensor_name } of holders)
				assert.ok(curves.some((curve) => curve.startsWith(tensor_name)), `${tensor_name} of ${curves.join()}`);
			// the table has the tensors of this memory alone
			await until("the table follows", async () => await gridRows(panel) === Number(n));
		}
		await t.settled();
	},
	async "memory by tensor: a profile without the tracker says how to get it"() {
		const { panel } = await alone("memory-usage", "Memory usage");
		await panel.getByRole("tab", { name: "By tensor" }).click();
		await panel.getByText("--enable-memory-tracker").waitFor();
	},
	async "the details of an instruction show the framework's stack"() {
		const [chosen] = sql("SELECT row, frame FROM (SELECT row_number() OVER () - 1 AS row, " +
			"regexp_extract(CAST(stack_frame_ids AS VARCHAR), '[0-9]+') AS frame FROM Instruction) WHERE frame <> '' LIMIT 1");
		const frames = sql(`.query stack_trace frame=${chosen.frame}`);
		assert.ok(frames.length > 0);
		const { panel } = await alone("event-details", "Event details",
			{ query: `&event=Instruction:${chosen.row}` });
		for (const frame of frames)
			await until(`${frame.function_name} is shown`, async () => {
				const text = await panel.innerText();
				return text.includes(frame.function_name) && text.includes(String(frame.line_number));
			});
	},
	async "terminology explains metrics"() {
		const { panel } = await alone("terminology", "Terminology");
		const box = panel.getByRole("searchbox").first();
		if (await box.count()) await box.fill("mfu");
		await until("it is found", async () => /MFU|mfu/.test(await panel.innerText()));
	},
	async "settings change the timeline and the link"() {
		const { t, panel } = await alone("settings", "Settings");
		await t.does(() => panel.getByLabel(/Colour/).first().selectOption("engine"));
		assert.equal(t.query().get("colour"), "engine");
	},
	async "the summary page matches the Summary table"() {
		const page = await world.page("profile/demo/summary");
		await page.getByText("Compute performance").waitFor();
		await until("findings are there", async () => !/Loading/.test(await page.getByRole("region", { name: "Summary" }).innerText()));
		const text = await page.getByRole("region", { name: "Summary" }).innerText();
		const mfu = summary.mfu_estimated_percent ?? summary.mfu;
		const hfu = summary.hfu_estimated_percent ?? summary.hfu;
		for (const [what, value] of [["MFU", mfu], ["HFU", hfu], ["MBU", summary.mbu_estimated_percent ?? summary.mbu]])
			assert.ok(value !== undefined && text.includes(percent(Number(value))), `${what}: ${value} in\n${text.slice(0, 600)}`);
		const { findings } = await world.api("profiles/demo/insights");
		for (const finding of findings) assert.ok(text.includes(finding.title), finding.title);
	},
	async "a badge names gaps of the capture, and marks stand beside numbers in doubt"() {
		const page = await world.page("profile/demo/summary");
		const [{ message }] = sql("SELECT message FROM Warning WHERE message LIKE '%DGE%'");
		await page.getByRole("region", { name: "DMA utilisation" })
			.getByRole("img", { name: `In doubt: ${message}` }).waitFor();
		assert.equal(await page.getByRole("region", { name: "Engine utilisation" })
			.getByRole("img", { name: /In doubt/ }).count(), 0);
		await page.getByRole("button", { name: /gap in the capture/ }).click();
		await page.getByText(message).first().waitFor();
	},
	async "a region in the summary has its own numbers"() {
		const page = await world.page("profile/demo/summary?from=100000&to=200000");
		await page.getByText("Compute performance").waitFor();
		const whole = await page.getByRole("region", { name: "Summary" }).innerText();
		await page.getByLabel("Region").selectOption({ label: "In view (100 µs to 200 µs)" });
		await until("its own numbers", async () => {
			const text = await page.getByRole("region", { name: "Summary" }).innerText();
			return text !== whole && /100 µs\s+Runtime/.test(text);
		});
		await page.getByRole("button", { name: "Add region" }).click();
		await until("it can be chosen", async () => await page.getByLabel("Region").locator("option").count() >= 3);
	},
	async "bands of the insights are drawn and can be hidden"() {
		const { bands } = await world.api("profiles/demo/insights");
		const t = await open();
		const map = () => t.page.evaluate(() => document.querySelector(".tl-map").toDataURL());
		const shown = await map();
		await t.does(() => t.page.getByRole("button", { name: /Highlight throttling/ }).click());
		await t.settled();
		if (bands.length) assert.notEqual(await map(), shown, `${bands.length} bands`);
		assert.equal(t.query().get("bands"), "0");
	},
	async "a layout is saved, loaded for another profile, and deleted"() {
		const t = await open();
		await t.panel("Tensors");
		await until("the link knows of the panel", () => t.query().get("panels")?.includes("tensors"));
		const panels = t.query().get("panels");
		await t.page.getByRole("button", { name: "Layout" }).click();
		await t.page.getByRole("menuitem", { name: "Save layout…" }).click();
		await t.page.getByLabel("Name", { exact: true }).fill("mine & yours");
		await t.page.keyboard.press("Enter");
		await t.page.getByText("Layout saved as mine & yours.").waitFor();
		assert.deepEqual((await world.api("layouts")).layouts, ["mine & yours"]);
		const other = await TimelinePage.open(world, "other");
		assert.notEqual(other.query().get("panels"), panels);
		await other.page.getByRole("button", { name: "Layout" }).click();
		await other.does(() => other.page.getByRole("menuitem", { name: "mine & yours" }).first().click());
		assert.equal(other.query().get("panels"), panels);
		await other.page.getByRole("button", { name: "Layout" }).click();
		await other.page.getByRole("menuitem", { name: "mine & yours" }).last().click();
		await until("it is gone", async () => !(await world.api("layouts")).layouts.length);
	},
	async "a panel is closed, maximised and remembered for the next visit"() {
		const t = await open();
		await t.does(() => t.page.locator("#dock-tab-event-details .dock-close").click());
		assert.ok(!t.query().get("panels").includes("event-details"));
		await t.page.goto(`${world.root}profile/demo`);
		await t.ready();
		await until("the link names panels", () => t.query().has("panels"));
		assert.ok(!t.query().get("panels").includes("event-details"), "the browser remembers");
	},
	async "source lines have the same instructions as SQL"() {
		const { panel } = await alone("source-code", "Source code");
		const lines = sql("SELECT nki_source_location AS place, count(*) AS n FROM Instruction WHERE " +
			"nki_source_location <> '' GROUP BY ALL ORDER BY n DESC, place LIMIT 1");
		const line = lines[0].place.split(":").pop();
		assert.equal(await gridRows(panel), Number(world.one("demo", "SELECT count(DISTINCT nki_source_location) FROM " +
			"Instruction WHERE nki_source_location <> ''")));
		const shown = panel.locator(".dt-rows [role=row]", { has: panel.page().getByText(line, { exact: true }) }).first();
		assert.ok((await shown.innerText()).includes(count(lines[0].n)), await shown.innerText());
	},
};

await runCases(world, cases);
