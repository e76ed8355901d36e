// SPDX-License-Identifier: Apache-2.0
// Values of counters as people read them, by the unit of their track. Pure.

import type { Track } from "../api/types.ts";

function scaled(value: number, step: number, units: string[]): string {
	let size = value, at = 0;
	while (Math.abs(size) >= step && at < units.length - 1) {
		size /= step;
		at++;
	}
	return `${plain(size)} ${units[at]}`;
}

/** Four digits at most; whole numbers with separators. */
export function plain(value: number): string {
	if (!Number.isFinite(value)) return "–";
	if (Math.abs(value) >= 1000) return Math.round(value).toLocaleString("en-US");
	return String(Number(value.toPrecision(4)));
}

/** Shares come as 0 to 1 (usage, MFU, HFU) or, with the unit percent, as 0 to 100. */
export const isShare = (track: Track) => /^fraction$/i.test(track.unit) ||
	(track.unit === "" && /usage|utili[sz]ation|\b[mh]fu\b/i.test(track.name));

export function valueText(value: number, track: Track): string {
	if (!Number.isFinite(value)) return "–";
	if (isShare(track)) return `${plain(value * 100)} %`;
	switch (track.unit) {
		case "percent": case "%": return `${plain(value)} %`;
		case "bytes": return scaled(value, 1024, ["B", "KiB", "MiB", "GiB", "TiB"]);
		case "bytes/s": case "bytes_per_second":
			return scaled(value, 1000, ["B/s", "kB/s", "MB/s", "GB/s", "TB/s"]);
		case "ns": case "nanoseconds": return scaled(value, 1000, ["ns", "µs", "ms", "s"]);
		case "": return plain(value);
		default: return `${plain(value)} ${track.unit}`;
	}
}

/** What the upper edge of a row stands for when the largest value seen is `most`. */
export function topOf(most: number, track: Track): number {
	if (track.unit === "percent" || track.unit === "%") return Math.max(100, most);
	if (!(most > 0)) return 1;
	return most;
}
