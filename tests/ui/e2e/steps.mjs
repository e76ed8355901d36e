// SPDX-License-Identifier: Apache-2.0
// Steps of a program and gaps between executions: the panel, its marks and jumps, the rows of the
// timeline, and the findings. The capture has a slow step and gaps that grow from 13 to 190 us.

import assert from "node:assert/strict";
import { join } from "node:path";
import { begin, runCases, until } from "./harness.mjs";
import { TimelinePage } from "./timeline_page.mjs";

const world = await begin(async (w) => {
	const folder = join(w.folder, "gaps");
	w.make("--system", folder, "--instances", "1", "--workers", "2", "--events", "6000", "--gaps");
	w.ingest("gaps", "-d", folder);
	w.makeDevice("device");
	await w.serve();
});
const sql = (statement) => world.sql("gaps", statement);
const steps = sql("SELECT step_num, start_ts, end_ts, duration_ns, is_outlier FROM Step ORDER BY start_ts");

async function openPanel() {
	const t = await TimelinePage.open(world, "gaps", "?panels=v(500~timeline)(500~steps*)");
	const panel = t.page.getByRole("region", { name: "Steps", exact: true });
	await panel.waitFor();
	await until("it is loaded", async () => !/Loading/.test(await panel.innerText()));
	return { t, panel };
}

const rowCount = async (grid) => Number(await grid.getAttribute("aria-rowcount")) - 1;

const cases = {
	async "all steps are listed, and only the planted one is an outlier"() {
		const { panel } = await openPanel();
		assert.deepEqual(steps.filter((one) => one.is_outlier).map((one) => one.step_num), [5]);
		const grid = panel.getByRole("grid");
		assert.equal(await rowCount(grid), steps.length);
		const marked = grid.locator("[role=row]", { hasText: "outlier" });
		assert.equal(await marked.count(), 1);
		assert.match(await marked.innerText(), /^5\b/);
		assert.match(await marked.innerText(), /4\.52 ms/);
	},
	async "the table sorts by duration"() {
		const { panel } = await openPanel();
		const grid = panel.getByRole("grid");
		const first = () => grid.locator("[role=row]").nth(1).innerText();
		await grid.getByRole("columnheader", { name: /^Duration/ }).click(); // numbers: largest first
		await until("the slowest is on top", async () => /outlier/.test(await first()));
	},
	async "a click on a step shows it on the timeline"() {
		const { t, panel } = await openPanel();
		const slow = steps.find((one) => one.is_outlier);
		await t.does(() => panel.getByText("outlier", { exact: true }).click(), "the view");
		const { from, to } = t.view();
		const start = Number(BigInt(slow.start_ts) - t.originNs), end = Number(BigInt(slow.end_ts) - t.originNs);
		assert.ok(from <= start && to >= end, `${from} to ${to} has ${start} to ${end}`);
		assert.ok(to - from < 4 * (end - start), "and little else");
		assert.match(t.query().get("event") ?? "", /^Step:/);
	},
	async "growth of gaps is marked, with the medians that were planted"() {
		const { panel } = await openPanel();
		await panel.getByRole("tab", { name: "Gaps" }).click();
		const grid = panel.getByRole("grid", { name: "Gaps between executions" });
		await grid.getByText("grows").first().waitFor();
		assert.equal(await rowCount(grid), 2);
		const row = await grid.locator("[role=row]", { hasText: "grows" }).first().innerText();
		assert.match(row, /13 µs/);
		assert.match(row, /190 µs/);
	},
	async "by process: medians and shares match the table"() {
		const { panel } = await openPanel();
		await panel.getByRole("tab", { name: "By process" }).click();
		const [kind] = sql("SELECT step_count, outlier_count FROM StepSummary");
		const row = panel.getByRole("grid").locator("[role=row]", { hasText: "ProfilerStep" });
		await row.waitFor();
		const text = await row.innerText();
		assert.ok(text.includes(String(kind.step_count)), text);
		assert.match(text, /3\.52 ms/);
	},
	async "the timeline has rows for steps and for gaps"() {
		const t = await TimelinePage.open(world, "gaps");
		const labels = await t.labels();
		const stepsAt = labels.findIndex((one) => one === "Steps/ProfilerStep");
		const callsAt = labels.findIndex((one) => one.startsWith("framework/"));
		assert.ok(stepsAt >= 0 && stepsAt < callsAt, labels.join());
		const group = t.page.getByRole("treeitem", { name: /^Execution gaps/ });
		await group.scrollIntoViewIfNeeded();
		await t.page.getByRole("treeitem", { name: "NC:0/gap length" }).waitFor();
		await t.page.getByRole("treeitem", { name: "NC:0/gaps" }).waitFor();
		const counter = t.tracks.find((one) => one.table === "ExecutionGap" && one.kind === "counter");
		assert.equal(Number(counter.row_count), sql("SELECT count(*) AS n FROM ExecutionGap WHERE nc_idx = 0")[0].n);
	},
	async "the summary page and the warnings name the growth"() {
		const page = await world.page("profile/gaps/summary");
		await page.getByText("Gaps between executions grow").waitFor();
		const { findings } = await world.api("profiles/gaps/insights");
		const growth = findings.find((one) => one.title === "Gaps between executions grow");
		assert.ok(Math.abs(growth.value - 190 / 13) < 1e-6, String(growth.value));
		assert.ok(findings.some((one) => one.title === "Some steps take much longer than others"));
	},
	async "a device profile has neither the panel nor these findings"() {
		const { findings } = await world.api("profiles/device/insights");
		assert.ok(!findings.some((one) => /step|Gaps/.test(one.title)));
	},
};

await runCases(world, cases);
