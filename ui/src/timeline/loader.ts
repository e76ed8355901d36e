// SPDX-License-Identifier: Apache-2.0
// Requests the data missing on screen: one request for all rows or, if that would be slow, several
// in sequence with the visible rows first. A request is aborted if the view moves on. Meanwhile the
// cache has coarser data to draw.

import type { View } from "../contract.ts";
import type { TileCache } from "./cache.ts";
import { levelOf, rangeFor, type Range, type Strip, decodeWindow } from "./tile.ts";

export interface Wanted {
	view: View;
	widthPx: number; // in device pixels
	beginNs?: number; // there is nothing before; default 0
	endNs: number;
	tracks: string[]; // for /window: "T", or "T:D" for single depths
	ids: number[]; // of these tracks, the most important first
	costs?: number[]; // of each track, in strips of spans; default 1
	column: string;
}

type Ask = (range: Range, tracks: string[], column: string, signal: AbortSignal) =>
	Promise<ArrayBuffer>;

interface Running {
	range: Range;
	ids: Set<number>;
	isPart: boolean; // covers only some of the missing tracks
	column: string;
	abort: AbortController;
}

/** Delay before a request: during a zoom, levels change faster than anybody can look. */
const PATIENCE_MS = 30;
/**
 * More is requested if the view is closer to the loaded range's end than this share of the
 * margin.
 */
const NEAR_EDGE = 0.2;
const RETRY_MS = 2000;
/** Limits of one request, which keep it fast and its URL short (docs/api.md has the server's). */
const MOST_PIXELS = 1_000_000;
const MOST_TRACKS = 800;
/** Up to this cost the margin is as wide as the view; with more rows it is narrower. */
const LIGHT_PIXELS = 1_500_000;
const LEAST_MARGIN = 0.5;

export class TileLoader {
	private running: Running | null = null;
	private timer: ReturnType<typeof setTimeout> | undefined;
	private wanted: Wanted | null = null;
	private retryAt = 0;

	constructor(private readonly cache: TileCache, private readonly ask: Ask,
		private readonly onAnswer: (strips: Map<number, Strip[]>) => void,
		private readonly onFailure: (sentence: string | null) => void) {}


	/** Call it whenever the view or the rows change. */
	want(wanted: Wanted): void {
		this.wanted = wanted;
		if (this.timer !== undefined) return;
		const missing = this.missing(wanted);
		if (!missing.length || this.isAnswering(wanted, missing)) return;
		const wait = Math.max(this.retryAt - Date.now(), PATIENCE_MS);
		this.timer = setTimeout(() => {
			this.timer = undefined;
			if (this.wanted) void this.fetch(this.wanted);
		}, wait);
	}

	stop(): void {
		clearTimeout(this.timer);
		this.timer = undefined;
		this.wanted = null;
		this.running?.abort.abort();
		this.running = null;
	}

	private missing(wanted: Wanted): number[] {
		const { view, endNs, beginNs = 0 } = wanted;
		const level = levelOf(view, wanted.widthPx);
		const room = (view.toNs - view.fromNs) * NEAR_EDGE * marginOf(wanted);
		const from = Math.max(view.fromNs - room, beginNs), to = Math.min(view.toNs + room, endNs);
		if (beginNs && view.toNs <= beginNs) return [];
		const missing: number[] = [];
		wanted.ids.forEach((id, index) => {
			if (!this.cache.has(id, level, wanted.column, from, to)) missing.push(index);
		});
		return missing;
	}

	private isAnswering(wanted: Wanted, missing: number[]): boolean {
		const { running } = this;
		if (!running || running.column !== wanted.column) return false;
		const isAsked = (index: number) => running.ids.has(wanted.ids[index]!);
		return running.range.level === levelOf(wanted.view, wanted.widthPx) &&
			running.range.fromNs <= Math.max(wanted.view.fromNs, wanted.beginNs ?? 0) &&
			running.range.toNs >= Math.min(wanted.view.toNs, wanted.endNs) &&
			(running.isPart ? missing.some(isAsked) : missing.every(isAsked));
	}

	private async fetch(wanted: Wanted): Promise<void> {
		const all = this.missing(wanted);
		if (!all.length || this.isAnswering(wanted, all)) return;
		this.running?.abort.abort();
		const range = rangeFor(wanted.view, wanted.widthPx, wanted.endNs, marginOf(wanted),
			wanted.beginNs);
		const missing = all.slice(0,
			countAtOnce(all.map((index) => wanted.costs?.[index] ?? 1), range.px));
		const running: Running = {
			range, column: wanted.column, abort: new AbortController(),
			isPart: missing.length < all.length,
			ids: new Set(missing.map((index) => wanted.ids[index]!)),
		};
		this.running = running;
		try {
			const octets = await this.ask(range, missing.map((index) => wanted.tracks[index]!),
				wanted.column, running.abort.signal);
			if (running.abort.signal.aborted) return;
			const strips = stripsByTrack(octets, running.ids);
			this.cache.add({ ...range, colour: wanted.column, strips, bytes: octets.byteLength });
			this.running = null;
			this.onFailure(null);
			this.onAnswer(strips);
		} catch (failure) {
			if (running.abort.signal.aborted) return;
			this.running = null;
			this.retryAt = Date.now() + RETRY_MS;
			this.onFailure((failure as Error).message);
			if (this.wanted) this.want(this.wanted);
			return;
		}
		// Continue without delay: with the other tracks, or with what is wanted by now.
		if (this.wanted && this.timer === undefined) void this.fetch(this.wanted);
	}
}

/** How much to prefetch on each side of the view, as a share of it. */
export function marginOf({ view, widthPx, ids, costs }: Wanted): number {
	const viewPx = (view.toNs - view.fromNs) / 2 ** levelOf(view, widthPx);
	const cost = viewPx * (costs ? costs.reduce((sum, one) => sum + one, 0) : ids.length);
	return Math.min(Math.max((LIGHT_PIXELS / Math.max(cost, 1) - 1) / 2, LEAST_MARGIN), 1);
}

/** How many of the first tracks fit into one request; at least one. */
export function countAtOnce(costs: number[], px: number): number {
	const most = Math.floor(MOST_PIXELS / Math.max(px, 1));
	let count = 0;
	for (let sum = 0; count < Math.min(costs.length, MOST_TRACKS); count++) {
		sum += costs[count]!;
		if (sum > most) break;
	}
	return Math.max(count, 1);
}

/** Includes the ids without data, so that they are not requested again. */
export function stripsByTrack(octets: ArrayBuffer, ids: Iterable<number>): Map<number, Strip[]> {
	const strips = new Map<number, Strip[]>();
	for (const id of ids) strips.set(id, []);
	for (const strip of decodeWindow(octets).strips) {
		const list = strips.get(strip.track);
		if (list) list.push(strip);
		else strips.set(strip.track, [strip]);
	}
	return strips;
}
