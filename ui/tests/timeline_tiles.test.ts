// SPDX-License-Identifier: Apache-2.0
// Tiles: decoding, the grid of requests, and the cache.

import test from "node:test";
import assert from "node:assert/strict";
import { TileCache, type Batch, type Piece } from "../src/timeline/cache.ts";
import { countAtOnce, marginOf, TileLoader, stripsByTrack } from "../src/timeline/loader.ts";
import {
	decodeWindow, firstItemAt, levelOf, rangeFor, rowOf, type SpanStrip,
} from "../src/timeline/tile.ts";

/** A response with one strip of spans and one counter. */
function answer(items: { x0: number; x1: number; row: bigint }[], px = 4): ArrayBuffer {
	const n = items.length;
	const octets = new ArrayBuffer(32 + 16 + 32 * n + 16 + 16 * px);
	const data = new DataView(octets);
	[0x3157584e, px].forEach((word, i) => data.setUint32(i * 4, word, true));
	data.setBigUint64(8, 1_760_000_000_000_000_001n, true);
	data.setBigUint64(16, 1_760_000_000_000_000_401n, true);
	data.setUint32(24, 2, true);
	[3, 1, 1, n].forEach((word, i) => data.setUint32(32 + i * 4, word, true));
	items.forEach(({ x0, x1, row }, i) => {
		const put = (column: number) => 48 + column * 4 * n + i * 4;
		data.setFloat32(put(0), x0, true);
		data.setFloat32(put(1), x1, true);
		data.setUint32(put(2), i + 1, true);
		data.setUint32(put(3), 100 + i, true);
		data.setUint32(put(4), 0xffffffff, true);
		data.setFloat32(put(5), 0.5, true);
		data.setUint32(put(6), Number(row & 0xffffffffn), true);
		data.setUint32(put(7), Number(row >> 32n), true);
	});
	const at = 48 + 32 * n;
	[9, 0, 2, px].forEach((word, i) => data.setUint32(at + i * 4, word, true));
	for (let i = 0; i < 4 * px; i++) data.setFloat32(at + 16 + i * 4, i, true);
	return octets;
}

test("strips are decoded without copying", () => {
	const octets = answer([{ x0: 0, x1: 1.5, row: 7n }, { x0: 2, x1: 3, row: (5n << 32n) + 1n }]);
	const { px, fromNs, toNs, strips } = decodeWindow(octets);
	assert.equal(px, 4);
	assert.equal(toNs - fromNs, 400n);
	const [spans, counter] = strips;
	assert.ok(spans?.kind === "spans" && counter?.kind === "counter");
	assert.equal(spans.depth, 1);
	assert.deepEqual([...spans.x1], [1.5, 3]);
	assert.deepEqual([...spans.spans], [1, 2]);
	assert.equal(spans.x0.buffer, octets);
	assert.equal(rowOf(spans, 0), "7");
	assert.equal(rowOf(spans, 1), "21474836481");
	assert.deepEqual([...counter.last], [12, 13, 14, 15]);
});

test("bytes that are not a tile, or an incomplete one, are rejected", () => {
	assert.throws(() => decodeWindow(new ArrayBuffer(8)), /not a timeline tile/);
	assert.throws(() => decodeWindow(new ArrayBuffer(64)), /not a timeline tile/);
	const whole = answer([{ x0: 0, x1: 1, row: 1n }]);
	for (let length = 32; length < whole.byteLength; length += 4)
		assert.throws(() => decodeWindow(whole.slice(0, length)), /incomplete/);
	assert.equal(decodeWindow(whole).strips.length, 2);
});

test("items are found by binary search", () => {
	const strip = decodeWindow(answer([0, 10, 20, 30].map((x) => ({ x0: x, x1: x + 5, row: 1n })))).strips[0] as SpanStrip;
	assert.equal(firstItemAt(strip, -3), 0);
	assert.equal(firstItemAt(strip, 5), 0);
	assert.equal(firstItemAt(strip, 6), 1);
	assert.equal(firstItemAt(strip, 99), 4);
});

