// SPDX-License-Identifier: Apache-2.0
// The base layer: rows with their spans and counters, grid lines and bands. Drawn anew when the view,
// the rows or the data change, not when the pointer moves.

import type { Batch } from "./cache.ts";
import { HUE_COUNT } from "./colours.ts";
import { drawBands } from "./draw_bands.ts";
import { drawCounter } from "./draw_counter.ts";
import { screenY, visibleRows, type PlacedRow } from "./layout.ts";
import { fitText, RectBatch, TextBatch } from "./rects.ts";
import type { Scene } from "./scene.ts";
import { ticksOf } from "./ticks.ts";
import { firstItemAt, type SpanStrip } from "./tile.ts";
import { timeToX } from "./view.ts";

const fills = new RectBatch(HUE_COUNT + 1);
const edges = new RectBatch(HUE_COUNT + 1);
const texts = new TextBatch();

const TEXT_PX = 11;
const CHARACTER_PX = 6.65; // of a monospaced font of that size, rounded up
const MIN_TEXT_LANE = 12;
const CAP_FROM_PX = 4; // narrower bars have no room for an edge
export const HIT_COLOUR = "#ffe100";
export const HIGHLIGHT_COLOUR = "#ff7a66";

export const textFont = (scene: Scene) => `${TEXT_PX}px ${scene.colours.mono}`;

export function drawBase(ctx: CanvasRenderingContext2D, scene: Scene): void {
	const { width, height, dpr, layout, colours } = scene;
	ctx.setTransform(dpr, 0, 0, dpr, 0, 0);
	ctx.fillStyle = colours.bg;
	ctx.fillRect(0, 0, width, height);
	const rows = visibleRows(layout, scene.scroll, height);
	const scrolled = rows.filter((placed) => !placed.row.isPinned);
	const pinned = rows.filter((placed) => placed.row.isPinned);
	ctx.save();
	ctx.beginPath();
	ctx.rect(0, layout.pinnedHeight, width, Math.max(height - layout.pinnedHeight, 0));
	ctx.clip();
	drawRows(ctx, scene, scrolled);
	ctx.restore();
	if (!pinned.length) return;
	ctx.save();
	ctx.beginPath();
	ctx.rect(0, 0, width, layout.pinnedHeight);
	ctx.clip();
	ctx.fillStyle = colours.bg;
	ctx.fillRect(0, 0, width, layout.pinnedHeight);
	drawRows(ctx, scene, pinned);
	ctx.fillStyle = colours.accent;
	ctx.fillRect(0, layout.pinnedHeight - 1, width, 1);
	ctx.restore();
}

function drawRows(ctx: CanvasRenderingContext2D, scene: Scene, rows: PlacedRow[]): void {
	drawGround(ctx, scene, rows);
	drawBands(ctx, scene, rows);
	for (const placed of rows) {
		const y = screenY(placed, scene.scroll);
		if (placed.row.kind === "counter") drawCounter(ctx, scene, placed, y);
		else if (placed.row.kind === "spans") collectRow(scene, placed, y);
	}
	fills.flush(ctx, scene.paints.map((paint) => paint.fill));
	if (scene.hasHighlight) drawMarks(ctx, scene, rows, scene.highlights, HIGHLIGHT_COLOUR);
	if (scene.hasSearch) drawMarks(ctx, scene, rows, scene.marks, HIT_COLOUR);
	edges.flush(ctx, scene.paints.map((paint) => paint.edge));
	texts.flush(ctx, textFont(scene), scene.paints[0]!.text);
}

/** Separators, headers of groups, and the grid behind everything. */
function drawGround(ctx: CanvasRenderingContext2D, scene: Scene, rows: PlacedRow[]): void {
	const { width, view, colours, scroll } = scene;
	ctx.fillStyle = colours.raised;
	for (const placed of rows)
		if (placed.row.kind === "group") ctx.fillRect(0, screenY(placed, scroll), width, placed.height);
	ctx.fillStyle = colours.line;
	const first = rows[0], last = rows[rows.length - 1];
	if (first && last) {
		const top = screenY(first, scroll), bottom = screenY(last, scroll) + last.height;
		ctx.globalAlpha = 0.6;
		for (const tick of ticksOf(view, width).ticks)
			ctx.fillRect(Math.round(timeToX(view, width, tick.timeNs)), top, 1, bottom - top);
		ctx.globalAlpha = 1;
	}
	for (const placed of rows) ctx.fillRect(0, screenY(placed, scroll) + placed.height - 1, width, 1);
}

