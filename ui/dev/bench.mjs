// SPDX-License-Identifier: Apache-2.0
// How smoothly a timeline pans and zooms: frames in a headless browser, without a GPU.
//
//	node dev/bench.mjs URL [SECONDS]
//
// Prints frames per second and how long the slowest frames took; 60 a second is the goal. On a busy
// machine the processor time that all processes of the browser spent on a frame says more.

import { readdirSync, readFileSync } from "node:fs";
import { chromium } from "playwright-core";

const [url, seconds = "10"] = process.argv.slice(2);
const browser = await chromium.launch({ executablePath: "/usr/bin/chromium", args: ["--no-sandbox"] });
const page = await browser.newPage({ viewport: { width: 1920 + 200, height: 1300 } });
await page.goto(url);
await page.waitForTimeout(1500);

/** Processor time of this program's children and theirs, in milliseconds. */
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

/** Moves the view a little in every frame, as a hand would, and notes when frames came. */
async function run(kind) {
	return page.evaluate(([kind, seconds]) => new Promise((done) => {
		const { view, endNs } = window.timeline;
		const start = performance.now(), times = [], work = [];
		view.set({ fromNs: endNs * 0.4, toNs: endNs * 0.5 });
		const step = (now) => {
			times.push(now);
			const t = (now - start) / 1000;
			if (t > seconds) {
				const gaps = times.slice(1).map((time, i) => time - times[i]).sort((a, b) => a - b);
				const at = (share) => gaps[Math.min(Math.floor(gaps.length * share), gaps.length - 1)];
				return done({ frames: times.length, fps: (times.length - 1) / t, median_ms: at(0.5), p95_ms: at(0.95), worst_ms: at(1) });
			}
			if (kind === "pan") {
				const from = endNs * (0.45 + 0.4 * Math.sin(t / 2));
				view.set({ fromNs: from, toNs: from + endNs * 0.1 });
			} else {
				const span = endNs * Math.pow(10, -2 + 2 * Math.cos(t));
				const from = Math.max(endNs * 0.45 - span / 2, 0);
				view.set({ fromNs: from, toNs: Math.min(from + span, endNs) });
			}
			work.push(performance.now() - now);
			requestAnimationFrame(step);
		};
		requestAnimationFrame(step);
	}), [kind, Number(seconds)]);
}

const rows = await page.evaluate(() => document.querySelectorAll(".tl-label:not(.tl-group)").length);
console.log(`${rows} rows, ${await page.evaluate(() => document.querySelector(".tl-canvases canvas").width)} pixels`);
for (const kind of ["pan", "zoom"]) {
	const before = spentMs();
	const { frames, fps, median_ms, p95_ms, worst_ms } = await run(kind);
	const spent = (spentMs() - before) / frames;
	console.log(`${kind}: ${fps.toFixed(1)} frames a second; a frame takes ${median_ms.toFixed(1)} ms at the median, ` +
		`${p95_ms.toFixed(1)} ms in one of twenty, ${worst_ms.toFixed(1)} ms at worst; ${spent.toFixed(1)} ms of processor time`);
}
await browser.close();
