// SPDX-License-Identifier: Apache-2.0
// Zooming, panning and ticks.

import { formatNs } from "../src/format.ts";
import test from "node:test";
import assert from "node:assert/strict";
import {
	absoluteNs, blendViews, clampView, fitView, MIN_SPAN_NS, momentAt, panView, relativeNs, spanOf, stepView,
	timeToX, viewAround, xToTime, zoomAbout,
} from "../src/timeline/view.ts";
import { exactNs, ticksOf, tickStep, timeText } from "../src/timeline/ticks.ts";

const END = 2_069_900;
const close = (a: number, b: number, within: number) => assert.ok(Math.abs(a - b) <= within, `${a} is not ${b}`);

test("the time at the pointer stays there while zooming", () => {
	let view = { fromNs: 100_000, toNs: 300_000 };
	const at = xToTime(view, 1000, 333);
	for (let i = 0; i < 20; i++) {
		view = zoomAbout(view, END, at, 0.8);
		close(timeToX(view, 1000, at), 333, 0.01);
	}
	assert.ok(spanOf(view) < 3000);
});

test("zooming stops at the shortest span and at the whole profile", () => {
	let view = fitView(END);
	for (let i = 0; i < 100; i++) view = zoomAbout(view, END, 1_000_000, 0.5);
	close(spanOf(view), MIN_SPAN_NS, 1e-6);
	close(timeToX(view, 1000, 1_000_000), (1_000_000 / END) * 1000, 1);
	for (let i = 0; i < 100; i++) view = zoomAbout(view, END, 1_000_000, 2);
	assert.deepEqual(view, { fromNs: 0, toNs: END });
});

test("panning stops at the edges and keeps the span", () => {
	const view = { fromNs: 10, toNs: 1010 };
	assert.deepEqual(panView(view, END, -5000), { fromNs: 0, toNs: 1000 });
	assert.deepEqual(panView(view, END, 1e9), { fromNs: END - 1000, toNs: END });
});

test("a profile of zero length has a view", () => {
	assert.equal(spanOf(fitView(0)), MIN_SPAN_NS);
	assert.equal(spanOf(clampView({ fromNs: 5, toNs: 5 }, 100)), MIN_SPAN_NS);
});

test("nanoseconds are exact far from the origin", () => {
	const far = 86_400_000_000_000 * 90; // ninety days
	const view = { fromNs: far, toNs: far + 20 };
	for (let i = 0; i <= 20; i++) {
		const x = timeToX(view, 1920, far + i);
		assert.equal(momentAt(view, 1920, x, far + 100), far + i);
	}
	const origin = 1_760_000_000_000_000_123n;
	assert.equal(absoluteNs(origin, 7), 1_760_000_000_000_000_130n);
	assert.equal(relativeNs(origin, "1760000000000000130"), 7);
});

test("keys zoom at the pointer and pan in steps", () => {
	const view = { fromNs: 1000, toNs: 2000 };
	assert.deepEqual(stepView(view, END, "right"), { fromNs: 1150, toNs: 2150 });
	assert.deepEqual(stepView(view, END, "left"), { fromNs: 850, toNs: 1850 });
	close(stepView(view, END, "in", 1000).fromNs, 1000, 1e-6);
	assert.deepEqual(stepView(view, END, "fit"), fitView(END));
	assert.deepEqual(stepView(view, END, "start"), { fromNs: 0, toNs: 1000 });
	assert.deepEqual(stepView(view, END, "end"), { fromNs: END - 1000, toNs: END });
});

test("an event is shown with context", () => {
	const view = viewAround(1000, 2000, END, 0.5);
	assert.deepEqual(view, { fromNs: 500, toNs: 2500 });
	assert.ok(spanOf(viewAround(700, 700, END)) >= MIN_SPAN_NS);
});

test("an animation starts and ends at the right views", () => {
	const from = { fromNs: 0, toNs: 1e6 }, to = { fromNs: 5000, toNs: 6000 };
	assert.deepEqual(blendViews(from, to, 1), to);
	close(blendViews(from, to, 0).toNs, 1e6, 1e-6);
	const middle = blendViews(from, to, 0.5);
	assert.ok(middle.fromNs >= 0 && middle.toNs <= 1e6 && spanOf(middle) < 1e5);
});

test("steps of ticks are 1, 2 or 5 and leave room for labels", () => {
	for (let span = 10; span < 1e13; span *= 3.7) {
		const step = tickStep(span, 1000, 110);
		assert.match(String(step), /^[125]0*$/);
		assert.ok((step / span) * 1000 >= 109.9 || step === 1);
		assert.ok((step / span) * 1000 <= 2.51 * 110 || step === 1);
	}
});

test("labels use a suitable unit", () => {
	const label = (fromNs: number, toNs: number) => ticksOf({ fromNs, toNs }, 1000).ticks.map((tick) => tick.label);
	assert.deepEqual(label(0, 2_069_900).slice(0, 3), ["0 ms", "0.5 ms", "1 ms"]);
	assert.deepEqual(label(100_000, 200_000).slice(0, 2), ["100 µs", "120 µs"]);
	assert.deepEqual(label(100, 180).slice(0, 2), ["100 ns", "110 ns"]);
	assert.deepEqual(label(0, 3.2e9).slice(0, 2), ["0 s", "0.5 s"]);
	assert.deepEqual(label(0, 4e12).slice(1, 2), ["500 s"]);
});

test("at a deep zoom the axis shows the base time once", () => {
	const { ticks, base } = ticksOf({ fromNs: 1_234_567_890, toNs: 1_234_567_950 }, 1000);
	assert.equal(base, "1.2345678 s");
	assert.equal(ticks[0]!.label, "+90 ns");
	assert.equal(ticks[0]!.timeNs, 1_234_567_890);
	assert.equal(ticks.at(-1)!.label, "+150 ns");
});

test("no label is long, at any zoom and place", () => {
	for (const from of [0, 12_345, 987_654_321, 3_000_000_000_001]) {
		for (let span = 10; span < 1e12; span *= 7) {
			const { ticks } = ticksOf({ fromNs: from, toNs: from + span }, 1400);
			assert.ok(ticks.length > 0 && ticks.length < 20, `${ticks.length} ticks`);
			assert.equal(new Set(ticks.map((tick) => tick.label)).size, ticks.length);
			for (const { label } of ticks) assert.ok(label.length <= 14, label);
		}
	}
});

test("times and durations in words", () => {
	assert.equal(exactNs(1_176_253), "1,176,253 ns");
	assert.equal(timeText(1_234_567_890), "1.23456789 s");
	assert.equal(formatNs(2_069_900), "2.07 ms");
	assert.equal(formatNs(444), "444 ns");
	assert.equal(formatNs(999_999.9), "1 ms");
	assert.equal(formatNs(0), "0 ns");
	assert.equal(formatNs(NaN), "–");
});
