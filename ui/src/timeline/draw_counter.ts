// SPDX-License-Identifier: Apache-2.0
// A counter's row: a step area up to the mean of each pixel, a band from its lowest to its highest
// value, and a line on top. Neighbours of equal height become one rectangle.

import type { PlacedRow } from "./layout.ts";
import type { Scene } from "./scene.ts";
import { scaleOf } from "./draw.ts";
import type { CounterStrip } from "./tile.ts";
import { timeToX } from "./view.ts";

const PADDING = 3;

/** What a pixel column says; reused, as there are thousands in a frame. */
const column = { low: 0, high: 0, mean: 0, isKnown: false };

/** Pixels of the answer from `first` to before `after`, as one. */
function readColumn(strip: CounterStrip, first: number, after: number): void {
	let low = Infinity, high = -Infinity, sum = 0, known = 0;
	for (let i = Math.max(first, 0); i < after && i < strip.count; i++) {
		const mean = strip.mean[i]!;
		if (mean !== mean) continue; // NaN: nothing is known yet
		if (strip.lowest[i]! < low) low = strip.lowest[i]!;
		if (strip.highest[i]! > high) high = strip.highest[i]!;
		sum += mean;
		known++;
	}
	column.isKnown = known > 0;
	column.low = low;
	column.high = high;
	column.mean = known ? sum / known : 0;
}

export function counterStrip(scene: Scene, track: number, piece: number): CounterStrip | null {
	const strip = scene.pieces[piece]!.batch.strips.get(track)?.[0];
	return strip?.kind === "counter" ? strip : null;
}

export function drawCounter(ctx: CanvasRenderingContext2D, scene: Scene, placed: PlacedRow,
	y: number): void {
	const track = placed.row.tracks[0]!.id;
	const top = scene.counterTop(track);
	const bottom = y + placed.height - PADDING;
	const room = placed.height - 2 * PADDING;
	const paint = scene.paints[scene.counterHue(track)]!;
	const heightOf = (value: number) => Math.round(Math.min(Math.max(value / top, 0), 1) * room);
	const count = scene.cache.pieces(track, scene.view, scene.level, scene.column, scene.pieces);
	ctx.fillStyle = paint.fill;
	for (let i = 0; i < count; i++) {
		const strip = counterStrip(scene, track, i);
		if (!strip) continue;
		const piece = scene.pieces[i]!;
		const { shift, scale } = scaleOf(scene, piece.batch);
		const from = Math.max(Math.round(timeToX(scene.view, scene.width, piece.fromNs)), 0);
		const to = Math.min(Math.round(timeToX(scene.view, scene.width, piece.toNs)), scene.width);
		drawSteps(ctx, strip, from, to, shift, scale, bottom, heightOf);
	}
	ctx.globalAlpha = 1;
	if (Number.isFinite(top) && top > 0) drawScale(ctx, scene, scene.counterText(track, top), y);
}

function drawSteps(ctx: CanvasRenderingContext2D, strip: CounterStrip, from: number, to: number,
	shift: number, scale: number, bottom: number, heightOf: (value: number) => number): void {
	let runFrom = from, low = -1, high = -1, mean = -1;
	const paint = (until: number) => {
		if (mean < 0 || until <= runFrom) return;
		const width = until - runFrom;
		ctx.globalAlpha = 0.38;
		ctx.fillRect(runFrom, bottom - mean, width, mean);
		if (high > low + 1) {
			ctx.globalAlpha = 0.28;
			ctx.fillRect(runFrom, bottom - high, width, high - low);
		}
		ctx.globalAlpha = 1;
		ctx.fillRect(runFrom, bottom - Math.max(mean, 1), width, 1);
	};
	for (let x = from; x < to; x++) {
		const first = Math.floor((x - shift) / scale);
		readColumn(strip, first, Math.max(Math.floor((x + 1 - shift) / scale), first + 1));
		const l = column.isKnown ? heightOf(column.low) : -1;
		const h = column.isKnown ? heightOf(column.high) : -1;
		const m = column.isKnown ? heightOf(column.mean) : -1;
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
	paint(to);
}

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
