// SPDX-License-Identifier: Apache-2.0
// The timeline's picture: rectangles stay within the clip, and panning by whole pixels
// moves the picture without changing it.

import test from "node:test";
import assert from "node:assert/strict";
import type { Track } from "../src/api/types.ts";
import type { View } from "../src/contract.ts";
import { TileCache } from "../src/timeline/cache.ts";
import { paintsOf } from "../src/timeline/colours.ts";
import { paintBase } from "../src/timeline/draw.ts";
import { gridOf, pixelOf, viewOnGrid } from "../src/timeline/grid.ts";
import { DirectLane, FoldedLanes, LineLane } from "../src/timeline/lane_lines.ts";
import { inksOf } from "../src/timeline/inks.ts";
import { layoutRows } from "../src/timeline/layout.ts";
import { inkOf, mixInks, parseInk, Pixels } from "../src/timeline/pixels.ts";
import { buildRows } from "../src/timeline/rows.ts";
import type { PlacedBand, Scene, ThemeColours } from "../src/timeline/scene.ts";
import { fitText, roomOf, TextBatch } from "../src/timeline/texts.ts";
import { levelOf, type CounterStrip, type SpanStrip, type Strip } from "../src/timeline/tile.ts";
import { panView } from "../src/timeline/view.ts";
import { DEFAULT_SETTINGS } from "../src/state/url.ts";

const RED = inkOf(255, 0, 0), BLACK = inkOf(0, 0, 0);

test("CSS colours are parsed", () => {
	assert.equal(parseInk("#ff0000"), RED);
	assert.equal(parseInk(" #f00"), RED);
	assert.equal(parseInk("rgb(255, 0, 0)"), RED);
	assert.equal(parseInk("rgb(255 0 0 / 0.5)"), RED);
	assert.equal(parseInk("who knows"), inkOf(128, 128, 128));
	assert.equal(mixInks(BLACK, RED, 256), RED);
	assert.equal(mixInks(BLACK, RED, 0), BLACK);
	assert.equal(mixInks(inkOf(0, 0, 0), inkOf(255, 255, 255), 128), inkOf(127, 127, 127));
});

test("nothing is painted outside the picture or the clip", () => {
	const pixels = new Pixels(40, 4);
	pixels.clip(1, 3);
	pixels.rect(-5, -5, 100, 100, RED);
	pixels.rect(39, 0, 5, 9, BLACK);
	pixels.blend(-5, 0, 7, 9, BLACK, 256);
	const column = (x: number) => [0, 1, 2, 3].map((y) => pixels.data[y * 40 + x]);
	assert.deepEqual(column(20), [0, RED, RED, 0]);
	assert.deepEqual(column(39), [0, BLACK, BLACK, 0]);
	assert.deepEqual(column(1), [0, BLACK, BLACK, 0]);
	assert.deepEqual(column(2), [0, RED, RED, 0]);
	pixels.rect(50, 1, 2, 2, BLACK);
	assert.deepEqual(column(0), [0, BLACK, BLACK, 0]);
});

test("a time has the same pixel wherever the view starts", () => {
	const view = { fromNs: 123_456.7, toNs: 323_456.7 };
	const grid = gridOf(view, 1000);
	const moved = gridOf(panView(view, 1e9, 37 * grid.nsPerPx), 1000);
	assert.equal(moved.nsPerPx, grid.nsPerPx);
	assert.equal(moved.firstPx, grid.firstPx + 37);
	for (const time of [130_000, 200_001, 300_000.5])
		assert.equal(pixelOf(grid, time) - pixelOf(moved, time), 37);
	const on = viewOnGrid(grid, 1000);
	assert.ok(Math.abs(on.fromNs - view.fromNs) <= grid.nsPerPx);
	assert.equal(gridOf(on, 1000).firstPx, grid.firstPx);
});

// --- a whole picture ----------------------------------------------------------------------------

const trackOf = (id: number, name: string, part: Partial<Track>): Track => ({
	id, parent: null, kind: "spans", name, unit: "", table: "Instruction", depth_count: 1, row_count: "3",
	lost_count: "0", attributes: {}, ...part,
});
const TRACKS = [
	trackOf(1, "Tensor", { depth_count: 2 }), trackOf(2, "Vector", {}),
	trackOf(3, "SBUF usage", { kind: "counter", table: "SbufUsage" }),
	trackOf(4, "partition 0", { kind: "counter", table: "SbufUsage", parent: 3, attributes: { column: "p0" } }),
	trackOf(5, "partition 1", { kind: "counter", table: "SbufUsage", parent: 3, attributes: { column: "p1" } }),
	trackOf(6, "DMA throughput", { kind: "counter", table: "DmaUsage", unit: "bytes/s" }),
];
const PX = 4096;
let seed = 7;
const random = () => {
	seed = (Math.imul(seed, 1103515245) + 12345) >>> 0;
	return seed / 2 ** 32;
};

