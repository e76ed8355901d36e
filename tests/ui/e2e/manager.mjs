// SPDX-License-Identifier: Apache-2.0
// The Profile Manager against the real server: it lists the workspace, and changes in the
// page change the workspace.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { begin, runCases, until } from "./harness.mjs";

let device = "", system = "";
const world = await begin(async (w) => {
	device = w.makeDevice("alpha", "beta", "gamma", "delta");
	system = w.makeSystem("training");
	await w.serve();
});

const names = (page) => page.locator("tbody .pm-name a").allTextContents();
const row = (page, name) => page.locator("tbody tr").filter({
	has: page.getByRole("link", { name, exact: true }) });
const profile = (name) => world.api(`profiles/${encodeURIComponent(name)}`);
const listed = async () => (await world.api("profiles")).profiles;
const openList = async () => {
	const page = await world.page();
	await page.locator("tbody tr").first().waitFor();
	return page;
};
/** The list with all captures unfolded. */
const openWholeList = async () => {
	const page = await openList();
	for (const fold of await page.locator("tbody .pm-fold").all()) await fold.click();
	return page;
};

async function chooseFiles(page, { neff, ntff }) {
	await page.getByRole("button", { name: "Upload profile" }).click();
	const inputs = page.locator("dialog input[type=file]");
	await inputs.nth(0).setInputFiles(neff);
	await inputs.nth(1).setInputFiles(ntff);
}
const demoFiles = () => ({ neff: join(device, "demo.neff"), ntff: join(device, "demo.ntff") });

