// SPDX-License-Identifier: Apache-2.0
// System profiles and ranks: the initial view, shared lines, flows, links to device profiles,
// the summary, and the page that compares ranks. Numbers are compared with the tables.

import assert from "node:assert/strict";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { begin, runCases, until } from "./harness.mjs";
import { TimelinePage } from "./timeline_page.mjs";

const RANKS = 3;
const STARTS_NS = [40_000, 0, 15_000];
const world = await begin(async (w) => {
	w.makeSystem("training");
	const folder = join(w.folder, "ranks");
	w.run("mkdir", folder);
	for (let i = 0; i < RANKS; i++)
		w.make("--size", `${300 * (i + 1)}K`, join(folder, `profile_rank_${i}.ntff`),
			"--neff", join(w.folder, "model.neff"));
	w.ingest("tp", "-n", join(w.folder, "model.neff"), "-d", folder);
	// The same ranks once more, as if a system trace had told when each began.
	w.run("cp", "-r", folder, join(w.folder, "clocked"));
	w.ingest("clocked", "-n", join(w.folder, "model.neff"), "-d", join(w.folder, "clocked"));
	for (let i = 0; i < RANKS; i++) {
		const path = join(w.workspace, "profiles/global", `clocked_device_profile_rank_${i}@latest`, "profile.json");
		const record = JSON.parse(readFileSync(path, "utf8"));
		writeFileSync(path, JSON.stringify({ ...record, start_epoch_ns: 1_700_000_000_000 + STARTS_NS[i] }));
	}
	await w.serve();
});
const sql = (statement) => world.sql("training", statement);
const open = (query = "") => TimelinePage.open(world, "training", query);
const count = (number) => Number(number).toLocaleString("en-US");
const details = (page) => page.getByLabel("Event details");

/** An execution that a core reported, and the captures. */
const execution = () => sql("SELECT row_ AS row, start_ts, end_ts, nc_idx FROM (SELECT *, row_number() OVER () - 1 " +
	"AS row_ FROM SystemProfileEvents) WHERE name = 'nc_exec_running' AND nc_idx = 0 ORDER BY start_ts LIMIT 1")[0];

