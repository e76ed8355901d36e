// SPDX-License-Identifier: Apache-2.0
// Values of counters as text, by the unit of their track.

import type { Track } from "../api/types.ts";
import {
	formatBytes, formatFlops, formatFraction, formatNs, formatNumber, formatRate, NOTHING,
} from "../format.ts";

/** Shares range from 0 to 1 (usage, MFU, HFU); those with the unit percent from 0 to 100. */
const isShare = (track: Track) => /^fraction$/i.test(track.unit) ||
	(track.unit === "" && /usage|utili[sz]ation|\b[mh]fu\b/i.test(track.name));

/** Limits range from 0 to 1; the area above them is marked. */
export const isLimit = (track: Track) => track.kind === "counter" && /\blimit\b/i.test(track.name);

const isPercent = (track: Track) => track.unit === "percent" || track.unit === "%";

/** peak is the number of FLOP/s that is 100 %, or 0 if unknown. */
export function valueText(value: number, track: Track, peak = 0): string {
	if (!Number.isFinite(value)) return NOTHING;
	if (isShare(track)) return formatFraction(value);
	if (isPercent(track)) return formatFraction(value / 100);
	switch (track.unit) {
		case "bytes": return formatBytes(value);
		case "bytes/s": case "bytes_per_second": return formatRate(value);
		case "FLOP/s": {
			const rate = `${formatFlops(value)}/s`;
			return peak > 0 ? `${formatFraction(value / peak)} (${rate})` : rate;
		}
		case "ns": case "nanoseconds": return formatNs(value);
		case "": return formatNumber(value);
		default: return `${formatNumber(value)} ${track.unit}`;
	}
}

/** The value at the top of a row if the largest value so far is `most`. */
export function topOf(most: number, track: Track): number {
	if (isPercent(track)) return Math.max(100, most);
	if (isLimit(track)) return 1;
	return most > 0 ? most : 1;
}
