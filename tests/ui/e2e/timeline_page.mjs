// SPDX-License-Identifier: Apache-2.0
// A timeline under test: positions of rows and times on the screen, the link, and painted pixels.
// Canvases have no elements, so tests look at pixels and the link instead.

import assert from "node:assert/strict";
import { until } from "./harness.mjs";

export class TimelinePage {
	constructor(page, world, profile) {
		this.page = page;
		this.world = world;
		this.profile = profile;
	}

	static async open(world, profile, query = "", options) {
		const page = await world.page(`profile/${encodeURIComponent(profile)}${query}`, options);
		const timeline = new TimelinePage(page, world, profile);
		await timeline.ready();
		return timeline;
	}

	get root() {
		return this.page.locator(".tl-root");
	}

	get canvas() {
		return this.page.locator("canvas.tl-overlay");
	}

	async ready() {
		await this.canvas.waitFor();
		await this.page.locator(".tl-notice").waitFor({ state: "detached" });
		const { from_ns, to_ns, tracks } = await this.world.api(
			`profiles/${encodeURIComponent(this.profile)}/tracks`);
		this.originNs = BigInt(from_ns);
		this.endNs = Number(BigInt(to_ns) - BigInt(from_ns));
		this.tracks = tracks;
		await this.settled();
	}

	/** No request is pending, and everything is drawn. */
	async settled() {
		const { pending } = this.page;
		for (let quiet = 0; quiet < 4; await this.page.waitForTimeout(40)) quiet = pending.size ? 0 : quiet + 1;
	}

	/** The effect of an input is on the screen: two frames have passed. */
	async drawn() {
		await this.page.evaluate(() => new Promise((done) =>
			requestAnimationFrame(() => requestAnimationFrame(done))));
	}

	// --- the link ----------------------------------------------------------------------------------

	query() {
		return new URL(this.page.url()).searchParams;
	}

	view() {
		const query = this.query();
		return query.has("from") ? { from: Number(query.get("from")), to: Number(query.get("to")) }
			: { from: 0, to: this.endNs };
	}

	/**
	 * Waits until the link has changed and is stable. The page itself keeps the time, so that the wait
	 * is longer on a busy machine: frames deliver the input and advance an animation, and the timer
	 * that writes the link is older than the one set here.
	 */
	async changed(before, what = "the link") {
		await until(`${what} changes`, () => this.page.url() !== before, 20_000);
		for (let last = ""; last !== this.page.url();) {
			last = this.page.url();
			await this.drawn();
			await this.page.evaluate(() => new Promise((done) => setTimeout(done, 450)));
			await this.drawn();
		}
	}

	async does(act, what) {
		const before = this.page.url();
		await act();
		await this.changed(before, what);
	}

	// --- rows --------------------------------------------------------------------------------------

	async labels() {
		return this.page.locator(".tl-label .tl-label-text").allTextContents();
	}

	label(name) {
		return this.page.getByRole("treeitem", { name, exact: true });
	}

	/** Scrolls to a row; returns the middle of its first line on the screen. */
	async rowY(name, depth = 0) {
		const label = this.label(name);
		await label.scrollIntoViewIfNeeded();
		await this.drawn();
		const box = await label.boundingBox();
		assert.ok(box, `there is no row ${name}`);
		return depth ? box.y + 3 + 16 * depth + 8 : box.y + Math.min(box.height / 2, 12);
	}

	async area() {
		return this.canvas.boundingBox();
	}

	async xOf(ns) {
		const { x, width } = await this.area();
		const { from, to } = this.view();
		return x + ((ns - from) / (to - from)) * width;
	}

	async timeAt(x) {
		const area = await this.area();
		const { from, to } = this.view();
		return from + ((x - area.x) / area.width) * (to - from);
	}

	async drag(fromX, fromY, toX, toY, { steps = 6, modifier } = {}) {
		if (modifier) await this.page.keyboard.down(modifier);
		await this.page.mouse.move(fromX, fromY);
		await this.page.mouse.down();
		await this.page.mouse.move(toX, toY, { steps });
		await this.page.mouse.up();
		if (modifier) await this.page.keyboard.up(modifier);
	}

	/** Colours of a strip of the canvas, as "r,g,b", most frequent first. */
	async colours({ canvas = ".tl-canvases canvas", y, height = 10, x = null, width = null }) {
		const seen = await this.page.evaluate(({ canvas: name, y: top, height: rows, x: left, width: columns }) => {
			const element = document.querySelector(name);
			const box = element.getBoundingClientRect();
			const scale = element.width / box.width;
			const at = (value) => Math.round(value * scale);
			const data = element.getContext("2d").getImageData(left === null ? 0 : at(left - box.left),
				at(top - box.top - rows / 2), columns === null ? element.width : Math.max(at(columns), 1), at(rows)).data;
			const counts = {};
			for (let i = 0; i < data.length; i += 4) {
				const key = `${data[i]},${data[i + 1]},${data[i + 2]},${data[i + 3]}`;
				counts[key] = (counts[key] ?? 0) + 1;
			}
			return counts;
		}, { canvas, y, height, x, width });
		return Object.entries(seen).sort((a, b) => b[1] - a[1]);
	}

	/** The number of pixels of about this colour on the overlay. */
	async overlayPixels([r, g, b], slack = 24) {
		return this.page.evaluate(({ want, most }) => {
			const canvas = document.querySelector("canvas.tl-overlay");
			const { data } = canvas.getContext("2d").getImageData(0, 0, canvas.width, canvas.height);
			let count = 0;
			for (let i = 0; i < data.length; i += 4)
				if (data[i + 3] > 60 && Math.abs(data[i] - want[0]) < most && Math.abs(data[i + 1] - want[1]) < most &&
					Math.abs(data[i + 2] - want[2]) < most) count++;
			return count;
		}, { want: [r, g, b], most: slack });
	}

	async picture() {
		return this.page.evaluate(() => [...document.querySelectorAll(".tl-canvases canvas, .tl-axis, .tl-map")]
			.map((canvas) => canvas.toDataURL()).join("\n"));
	}

	// --- panels ------------------------------------------------------------------------------------

	async panel(title) {
		const tab = this.page.getByRole("tab", { name: title, exact: true });
		if (!await tab.count()) {
			await this.page.getByRole("button", { name: "Add panel" }).click();
			await this.page.getByRole("dialog").getByRole("button", { name: title }).first().click();
		}
		await tab.first().click();
		return this.page.getByRole("region", { name: title, exact: true });
	}
}