test("levels are powers of two, as fine as the screen or finer", () => {
	const level = (span: number) => levelOf({ fromNs: 0, toNs: span }, 1000);
	assert.equal(level(1_000_000), 9); // 1000 ns a pixel: 512
	assert.equal(level(1_024_000), 10);
	assert.equal(level(100), 0); // below a nanosecond there is nothing to tell
});

test("a requested range is on the grid, with a margin, within the profile", () => {
	const END = 10_000_000;
	for (let from = 0; from < END; from += 777_777) {
		const view = { fromNs: from, toNs: Math.min(from + 333_333, END) };
		const range = rangeFor(view, 1400, END);
		const block = 256 * 2 ** range.level;
		assert.equal(range.fromNs % block, 0);
		assert.equal(range.px * 2 ** range.level, range.toNs - range.fromNs);
		assert.ok(range.fromNs <= view.fromNs && range.toNs >= view.toNs);
		assert.ok(range.fromNs <= Math.max(0, view.fromNs - 333_333));
		assert.ok(range.px <= 16384);
		assert.ok(range.toNs - END < block);
	}
	assert.ok(rangeFor({ fromNs: 0, toNs: 1e9 }, 16000, 1e9).px <= 16384);
	assert.equal(rangeFor({ fromNs: 0, toNs: 10 }, 1000, 0).fromNs, 0);
});

test("the range of a rank that begins later lies behind its beginning", () => {
	const BEGIN = 123_457, END = 10_000_000;
	for (let from = 0; from < END - BEGIN; from += 777_777) {
		const view = { fromNs: from, toNs: from + 333_333 };
		const range = rangeFor(view, 1400, END, 1, BEGIN);
		const own = rangeFor({ fromNs: from - BEGIN, toNs: view.toNs - BEGIN }, 1400, END - BEGIN);
		assert.ok(range.fromNs >= BEGIN);
		assert.equal(range.fromNs - BEGIN, own.fromNs);
		assert.equal(range.px * 2 ** range.level, range.toNs - range.fromNs);
		assert.ok(range.fromNs <= Math.max(view.fromNs, BEGIN) && range.toNs >= view.toNs);
	}
});

const batch = (level: number, fromNs: number, toNs: number, track = 1, bytes = 100): Omit<Batch, "used"> => ({
	level, fromNs, toNs, px: 10, colour: "", bytes, strips: new Map([[track, []]]),
});

test("the wanted level is drawn where it is loaded, a coarser one elsewhere", () => {
	const cache = new TileCache(1e6);
	const into: Piece[] = [];
	const view = { fromNs: 1000, toNs: 2000 };
	assert.equal(cache.pieces(1, view, 2, "", into), 0);
	cache.add(batch(8, 0, 10_000));
	cache.add(batch(2, 1200, 3000));
	assert.equal(cache.pieces(1, view, 2, "", into), 2);
	assert.deepEqual(into.slice(0, 2).map((piece) => [piece.fromNs, piece.toNs, piece.batch.level]),
		[[1000, 1200, 8], [1200, 2000, 2]]);
	assert.ok(cache.has(1, 2, "", 1300, 2900));
	assert.ok(!cache.has(1, 2, "", 1100, 2900));
	assert.ok(!cache.has(1, 2, "layer", 1300, 2900));
	assert.equal(cache.pieces(2, view, 2, "", into), 0);
});

test("the least recently used response is dropped first", () => {
	const cache = new TileCache(250);
	const into: Piece[] = [];
	cache.add(batch(1, 0, 100, 1));
	cache.add(batch(1, 0, 100, 2));
	assert.equal(cache.pieces(1, { fromNs: 0, toNs: 100 }, 1, "", into), 1); // used
	cache.add(batch(1, 0, 100, 3));
	assert.equal(cache.bytes, 200);
	assert.ok(cache.has(1, 1, "", 0, 100) && cache.has(3, 1, "", 0, 100));
	assert.ok(!cache.has(2, 1, "", 0, 100));
	cache.add(batch(1, 0, 100, 4, 9999)); // one that is too big alone is kept: it is on screen
	assert.equal(cache.size, 1);
});

