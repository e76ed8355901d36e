// SPDX-License-Identifier: Apache-2.0
// Cumulative counters: the mean of a counter since the start of the profile. The mean before a tile
// is requested as a tile of one pixel, [0, from).

import type { Batch } from "./cache.ts";
import type { CounterStrip } from "./tile.ts";

/** The mean from 0 to the end of each pixel. NaN (no value yet) counts as 0. */
export function cumulate(mean: Float32Array, fromNs: number, nsPerPx: number,
	meanBefore: number): Float32Array {
	const values = new Float32Array(mean.length);
	let sum = fromNs > 0 && meanBefore === meanBefore ? meanBefore * fromNs : 0;
	for (let i = 0; i < mean.length; i++) {
		const now = mean[i]!;
		if (now === now) sum += now * nsPerPx;
		values[i] = sum / (fromNs + (i + 1) * nsPerPx);
	}
	return values;
}

/** Returns the means of [0, untilNs) by track. */
type AskBefore = (untilNs: number, tracks: number[]) => Promise<Map<number, number>>;

export class Cumulative {
	private readonly before = new Map<string, number>(); // "track@from" to the mean of [0, from)
	private readonly asked = new Set<string>();
	private readonly kept = new WeakMap<CounterStrip, Float32Array>();
	private waiting = new Map<number, Set<number>>(); // from to tracks
	private timer: ReturnType<typeof setTimeout> | undefined;

	constructor(private readonly ask: AskBefore, private readonly onChange: () => void) {}

	has(strip: CounterStrip): boolean {
		return this.kept.has(strip);
	}

	/** null until the mean before the tile is known; requests it. */
	valuesOf(strip: CounterStrip, batch: Batch): Float32Array | null {
		const known = this.kept.get(strip);
		if (known) return known;
		const key = `${strip.track}@${batch.fromNs}`;
		const meanBefore = batch.fromNs <= 0 ? 0 : this.before.get(key);
		if (meanBefore === undefined) {
			this.want(strip.track, batch.fromNs, key);
			return null;
		}
		const values = cumulate(strip.mean, batch.fromNs, (batch.toNs - batch.fromNs) / batch.px,
			meanBefore);
		this.kept.set(strip, values);
		return values;
	}

	private want(track: number, fromNs: number, key: string): void {
		if (this.asked.has(key)) return;
		this.asked.add(key);
		const tracks = this.waiting.get(fromNs) ?? new Set();
		this.waiting.set(fromNs, tracks.add(track));
		this.timer ??= setTimeout(() => void this.fetch(), 0);
	}

	private async fetch(): Promise<void> {
		this.timer = undefined;
		const all = [...this.waiting];
		this.waiting = new Map();
		await Promise.all(all.map(async ([fromNs, tracks]) => {
			try {
				const means = await this.ask(fromNs, [...tracks]);
				for (const track of tracks) this.before.set(`${track}@${fromNs}`, means.get(track) ?? NaN);
			} catch {
				for (const track of tracks)
					this.asked.delete(`${track}@${fromNs}`); // the next frame retries
			}
		}));
		this.onChange();
	}

	stop(): void {
		clearTimeout(this.timer);
		this.timer = undefined;
	}
}
