// SPDX-License-Identifier: Apache-2.0
// Finds what is under the pointer, in the tiles that are drawn.

import { lanesAt, rowAt, screenY, type PlacedRow } from "./layout.ts";
import { counterStrip } from "./draw_counter.ts";
import { scaleOf, stripOf } from "./draw.ts";
import type { Track } from "../api/types.ts";
import type { Scene } from "./scene.ts";
import { firstItemAt, rowOf } from "./tile.ts";
import { timeToX, xToTime } from "./view.ts";

export interface SpanHit {
	kind: "span";
	placed: PlacedRow;
	track: number;
	depth: number;
	table: string;
	row: string; // of the longest span
	nameId: number;
	count: number; // of spans in the item
	busy: number;
	fromNs: number; // of the item, rounded to pixels of the tile
	toNs: number;
}

export interface CounterHit {
	kind: "counter";
	placed: PlacedRow;
	track: number;
	lowest: number;
	highest: number;
	mean: number;
	last: number;
	fromNs: number;
	toNs: number;
}

export type Hit = SpanHit | CounterHit;

/** The pointer may miss a bar by this much: bars can be one pixel wide. */
const SLACK_PX = 3;

export function hitAt(scene: Scene, x: number, y: number): Hit | null {
	const placed = rowAt(scene.layout, scene.scroll, y);
	if (!placed) return null;
	const insideY = y - screenY(placed, scene.scroll);
	for (const lane of lanesAt(placed, insideY)) {
		const hit = placed.row.kind === "counter" ? hitCounter(scene, placed, x)
			: hitLane(scene, placed, lane, x);
		if (hit) return hit;
	}
	return null;
}

function hitLane(scene: Scene, placed: PlacedRow, lane: number, x: number): SpanHit | null {
	const { track, depth } = placed.row.lanes[lane]!;
	const time = xToTime(scene.view, scene.width, x);
	const { cache, column } = scene.spans;
	const count = cache.pieces(track, scene.view, scene.level, column, scene.pieces);
	for (let i = 0; i < count; i++) {
		const piece = scene.pieces[i]!;
		if (time < piece.fromNs || time > piece.toNs) continue;
		const strip = stripOf(piece.batch, track, depth);
		if (!strip) continue;
		const { shift, scale } = scaleOf(scene, piece.batch);
		const at = (x - shift) / scale, slack = SLACK_PX / scale;
		let best = -1, bestAway = slack;
		for (let item = firstItemAt(strip, at - slack); item < strip.count; item++) {
			if (strip.x0[item]! > at + slack) break;
			const away = Math.max(strip.x0[item]! - at, at - strip.x1[item]!, 0);
			if (away <= bestAway) { // on a tie the later one, such as an empty event after a wide one
				best = item;
				bestAway = away;
			}
			if (away === 0) break;
		}
		if (best < 0) continue;
		const nsPerPx = (piece.batch.toNs - piece.batch.fromNs) / piece.batch.px;
		return {
			kind: "span", placed, track, depth,
			table: placed.row.tracks.find((one) => one.id === track)?.table ?? "",
			row: rowOf(strip, best), nameId: strip.name[best]!, count: strip.spans[best]!,
			busy: strip.busy[best]!,
			fromNs: piece.batch.fromNs + strip.x0[best]! * nsPerPx,
			toNs: piece.batch.fromNs + strip.x1[best]! * nsPerPx,
		};
	}
	return null;
}

const hitCounter = (scene: Scene, placed: PlacedRow, x: number) =>
	hitTrack(scene, placed, placed.row.lanes[0]!.track, x, placed.row.isCumulative);

function hitTrack(scene: Scene, placed: PlacedRow, track: number, x: number,
	isCumulative: boolean): CounterHit | null {
	const time = xToTime(scene.view, scene.width, x);
	const count = scene.cache.pieces(track, scene.view, scene.level, scene.column, scene.pieces);
	for (let i = 0; i < count; i++) {
		const piece = scene.pieces[i]!;
		if (time < piece.fromNs || time > piece.toNs) continue;
		const strip = counterStrip(track, piece);
		if (!strip) continue;
		const { shift, scale } = scaleOf(scene, piece.batch);
		const at = Math.min(Math.max(Math.floor((x - shift) / scale), 0), strip.count - 1);
		if (at < 0 || Number.isNaN(strip.mean[at]!)) return null;
		const nsPerPx = (piece.batch.toNs - piece.batch.fromNs) / piece.batch.px;
		const fromNs = piece.batch.fromNs + at * nsPerPx, toNs = fromNs + nsPerPx;
		if (isCumulative) {
			const mean = scene.cumulativeOf(strip, piece.batch)?.[at];
			if (mean === undefined) return null;
			return {
				kind: "counter", placed, track, lowest: mean, highest: mean, mean, last: mean,
				fromNs: 0, toNs,
			};
		}
		return {
			kind: "counter", placed, track, lowest: strip.lowest[at]!, highest: strip.highest[at]!,
			mean: strip.mean[at]!, last: strip.last[at]!, fromNs, toNs,
		};
	}
	return null;
}

/** The shares of a counter at a hit, largest first. */
export function sharesAt(scene: Scene, hit: CounterHit): { track: Track; mean: number }[] {
	const x = timeToX(scene.view, scene.width, (hit.fromNs + hit.toNs) / 2);
	return hit.placed.row.shares
		.map((track) => ({ track, mean: hitTrack(scene, hit.placed, track.id, x, false)?.mean ?? 0 }))
		.filter(({ mean }) => mean > 0)
		.sort((a, b) => b.mean - a.mean);
}