function spansOf(track: number, depth: number): SpanStrip {
	const items: [number, number][] = [];
	for (let x = 0; x < PX - 30;) {
		const wide = random() < 0.3 ? random() * 0.4 : random() * 30;
		items.push([x, x + wide]);
		x += wide + (random() < 0.5 ? 0 : random() * 5);
	}
	const count = items.length;
	const column = (pick: (i: number) => number) => Array.from({ length: count }, (_, i) => pick(i));
	return {
		kind: "spans", track, depth, count, x0: Float32Array.from(items, ([a]) => a),
		x1: Float32Array.from(items, ([, b]) => b), spans: Uint32Array.from(column(() => (random() < 0.5 ? 1 : 3))),
		name: Uint32Array.from(column((i) => i % 5)), colour: new Uint32Array(count),
		busy: Float32Array.from(column(() => random())), rowLow: new Uint32Array(count),
		rowHigh: new Uint32Array(count),
	};
}

function counterOf(track: number): CounterStrip {
	const mean = Float32Array.from({ length: PX }, (_, i) => (i < 20 ? NaN : random()));
	return { kind: "counter", track, depth: 0, count: PX, mean, last: mean,
		lowest: mean.map((value) => value * 0.8), highest: mean.map((value) => value * 1.1) };
}

const colours: ThemeColours = {
	theme: "dark", bg: "#15181d", raised: "#1c2027", sunken: "#0f1216", fg: "#e2e6ec", dim: "#97a1af",
	line: "#2b313b", accent: "#5b9dff", sans: "sans", mono: "mono",
};
const WIDTH = 700, HEIGHT = 300;
const cache = new TileCache(1e9);
cache.add({ level: 4, fromNs: 0, toNs: PX * 16, px: PX, colour: "", bytes: 1, strips: new Map<number, Strip[]>([
	[1, [spansOf(1, 0), spansOf(1, 1)]], [2, [spansOf(2, 0)]],
	...[3, 4, 5, 6].map((id) => [id, [counterOf(id)]] as [number, Strip[]]),
]) });
const band: PlacedBand = { fromNs: 20_000, toNs: 24_000,
	band: { kind: "throttling", title: "", detail: "", from_ns: "", to_ns: "", tracks: [2, 3] } };

function sceneOf(view: View, part: Partial<Scene> = {}): Scene {
	const grid = gridOf(view, WIDTH);
	const paints = paintsOf("dark");
	const rows = buildRows("device", TRACKS, { ...DEFAULT_SETTINGS, rows: "full" });
	return {
		view: viewOnGrid(grid, WIDTH), grid, width: WIDTH, height: HEIGHT, dpr: 1, scroll: 0, endNs: PX * 16,
		layout: layoutRows(rows), colours, paints, inks: inksOf(colours, paints), textFromPx: 27,
		level: levelOf(view, WIDTH), column: "", cache, marks: cache, hasSearch: false, highlights: cache,
		spans: { cache, column: "" }, isFiltered: false,
		hasHighlight: false, huesOf: (strip) => new Uint8Array(strip.count).fill(2),
		nameOf: (id) => `name ${id}`, counterHue: () => 3, counterTop: () => 1.2,
		cumulativeOf: (strip) => strip.mean, counterText: () => "100%", bands: [band], gaps: [], pieces: [], ...part,
	};
}

function picture(view: View, part: Partial<Scene> = {}): { pixels: Pixels; texts: TextBatch } {
	const pixels = new Pixels(WIDTH, HEIGHT);
	const texts = new TextBatch();
	paintBase(pixels, sceneOf(view, part), texts);
	return { pixels, texts };
}

/** Columns that differ between one picture from `from` on and another from `to` on. */
function differing(a: Pixels, from: number, b: Pixels, to: number, count: number): number[] {
	const wrong: number[] = [];
	for (let x = 0; x < count; x++)
		for (let y = 0; y < HEIGHT; y++)
			if (a.data[y * WIDTH + from + x] !== b.data[y * WIDTH + to + x]) {
				wrong.push(from + x);
				break;
			}
	return wrong;
}

const SCALE_PX = 40; // where rows of counters say what their upper edge is: does not move along

test("panning by whole pixels moves the picture and changes nothing else", () => {
	for (const nsPerPx of [16, 23.7, 31.9, 7.3]) {
		for (const by of [1, 37, 250]) {
			const view = { fromNs: 15_003, toNs: 15_003 + WIDTH * nsPerPx };
			const moved = panView(view, PX * 16, by * gridOf(view, WIDTH).nsPerPx);
			const a = picture(view).pixels, b = picture(moved).pixels;
			const wrong = differing(a, by + SCALE_PX, b, SCALE_PX, WIDTH - by - SCALE_PX - 1);
			assert.deepEqual(wrong, [], `${nsPerPx} ns a pixel, by ${by}`);
		}
	}
});

test("earlier drawings leave no trace", () => {
	const view = { fromNs: 15_003, toNs: 30_000 };
	const pixels = new Pixels(WIDTH, HEIGHT);
	pixels.data.fill(RED);
	paintBase(pixels, sceneOf(view), new TextBatch());
	assert.deepEqual(differing(pixels, 0, picture(view).pixels, 0, WIDTH), []);
});

