// SPDX-License-Identifier: Apache-2.0
// A cache of responses with a size limit; the least recently used are dropped first. A response is
// one block of memory, so it is kept or dropped as a whole.

import type { View } from "../contract.ts";
import type { Range, Strip } from "./tile.ts";

/** One response: a time range at one resolution, for some tracks. */
export interface Batch extends Range {
	colour: string; // the requested column, "" for none
	strips: Map<number, Strip[]>; // by track, the requested depths
	bytes: number;
	used: number;
}

/** A time range that is drawn from one response. */
export interface Piece {
	fromNs: number;
	toNs: number;
	batch: Batch;
}

export class TileCache {
	private batches: Batch[] = [];
	private clock = 0;
	bytes = 0;

	constructor(private readonly limitBytes: number) {}

	get size(): number {
		return this.batches.length;
	}

	add(batch: Omit<Batch, "used">): void {
		this.batches.push({ ...batch, used: ++this.clock });
		this.bytes += batch.bytes;
		while (this.bytes > this.limitBytes && this.batches.length > 1) {
			let oldest = 0;
			for (let i = 1; i < this.batches.length; i++)
				if (this.batches[i]!.used < this.batches[oldest]!.used) oldest = i;
			this.bytes -= this.batches[oldest]!.bytes;
			this.batches.splice(oldest, 1);
		}
	}

	clear(): void {
		this.batches = [];
		this.bytes = 0;
	}

	/** Whether a track is loaded for this range at the wanted level. */
	has(track: number, level: number, colour: string, from: number, to: number): boolean {
		return this.batches.some((b) => b.level === level && b.colour === colour && b.fromNs <= from &&
			b.toNs >= to && b.strips.has(track));
	}

	/**
	 * What to draw of a track, from left to right: the best response for the view and, beside it, the
	 * one that covers most of the rest. Fills the caller's array, to avoid allocations in every
	 * frame; returns the count.
	 */
	pieces(track: number, view: View, level: number, colour: string, into: Piece[]): number {
		let best: Batch | null = null, rest: Batch | null = null;
		let bestScore = -Infinity, restScore = -Infinity;
		for (const batch of this.batches) {
			if (!batch.strips.has(track)) continue;
			const shown = Math.min(batch.toNs, view.toNs) - Math.max(batch.fromNs, view.fromNs);
			if (shown <= 0) continue;
			const share = shown / (view.toNs - view.fromNs);
			const away = Math.abs(batch.level - level) + (batch.colour === colour ? 0 : 0.5);
			const score = share / (1 + away);
			if (score > bestScore || (score === bestScore && best && batch.used > best.used)) {
				best = batch;
				bestScore = score;
			}
			const wide = share - away * 0.001; // the widest; if equal, the nearest level
			if (wide > restScore) {
				rest = batch;
				restScore = wide;
			}
		}
		if (!best) return 0;
		best.used = ++this.clock;
		let count = 0;
		const put = (fromNs: number, toNs: number, batch: Batch) => {
			if (toNs <= fromNs) return;
			const piece = into[count] ?? (into[count] = { fromNs, toNs, batch });
			piece.fromNs = fromNs;
			piece.toNs = toNs;
			piece.batch = batch;
			count++;
		};
		const from = Math.max(best.fromNs, view.fromNs), to = Math.min(best.toNs, view.toNs);
		if (rest && rest !== best) {
			rest.used = this.clock;
			put(Math.max(view.fromNs, rest.fromNs), Math.min(from, rest.toNs), rest);
		}
		put(from, to, best);
		if (rest && rest !== best)
			put(Math.max(to, rest.fromNs), Math.min(view.toNs, rest.toNs), rest);
		return count;
	}
}
