// SPDX-License-Identifier: Apache-2.0
// The pages with captures of real devices and of a real run, if this tree has them: the same
// checks as for generated captures.

import assert from "node:assert/strict";
import { readdirSync } from "node:fs";
import { join } from "node:path";
import { begin, realCaptures, runCases, until } from "./harness.mjs";
import { TimelinePage } from "./timeline_page.mjs";

const data = realCaptures();
if (!data) {
	console.log("there are no captures of real devices here");
	process.exit(77);
}
const devices = readdirSync(join(data, "neuron-device"));
const world = await begin(async (w) => {
	for (const name of devices) {
		const folder = join(data, "neuron-device", name);
		const file = (end) => join(folder, readdirSync(folder).find((one) => one.endsWith(end)));
		w.ingest(name, "-n", file(".neff"), "-s", file(".ntff"));
	}
	w.ingest("real run", "-d", join(data, "neuron-system"));
	await w.serve();
});

const cases = Object.fromEntries(devices.map((name) => [`${name}: rows, a selection and the summary`, async () => {
	const t = await TimelinePage.open(world, name);
	const labels = await t.labels();
	for (const { track } of world.sql(name, "SELECT DISTINCT timeline_track AS track FROM Instruction"))
		assert.ok(labels.some((label) => label.startsWith(track.replace(/\(.*/, ""))), `${track}: ${labels}`);
	const [event] = world.sql(name, "SELECT start_ts, end_ts, opcode, timeline_track AS track, pcore_idx AS core " +
		"FROM Instruction ORDER BY duration_ns DESC, start_ts LIMIT 1");
	const engine = event.track.replace(/\(.*/, "");
	const row = labels.find((label) => label === engine || label === `${engine} (nc${event.core})`);
	const x = await t.xOf(Number(BigInt(event.start_ts) + BigInt(event.end_ts - event.start_ts) / 2n - t.originNs));
	await t.does(() => t.rowY(row).then((y) => t.page.mouse.click(x, y)), "the selection");
	const [table, index] = t.query().get("event").split(":");
	const answer = await world.api(`profiles/${name}/tables/${table}/rows/${index}`);
	const panel = t.page.getByRole("region", { name: "Event details" });
	const opcode = answer.fields.find((one) => one.name === "opcode").value;
	await panel.getByRole("heading", { name: opcode, exact: true }).waitFor();
	const page = await world.page(`profile/${name}/summary`);
	await page.getByText("Compute performance").waitFor();
	const summary = page.getByRole("region", { name: "Summary" });
	await until("it is loaded", async () => !/Loading/.test(await summary.innerText()));
	assert.ok(!/could not be loaded|NaN|Infinity/.test(await summary.innerText()), await summary.innerText());
}]));

cases["a real run: its processes, and the way to its device"] = async () => {
	const t = await TimelinePage.open(world, "real run");
	const { devices: found } = await world.api("profiles/real%20run");
	assert.ok(found.length > 0 && found[0].profile, "a device belongs to it");
	const events = world.one("real run", "SELECT count(*) FROM SystemProfileEvents");
	const drawn = t.tracks.filter((track) => track.table === "SystemProfileEvents" && track.kind === "spans" &&
		!track.attributes.direction).reduce((sum, track) => sum + Number(track.row_count) + Number(track.lost_count), 0);
	assert.equal(drawn, Number(events), "each event has a place");
	const panel = await t.panel("Device profiles");
	await panel.getByText("Open", { exact: true }).first().click();
	await until("the device's page", () => decodeURIComponent(t.page.url()).includes(found[0].profile));
};

await runCases(world, cases);