const cases = {
	async "lists the profiles of the workspace with their numbers"() {
		const page = await openWholeList();
		const all = await listed();
		assert.deepEqual((await names(page)).sort(), all.map((one) => one.name).sort());
		for (const one of all) {
			const text = await row(page, one.name).innerText();
			assert.ok(text.includes(Number(one.row_count).toLocaleString("en-US")), text);
			assert.match(text, one.kind === "device" ? /Device/ : /System/);
		}
		// The number of rows matches the tables.
		const rows = (await world.api("profiles/alpha/tables")).tables
			.reduce((sum, table) => sum + Number(table.row_count), 0);
		assert.equal(Number((await profile("alpha")).row_count), rows);
	},
	async "searches by parts of names"() {
		const page = await openWholeList();
		await page.keyboard.press("/");
		await page.keyboard.type("bet");
		await until("one row", async () => (await names(page)).join() === "beta");
		await page.getByLabel("Find profiles").fill("no such thing");
		await page.getByText("No profiles match").waitFor();
		await page.getByRole("button", { name: "Clear the filter" }).click();
		assert.equal((await names(page)).length, (await listed()).length);
	},
	async "device profiles are folded under their capture, and a search unfolds them"() {
		const page = await openList();
		const children = (await listed()).filter((one) => one.parent === "training")
			.map((one) => one.name);
		assert.ok(children.length);
		assert.ok(!(await names(page)).some((name) => children.includes(name)));
		const fold = row(page, "training").getByRole("button", { name: /device profiles? of training/ });
		assert.equal(await fold.getAttribute("aria-expanded"), "false");
		await fold.focus();
		await page.keyboard.press("ArrowRight");
		await until("unfolded", async () => (await names(page)).includes(children[0]));
		assert.equal(await fold.getAttribute("aria-expanded"), "true");
		await page.keyboard.press("Enter");
		await until("folded", async () => !(await names(page)).includes(children[0]));
		await page.getByLabel("Find profiles").fill(children[0].slice("training".length));
		await until("found", async () => (await names(page)).join() === `training,${children[0]}`);
		// The sidebar has the capture, not its devices.
		const side = page.getByRole("navigation", { name: "Profiles" });
		assert.equal(await side.getByRole("link", { name: "training", exact: true }).count(), 1);
		assert.equal(await side.getByRole("link", { name: children[0] }).count(), 0);
	},
	async "a long name keeps its end, and the tooltip has all of it"() {
		const page = await openWholeList();
		const [child] = (await listed()).filter((one) => one.parent === "training");
		const link = row(page, child.name).getByRole("link", { name: child.name, exact: true });
		await page.setViewportSize({ width: 1000, height: 700 });
		assert.equal(await link.getAttribute("title"), child.name);
		const [isHeadCut, isTailWhole] = await link.evaluate((element) => {
			const [head, tail] = element.querySelectorAll(".ui-cut > span");
			const cell = element.closest("td").getBoundingClientRect();
			return [head.scrollWidth > head.clientWidth, tail.scrollWidth <= tail.clientWidth + 1 &&
				tail.getBoundingClientRect().right <= cell.right];
		});
		assert.deepEqual([isHeadCut, isTailWhole], [true, true]);
	},
	async "a capture's devices are chosen with it, and may be kept when it is deleted"() {
		world.ingest("short lived", "-d", system);
		const page = await openList();
		const children = (await listed()).filter((one) => one.parent === "short lived")
			.map((one) => one.name);
		await page.getByRole("checkbox", { name: "Select short lived" }).click();
		await page.getByText(`${1 + children.length} selected`).waitFor();
		await page.getByRole("checkbox", { name: "Select short lived" }).click();
		const remove = async (name, isWhole) => {
			await page.getByRole("button", { name: `Actions for ${name}`, exact: true }).click();
			await page.getByRole("menuitem", { name: "Delete…" }).click();
			const whole = page.getByRole("checkbox", { name: /captured with it/ });
			if (isWhole === undefined) assert.equal(await whole.count(), 0);
			else await whole.waitFor();
			if (isWhole === false) await whole.uncheck();
			await page.getByLabel(/To confirm/).fill("delete");
			await page.getByRole("button", { name: "Delete", exact: true }).click();
			await row(page, name).waitFor({ state: "detached" });
		};
		await remove("short lived", false);
		await row(page, children[0]).waitFor(); // it has its own row now
		for (const name of children) await remove(name);
		world.ingest("short lived", "-d", system);
		await row(page, "short lived").waitFor();
		await remove("short lived", true);
		await until("all are gone", async () => !(await listed()).some((one) =>
			one.name.startsWith("short lived")));
	},
	async "sorts by every column, both ways"() {
		const page = await openList();
		const all = await listed();
		const head = (title) => page.getByRole("columnheader", { name: title });
		const sorts = {
			Name: (a, b) => a.name.localeCompare(b.name, "en", { numeric: true, sensitivity: "base" }),
			Rows: (a, b) => Number(a.row_count) - Number(b.row_count),
			Size: (a, b) => Number(a.size_bytes) - Number(b.size_bytes),
		};
		for (const [title, compare] of Object.entries(sorts))
			for (let turn = 0; turn < 2; turn++) {
				await head(title).getByRole("button").click();
				const sign = await head(title).getAttribute("aria-sort") === "descending" ? -1 : 1;
				const shown = (await names(page)).map((name) => all.find((one) => one.name === name));
				for (let i = 1; i < shown.length; i++)
					assert.ok(sign * compare(shown[i - 1], shown[i]) <= 0, `${title}: ${shown[i].name}`);
			}
	},
	async "renaming a profile changes its link and the workspace"() {
		const page = await openList();
		await row(page, "beta").getByRole("button", { name: "Rename beta" }).click();
		const field = page.getByRole("textbox", { name: "New name for beta" });
		await field.fill("alpha");
		await page.getByText("A profile with this name already exists.").waitFor();
		await field.fill("beta 2, renamed");
		await field.press("Enter");
		await row(page, "beta 2, renamed").waitFor();
		// The page shows the change before the server has responded.
		await until("the server renamed it", async () =>
			(await listed()).some((one) => one.name === "beta 2, renamed"));
		assert.ok(!(await listed()).some((one) => one.name === "beta"));
		await row(page, "beta 2, renamed").getByRole("link", { name: "beta 2, renamed", exact: true })
			.click();
		await page.getByRole("tab", { name: "Timeline" }).waitFor();
		assert.equal(decodeURIComponent(new URL(page.url()).pathname), "/profile/beta 2, renamed");
	},
	async "favourites are kept in the list and the sidebar"() {
		const page = await openList();
		await page.getByRole("button", { name: "Favourite gamma", exact: true }).click();
		await until("it is one", async () => (await profile("gamma")).favourite);
		await page.getByRole("tab", { name: "Favourites" }).click();
		await until("listed", async () => (await names(page)).join() === "gamma");
		await page.getByRole("navigation", { name: "Profiles" }).getByRole("link", { name: "gamma" })
			.first().waitFor();
		await page.getByRole("button", { name: "Favourite gamma", exact: true }).click();
		await until("it is none", async () => !(await profile("gamma")).favourite);
	},
	async "moves profiles to a folder and out of it"() {
		const page = await openList();
		await page.getByRole("checkbox", { name: "Select gamma" }).click();
		await page.getByRole("checkbox", { name: "Select alpha" }).click();
		await page.getByRole("button", { name: "Actions", exact: true }).click();
		await page.getByRole("menuitem", { name: "Move to folder…" }).click();
		await page.getByLabel("Folder name").fill("sweep");
		await page.getByRole("button", { name: "Move", exact: true }).click();
		await until("both are in it", async () => (await listed()).filter((one) =>
			one.folder === "sweep").map((one) => one.name).sort().join() === "alpha,gamma");
		await page.getByRole("tab", { name: "Folders" }).click();
		await page.getByRole("button", { name: /sweep 2 profiles/ }).click();
		await until("listed", async () => (await names(page)).sort().join() === "alpha,gamma");
		await page.getByRole("button", { name: "Folders", exact: true }).click();
		await page.getByRole("button", { name: /Remove the folder sweep/ }).click();
		await until("none is", async () => (await listed()).every((one) => one.folder === ""));
	},
	async "deletes only after the word is typed"() {
		const page = await openList();
		await page.getByRole("button", { name: "Actions for delta" }).click();
		await page.getByRole("menuitem", { name: "Delete…" }).click();
		const button = page.getByRole("button", { name: "Delete", exact: true });
		for (const typed of ["", "Delete", "delet"]) {
			await page.getByLabel(/To confirm/).fill(typed);
			assert.ok(await button.isDisabled(), typed);
		}
		await page.getByLabel(/To confirm/).fill("delete");
		await button.click();
		await row(page, "delta").waitFor({ state: "detached" });
		await until("it is gone", async () => !(await listed()).some((one) => one.name === "delta"));
	},
	async "uploads files with progress, and the profile is the same as from the command line"() {
		const page = await openList();
		await chooseFiles(page, demoFiles());
		assert.equal(await page.getByLabel("Name", { exact: true }).inputValue(), "demo");
		await page.getByLabel("Name", { exact: true }).fill("uploaded");
		await page.getByRole("button", { name: "Upload", exact: true }).click();
		await row(page, "uploaded").getByText("Ready").waitFor();
		const [mine, theirs] = [await profile("uploaded"), await profile("alpha")];
		assert.equal(mine.row_count, theirs.row_count);
		assert.deepEqual(mine.tables, theirs.tables);
		assert.equal(world.one("uploaded", "SELECT count(*) FROM Instruction"),
			world.one("alpha", "SELECT count(*) FROM Instruction"));
	},
	async "an upload resumes after a lost connection without losing a byte"() {
		const page = await openList();
		const pieces = [];
		await page.route("**/uploads/*/files/**", (route) => {
			pieces.push(new URL(route.request().url()).search);
			return pieces.length === 2 ? route.abort("connectionreset") : route.continue();
		});
		// A second file larger than one chunk.
		const big = Buffer.concat([readFileSync(demoFiles().ntff), Buffer.alloc(0)]);
		await chooseFiles(page, { neff: demoFiles().neff,
			ntff: { name: "dropped.ntff", mimeType: "", buffer: big } });
		await page.getByLabel("Name", { exact: true }).fill("dropped");
		await page.getByRole("button", { name: "Upload", exact: true }).click();
		await row(page, "dropped").getByText("Ready").waitFor();
		assert.ok(pieces.length >= 3, pieces.join());
		assert.equal((await profile("dropped")).row_count, (await profile("alpha")).row_count);
	},
	async "an existing name is only replaced if the box is ticked"() {
		const page = await openList();
		const before = (await profile("alpha")).id;
		await chooseFiles(page, demoFiles());
		await page.getByLabel("Name", { exact: true }).fill("alpha");
		const button = page.getByRole("button", { name: "Upload", exact: true });
		assert.ok(await button.isDisabled());
		await page.getByLabel("Replace an existing profile with the same name").check();
		await page.getByText("The existing profile with this name will be replaced.").waitFor();
		await button.click();
		await until("it is another", async () => {
			const now = await profile("alpha").catch(() => null);
			return now?.state === "ready" && now.id !== before;
		}, 60_000);
		await row(page, "alpha").getByText("Ready").waitFor();
	},
	async "uploads a capture's folder: the system and its device"() {
		const page = await openList();
		await page.getByRole("button", { name: "Upload profile" }).click();
		await page.getByRole("radio", { name: /^Folder/ }).check();
		await page.locator("dialog input[type=file]").first().setInputFiles(system);
		await page.getByLabel("Name", { exact: true }).fill("whole");
		await page.getByRole("button", { name: "Upload", exact: true }).click();
		await row(page, "whole").getByText("Ready").waitFor();
		const [mine, theirs] = [await profile("whole"), await profile("training")];
		assert.equal(mine.kind, "system");
		assert.equal(mine.row_count, theirs.row_count);
		assert.equal(mine.devices.length, theirs.devices.length);
		assert.ok(mine.devices[0].profile, "its device profile is known");
		assert.ok((await listed()).some((one) => one.name === mine.devices[0].profile));
	},
	async "an invalid capture fails with a readable reason"() {
		const page = await openList();
		await chooseFiles(page, { neff: demoFiles().neff,
			ntff: { name: "wrong.ntff", mimeType: "", buffer: Buffer.from("no recording at all") } });
		await page.getByLabel("Name", { exact: true }).fill("broken");
		await page.getByRole("button", { name: "Upload", exact: true }).click();
		await row(page, "broken").getByText("Failed").waitFor();
		const { reason } = await profile("broken").catch(async () =>
			(await listed()).find((one) => one.name === "broken"));
		assert.ok(reason.length > 10, reason);
		assert.ok((await row(page, "broken").innerText()).includes(reason.slice(0, 20)));
	},
	async "changes from the command line appear without a reload"() {
		const page = await openList();
		world.makeDevice("from outside");
		await row(page, "from outside").waitFor();
		world.run(world.program, "delete", "from outside", "--data-path", world.workspace, "--yes");
		await row(page, "from outside").waitFor({ state: "detached" });
	},
};

await runCases(world, cases);