test("pinned rows cover those that scroll below them", () => {
	const rows = buildRows("device", TRACKS, { ...DEFAULT_SETTINGS, rows: "full", pinned: ["engines/Vector"] });
	const view = { fromNs: 15_003, toNs: 30_000 };
	const layout = layoutRows(rows);
	const still = picture(view, { layout }), scrolled = picture(view, { layout, scroll: 40 });
	const pinned = layout.pinnedHeight * WIDTH;
	assert.deepEqual(still.pixels.data.slice(0, pinned), scrolled.pixels.data.slice(0, pinned));
	assert.notDeepEqual(still.pixels.data.slice(pinned), scrolled.pixels.data.slice(pinned));
});

test("search hits are visible, with edges above them", () => {
	const view = { fromNs: 15_003, toNs: 30_000 };
	const count = (pixels: Pixels, ink: number) => pixels.data.reduce((sum, one) => sum + (one === ink ? 1 : 0), 0);
	const scene = sceneOf(view, { hasSearch: true });
	const { pixels } = picture(view, { hasSearch: true });
	assert.ok(count(pixels, scene.inks.hit) > 1000);
	assert.ok(count(pixels, scene.inks.edges[2]!) > 100);
	assert.equal(count(picture(view).pixels, scene.inks.hit), 0);
});

test("bars have texts if they have room, only wide ones during movement, none if turned off", () => {
	const view = { fromNs: 15_000, toNs: 20_000 };
	const all = picture(view).texts.count;
	const few = picture(view, { textFromPx: 60 }).texts.count;
	assert.ok(all > few && few > 0, `${all} and ${few}`);
	assert.equal(picture(view, { textFromPx: Infinity }).texts.count, 0);
	assert.equal(fitText("TENSOR", 4), "TEN…");
	assert.equal(roomOf(27), 3);
});

test("a lane written line by line equals one painted bar by bar", () => {
	const width = 300, height = 17;
	const ground = Uint32Array.from({ length: width }, (_, x) => inkOf(x % 256, 0, 9));
	const a = new Pixels(width, height + 4), b = new Pixels(width, height + 4);
	for (const pixels of [a, b]) pixels.lines(ground, 0, height + 4);
	const direct = new DirectLane().begin(a, 2, height), lines = new LineLane();
	for (let turn = 0; turn < 2; turn++) { // memory of the turn before does not matter
		lines.begin(ground, height);
		for (let x = 0; x < width - 4; x += 1 + (x % 3)) {
			const high = 2 + Math.floor(random() * (height - 1)), ink = inkOf(x % 256, 200, 100);
			for (const target of [direct, lines]) {
				if (turn === 0 && target === direct) continue;
				target.bar(x, x + 1 + (x % 3), high, ink);
				if (x % 30 === 0) target.cap(x, x + 1, RED);
			}
		}
		lines.write(b, 2);
		if (turn === 0) b.lines(ground, 0, height + 4);
	}
	const capped = (pixels: Pixels) => pixels.data.filter((_, i) => (i % width) % 30 !== 0);
	assert.deepEqual(capped(a), capped(b));
});

test("folded lanes look the same painted from the top as from the bottom", () => {
	const height = 8, width = 120;
	let seed = 11;
	const random = (below: number) => (seed = (seed * 48271) % 2147483647) % below;
	for (let round = 0; round < 20; round++) {
		const up = new Pixels(width, height + 4), down = new Pixels(width, height + 4);
		for (const pixels of [up, down]) pixels.clip(round % 3, height + 4 - (round % 2)); // rows at the edge
		const lanes = Array.from({ length: 12 }, () => Array.from({ length: 9 }, (_, i) => {
			const from = i * 13 + random(6);
			return { from, to: from + 1 + random(7), high: 2 + random(height - 1), ink: inkOf(random(256), random(256), 7),
				hasCap: !random(3) };
		}));
		const paint = (target: DirectLane | FoldedLanes, lane: typeof lanes[number]) => {
			for (const { from, to, high, ink, hasCap } of lane) {
				if (hasCap) target.cap(from, from + 1, RED);
				target.bar(hasCap ? from + 1 : from, to, high, ink);
			}
		};
		for (const lane of lanes) paint(new DirectLane().begin(up, 2, height), lane);
		const folded = new FoldedLanes().begin(down, 2, height);
		for (const lane of [...lanes].reverse()) paint(folded, lane);
		assert.deepEqual(down.data, up.data);
	}
});

test("overlapping bands of one kind are not darker than one", () => {
	const view = { fromNs: 15_003, toNs: 30_000 };
	const twice = { ...band, fromNs: band.fromNs + 1000, toNs: band.toNs + 1000 };
	const at = (bands: PlacedBand[], timeNs: number) => {
		const scene = sceneOf(view, { bands });
		const row = scene.layout.rows.find(({ row: { label } }) => label === "Vector")!;
		return picture(view, { bands }).pixels.data[(row.y + 1) * WIDTH + pixelOf(scene.grid, timeNs)];
	};
	assert.equal(at([band, twice], 22_000), at([band], 22_000));
	assert.notEqual(at([band], 22_000), at([], 22_000));
	assert.notEqual(at([band, { ...twice, band: { ...twice.band, kind: "reload" } }], 22_000), at([band], 22_000));
});
