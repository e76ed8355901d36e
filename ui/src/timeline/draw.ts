// SPDX-License-Identifier: Apache-2.0
// Paints the base layer pixel by pixel: rows with spans and counters, grid lines and bands. It is
// redrawn when the view, the rows or the data change, not when the pointer moves. Texts are
// collected and drawn on top later.

import type { Batch } from "./cache.ts";
import { ERROR_HUE } from "./colours.ts";
import { Ground, paintBoxEdges } from "./draw_bands.ts";
import { paintCounter } from "./draw_counter.ts";
import { pixelOf } from "./grid.ts";
import { DirectLane, FoldedLanes, LineLane, type LaneTarget } from "./lane_lines.ts";
import { screenY, visibleRows, type PlacedRow } from "./layout.ts";
import type { Ink, Pixels } from "./pixels.ts";
import type { Lane } from "./rows.ts";
import type { Scene } from "./scene.ts";
import { fitText, roomOf, type TextBatch } from "./texts.ts";
import { firstItemAt, type SpanStrip } from "./tile.ts";

const MIN_TEXT_LANE = 12;
const CAP_FROM_PX = 4; // narrower bars have no edge
const ERROR_PX = 3;
const LANE_TOP = 3;
const FAR_PX = 1e6; // beyond the screen

/** "edges": only the edges of bars, which are painted again above search hits. */
type Parts = "all" | "edges";

const ground = new Ground();
const direct = new DirectLane();
const lines = new LineLane();
const folded = new FoldedLanes();

export function paintBase(pixels: Pixels, scene: Scene, texts: TextBatch): void {
	const { layout, dpr, inks } = scene;
	const rows = visibleRows(layout, scene.scroll, scene.height);
	const pinnedBottom = Math.round(layout.pinnedHeight * dpr);
	const last = layout.rows[layout.rows.length - 1];
	const rowsEnd = last ? Math.max(Math.round((screenY(last, scene.scroll) + last.height) * dpr),
		pinnedBottom) : 0;
	pixels.clip(pinnedBottom, pixels.height);
	pixels.rect(0, rowsEnd, pixels.width, pixels.height, inks.bg);
	texts.clip(layout.pinnedHeight, scene.height);
	paintRows(pixels, scene, rows.filter((placed) => !placed.row.isPinned), texts);
	if (!pinnedBottom) return;
	pixels.clip(0, pinnedBottom);
	texts.clip(0, layout.pinnedHeight);
	paintRows(pixels, scene, rows.filter((placed) => placed.row.isPinned), texts);
	pixels.rect(0, pinnedBottom - Math.round(dpr), pixels.width, Math.round(dpr), inks.accent);
}

function paintRows(pixels: Pixels, scene: Scene, rows: PlacedRow[], texts: TextBatch): void {
	const { dpr, inks, scroll } = scene;
	ground.begin(scene, pixels.width);
	for (const placed of rows) {
		const line = ground.lineOf(scene, placed);
		const top = Math.round(screenY(placed, scroll) * dpr);
		const bottom = Math.round((screenY(placed, scroll) + placed.height) * dpr);
		const { row } = placed;
		if (row.kind === "spans" && !row.isFolded && row.lineCount === row.lanes.length) {
			paintLines(pixels, scene, placed, line, texts);
		} else {
			pixels.lines(line, top, bottom - top);
			if (row.kind === "counter") paintCounter(pixels, scene, placed, texts);
			else if (row.kind === "spans" && row.isFolded) paintFolded(pixels, scene, placed, texts);
			else if (row.kind === "spans") paintSpans(pixels, scene, placed, texts, "all");
		}
		pixels.rect(0, bottom - Math.round(dpr), pixels.width, Math.round(dpr), inks.line);
	}
	paintBoxEdges(pixels, scene, rows);
	if (!scene.hasHighlight && !scene.hasSearch) return;
	if (scene.hasHighlight) paintMarks(pixels, scene, rows, scene.highlights, inks.highlight);
	if (scene.hasSearch && !scene.isFiltered) paintMarks(pixels, scene, rows, scene.marks, inks.hit);
	for (const placed of rows)
		if (placed.row.kind === "spans") paintSpans(pixels, scene, placed, texts, "edges");
}

