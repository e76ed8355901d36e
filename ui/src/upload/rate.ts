// SPDX-License-Identifier: Apache-2.0
// The transfer rate, averaged over the last few seconds.

const WINDOW_MS = 6000;

export class Rate {
	private points: { bytes: number; ms: number }[] = [];

	add(bytes: number, ms: number): void {
		const last = this.points.at(-1);
		if (last && bytes < last.bytes) this.points = []; // the transfer restarted
		this.points.push({ bytes, ms });
		// Keep one point older than the window, so that the window is covered.
		while (this.points.length > 2 && this.points[1]!.ms <= ms - WINDOW_MS) this.points.shift();
	}

	clear(): void {
		this.points = [];
	}

	/** Bytes per second; 0 if unknown. */
	perSecond(): number {
		const [first, last] = [this.points[0], this.points.at(-1)];
		if (!first || !last || last.ms - first.ms < 200) return 0;
		return ((last.bytes - first.bytes) * 1000) / (last.ms - first.ms);
	}
}
