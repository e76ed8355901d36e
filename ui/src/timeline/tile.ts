// SPDX-License-Identifier: Apache-2.0
// Tiles: responses of /window (docs/api.md), decoded without copying. Requests are aligned to a
// grid with pixels of 2^level nanoseconds and have a margin, so that panning rarely needs a request
// and clients request the same ranges.

import type { View } from "../contract.ts";

export interface SpanStrip {
	kind: "spans";
	track: number;
	depth: number;
	count: number; // of items
	x0: Float32Array;
	x1: Float32Array;
	spans: Uint32Array; // number of spans in the item
	name: Uint32Array;
	colour: Uint32Array;
	busy: Float32Array;
	rowLow: Uint32Array;
	rowHigh: Uint32Array;
}

export interface CounterStrip {
	kind: "counter";
	track: number;
	depth: number;
	count: number; // of pixels
	lowest: Float32Array;
	highest: Float32Array;
	mean: Float32Array;
	last: Float32Array;
}

export type Strip = SpanStrip | CounterStrip;

interface WindowAnswer {
	px: number;
	fromNs: bigint;
	toNs: bigint;
	strips: Strip[];
}

export const NO_COLOUR = 0xffffffff;

const MAGIC = 0x3157584e; // "NXW1"
const HEADER_BYTES = 32;
const STRIP_HEADER_BYTES = 16;
const COLUMN_BYTES = 4;

/** Throws if the bytes are not a tile; never reads past their end. */
export function decodeWindow(octets: ArrayBuffer): WindowAnswer {
	const data = new DataView(octets);
	if (octets.byteLength < HEADER_BYTES || data.getUint32(0, true) !== MAGIC)
		throw new Error("Unexpected response from the server: not a timeline tile.");
	const px = data.getUint32(4, true);
	const stripCount = data.getUint32(24, true);
	const strips: Strip[] = [];
	let at = HEADER_BYTES;
	for (let i = 0; i < stripCount; i++) {
		if (at + STRIP_HEADER_BYTES > octets.byteLength) throw cutError();
		const track = data.getUint32(at, true), depth = data.getUint32(at + 4, true);
		const kind = data.getUint32(at + 8, true), count = data.getUint32(at + 12, true);
		at += STRIP_HEADER_BYTES;
		const columns = kind === 1 ? 8 : 4;
		if (at + columns * count * COLUMN_BYTES > octets.byteLength) throw cutError();
		const floats = (n: number) => new Float32Array(octets, at + n * count * COLUMN_BYTES, count);
		const words = (n: number) => new Uint32Array(octets, at + n * count * COLUMN_BYTES, count);
		if (kind === 1) {
			strips.push({
				kind: "spans", track, depth, count, x0: floats(0), x1: floats(1), spans: words(2),
				name: words(3), colour: words(4), busy: floats(5), rowLow: words(6), rowHigh: words(7),
			});
		} else {
			strips.push({
				kind: "counter", track, depth, count, lowest: floats(0), highest: floats(1),
				mean: floats(2), last: floats(3),
			});
		}
		at += columns * count * COLUMN_BYTES;
	}
	return { px, fromNs: data.getBigUint64(8, true), toNs: data.getBigUint64(16, true), strips };
}

const cutError = () => new Error("The server's response is incomplete.");

/** The row of an item's longest span, for an EventRef. */
export function rowOf(strip: SpanStrip, item: number): string {
	const low = strip.rowLow[item]!, high = strip.rowHigh[item]!;
	return high ? String((BigInt(high) << 32n) | BigInt(low)) : String(low);
}

/** The first item that ends at or after x. Items are sorted. */
export function firstItemAt(strip: SpanStrip, x: number): number {
	let low = 0, high = strip.count;
	while (low < high) {
		const middle = (low + high) >> 1;
		if (strip.x1[middle]! < x) low = middle + 1;
		else high = middle;
	}
	return low;
}


/** A time range on the grid: pixels of 2^level ns, starting at fromNs. */
export interface Range {
	level: number;
	fromNs: number;
	toNs: number;
	px: number;
}

const BLOCK_PX = 256;
const MAX_PX = 16384; // the server's limit
const MAX_LEVEL = 40;

/** The level whose pixels are between half and one screen pixel wide, but at least 1 ns. */
export function levelOf(view: View, widthPx: number): number {
	const nsPerPx = (view.toNs - view.fromNs) / Math.max(widthPx, 1);
	return Math.min(Math.max(Math.floor(Math.log2(nsPerPx) + 1e-9), 0), MAX_LEVEL);
}

/**
 * The range to request for a view: the view and a margin on both sides, within the profile. The
 * grid starts where the profile does.
 */
export function rangeFor(view: View, widthPx: number, endNs: number, margin = 1,
	beginNs = 0): Range {
	if (beginNs) {
		const own = rangeFor({ fromNs: view.fromNs - beginNs, toNs: view.toNs - beginNs }, widthPx,
			endNs - beginNs, margin);
		return { ...own, fromNs: own.fromNs + beginNs, toNs: own.toNs + beginNs };
	}
	const level = levelOf(view, widthPx);
	const block = BLOCK_PX * 2 ** level;
	const room = (view.toNs - view.fromNs) * margin;
	const last = Math.max(Math.ceil((endNs + 1) / block), 1);
	let first = Math.max(Math.floor((view.fromNs - room) / block), 0);
	let after = Math.min(Math.max(Math.ceil((view.toNs + room) / block), first + 1), last);
	first = Math.min(first, after - 1);
	const most = MAX_PX / BLOCK_PX;
	if (after - first > most) {
		first = Math.max(0, Math.round((view.fromNs + view.toNs) / 2 / block) - most / 2);
		after = first + most;
	}
	return { level, fromNs: first * block, toNs: after * block, px: (after - first) * BLOCK_PX };
}

