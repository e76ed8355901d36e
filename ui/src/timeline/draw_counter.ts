// SPDX-License-Identifier: Apache-2.0
// Paints a counter's row: an area up to the mean of each pixel, a range from its lowest to its
// highest value, and a line on top. If the counter has shares, they fill the area in their colours.
// Neighbouring pixels of equal height become one rectangle.

import type { Piece } from "./cache.ts";
import { HUE_COUNT } from "./colours.ts";
import { pixelOf } from "./grid.ts";
import { screenY, type PlacedRow } from "./layout.ts";
import type { Ink, Pixels } from "./pixels.ts";
import type { Scene } from "./scene.ts";
import type { TextBatch } from "./texts.ts";
import type { CounterStrip } from "./tile.ts";
import { isLimit } from "./values.ts";

const PADDING = 3;
const AREA_SHARE = 97; // of 256
const RANGE_SHARE = 72;
const STACK_SHARE = 180;
const SCALE_GROUND = 190;
const TAKEN_SHARE = 130;

/** A counter's values at each pixel of the screen; mean is NaN where there is none. */
class Columns {
	low = new Float32Array(0);
	high = new Float32Array(0);
	mean = new Float32Array(0);

	clear(width: number): void {
		if (this.mean.length !== width) {
			this.low = new Float32Array(width);
			this.high = new Float32Array(width);
			this.mean = new Float32Array(width);
		}
		this.mean.fill(NaN);
	}
}

// Reused, because there are dozens of rows in a frame.
const level = new Columns();
const stack: Columns[] = [];
let sums = new Float32Array(0);
let below = new Float32Array(0);

export function counterStrip(track: number, piece: Piece): CounterStrip | null {
	const strip = piece.batch.strips.get(track)?.[0];
	return strip?.kind === "counter" ? strip : null;
}

function readColumns(scene: Scene, width: number, track: number, isCumulative: boolean,
	into: Columns): void {
	into.clear(width);
	const { nsPerPx, firstPx } = scene.grid;
	const count = scene.cache.pieces(track, scene.view, scene.level, scene.column, scene.pieces);
	for (let i = 0; i < count; i++) {
		const piece = scene.pieces[i]!;
		const { batch } = piece;
		const strip = counterStrip(track, piece);
		if (!strip) continue;
		const values = isCumulative ? scene.cumulativeOf(strip, batch) : null;
		if (isCumulative && !values) continue; // not loaded yet
		const from = Math.max(pixelOf(scene.grid, piece.fromNs), 0);
		const to = Math.min(pixelOf(scene.grid, piece.toNs), width);
		const own = (batch.toNs - batch.fromNs) / batch.px; // nanoseconds per pixel of the response
		for (let x = from; x < to; x++) {
			const first = Math.floor(((firstPx + x) * nsPerPx - batch.fromNs) / own);
			const after = Math.max(Math.floor(((firstPx + x + 1) * nsPerPx - batch.fromNs) / own),
				first + 1);
			if (!values) readColumn(strip, first, after, into, x);
			else into.low[x] = into.high[x] = into.mean[x] =
				values[Math.min(Math.max(after - 1, 0), strip.count - 1)]!;
		}
	}
}

/** Combines the response's pixels [first, after) into one. */
function readColumn(strip: CounterStrip, first: number, after: number, into: Columns,
	x: number): void {
	let low = Infinity, high = -Infinity, sum = 0, known = 0;
	for (let i = Math.max(first, 0); i < after && i < strip.count; i++) {
		const mean = strip.mean[i]!;
		if (mean !== mean) continue; // NaN: no value yet
		if (strip.lowest[i]! < low) low = strip.lowest[i]!;
		if (strip.highest[i]! > high) high = strip.highest[i]!;
		sum += mean;
		known++;
	}
	if (!known) return;
	into.low[x] = low;
	into.high[x] = high;
	into.mean[x] = sum / known;
}

/** Where a row's values are drawn, in device pixels. */
interface Room {
	top: number; // the value at the upper edge
	bottom: number;
	height: number;
}

