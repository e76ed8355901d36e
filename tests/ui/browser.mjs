// SPDX-License-Identifier: Apache-2.0
// Tests the pages in a real browser against a fake server behind a path prefix: they load with the
// server's CSP, list, rename, upload through a connection that drops, and handle keys.
//
//	node browser.mjs --dist DIR --modules DIR
//
// Exits with 77 (skipped) if there is no Chromium.

import { spawn } from "node:child_process";
import { existsSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import assert from "node:assert/strict";

import { returningVisitor } from "./returning_visitor.mjs";

const HERE = dirname(fileURLToPath(import.meta.url));
const optionOf = (name) => resolve(process.argv[process.argv.indexOf(`--${name}`) + 1]);
const chromiumPath = ["/usr/bin/chromium", "/usr/bin/chromium-browser", "/usr/bin/google-chrome"]
	.find((path) => existsSync(path));
if (!chromiumPath) {
	console.log("there is no Chromium here");
	process.exit(77);
}
const { chromium } = createRequire(join(optionOf("modules"), "here.js"))("playwright-core");
const PREFIX = "/some/where";
const server = spawn(process.execPath, [join(HERE, "profiles_server.mjs"), "--port", "0",
	"--dist", optionOf("dist"), "--prefix", PREFIX], { stdio: ["ignore", "pipe", "inherit"] });
const port = await new Promise((resolve) => server.stdout.once("data", (text) =>
	resolve(/(\d+)/.exec(String(text))[1])));
const root = `http://127.0.0.1:${port}${PREFIX}/`;
const browser = await chromium.launch({ executablePath: chromiumPath, args: ["--no-sandbox"] });

const faults = [];
async function newPage() {
	const context = await browser.newContext({ colorScheme: "dark" });
	await returningVisitor(context);
	const page = await context.newPage();
	page.setDefaultTimeout(90_000); // a limit for what hangs, also on a busy machine
	page.on("pageerror", (fault) => faults.push(fault.message));
	page.on("console", (line) => {
		// Expected error responses are logged too.
		if (line.type() === "error" && !/Failed to load resource/.test(line.text())) faults.push(line.text());
	});
	return page;
}

const cases = {
	async "profiles are listed below any path prefix"() {
		const page = await newPage();
		await page.goto(root);
		await page.getByRole("link", { name: "llama3_8b_tp8_decode" }).last().waitFor();
		await page.keyboard.press("/");
		await page.keyboard.type("nki att");
		await page.locator("tbody").getByRole("link", { name: "sweep_tile_128", exact: true })
			.waitFor({ state: "detached" });
		assert.equal(await page.locator("tbody tr").count(), 1);
	},
	async "a profile can be renamed in its row"() {
		const page = await newPage();
		await page.goto(root);
		await page.getByRole("button", { name: "Rename sweep_tile_160" }).click();
		const field = page.getByRole("textbox", { name: "New name for sweep_tile_160" });
		await field.fill("sweep_tile_128");
		await page.getByText("A profile with this name already exists.").waitFor();
		await field.fill("renamed");
		await field.press("Enter");
		await page.locator("tbody").getByRole("link", { name: "renamed", exact: true }).waitFor();
	},
	async "profiles are deleted after the word is typed"() {
		const page = await newPage();
		await page.goto(root);
		await page.getByRole("checkbox", { name: "Select sweep_tile_512" }).click();
		await page.getByRole("checkbox", { name: "Select sweep_tile_544" }).click();
		await page.getByRole("button", { name: "Actions", exact: true }).click();
		await page.getByRole("menuitem", { name: "Delete…" }).click();
		const button = page.getByRole("button", { name: "Delete", exact: true });
		assert.ok(await button.isDisabled());
		await page.keyboard.type("delete");
		await page.keyboard.press("Enter");
		await page.locator("tbody").getByRole("link", { name: "sweep_tile_512", exact: true }).waitFor({ state: "detached" });
		await page.locator("tbody").getByRole("link", { name: "sweep_tile_544", exact: true }).waitFor({ state: "detached" });
	},
	async "an upload resumes after a lost connection"() {
		const page = await newPage();
		await page.goto(root);
		let pieces = 0;
		await page.route("**/uploads/*/files/**", (route) => ++pieces === 2 ? route.abort() : route.continue());
		await page.getByRole("button", { name: "Upload profile" }).click();
		const inputs = page.locator("dialog input[type=file]");
		await inputs.nth(0).setInputFiles({ name: "m.neff", mimeType: "", buffer: Buffer.alloc(100) });
		await inputs.nth(1).setInputFiles({ name: "m.ntff", mimeType: "", buffer: Buffer.alloc(17 << 20, 1) });
		assert.equal(await page.getByLabel("Name", { exact: true }).inputValue(), "m");
		await page.getByLabel("Name", { exact: true }).fill("uploaded");
		await page.getByRole("button", { name: "Upload", exact: true }).click();
		const row = page.locator("tbody tr", { hasText: "uploaded" });
		await row.getByText(/Waiting|Reading|Writing|Ready/).waitFor(); // 17 MB
		assert.equal(pieces, 5); // one of the NEFF, three of the NTFF, one dropped
	},
	async "links to a profile, its tabs and back"() {
		const page = await newPage();
		await page.goto(`${root}profile/llama3_8b_tp8_decode?from=1000&to=5000&rows=full`);
		await page.getByRole("tab", { name: "Timeline" }).waitFor();
		await page.waitForURL((url) => url.searchParams.has("panels"));
		const query = new URL(page.url()).searchParams;
		assert.equal(query.get("from"), "1000");
		assert.equal(query.get("rows"), "full");
		assert.ok(query.get("panels").includes("timeline"));
		await page.getByRole("link", { name: "Summary", exact: true }).click();
		assert.ok(page.url().endsWith("/some/where/profile/llama3_8b_tp8_decode/summary"));
		await page.goBack();
		await page.getByRole("tab", { name: "Timeline" }).waitFor();
	},
	async "a layout is saved, and closed panels come back with it"() {
		const page = await newPage();
		await page.goto(`${root}profile/llama3_8b_tp8_decode`);
		await page.getByRole("button", { name: "Layout" }).click();
		await page.getByRole("menuitem", { name: "Save layout…" }).click();
		await page.getByLabel("Name", { exact: true }).waitFor();
		await page.keyboard.type("mine");
		await page.keyboard.press("Enter");
		await page.getByText("Layout saved as mine.").waitFor();
		while (await page.locator(".dock-tab").count()) await page.locator(".dock-close").first().click();
		await page.getByText("No panels are open").waitFor();
		await page.getByRole("button", { name: "Layout" }).click();
		await page.getByRole("menuitem", { name: "mine" }).first().click();
		await page.getByRole("tab", { name: "Timeline" }).waitFor();
	},
	async "a tab can be dragged beside the timeline, and a gutter moved by keys"() {
		const page = await newPage();
		await page.goto(`${root}profile/llama3_8b_tp8_decode`);
		const tabs = page.locator(".dock-tab");
		await tabs.first().waitFor();
		if (await tabs.count() < 2) return; // there are no panels yet
		const tab = await tabs.nth(1).boundingBox();
		const timeline = await page.locator("#dock-panel-timeline").boundingBox();
		await page.mouse.move(tab.x + 10, tab.y + 10);
		await page.mouse.down();
		await page.mouse.move(timeline.x + timeline.width - 40, timeline.y + timeline.height / 2, { steps: 4 });
		await page.locator(".dock-drop").waitFor();
		await page.mouse.up();
		const panels = (url) => url.searchParams.get("panels") ?? "";
		await page.waitForURL((url) => /^v\(\d+~h\(500~timeline\)\(500~[\w-]+\)\)/.test(panels(url)));
		await page.locator(".dock-gutter.is-row").first().focus();
		await page.keyboard.press("ArrowLeft");
		await page.waitForURL((url) => /h\(480~timeline\)/.test(panels(url)));
	},
	async "keys: help, focus mode, colours"() {
		const page = await newPage();
		await page.goto(`${root}profile/llama3_8b_tp8_decode`);
		await page.getByRole("tab", { name: "Timeline" }).waitFor();
		await page.keyboard.press("?");
		await page.getByRole("dialog", { name: "Keyboard" }).waitFor();
		await page.keyboard.press("Escape");
		await page.keyboard.press("l");
		assert.equal(await page.locator("html").getAttribute("data-theme"), "light");
		await page.keyboard.press(".");
		await page.getByRole("navigation", { name: "Profiles" }).waitFor({ state: "detached" });
		await page.keyboard.press("Escape");
		await page.getByRole("navigation", { name: "Profiles" }).waitFor();
	},
	async "unknown pages and profiles give an error"() {
		const page = await newPage();
		await page.goto(`${root}profile/nobody`);
		await page.getByText("There is no profile nobody").first().waitFor();
		await page.goto(`${root}no/such/page`);
		await page.getByText("Page not found").waitFor();
	},
};

let failed = 0;
for (const [name, run] of Object.entries(cases)) {
	try {
		faults.length = 0;
		await run();
		assert.deepEqual(faults, []);
		console.log(`ok ${name}`);
	} catch (failure) {
		failed++;
		console.log(`not ok ${name}\n${failure.stack}`);
	}
}
await browser.close();
server.kill();
process.exit(failed ? 1 : 0);