const cases = {
	async "the initial view shows all events, and \"fit\" then shows the whole profile"() {
		const t = await open();
		assert.ok(!t.query().has("from"), "the usual view is not in the link");
		const shown = await t.page.locator(".tl-extent b").innerText();
		await t.canvas.focus();
		await t.does(() => t.page.keyboard.press("f"), "the view");
		const { from, to } = t.view();
		assert.equal(from, 0);
		assert.equal(to, t.endNs);
		assert.notEqual(await t.page.locator(".tl-extent b").innerText(), shown);
		await t.does(() => t.page.keyboard.press("f"), "the view");
		assert.ok(!t.query().has("from"));
		assert.equal(await t.page.locator(".tl-extent b").innerText(), shown);
	},
	async "threads of a core share lines"() {
		const t = await open();
		const label = (await t.labels()).find((name) => /^neuron_rt\/NC:0$/.test(name));
		assert.ok(label);
		const own = t.tracks.filter((one) => one.kind === "spans" && one.attributes.trace_event_source === "neuron_rt" &&
			one.attributes.nc_idx === "0");
		const process = own[0].attributes.process_id;
		const depths = own.filter((one) => one.attributes.process_id === process)
			.reduce((sum, one) => sum + one.depth_count, 0);
		const box = await t.label(label).first().boundingBox();
		assert.ok(box.height <= 16 * depths + 6, `${box.height} px for ${depths} depths`);
	},
	async "processors start folded"() {
		const t = await open();
		const group = t.page.getByRole("treeitem", { name: /^Processors/ }).first();
		await group.scrollIntoViewIfNeeded();
		assert.equal(await group.getAttribute("aria-expanded"), "false");
		await group.click();
		await t.page.getByRole("treeitem", { name: "CPU average" }).first().waitFor();
	},
	async "an execution shows its attributes, its flow and its device profile"() {
		const { row } = execution();
		const t = await open(`?event=SystemProfileEvents:${row}&panels=${encodeURIComponent(
			"v(500~timeline)(500~event-details)")}`);
		await details(t.page).getByRole("tab", { name: "Attributes" }).click();
		await details(t.page).getByText("exec_id").waitFor();
		await details(t.page).getByRole("tab", { name: "Flow" }).click();
		const members = world.one("training", "SELECT count(*) FROM SystemProfileEvents WHERE list_has_any(flow_id, " +
			`(SELECT flow_id FROM SystemProfileEvents LIMIT 1 OFFSET ${row}))`);
		await details(t.page).getByText(`${members} rows`).waitFor();
		await details(t.page).getByRole("tab", { name: "Event", exact: true }).click();
		await details(t.page).getByRole("button", { name: "Open device profile" }).click();
		await t.page.waitForURL(/profile\/training_device_profile_model_\d+/);
	},
	async "device profiles are still linked after they are renamed"() {
		const { devices: [device] } = await world.api("profiles/training");
		const rename = async (from, name) => assert.equal((await fetch(
			`${world.root}api/v1/profiles/${encodeURIComponent(from)}`, { method: "PATCH",
				body: JSON.stringify({ name }), headers: { "Content-Type": "application/json" } })).status, 204);
		await rename(device.profile, "my device");
		assert.equal((await world.api("profiles/training")).devices[0].profile, "my device");
		await rename("my device", device.profile);
	},
	async "the summary counts an execution once, for all processes or one"() {
		const page = await world.page("profile/training/summary");
		const all = world.one("training", "SELECT count(*) FROM (SELECT DISTINCT instance_id, process_id, nc_idx, " +
			"json_extract_string(extra_attributes_json, '$.exec_id') FROM SystemProfileEvents " +
			"WHERE name = 'nc_exec_running')");
		const overview = page.getByLabel("Overview");
		await overview.getByText(count(all), { exact: true }).waitFor();
		const [first, second] = sql("SELECT process_id AS p, count(*) AS n FROM SystemProfileEvents GROUP BY 1 ORDER BY 1");
		if (!second) return;
		const choice = page.locator(".sm-filter select");
		const value = await choice.locator("option", { hasText: String(first.p) }).first().getAttribute("value");
		await choice.selectOption(value);
		await overview.getByText(count(first.n), { exact: true }).waitFor();
	},
	async "results of a search have core, thread, process and machine"() {
		const [event] = sql("SELECT nc_idx, thread_id, process_id, instance_id FROM SystemProfileEvents " +
			"WHERE name = 'nc_exec_running' ORDER BY start_ts LIMIT 1");
		const t = await open("?find=SystemProfileEvents&where=name%3Dnc_exec_running&panels=v(300~timeline)(700~search*)");
		const grid = t.page.getByRole("grid", { name: "Search results" });
		await grid.locator("[role=row]").nth(1).waitFor();
		const titles = await grid.getByRole("columnheader").allInnerTexts();
		const cells = await grid.locator("[role=row]").nth(1).locator("[role=gridcell]").allTextContents();
		const cell = (title) => cells[titles.findIndex((one) => one.trim() === title)];
		assert.deepEqual(["Core", "Thread", "Process", "Machine"].map(cell),
			[event.nc_idx, event.thread_id, event.process_id, event.instance_id].map(String));
	},
	async "a small screen shows all tabs and some results"() {
		const t = await TimelinePage.open(world, "training", "?find=SystemProfileEvents&where=name%3Dnc_exec_running",
			{ viewport: { width: 1280, height: 720 } });
		const grid = t.page.getByRole("grid", { name: "Search results" });
		await grid.locator("[role=row]").nth(1).waitFor();
		const { height } = await grid.boundingBox();
		assert.ok(height >= 5 * 22, `the table is ${height} px high`);
		for (const list of await t.page.locator(".dock-tabs").all())
			assert.ok(await list.evaluate((one) => one.scrollWidth <= one.clientWidth), "no tab is scrolled away");
	},
	async "a link to a device profile names its core, and says if it is another one"() {
		const [captured] = sql("SELECT nc_id FROM DeviceProfileList WHERE nc_id >= 0 LIMIT 1");
		const rows = sql("SELECT row_ AS row, nc_idx FROM (SELECT *, row_number() OVER () - 1 AS row_ FROM " +
			"SystemProfileEvents) WHERE name = 'nc_exec_running' ORDER BY start_ts");
		const linkOf = async ({ row }) => {
			const t = await open(`?event=SystemProfileEvents:${row}`);
			const link = details(t.page).getByRole("button", { name: /device profile of core|was not captured/ });
			await link.waitFor();
			return link.innerText();
		};
		const own = rows.find(({ nc_idx: core }) => core === captured.nc_id);
		assert.equal(await linkOf(own), `Open device profile of core ${captured.nc_id}`);
		const other = rows.find(({ nc_idx: core }) => core !== captured.nc_id);
		assert.equal(await linkOf(other), `Core ${other.nc_idx} was not captured; open core ${captured.nc_id} instead`);
	},
	async "ranks have tabs with a common zoom, and the slowest is marked"() {
		const page = await world.page("profile_cc/tp?from=10000&to=20000");
		const tabs = page.getByRole("tablist", { name: "Ranks" }).getByRole("tab");
		await tabs.first().waitFor();
		assert.deepEqual(await tabs.allTextContents(), ["Rank 0", "Rank 1", "Rank 2"]);
		const extent = page.locator(".tl-extent b");
		await until("the view is the link's", async () => (await extent.innerText()) === "10 µs");
		await tabs.nth(2).click();
		await until("another rank has the same view", async () =>
			new URL(page.url()).searchParams.get("rank") === "2" && (await extent.innerText()) === "10 µs");
		const times = Array.from({ length: RANKS }, (_, i) =>
			world.one(`tp_device_profile_rank_${i}`, "SELECT total_time FROM Summary"));
		const slowest = times.indexOf(Math.max(...times));
		const table = page.getByLabel("Comparison of ranks");
		await table.getByText("slowest").waitFor();
		assert.match(await table.locator("[role=row]", { hasText: "slowest" }).innerText(), new RegExp(`Rank ${slowest}\\b`));
		await table.getByText("Rank 1", { exact: true }).click();
		await until("a line leads to its rank", () => new URL(page.url()).searchParams.get("rank") === "1");
	},
	async "ranks on a common clock begin where they began, and the page names the clock"() {
		const asked = [];
		const page = await world.page("profile_cc/clocked?rank=0&from=50000&to=60000");
		page.on("request", (request) => {
			const { pathname, searchParams } = new URL(request.url());
			if (pathname.endsWith("rank_0/window"))
				asked.push([Number(searchParams.get("from")), Number(searchParams.get("to"))]);
		});
		await page.getByText("3 ranks, aligned on the host's clock").waitFor();
		// 50 to 60 us of the run are 10 to 20 us of a rank that began 40 us after the first
		await until("the rank's own times are requested", () =>
			asked.some(([from, to]) => from <= 10_000 && to >= 20_000));
		const table = page.getByLabel("Comparison of ranks");
		for (const [rank, start] of [["Rank 0", "40 µs"], ["Rank 1", "0 ns"], ["Rank 2", "15 µs"]])
			await until(`${rank} starts at ${start}`, async () => (await table.locator("[role=row]",
				{ hasText: rank }).innerText()).includes(start));
		// at the very beginning only rank 1 ran; the page asks for nothing before its own start
		const { span_ns } = await world.api("profiles/clocked/ranks");
		const ends = STARTS_NS.map((start, i) =>
			start + Math.floor(world.one(`clocked_device_profile_rank_${i}`, "SELECT total_time FROM Summary") * 1e9));
		assert.equal(span_ns, Math.max(...ends));
		assert.ok(asked.every(([from, to]) => from >= 0 && to > from));
		const other = await world.page("profile_cc/tp");
		await other.getByText("3 ranks, each from its own start").waitFor();
	},
	async "a rank links to the others, and an unknown name gives an error"() {
		const page = await world.page("profile/tp_device_profile_rank_1");
		await page.getByRole("link", { name: `All ${RANKS} ranks` }).click();
		await page.getByRole("tab", { name: "Rank 2" }).waitFor();
		world.expected.push(/nothing\/ranks/);
		const none = await world.page("profile_cc/nothing");
		await none.getByText("There is no profile nothing").waitFor();
	},
};

await runCases(world, cases);