function collectRow(scene: Scene, placed: PlacedRow, y: number): void {
	const { row, laneHeight } = placed;
	for (const { track, depth, line } of row.lanes) {
		const top = y + 3 + (row.isFolded ? 0 : line * laneHeight);
		const count = scene.cache.pieces(track, scene.view, scene.level, scene.column, scene.pieces);
		for (let i = 0; i < count; i++) {
			const piece = scene.pieces[i]!;
			const strip = stripOf(piece.batch, track, depth);
			if (!strip) continue;
			const from = timeToX(scene.view, scene.width, piece.fromNs);
			const to = timeToX(scene.view, scene.width, piece.toNs);
			collectStrip(scene, piece.batch, strip, from, to, top, laneHeight);
		}
	}
}

export function stripOf(batch: Batch, track: number, depth: number): SpanStrip | null {
	const strips = batch.strips.get(track);
	if (!strips) return null;
	const near = strips[depth];
	if (near && near.depth === depth) return near.kind === "spans" ? near : null;
	for (const strip of strips)
		if (strip.depth === depth && strip.kind === "spans") return strip;
	return null;
}

/** Pixels of an answer to pixels of the screen: x * scale + shift. */
export function scaleOf(scene: Scene, batch: { fromNs: number; toNs: number; px: number }) {
	const pxPerNs = scene.width / (scene.view.toNs - scene.view.fromNs);
	return {
		shift: (batch.fromNs - scene.view.fromNs) * pxPerNs,
		scale: ((batch.toNs - batch.fromNs) / batch.px) * pxPerNs,
	};
}

function collectStrip(scene: Scene, batch: Batch, strip: SpanStrip, from: number, to: number,
	top: number, laneHeight: number): void {
	const { shift, scale } = scaleOf(scene, batch);
	const { x0, x1, spans, busy, count } = strip;
	const hues = scene.huesOf(strip);
	const height = laneHeight > 6 ? laneHeight - 2 : laneHeight > 3 ? laneHeight - 1 : laneHeight;
	const hasText = laneHeight >= MIN_TEXT_LANE;
	const unit = 1 / scene.dpr;
	const left = Math.max(from, 0), right = Math.min(to, scene.width);
	let painted = left; // to the right of it there is room
	for (let i = firstItemAt(strip, (left - shift) / scale); i < count; i++) {
		let a = x0[i]! * scale + shift;
		if (a >= right) break;
		let b = x1[i]! * scale + shift;
		const isClipped = a < left;
		if (isClipped) a = left;
		if (b > right) b = right;
		a = Math.round(a / unit) * unit;
		b = Math.round(b / unit) * unit;
		if (b < a + unit) b = Math.min(a + unit, right);
		if (a < painted) a = painted;
		if (b <= a) continue; // this pixel has its rectangle; moving on would shift what follows
		painted = b;
		const width = b - a;
		const share = spans[i]! > 1 ? busy[i]! : 1;
		// a pixel that is partly busy is partly high, never less than can be seen
		const high = share >= 0.999 ? height : Math.max(2, Math.round(height * (0.25 + 0.75 * share)));
		const hue = hues[i]!;
		fills.add(hue, a, top + height - high, width, high);
		if (width < CAP_FROM_PX) continue;
		if (!isClipped) edges.add(hue, a, top, 1, height);
		if (spans[i] !== 1 || !hasText) continue;
		const room = Math.floor((width - 7) / CHARACTER_PX);
		if (room < 3) continue;
		const name = scene.nameOf(strip.name[i]!);
		if (name) {
			const text = fitText(name, room);
			if (text) texts.add(text, a + 4, top + height / 2 + 0.5);
		}
	}
}

/** Hits of a search: thicker than the spans they lie on, in one colour. */
function drawMarks(ctx: CanvasRenderingContext2D, scene: Scene, rows: PlacedRow[],
	marks: Scene["marks"], colour: string): void {
	ctx.fillStyle = colour;
	for (const placed of rows) {
		const y = screenY(placed, scene.scroll);
		placed.row.lanes.forEach(({ track, depth, line }) => {
			const count = marks.pieces(track, scene.view, scene.level, "", scene.pieces);
			const top = y + 2 + (placed.row.isFolded ? 0 : line * placed.laneHeight);
			for (let i = 0; i < count; i++) {
				const { batch } = scene.pieces[i]!;
				const strip = stripOf(batch, track, depth);
				if (!strip) continue;
				const { shift, scale } = scaleOf(scene, batch);
				let painted = 0;
				for (let at = firstItemAt(strip, -shift / scale); at < strip.count; at++) {
					const x = Math.round(strip.x0[at]! * scale + shift);
					if (x >= scene.width) break;
					const b = Math.max(Math.round(strip.x1[at]! * scale + shift), x + 1);
					const a = Math.max(x, painted);
					if (b <= a) continue;
					painted = b;
					ctx.fillRect(a, top, b - a, placed.laneHeight);
				}
			}
		});
	}
}
