// SPDX-License-Identifier: Apache-2.0
// Measures how smoothly a timeline pans and zooms in a headless browser without a GPU.
//
//	node frames.mjs URL [SECONDS] [--modules DIR]
//
// URL is a profile's page. Turns the wheel a little
// in every frame. Prints frames per second (the goal is 60) and the slowest frames. On a
// busy machine the browser's CPU time per frame is more useful. Finally compares the resting page
// with a newly opened one.

import { readdirSync, readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";

const here = dirname(fileURLToPath(import.meta.url));
const modulesAt = process.argv.indexOf("--modules");
const modules = modulesAt < 0 ? join(here, "../../ui/node_modules")
	: resolve(process.argv.splice(modulesAt, 2)[1]);
const { chromium } = createRequire(join(modules, "here.js"))("playwright-core");
const [url, seconds = "10"] = process.argv.slice(2);
const browser = await chromium.launch({ executablePath: "/usr/bin/chromium", args: ["--no-sandbox"] });
const page = await browser.newPage({ viewport: { width: 1920 + 200, height: 1300 } });
await page.goto(url);
await page.locator("canvas.tl-overlay").waitFor();
await page.waitForTimeout(1500);

/** CPU time of all descendant processes, in milliseconds. */
function spentMs() {
	const stats = readdirSync("/proc").filter((name) => /^\d+$/.test(name)).flatMap((name) => {
		try {
			const text = readFileSync(`/proc/${name}/stat`, "latin1");
			const fields = text.slice(text.lastIndexOf(")") + 2).split(" ");
			return [{ pid: Number(name), parent: Number(fields[1]), ticks: Number(fields[11]) + Number(fields[12]) }];
		} catch {
			return []; // it has ended
		}
	});
	const sumBelow = (pid) => stats.filter(({ parent }) => parent === pid)
		.reduce((sum, one) => sum + one.ticks + sumBelow(one.pid), 0);
	return sumBelow(process.pid) * 10;
}

/** Turns the wheel once per frame and records the times of frames. */
async function run(kind) {
	return page.evaluate(([how, most]) => new Promise((done) => {
		const canvas = document.querySelector("canvas.tl-overlay");
		const { left, top, width } = canvas.getBoundingClientRect();
		const turn = (part) => canvas.dispatchEvent(new WheelEvent("wheel", { bubbles: true, cancelable: true,
			clientX: left + width * 0.45, clientY: top + 50, ...part }));
		for (let i = 0; i < 10 && how === "pan"; i++) turn({ ctrlKey: true, deltaY: -100 }); // room to move
		const start = performance.now(), times = [];
		const step = (now) => {
			times.push(now);
			const t = (now - start) / 1000;
			if (t > most) {
				const gaps = times.slice(1).map((time, i) => time - times[i]).sort((a, b) => a - b);
				const at = (share) => gaps[Math.min(Math.floor(gaps.length * share), gaps.length - 1)];
				return done({ frames: times.length, fps: (times.length - 1) / t, median: at(0.5), p95: at(0.95), worst: at(1) });
			}
			if (how === "pan") turn({ shiftKey: true, deltaY: Math.round(40 * Math.cos(t)) });
			else turn({ ctrlKey: true, deltaY: Math.cos(t * 1.2) > 0 ? -21 : 21 });
			requestAnimationFrame(step);
		};
		requestAnimationFrame(step);
	}), [kind, Number(seconds)]);
}

const picture = () => page.evaluate(() => {
	const canvas = document.querySelector(".tl-canvases canvas");
	return [...new Uint32Array(canvas.getContext("2d").getImageData(0, 0, canvas.width, canvas.height).data.buffer)];
});

const rows = await page.evaluate(() => document.querySelectorAll(".tl-label:not(.tl-group)").length);
console.log(`${rows} rows, ${await page.evaluate(() => document.querySelector(".tl-canvases canvas").width)} pixels`);
for (const kind of ["pan", "zoom"]) {
	const before = spentMs();
	const { frames, fps, median, p95, worst } = await run(kind);
	const spent = (spentMs() - before) / frames;
	console.log(`${kind}: ${fps.toFixed(1)} frames a second; a frame takes ${median.toFixed(1)} ms at the median, ` +
		`${p95.toFixed(1)} ms in one of twenty, ${worst.toFixed(1)} ms at worst; ${spent.toFixed(1)} ms of processor time`);
}
await page.waitForTimeout(1500);
const rested = await picture();
if (page.url() !== url) { // the page's address says what it shows
	await page.reload();
	await page.locator("canvas.tl-overlay").waitFor();
	await page.waitForTimeout(2500);
	const fresh = await picture();
	const other = rested.filter((pixel, i) => pixel !== fresh[i]).length;
	console.log(`${other} of ${fresh.length} pixels differ from a page opened anew`);
}
await browser.close();