/** The height of bars in a lane; leaves a gap to the next lane if there is room. */
const barHeight = (laneHeight: number) =>
	(laneHeight > 6 ? laneHeight - 2 : laneHeight > 3 ? laneHeight - 1 : laneHeight);

/** Paints a row whose lanes do not share lines; writes every pixel once. */
function paintLines(pixels: Pixels, scene: Scene, placed: PlacedRow, line: Uint32Array,
	texts: TextBatch): void {
	const { dpr } = scene;
	const { row, laneHeight } = placed;
	const y = screenY(placed, scene.scroll);
	const height = Math.round(barHeight(laneHeight) * dpr);
	let done = Math.round(y * dpr);
	for (const lane of row.lanes) {
		const top = y + LANE_TOP + lane.line * laneHeight;
		if (top > scene.height || top + laneHeight < 0) continue;
		const first = Math.round(top * dpr);
		pixels.lines(line, done, first - done);
		paintLane(pixels.width, scene, lane, top, laneHeight, lines.begin(line, height), texts, "all");
		lines.write(pixels, first);
		done = first + height;
	}
	pixels.lines(line, done, Math.round((y + placed.height) * dpr) - done);
}

/** Paints all lanes in one line, the last one on top. */
function paintFolded(pixels: Pixels, scene: Scene, placed: PlacedRow, texts: TextBatch): void {
	const { row: { lanes }, laneHeight } = placed;
	const top = screenY(placed, scene.scroll) + LANE_TOP;
	const height = Math.round(barHeight(laneHeight) * scene.dpr);
	folded.begin(pixels, Math.round(top * scene.dpr), height);
	for (let i = lanes.length - 1; i >= 0; i--)
		paintLane(pixels.width, scene, lanes[i]!, top, laneHeight, folded, texts, "all");
}

/** Paints a row whose lanes share lines, or only the edges of any row. */
function paintSpans(pixels: Pixels, scene: Scene, placed: PlacedRow, texts: TextBatch,
	parts: Parts): void {
	const { row, laneHeight } = placed;
	const y = screenY(placed, scene.scroll);
	const height = Math.round(barHeight(laneHeight) * scene.dpr);
	for (const lane of row.lanes) {
		const top = y + LANE_TOP + (row.isFolded ? 0 : lane.line * laneHeight);
		if (top > scene.height || top + laneHeight < 0) continue;
		const target = direct.begin(pixels, Math.round(top * scene.dpr), height);
		paintLane(pixels.width, scene, lane, top, laneHeight, target, texts, parts);
	}
}