export function paintCounter(pixels: Pixels, scene: Scene, placed: PlacedRow,
	texts: TextBatch): void {
	const { row } = placed;
	const track = row.tracks[0]!.id;
	const top = scene.counterTop(track, row.isCumulative);
	const y = screenY(placed, scene.scroll);
	const room: Room = {
		top, bottom: Math.round((y + placed.height - PADDING) * scene.dpr),
		height: Math.round((placed.height - 2 * PADDING) * scene.dpr),
	};
	readColumns(scene, pixels.width, track, row.isCumulative, level);
	if (isLimit(row.tracks[0]!)) paintTaken(pixels, room, scene.inks.bands["throttling"]!);
	if (row.shares.length) paintShares(pixels, scene, row.shares.map((one) => one.id), room);
	paintSteps(pixels, room, scene.inks.fills[scene.counterHue(track)]!,
		!row.shares.length && !isLimit(row.tracks[0]!), Math.round(scene.dpr));
	if (!Number.isFinite(top) || top <= 0) return;
	const text = shortText(scene.counterText(track, top));
	// Dim the background of the text.
	pixels.blend(0, Math.round((y + 2) * scene.dpr), Math.round((text.length * 5.5 + 8) * scene.dpr),
		Math.round(13 * scene.dpr), scene.inks.bg, SCALE_GROUND);
	texts.addScale(text, 4, y + 3);
}

const pixelsOf = (value: number, room: Room) =>
	Math.round(Math.min(Math.max(value / room.top, 0), 1) * room.height);

function paintSteps(pixels: Pixels, room: Room, ink: Ink, hasArea: boolean, thick: number): void {
	const { width } = pixels;
	const { bottom } = room;
	let runFrom = 0, low = -1, high = -1, mean = -1;
	const paint = (until: number) => {
		if (mean < 0 || until <= runFrom) return;
		const wide = until - runFrom;
		if (hasArea) pixels.blend(runFrom, bottom - mean, wide, mean, ink, AREA_SHARE);
		if (high > low + 1) pixels.blend(runFrom, bottom - high, wide, high - low, ink, RANGE_SHARE);
		pixels.rect(runFrom, bottom - Math.max(mean, thick), wide, thick, ink);
	};
	for (let x = 0; x < width; x++) {
		const value = level.mean[x]!;
		const isKnown = value === value;
		const l = isKnown ? pixelsOf(level.low[x]!, room) : -1;
		const h = isKnown ? pixelsOf(level.high[x]!, room) : -1;
		const m = isKnown ? pixelsOf(value, room) : -1;
		if (l === low && h === high && m === mean) continue;
		paint(x);
		// Connect the steps.
		if (mean >= 0 && m >= 0 && Math.abs(m - mean) > 1)
			pixels.rect(x, bottom - Math.max(m, mean), 1, Math.abs(m - mean), ink);
		runFrom = x;
		low = l;
		high = h;
		mean = m;
	}
	paint(width);
}

/** Paints the area above a limit. */
function paintTaken(pixels: Pixels, room: Room, ink: Ink): void {
	const { width } = pixels;
	let runFrom = 0, runHigh = room.height;
	for (let x = 0; x <= width; x++) {
		const value = x < width ? level.mean[x]! : NaN;
		const high = value === value ? pixelsOf(value, room) : room.height;
		if (x < width && high === runHigh) continue;
		pixels.blend(runFrom, room.bottom - room.height, x - runFrom, room.height - runHigh, ink,
			TAKEN_SHARE);
		runFrom = x;
		runHigh = high;
	}
}

/** Splits the level's height in proportion to the shares; the level may be their sum or mean. */
function paintShares(pixels: Pixels, scene: Scene, shares: number[], room: Room): void {
	const { width } = pixels;
	if (sums.length !== width) {
		sums = new Float32Array(width);
		below = new Float32Array(width);
	}
	sums.fill(0);
	below.fill(0);
	shares.forEach((id, index) => {
		const share = stack[index] ??= new Columns();
		readColumns(scene, width, id, false, share);
		for (let x = 0; x < width; x++) if (share.mean[x]! > 0) sums[x]! += share.mean[x]!;
	});
	shares.forEach((_, index) => {
		const { mean } = stack[index]!;
		const ink = scene.inks.fills[index % HUE_COUNT]!;
		let runFrom = 0, runLow = 0, runHigh = 0;
		for (let x = 0; x <= width; x++) {
			let low = 0, high = 0;
			if (x < width && mean[x]! > 0 && level.mean[x]! > 0) {
				const from = below[x]!;
				below[x] = from + (level.mean[x]! * mean[x]!) / sums[x]!;
				low = pixelsOf(from, room);
				high = pixelsOf(below[x]!, room);
			}
			if (x < width && low === runLow && high === runHigh) continue;
			if (runHigh > runLow)
				pixels.blend(runFrom, room.bottom - runHigh, x - runFrom, runHigh - runLow, ink,
					STACK_SHARE);
			runFrom = x;
			runLow = low;
			runHigh = high;
		}
	});
}

/** "103%" for "103% (81 TFLOP/s)", because a row has little room. */
const shortText = (text: string) => text.replace(/ \(.*/, "");