const later = (ms: number) => new Promise<void>((resolve) => setTimeout(resolve, ms));

test("one request for all missing rows; none if nothing is missing", async () => {
	const cache = new TileCache(1e6);
	const asked: string[][] = [];
	const loader = new TileLoader(cache, async (_range, tracks) => {
		asked.push(tracks);
		return answer([]);
	}, () => undefined, () => undefined);
	const wanted = { view: { fromNs: 0, toNs: 1000 }, widthPx: 100, endNs: 5000, column: "", ids: [3, 9], tracks: ["3", "9"] };
	loader.want(wanted);
	loader.want(wanted);
	await later(60);
	assert.deepEqual(asked, [["3", "9"]]);
	loader.want({ ...wanted, view: { fromNs: 300, toNs: 1300 } }); // within the margin
	loader.want({ ...wanted, ids: [3, 9, 4], tracks: ["3", "9", "4"] });
	await later(60);
	assert.deepEqual(asked.slice(1), [["4"]]);
});

test("a request is aborted when the view moves on, and failures are reported", async () => {
	const cache = new TileCache(1e6);
	const signals: AbortSignal[] = [];
	const failures: (string | null)[] = [];
	const loader = new TileLoader(cache, async (_range, _tracks, _column, signal) => {
		signals.push(signal);
		await later(signals.length === 1 ? 120 : 1);
		if (signals.length === 2) throw new Error("The server is away.");
		return answer([]);
	}, () => undefined, (sentence) => failures.push(sentence));
	const wanted = { view: { fromNs: 0, toNs: 1000 }, widthPx: 100, endNs: 5e9, column: "", ids: [3], tracks: ["3"] };
	loader.want(wanted);
	await later(60);
	loader.want({ ...wanted, view: { fromNs: 1e9, toNs: 1e9 + 1000 } });
	await later(100);
	assert.ok(signals[0]!.aborted);
	assert.deepEqual(failures, ["The server is away."]);
	loader.stop();
});

test("tracks without data are not requested again", () => {
	const strips = stripsByTrack(answer([]), [3, 4]);
	assert.equal(strips.get(3)!.length, 1);
	assert.deepEqual(strips.get(4), []);
});

test("large requests are split into parts, without duplicates", async () => {
	assert.equal(countAtOnce([1, 1, 1], 2000), 3);
	assert.equal(countAtOnce([300, 200, 200], 2000), 2);
	assert.equal(countAtOnce([9000, 1], 2000), 1); // alone it is at least tried
	const asked: string[] = [];
	const wanted = { view: { fromNs: 0, toNs: 1000 }, widthPx: 100, endNs: 5000, column: "", ids: [1, 2, 4],
		tracks: ["1", "2", "4"], costs: [3000, 3000, 10] };
	const loader: TileLoader = new TileLoader(new TileCache(1e6), async (_range, tracks) => {
		asked.push(tracks.join());
		loader.want(wanted); // a change of the screen meanwhile gives nothing up
		await later(5);
		return answer([]);
	}, () => undefined, () => undefined);
	loader.want(wanted);
	await later(200);
	assert.deepEqual(asked.join().split(","), ["1", "2", "4"]);
	assert.equal(asked[0], "1");
});

test("the more rows, the smaller the margin, but it never vanishes", () => {
	const wanted = (costs: number[]) => ({ view: { fromNs: 0, toNs: 1600 * 1024 }, widthPx: 1600, endNs: 1e9,
		column: "", tracks: [], ids: costs.map((_, i) => i), costs });
	assert.equal(marginOf(wanted([10, 20, 30])), 1);
	const some = marginOf(wanted(Array<number>(400).fill(1)));
	assert.ok(some > 0.5 && some < 1, `${some}`);
	assert.equal(marginOf(wanted(Array<number>(4000).fill(1))), 0.5);
	const { costs: _, ...plain } = wanted([9000]);
	assert.equal(marginOf(plain), 1);
});
