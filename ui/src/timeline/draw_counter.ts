// SPDX-License-Identifier: Apache-2.0
// A counter's row: a step area up to the mean of each pixel, a band from its lowest to its highest
// value, and a line on top. Where a counter is made of shares, they fill the area in their colours.
// Neighbours of equal height become one rectangle.

import { HUE_COUNT } from "./colours.ts";
import type { PlacedRow } from "./layout.ts";
import type { Scene } from "./scene.ts";
import { scaleOf } from "./draw.ts";
import type { CounterStrip } from "./tile.ts";
import { timeToX } from "./view.ts";

const PADDING = 3;

/** What a counter says at each pixel of the screen; NaN where nothing is known. */
class Columns {
	low = new Float32Array(0);
	high = new Float32Array(0);
	mean = new Float32Array(0);

	clear(width: number): void {
		if (this.mean.length < width) {
			this.low = new Float32Array(width);
			this.high = new Float32Array(width);
			this.mean = new Float32Array(width);
		}
		this.mean.fill(NaN);
	}
}

// reused: there are dozens of rows in a frame
const level = new Columns();
const share = new Columns();
let sums = new Float32Array(0);
let below = new Float32Array(0);

export function counterStrip(scene: Scene, track: number, piece: number): CounterStrip | null {
	const strip = scene.pieces[piece]!.batch.strips.get(track)?.[0];
	return strip?.kind === "counter" ? strip : null;
}

function readColumns(scene: Scene, track: number, into: Columns): void {
	into.clear(scene.width);
	const count = scene.cache.pieces(track, scene.view, scene.level, scene.column, scene.pieces);
	for (let i = 0; i < count; i++) {
		const strip = counterStrip(scene, track, i);
		if (!strip) continue;
		const piece = scene.pieces[i]!;
		const { shift, scale } = scaleOf(scene, piece.batch);
		const from = Math.max(Math.round(timeToX(scene.view, scene.width, piece.fromNs)), 0);
		const to = Math.min(Math.round(timeToX(scene.view, scene.width, piece.toNs)), scene.width);
		for (let x = from; x < to; x++) {
			const first = Math.floor((x - shift) / scale);
			readColumn(strip, first, Math.max(Math.floor((x + 1 - shift) / scale), first + 1), into, x);
		}
	}
}

/** Pixels of the answer from `first` to before `after`, as one. */
function readColumn(strip: CounterStrip, first: number, after: number, into: Columns, x: number): void {
	let low = Infinity, high = -Infinity, sum = 0, known = 0;
	for (let i = Math.max(first, 0); i < after && i < strip.count; i++) {
		const mean = strip.mean[i]!;
		if (mean !== mean) continue; // NaN: nothing is known yet
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

export function drawCounter(ctx: CanvasRenderingContext2D, scene: Scene, placed: PlacedRow,
	y: number): void {
	const track = placed.row.tracks[0]!.id;
	const top = scene.counterTop(track);
	const bottom = y + placed.height - PADDING;
	const room = placed.height - 2 * PADDING;
	readColumns(scene, track, level);
	const { shares } = placed.row;
	if (shares.length) drawShares(ctx, scene, shares.map((one) => one.id), top, bottom, room);
	ctx.fillStyle = scene.paints[scene.counterHue(track)]!.fill;
	drawSteps(ctx, scene.width, top, bottom, room, shares.length ? 0 : 0.38);
	ctx.globalAlpha = 1;
	if (Number.isFinite(top) && top > 0) drawScale(ctx, scene, shortText(scene.counterText(track, top)), y);
}

const pixels = (value: number, top: number, room: number) =>
	Math.round(Math.min(Math.max(value / top, 0), 1) * room);

function drawSteps(ctx: CanvasRenderingContext2D, width: number, top: number, bottom: number, room: number,
	areaAlpha: number): void {
	let runFrom = 0, low = -1, high = -1, mean = -1;
	const paint = (until: number) => {
		if (mean < 0 || until <= runFrom) return;
		const wide = until - runFrom;
		if (areaAlpha) {
			ctx.globalAlpha = areaAlpha;
			ctx.fillRect(runFrom, bottom - mean, wide, mean);
		}
		if (high > low + 1) {
			ctx.globalAlpha = 0.28;
			ctx.fillRect(runFrom, bottom - high, wide, high - low);
		}
		ctx.globalAlpha = 1;
		ctx.fillRect(runFrom, bottom - Math.max(mean, 1), wide, 1);
	};
	for (let x = 0; x < width; x++) {
		const value = level.mean[x]!;
		const isKnown = value === value;
		const l = isKnown ? pixels(level.low[x]!, top, room) : -1;
		const h = isKnown ? pixels(level.high[x]!, top, room) : -1;
		const m = isKnown ? pixels(value, top, room) : -1;
		if (l === low && h === high && m === mean) continue;
		paint(x);
		// the line goes up and down with the steps
		if (mean >= 0 && m >= 0 && Math.abs(m - mean) > 1)
			ctx.fillRect(x, bottom - Math.max(m, mean), 1, Math.abs(m - mean));
		runFrom = x;
		low = l;
		high = h;
		mean = m;
	}
	paint(width);
}

/** Each share takes its part of the level's height: a level may be their sum or their mean. */
function drawShares(ctx: CanvasRenderingContext2D, scene: Scene, shares: number[], top: number,
	bottom: number, room: number): void {
	const { width } = scene;
	if (sums.length < width) {
		sums = new Float32Array(width);
		below = new Float32Array(width);
	}
	sums.fill(0);
	below.fill(0);
	for (const id of shares) {
		readColumns(scene, id, share);
		for (let x = 0; x < width; x++) if (share.mean[x]! > 0) sums[x]! += share.mean[x]!;
	}
	ctx.globalAlpha = 0.7;
	shares.forEach((id, index) => {
		readColumns(scene, id, share);
		ctx.fillStyle = scene.paints[index % HUE_COUNT]!.fill;
		let runFrom = 0, runLow = 0, runHigh = 0;
		for (let x = 0; x <= width; x++) {
			let low = 0, high = 0;
			if (x < width && share.mean[x]! > 0 && level.mean[x]! > 0) {
				const from = below[x]!;
				below[x] = from + (level.mean[x]! * share.mean[x]!) / sums[x]!;
				low = pixels(from, top, room);
				high = pixels(below[x]!, top, room);
			}
			if (x < width && low === runLow && high === runHigh) continue;
			if (runHigh > runLow) ctx.fillRect(runFrom, bottom - runHigh, x - runFrom, runHigh - runLow);
			runFrom = x;
			runLow = low;
			runHigh = high;
		}
	});
	ctx.globalAlpha = 1;
}

/** "103% (81 TFLOP/s)" is for the card; the row has room for the share. */
const shortText = (text: string) => text.replace(/ \(.*/, "");

/** What the row's upper edge stands for. */
function drawScale(ctx: CanvasRenderingContext2D, scene: Scene, text: string, y: number): void {
	ctx.font = `10px ${scene.colours.sans}`;
	ctx.textBaseline = "top";
	ctx.textAlign = "left";
	ctx.lineJoin = "round";
	ctx.lineWidth = 3;
	ctx.strokeStyle = scene.colours.bg;
	ctx.strokeText(text, 4, y + 3);
	ctx.fillStyle = scene.colours.dim;
	ctx.fillText(text, 4, y + 3);
}