function paintLane(width: number, scene: Scene, { track, depth }: Lane, top: number,
	laneHeight: number, target: LaneTarget, texts: TextBatch, parts: Parts): void {
	const { cache, column } = scene.spans;
	const count = cache.pieces(track, scene.view, scene.level, column, scene.pieces);
	for (let i = 0; i < count; i++) {
		const piece = scene.pieces[i]!;
		const strip = stripOf(piece.batch, track, depth);
		if (!strip) continue;
		const from = Math.max(pixelOf(scene.grid, piece.fromNs), 0);
		const to = Math.min(pixelOf(scene.grid, piece.toNs), width);
		paintStrip(target, scene, piece.batch, strip, from, to, top, laneHeight, texts, parts);
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

/** Maps pixels of a response to pixels of the screen: x * scale + shift. */
export function scaleOf(scene: Scene, batch: { fromNs: number; toNs: number; px: number }) {
	const pxPerNs = scene.width / (scene.view.toNs - scene.view.fromNs);
	return {
		shift: (batch.fromNs - scene.view.fromNs) * pxPerNs,
		scale: ((batch.toNs - batch.fromNs) / batch.px) * pxPerNs,
	};
}

/** Maps pixels of a response to pixels of the grid, which starts at time 0. */
function gridScaleOf(scene: Scene, batch: { fromNs: number; toNs: number; px: number }) {
	const { nsPerPx } = scene.grid;
	return { shift: batch.fromNs / nsPerPx, scale: (batch.toNs - batch.fromNs) / batch.px / nsPerPx };
}

function paintStrip(target: LaneTarget, scene: Scene, batch: Batch, strip: SpanStrip, left: number,
	right: number, laneTop: number, laneHeight: number, texts: TextBatch, parts: Parts): void {
	const { shift, scale } = gridScaleOf(scene, batch);
	const { firstPx } = scene.grid;
	const { x0, x1, spans, busy, count } = strip;
	const { fills, edges } = scene.inks;
	const { dpr } = scene;
	const hues = scene.huesOf(strip);
	const high = barHeight(laneHeight);
	const height = Math.round(high * dpr);
	const wantsText = parts === "all" && scene.textFromPx < Infinity && laneHeight >= MIN_TEXT_LANE;
	const cap = Math.round(dpr), capFrom = CAP_FROM_PX * dpr, errorPx = Math.round(ERROR_PX * dpr);
	let painted = -Infinity; // the right edge of the last bar
	// Start a little earlier, for bars that are rounded or widened into the first pixel.
	for (let i = firstItemAt(strip, (left + firstPx - 1 - errorPx - shift) / scale); i < count; i++) {
		const from = Math.floor(x0[i]! * scale + shift + 0.5) - firstPx;
		if (from >= right) break;
		const to = Math.floor(x1[i]! * scale + shift + 0.5) - firstPx;
		// Small integers make the loops below fast.
		let a = Math.max(from, -FAR_PX) | 0, b = Math.min(to, right + FAR_PX) | 0;
		if (b <= a) b = a + 1;
		if (hues[i] === ERROR_HUE && b < a + errorPx) b = a + errorPx; // errors must be visible
		if (a < painted) a = painted;
		if (b <= a) continue; // this pixel is taken
		painted = b;
		if (b <= left) continue;
		const isWide = b - a >= capFrom;
		const starts = a >= left;
		if (!starts) a = left;
		if (b > right) b = right;
		const ink = fills[hues[i]!]!;
		const inside = isWide && starts ? Math.min(a + cap, b) : a; // after the edge
		if (parts === "all" && inside < b) {
			const share = spans[i]! > 1 ? busy[i]! : 1;
			// A partly busy pixel gets a lower bar, but at least two pixels.
			const own = share >= 0.999 ? height : Math.max(2, (height * (0.25 + 0.75 * share) + 0.5) | 0);
			target.bar(inside, b, own, ink);
		}
		if (!isWide) continue;
		if (starts) target.cap(a, inside, edges[hues[i]!]!);
		if (!wantsText || spans[i] !== 1) continue;
		const wide = (b - a) / dpr;
		if (wide < scene.textFromPx) continue;
		const room = roomOf(wide);
		const name = room >= 3 ? scene.nameOf(strip.name[i]!) : "";
		const text = name ? fitText(name, room) : "";
		if (text) texts.add(text, a / dpr + 4, laneTop + high / 2 + 0.5);
	}
}

/** Paints search hits or highlights over the spans, a little higher than these. */
function paintMarks(pixels: Pixels, scene: Scene, rows: PlacedRow[], marks: Scene["marks"],
	ink: Ink): void {
	const { firstPx } = scene.grid;
	for (const placed of rows) {
		const y = screenY(placed, scene.scroll) + LANE_TOP - 1;
		placed.row.lanes.forEach(({ track, depth, line }) => {
			const top = Math.round((y + (placed.row.isFolded ? 0 :
				line * placed.laneHeight)) * scene.dpr);
			const height = Math.round(placed.laneHeight * scene.dpr);
			const count = marks.pieces(track, scene.view, scene.level, "", scene.pieces);
			for (let i = 0; i < count; i++) {
				const { batch, fromNs, toNs } = scene.pieces[i]!;
				const strip = stripOf(batch, track, depth);
				if (!strip) continue;
				const { shift, scale } = gridScaleOf(scene, batch);
				const left = Math.max(pixelOf(scene.grid, fromNs), 0);
				const right = Math.min(pixelOf(scene.grid, toNs), pixels.width);
				const first = firstItemAt(strip, (left + firstPx - 1 - shift) / scale);

				for (let at = first; at < strip.count; at++) {
					const a = Math.round(strip.x0[at]! * scale + shift) - firstPx;
					if (a >= right) break;
					const b = Math.max(Math.round(strip.x1[at]! * scale + shift) - firstPx, a + 1);
					const from = Math.max(a, left);
					pixels.rect(from, top, Math.min(b, right) - from, height, ink);
				}
			}
		});
	}
}
