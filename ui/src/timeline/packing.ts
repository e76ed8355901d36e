// SPDX-License-Identifier: Apache-2.0
// Packs tracks onto shared lines: threads that never ran at the same time can share lines. The
// depths of a track stay together, one below the other.

import type { Track } from "../api/types.ts";
import type { Lane } from "./rows.ts";

export const depthsOf = (track: Track) => Math.max(track.depth_count, 1);

interface Timed {
	track: Track;
	firstNs: bigint;
	lastNs: bigint;
}

/** A track without times counts as always busy. */
function timed(track: Track): Timed {
	const { first_ns: first, last_ns: last } = track;
	return {
		track, firstNs: first === undefined ? -1n : BigInt(first),
		lastNs: last === undefined ? 1n << 64n : BigInt(last),
	};
}

/** The first of `count` adjacent lines that are free at a time. */
function firstFree(ends: bigint[], count: number, fromNs: bigint): number {
	let free = 0;
	for (let line = 0; line < ends.length; line++) {
		free = ends[line]! <= fromNs ? free + 1 : 0;
		if (free === count) return line - count + 1;
	}
	return ends.length - free;
}

/** Places tracks by start time, each as high as possible. Omits depths beyond maxLines. */
export function packedLanes(tracks: Track[], maxLines: number): Lane[] {
	const order = tracks.map(timed)
		.sort((a, b) => (a.firstNs < b.firstNs ? -1 : a.firstNs > b.firstNs ? 1 : 0));
	const ends: bigint[] = [];
	const lanes: Lane[] = [];
	for (const { track, firstNs, lastNs } of order) {
		const count = depthsOf(track);
		const top = firstFree(ends, count, firstNs);
		for (let depth = 0; depth < count && top + depth < maxLines; depth++) {
			// An instant event needs room too.
			ends[top + depth] = lastNs > firstNs ? lastNs : firstNs + 1n;
			lanes.push({ track: track.id, depth, line: top + depth });
		}
	}
	return lanes;
}
