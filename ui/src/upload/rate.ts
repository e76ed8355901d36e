// SPDX-License-Identifier: Apache-2.0
// Transfer rate: an average over the last seconds, so that a stall shows and a single fast chunk
// does not. Pure: the caller passes the time.

const WINDOW_MS = 6000;

export class Rate {
	private points: { bytes: number; ms: number }[] = [];

	add(bytes: number, ms: number): void {
		const last = this.points.at(-1);
		if (last && bytes < last.bytes) this.points = []; // begun again
		this.points.push({ bytes, ms });
		// One point older than the window stays, so the window is full.
		while (this.points.length > 2 && this.points[1]!.ms <= ms - WINDOW_MS) this.points.shift();
	}

	clear(): void {
		this.points = [];
	}

	/** Bytes per second; 0 while nothing is known. */
	perSecond(): number {
		const [first, last] = [this.points[0], this.points.at(-1)];
		if (!first || !last || last.ms - first.ms < 200) return 0;
		return ((last.bytes - first.bytes) * 1000) / (last.ms - first.ms);
	}
}
