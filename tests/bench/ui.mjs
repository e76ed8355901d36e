// SPDX-License-Identifier: Apache-2.0
// The measurements of ui.sh: a real browser with real input events, then two hundred clients.

import http from "node:http";
import { existsSync, readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";

const optionOf = (name, otherwise) => {
	const at = process.argv.indexOf(`--${name}`);
	return at < 0 ? otherwise : process.argv[at + 1];
};
const root = optionOf("url"), profile = optionOf("profile"), server = optionOf("server");
const SECONDS = Number(optionOf("seconds", "10"));
const CLIENTS = 200;
const TARGETS = { firstMs: 1000, frameMs: 20, tabMb: 300, tailMs: 1000 };

const chromiumPath = ["/usr/bin/chromium", "/usr/bin/chromium-browser", "/usr/bin/google-chrome"].find(existsSync);
if (!chromiumPath) {
	console.log("bench: the pages are left out: there is no Chromium here");
	process.exit(0);
}
const { chromium } = createRequire(join(optionOf("modules"), "here.js"))("playwright-core");

let failed = false;
function row(what, value, unit, target) {
	const missed = target !== undefined && !(value <= target);
	failed ||= missed;
	console.log(`${what.padEnd(46)}${(value >= 100 ? value.toFixed(0) : value.toFixed(1)).padStart(10)} ${unit.padEnd(8)}` +
		(target === undefined ? "" : `${missed ? "MISSED" : "ok"} (${target})`));
}
const quantile = (sorted, share) => sorted[Math.min(Math.floor(sorted.length * share), sorted.length - 1)] ?? NaN;
const memoryMb = (pid, field) => Number(new RegExp(`${field}:\\s+(\\d+)`).exec(
	readFileSync(`/proc/${pid}/status`, "latin1"))[1]) / 1024;

const details = await (await fetch(`${root}api/v1/profiles/${profile}`)).json();
row("rows of the profile", Number(details.row_count) / 1e6, "million");
row("from capture to profile", Number(optionOf("ingest-ms", "0")) / 1000, "s");

// --- one user --------------------------------------------------------------------------------------

const browser = await chromium.launch({ executablePath: chromiumPath, args: ["--no-sandbox"] });
const page = await (await browser.newContext({ viewport: { width: 1920, height: 1080 } })).newPage();
const control = await page.context().newCDPSession(page);
await control.send("Network.enable");
let bytes = 0, requests = 0;
control.on("Network.loadingFinished", ({ encodedDataLength }) => {
	bytes += encodedDataLength;
	requests++;
});
await page.addInitScript(() => {
	// The first frame after the timeline's data has arrived.
	const look = () => {
		const isDrawn = document.querySelector(".tl-canvases canvas") && !document.querySelector(".tl-notice");
		if (isDrawn) requestAnimationFrame(() => (window.firstMs = performance.now()));
		else requestAnimationFrame(look);
	};
	requestAnimationFrame(look);
});

async function load() {
	await page.goto(`${root}profile/${profile}`);
	await page.waitForFunction(() => window.firstMs > 0, null, { timeout: 60_000 });
	return page.evaluate(() => window.firstMs);
}
await page.goto(root); // as visitors do: the list first
await page.locator("tbody tr").first().waitFor();
const cold = await load();
const loads = [];
for (let i = 0; i < 3; i++) loads.push(await load());
row("first picture, profile not opened before", cold, "ms", TARGETS.firstMs);
row("first picture, median of three more", quantile(loads.sort((a, b) => a - b), 0.5), "ms", TARGETS.firstMs);
await page.waitForTimeout(500);

/** Frames as the browser made them while the input went on. */
async function frames(input) {
	await page.evaluate(() => {
		window.frameTimes = [];
		const note = (now) => {
			window.frameTimes.push(now);
			if (window.frameTimes) window.noting = requestAnimationFrame(note);
		};
		window.noting = requestAnimationFrame(note);
	});
	const end = Date.now() + SECONDS * 1000;
	for (let i = 0; Date.now() < end; i++) await input(i);
	const times = await page.evaluate(() => {
		cancelAnimationFrame(window.noting);
		return window.frameTimes;
	});
	const gaps = times.slice(1).map((time, i) => time - times[i]).sort((a, b) => a - b);
	return { fps: (times.length - 1) / ((times.at(-1) - times[0]) / 1000), p95: quantile(gaps, 0.95), worst: gaps.at(-1) };
}

const area = await page.locator("canvas.tl-overlay").boundingBox();
await page.mouse.move(area.x + area.width * 0.45, area.y + 120);
const wheel = (modifier, deltaX, deltaY) => control.send("Input.dispatchMouseEvent", { type: "mouseWheel",
	x: area.x + area.width * 0.45, y: area.y + 120, deltaX, deltaY, modifiers: modifier });
const CTRL = 2, SHIFT = 8;
const inputs = {
	"zooming by wheel": (i) => wheel(CTRL, 0, Math.floor(i / 120) % 2 ? 40 : -40),
	"panning by wheel": (i) => wheel(SHIFT, 0, Math.floor(i / 90) % 2 ? -60 : 60),
};
const before = { bytes, requests };
for (const [what, input] of Object.entries(inputs)) {
	if (what.startsWith("panning")) for (let i = 0; i < 25; i++) await wheel(CTRL, 0, -60);
	const { fps, p95, worst } = await frames(input);
	row(`${what}: frames`, fps, "/s");
	row(`${what}: a frame in one of twenty`, p95, "ms", TARGETS.frameMs);
	row(`${what}: the longest frame`, worst, "ms");
}
row("bytes per second while moving", (bytes - before.bytes) / 1024 / SECONDS / 2, "KiB/s");
row("requests per second while moving", (requests - before.requests) / SECONDS / 2, "/s");
row("bytes in all", bytes / 1024 / 1024, "MiB");

await control.send("HeapProfiler.enable");
await control.send("HeapProfiler.collectGarbage");
const { metrics } = await control.send("Performance.enable").then(() => control.send("Performance.getMetrics"));
row("the tab: heap of its scripts", metrics.find(({ name }) => name === "JSHeapUsedSize").value / 2 ** 20, "MiB");
const whole = await browser.newBrowserCDPSession();
const { processInfo } = await whole.send("SystemInfo.getProcessInfo");
const tabs = processInfo.filter(({ type }) => type === "renderer").map(({ id }) => memoryMb(id, "RssAnon"));
row("the tab: private memory", Math.max(...tabs), "MiB", TARGETS.tabMb);
await browser.close();

// --- many clients ----------------------------------------------------------------------------------

const { from_ns, to_ns, tracks } = await (await fetch(`${root}api/v1/profiles/${profile}/tracks`)).json();
const from = Number(from_ns), size = Number(to_ns) - from;
// The first requests of a page: engines and utilisation.
const drawn = tracks.filter(({ kind, table }) => kind === "counter" || table === "Instruction").map(({ id }) => id);
const agent = new http.Agent({ keepAlive: true, maxSockets: CLIENTS });
const { port } = new URL(root);
let received = 0;
function ask(path) {
	return new Promise((done, fail) => {
		http.get({ host: "127.0.0.1", port, path, agent, headers: { Host: `localhost:${port}` } }, (answer) => {
			answer.on("data", (part) => (received += part.length));
			answer.on("end", () => (answer.statusCode === 200 ? done() : fail(new Error(`${answer.statusCode}`))));
		}).on("error", fail);
	});
}
const times = [];
let errors = 0;
const end = Date.now() + 5000;
const started = Date.now();
await Promise.all(Array.from({ length: CLIENTS }, async (_, client) => {
	for (let turn = 0; Date.now() < end; turn++) {
		const span = size / 2 ** ((client + turn) % 16), left = from + Math.random() * (size - span);
		const some = Array.from({ length: 8 }, (__, i) => drawn[(client + i) % drawn.length]).join();
		const asked = performance.now();
		await ask(`/api/v1/profiles/${profile}/window?from=${Math.floor(left)}&to=${Math.ceil(left + span)}&px=1024&tracks=${some}`)
			.then(() => times.push(performance.now() - asked), () => errors++);
	}
}));
const took = (Date.now() - started) / 1000;
times.sort((a, b) => a - b);
row(`${CLIENTS} clients: windows`, times.length / took, "/s");
row(`${CLIENTS} clients: sent`, received / took / 2 ** 20, "MiB/s");
row(`${CLIENTS} clients: median`, quantile(times, 0.5), "ms");
row(`${CLIENTS} clients: slowest of a hundred`, quantile(times, 0.99), "ms", TARGETS.tailMs);
row(`${CLIENTS} clients: refused`, errors, "", 0);
row("the server: private memory", memoryMb(server, "RssAnon"), "MiB");
agent.destroy();
process.exit(failed ? 1 : 0);
