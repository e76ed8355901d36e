// SPDX-License-Identifier: Apache-2.0
// Two helpers on the profile's page; everything is readable without them.
"use strict";

// --- times: BigInt picoseconds, because numbers lose digits beyond 2^53 -----

const UNITS = [["s", 1000000000000n], ["ms", 1000000000n], ["µs", 1000000n], ["ns", 1000n], ["ps", 1n]];

function timeText(ps, scale) {
	const [unit, size] = UNITS.find(([, s]) => scale >= s) || UNITS[UNITS.length - 1];
	const thousandths = (ps * 1000n) / size;
	const fraction = String(thousandths % 1000n).padStart(3, "0");
	return `${thousandths / 1000n}.${fraction} ${unit}`;
}

function percentText(level, max) {
	return `${(100 * level / max).toFixed(1)} %`;
}

// --- timeline: a cursor and what happened under it --------------------------

function element(tag, text, className) {
	const made = document.createElement(tag);
	made.textContent = text;
	made.className = className || "";
	return made;
}

class Timeline {
	constructor(box, overview) {
		this.box = box;
		this.overview = overview;
		this.tip = box.parentElement.querySelector(".tip");
		this.cursor = box.querySelector(".cursor");
		this.lanes = [...box.querySelectorAll(".lane:not(.axis)")];
		this.span = BigInt(overview.span_ps);
		this.width = BigInt(overview.column_ps);
		this.count = Number((this.span + this.width - 1n) / this.width);
		this.columns = Number(this.span) / Number(this.width);
		this.column = -1;
		this.lane = 0;
		box.addEventListener("pointerdown", (event) => this.point(event));
		box.addEventListener("pointermove", (event) => this.point(event));
		box.addEventListener("pointerleave", () => this.hide());
		box.addEventListener("blur", () => this.hide());
		box.addEventListener("keydown", (event) => this.key(event));
	}

	chart() {
		return this.lanes[0].querySelector("svg").getBoundingClientRect();
	}

	point(event) {
		const chart = this.chart();
		const column = Math.floor((event.clientX - chart.left) / chart.width * this.columns);
		if (column < 0 || column >= this.count)
			return this.hide();
		const here = this.lanes.findIndex((lane) => lane.contains(event.target));
		if (here >= 0)
			this.lane = here;
		return this.show(column, event.clientY);
	}

	key(event) {
		const columns = { ArrowLeft: -1, ArrowRight: 1, PageUp: -50, PageDown: 50,
			Home: -this.count, End: this.count };
		const lanes = { ArrowUp: -1, ArrowDown: 1 };
		if (event.key === "Escape")
			this.hide();
		if (!(event.key in columns) && !(event.key in lanes))
			return;
		event.preventDefault();
		const column = this.column + (columns[event.key] || 0);
		const lane = this.lane + (lanes[event.key] || 0);
		this.lane = Math.max(0, Math.min(this.lanes.length - 1, lane));
		this.show(Math.max(0, Math.min(this.count - 1, column)),
			this.lanes[this.lane].getBoundingClientRect().top);
	}

	show(column, clientY) {
		const box = this.box.getBoundingClientRect();
		const chart = this.chart();
		const x = chart.left + chart.width * Math.min(column + .5, this.columns) / this.columns;
		this.column = column;
		this.cursor.hidden = this.tip.hidden = false;
		this.cursor.style.left = `${x - box.left}px`;
		this.tip.replaceChildren(...this.describe(column));
		const room = document.documentElement.clientWidth - this.tip.offsetWidth - 8;
		const left = x + 16 > room ? x - 16 - this.tip.offsetWidth : x + 16;
		const top = Math.min(clientY + 18, window.innerHeight - this.tip.offsetHeight - 8);
		this.tip.style.left = `${Math.max(8, Math.min(left, room)) + window.scrollX}px`;
		this.tip.style.top = `${top + window.scrollY}px`;
	}

	hide() {
		this.cursor.hidden = this.tip.hidden = true;
		this.column = -1;
	}

	describe(column) {
		const from = BigInt(column) * this.width;
		const to = from + this.width < this.span ? from + this.width : this.span;
		const perCore = this.lanes.length / this.overview.cores.length;
		const core = this.overview.cores[Math.floor(this.lane / perCore)];
		return [
			element("h4", `${timeText(from, this.span)} – ${timeText(to, this.span)}`),
			element("h4", `NeuronCore ${core.nc_idx}`),
			...this.describeCore(core, column, this.lane % perCore),
		];
	}

	describeCore(core, column, here) {
		const max = this.overview.level_max;
		const names = Object.keys(core).filter((name) => name !== "nc_idx" && name !== "throttled");
		const lines = names.map((name, index) => {
			const line = element("p", "", index === here ? "here" : "");
			line.append(element("span", name), element("span", percentText(core[name][column], max)));
			return line;
		});
		if (core.throttled[column]) {
			const line = element("p", "");
			line.append(element("span", "Throttled to"),
				element("span", percentText(max - core.throttled[column], max)));
			lines.push(line);
		}
		return lines;
	}
}

async function startTimeline() {
	const box = document.querySelector(".lanes");
	if (!box)
		return;
	const answer = await fetch(box.dataset.overview);
	if (answer.ok)
		new Timeline(box, await answer.json());
}

// --- metrics: show the rows that contain every word -------------------------

function search(input) {
	const words = input.value.toLowerCase().split(/\s+/).filter(Boolean);
	let found = 0;
	for (const group of document.querySelectorAll(".metrics tbody")) {
		const title = group.rows[0].textContent.toLowerCase();
		let visible = 0;
		for (const row of [...group.rows].slice(1)) {
			const text = `${title} ${row.textContent.toLowerCase()}`;
			row.hidden = !words.every((word) => text.includes(word));
			visible += row.hidden ? 0 : 1;
		}
		group.hidden = !visible;
		found += visible;
	}
	document.getElementById("metric-found").textContent =
		words.length ? `${found} metric${found === 1 ? "" : "s"} found` : "";
}

const input = document.getElementById("metric-search");
if (input)
	input.addEventListener("input", () => search(input));
startTimeline();
