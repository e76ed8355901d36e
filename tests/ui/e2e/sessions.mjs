// SPDX-License-Identifier: Apache-2.0
// Sessions of a run: grouped in the list, on one time axis in the timeline, and links to a range.

import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { begin, runCases, until } from "./harness.mjs";
import { TimelinePage } from "./timeline_page.mjs";

const FIRST = "2026_03_11_14_00_43", SECOND = "2026_03_11_14_00_54";
const DELAY_MS = 11_000;

const world = await begin(async (w) => {
	const sessions = join(w.folder, "train/plugins/profile");
	const make = (name, ...options) => w.make("--system", join(sessions, name, "h1_9012"), "--instances", "1",
		"--workers", "2", "--events", "500", ...options);
	make(FIRST);
	make(SECOND, "--delay-ms", String(DELAY_MS));
	writeFileSync(join(sessions, SECOND, "session.json"), JSON.stringify({
		version: 1, session: SECOND, kind: "snapshot", reason: "step 7 was slow", started_ns: "0", ended_ns: "0",
		hosts: [{ address: "h1:9012", state: "captured", files: ["h1_9012/"] },
			{ address: "h2:9012", state: "failed", failure: "h2:9012: connection refused", files: [] }],
	}));
	w.run(w.program, "view", "-d", "train", "--ingest-only", "--ignore-device-profile", "--data-path", w.workspace,
		"-v", "2");
	w.run(w.program, "view", "-d", join("train/plugins/profile", SECOND), "--ingest-only", "--ignore-device-profile",
		"--data-path", w.workspace, "-v", "2");
	w.makeDevice("other");
	await w.serve();
});

const ALONE = `train_${SECOND}`;
/** Without device profiles there are no ranks. */
const expectNoRanks = () => world.expected.push(/\/ranks$/);
const names = (page) => page.locator("tbody .pm-name a").allTextContents();

/** Start and end of a session since the profile's origin, from SQL. */
function placeOf(t, name) {
	const [row] = world.sql("train", "SELECT start_ts::VARCHAR AS start_ts, end_ts::VARCHAR AS end_ts, gap_ns " +
		`FROM ProfileSession WHERE session_name = '${name}'`);
	return { from: Number(BigInt(row.start_ts) - t.originNs), to: Number(BigInt(row.end_ts) - t.originNs),
		gap: Number(row.gap_ns) };
}

/** A session may have been recorded for longer than the profile has events. */
const isAround = (t, view, place) => view.from <= Math.max(place.from, 0) &&
	view.to >= Math.min(place.to, t.endNs) - 1;

const cases = {
	async "profiles of a run are one block, with their sessions"() {
		const page = await world.page();
		await page.locator("tr.pm-run").waitFor();
		assert.match(await page.locator("tr.pm-run").innerText(), /Run train 2 profiles, 2 sessions/);
		const listed = await names(page);
		assert.equal(Math.abs(listed.indexOf("train") - listed.indexOf(ALONE)), 1, listed.join());
		await page.getByRole("button", { name: "2 sessions of train", exact: true }).click();
		const rows = page.locator("tr.pm-session");
		await until("sessions", async () => await rows.count() === 2);
		assert.match(await rows.nth(0).innerText(), new RegExp(`14_00_54[^]*step 7 was slow[^]*1 of 2 hosts failed` +
			"[^]*Snapshot, [\\d.]+ s"));
		assert.match(await rows.nth(1).innerText(), /14_00_43[^]*On demand/);
	},
	async "a session in the list opens the timeline at its times"() {
		expectNoRanks();
		const page = await world.page();
		await page.getByRole("button", { name: "2 sessions of train", exact: true }).click();
		await page.getByRole("link", { name: `Session ${SECOND}` }).click();
		const t = new TimelinePage(page, world, "train");
		await t.ready();
		const place = placeOf(t, SECOND);
		await until("the view of the session", () => {
			const view = t.view();
			return view && isAround(t, view, place) && view.to - view.from < 1.5 * (place.to - place.from);
		});
	},
	async "the gap between sessions is hatched, and the menu jumps over it"() {
		expectNoRanks();
		const t = await TimelinePage.open(world, "train");
		const place = placeOf(t, SECOND), before = placeOf(t, FIRST);
		assert.equal(place.gap, place.from - before.to);
		const inGap = await t.xOf(place.from - place.gap / 2);
		await t.page.mouse.move(inGap, await t.rowY(/TID|PID|pid/i).catch(() => 400));
		await t.page.getByText(/Not recorded, [\d.]+ s, until session/).first().waitFor();
		await t.page.getByRole("button", { name: "Sessions of this run" }).click();
		await t.page.getByRole("menuitem", { name: new RegExp(FIRST) }).click();
		await until("the first session", () => {
			const view = t.view();
			return view && view.to < place.from && isAround(t, view, before);
		});
	},
	async "a copied link restores the range"() {
		expectNoRanks();
		const t = await TimelinePage.open(world, "train", "", { permissions: ["clipboard-read", "clipboard-write"] });
		await t.page.getByRole("button", { name: "Sessions of this run" }).click();
		await t.page.getByRole("menuitem", { name: new RegExp(SECOND) }).click();
		await t.page.getByRole("button", { name: "Copy a link to this view" }).click();
		const link = await until("the clipboard", () => t.page.evaluate(() => navigator.clipboard.readText()));
		const other = await world.page(link.slice(world.root.length));
		const u = new TimelinePage(other, world, "train");
		await u.ready();
		const place = placeOf(t, SECOND);
		const wanted = new URL(link).searchParams;
		assert.ok(isAround(t, { from: Number(wanted.get("from")), to: Number(wanted.get("to")) }, place), link);
		await until("the same range", () => {
			const view = u.view();
			return view && Math.abs(view.from - Number(wanted.get("from"))) < 1 &&
				Math.abs(view.to - Number(wanted.get("to"))) < 1;
		});
	},
};

await runCases(world, cases);
