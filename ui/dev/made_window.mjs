// SPDX-License-Identifier: Apache-2.0
// Answers of /window over a made profile: the plain way, by looking at every span.

const NO_COLOUR = 0xffffffff;

function firstEndingAfter(list, time) {
	let low = 0, high = list.length;
	while (low < high) {
		const middle = (low + high) >> 1;
		if (list[middle].end < time) low = middle + 1;
		else high = middle;
	}
	return low;
}

function spanItems(list, from, to, px, colourOf, isWanted) {
	const nsPerPx = (to - from) / px;
	const items = [];
	let shared = null; // the pixel that several spans share
	for (let i = firstEndingAfter(list, from); i < list.length && list[i].start < to; i++) {
		const span = list[i];
		if (!isWanted(span)) continue;
		const x0 = Math.max((span.start - from) / nsPerPx, 0), x1 = Math.min((span.end - from) / nsPerPx, px);
		const pixel = Math.floor(x0);
		const next = list[i + 1];
		const isShared = (shared && shared.pixel === pixel) ||
			(next && (next.start - from) / nsPerPx < pixel + 1 && x1 < pixel + 1);
		if (!isShared) {
			items.push({ x0, x1, count: 1, span, colour: colourOf(span), busy: 1 });
			shared = null;
			continue;
		}
		if (!shared || shared.pixel !== pixel) {
			shared = { pixel, x0: pixel, x1: pixel + 1, count: 0, span, colour: colourOf(span), busy: 0 };
			items.push(shared);
		}
		shared.count++;
		shared.busy = Math.min(1, shared.busy + Math.min(x1, pixel + 1) - x0);
		if (span.end - span.start > shared.span.end - shared.span.start) {
			shared.span = span;
			shared.colour = colourOf(span);
		}
		if (x1 > pixel + 1) items.push({ x0: pixel + 1, x1, count: 1, span, colour: colourOf(span), busy: 1 });
	}
	return items;
}

function spanStrip(track, depth, items) {
	const n = items.length;
	const octets = new ArrayBuffer(16 + 32 * n);
	new Uint32Array(octets, 0, 4).set([track, depth, 1, n]);
	const floats = (at) => new Float32Array(octets, 16 + at * 4 * n, n);
	const words = (at) => new Uint32Array(octets, 16 + at * 4 * n, n);
	const columns = [floats(0), floats(1), words(2), words(3), words(4), floats(5), words(6)];
	items.forEach((item, i) => {
		[item.x0, item.x1, item.count, item.span.name, item.colour, item.busy, item.span.row]
			.forEach((value, at) => { columns[at][i] = value; });
	});
	return octets;
}

function counterStrip(track, list, from, to, px) {
	const octets = new ArrayBuffer(16 + 16 * px);
	new Uint32Array(octets, 0, 4).set([track, 0, 2, px]);
	const [lowest, highest, mean, last] = [0, 1, 2, 3].map((at) => new Float32Array(octets, 16 + at * 4 * px, px));
	let at = 0, value = NaN;
	for (let x = 0; x < px; x++) {
		const until = from + ((x + 1) * (to - from)) / px;
		let low = value, high = value, sum = 0, count = 0;
		while (at < list.length && list[at].time < until) {
			value = list[at++].value;
			low = Number.isNaN(low) ? value : Math.min(low, value);
			high = Number.isNaN(high) ? value : Math.max(high, value);
			sum += value;
			count++;
		}
		lowest[x] = low;
		highest[x] = high;
		mean[x] = count ? sum / count : value;
		last[x] = value;
	}
	return octets;
}

/** tracks: texts T or T:D; without any, all (as /search/marks answers). */
export function makeWindow(profile, from, to, px, tracks, colour, isWanted = () => true) {
	const colourOf = (span) => (colour && span[colour] !== undefined ? span[colour] : NO_COLOUR);
	const strips = [];
	for (const text of tracks) {
		const [id, depth] = text.split(":").map(Number);
		const track = profile.tracks[id];
		if (!track) continue;
		if (track.kind === "counter") strips.push(counterStrip(id, profile.samples.get(id) ?? [], from, to, px));
		if (track.kind !== "spans") continue;
		const depths = depth === undefined ? [...Array(track.depth_count).keys()] : [depth];
		for (const d of depths)
			strips.push(spanStrip(id, d, spanItems(profile.spans.get(`${id}:${d}`) ?? [], from, to, px, colourOf, isWanted)));
	}
	const head = new ArrayBuffer(32);
	const data = new DataView(head);
	data.setUint32(0, 0x3157584e, true);
	data.setUint32(4, px, true);
	data.setBigUint64(8, profile.originNs + BigInt(Math.round(from)), true);
	data.setBigUint64(16, profile.originNs + BigInt(Math.round(to)), true);
	data.setUint32(24, strips.length, true);
	return Buffer.concat([head, ...strips].map((part) => Buffer.from(part)));
}
