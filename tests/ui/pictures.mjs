// SPDX-License-Identifier: Apache-2.0
// Takes the pictures of docs/pictures from the real program, in both
// themes.
//
//	node tests/ui/pictures.mjs --program build/neuron-explorer --maker build/tests/make_capture \
//		--modules build/ui/made/node_modules [--out docs/pictures] [--only NAME]

import { mkdirSync, statSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { begin, optionOf, until } from "./e2e/harness.mjs";
import { TimelinePage } from "./e2e/timeline_page.mjs";
import { shrinkPng } from "./shrink_png.mjs";

const OUT = resolve(optionOf("out", "docs/pictures"));
const MOST_BYTES = 150 * 1024;

const world = await begin(async (w) => {
	w.makeDevice("llama_block", "llama_block_tuned");
	w.makeSystem("llama_training");
	// Simulated collectives of many ranks.
	const output = join(w.folder, "nccom");
	w.run(w.program, "inspect", "-o", output, join(dirname(w.program), "nccom-test"), "allg", "-b", "512kb",
		"-e", "512kb", "-r", "32", "-n", "10", "-d", "fp32", "-w", "1", "-f", "512");
	w.ingest("nccom", "-d", output);
	await w.serve();
	for (const [name, change] of [["llama_block_tuned", { favourite: true, folder: "tuning" }],
		["llama_block", { folder: "tuning" }]])
		await w.api(`profiles/${name}`, { method: "PATCH", body: JSON.stringify(change),
			headers: { "content-type": "application/json" } }).catch(() => undefined);
});

/** The busiest time range of a vector engine, and its longest instruction. */
const [slow] = world.sql("llama_block", "SELECT start_ts, end_ts FROM Instruction WHERE timeline_track LIKE 'Vector%' " +
	"AND pcore_idx = 0 AND start_ts > 100000 ORDER BY duration_ns DESC LIMIT 1");

const pictures = {
	async manager(scheme) {
		const page = await world.page("", { scheme });
		await page.locator("tbody tr").nth(3).waitFor();
		return page;
	},
	async timeline(scheme) {
		const from = slow.start_ts - 30 - 6000;
		const t = await TimelinePage.open(world, "llama_block", `?from=${from}&to=${from + 16000}`, { scheme });
		await t.page.mouse.click(await t.xOf((slow.start_ts + slow.end_ts) / 2 - 30), await t.rowY("Vector (nc0)"));
		await until("details", () => t.page.getByRole("region", { name: "Event details" }).locator("dl").first().isVisible());
		await t.page.mouse.move(4, 300);
		await t.settled();
		return t.page;
	},
	async system(scheme) {
		const t = await TimelinePage.open(world, "llama_training", "", { scheme });
		const [step] = world.sql("llama_training", "SELECT start_ts, end_ts FROM SystemProfileEvents " +
			"WHERE name LIKE 'ProfilerStep%' ORDER BY start_ts LIMIT 1 OFFSET 5").map((row) => ({
			from: Number(BigInt(row.start_ts) - t.originNs), to: Number(BigInt(row.end_ts) - t.originNs) }));
		await t.page.mouse.click(await t.xOf((step.from + step.to) / 2), await t.rowY("framework/TID:700000"));
		await until("details", () => t.page.getByRole("region", { name: "Event details" }).locator("dl").first().isVisible());
		await t.page.mouse.move(4, 300);
		await t.settled();
		return t.page;
	},
	async collectives(scheme) {
		const { devices } = await world.api("profiles/nccom");
		const rank = devices.map((device) => device.profile).sort().at(-1);
		const t = await TimelinePage.open(world, rank, "", { scheme });
		const [collective] = world.sql(rank, "SELECT start_ts, end_ts FROM CcOp ORDER BY start_ts LIMIT 1 OFFSET 4");
		await t.page.mouse.click(await t.xOf((collective.start_ts + collective.end_ts) / 2 - Number(t.originNs)),
			await t.rowY("Collectives stream 0"));
		await until("details", () => t.page.getByRole("region", { name: "Event details" }).locator("dl").first().isVisible());
		await t.page.mouse.move(4, 300);
		await t.settled();
		return t.page;
	},
	async summary(scheme) {
		const page = await world.page("profile/llama_block/summary", { scheme });
		await page.getByText("Compute performance").waitFor();
		await until("all cards are loaded", async () => !await page.getByText(/^Loading /).count());
		return page;
	},
};

mkdirSync(OUT, { recursive: true });
let failed = 0;
for (const [name, open] of Object.entries(pictures)) {
	if (!name.includes(optionOf("only", ""))) continue;
	for (const scheme of ["dark", "light"]) {
		const page = await open(scheme);
		await page.waitForTimeout(300);
		const path = join(OUT, `${name}-${scheme}.png`);
		await page.screenshot({ path });
		shrinkPng(path);
		const { size } = statSync(path);
		if (size > MOST_BYTES) failed = 1;
		console.log(`${path}: ${Math.round(size / 1024)} KiB${size > MOST_BYTES ? ", too large" : ""}`);
		await page.context().close();
	}
}
for (const fault of world.faults) console.log(`fault: ${fault}`);
await world.end();
process.exit(failed);
