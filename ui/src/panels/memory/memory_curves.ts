// SPDX-License-Identifier: Apache-2.0
// What tensors hold of a memory over time: the memories of a profile, and the curves of one.

import type { Cell } from "../../api/types.ts";
import { curvesOf } from "../parts/curves.ts";
import { num, text, type Row } from "../parts/data.ts";

export interface MemoryPlace {
	id: string; // "sbuf 0"
	memory: string;
	core: number;
	title: string; // "SBUF, core 0"
	peak: number; // bytes
	peakNs: number;
}

export const ALL_TENSORS = "All tensors";
const ORDER = ["sbuf", "psum", "scratchpad", "hbm"];
const TITLES: Record<string, string> = { sbuf: "SBUF", psum: "PSUM", scratchpad: "Scratchpad",
	hbm: "HBM" };

/** Rows of the query memory_holders: memory, core, tensor, kind, at peak, most, peak, when. */
export const placeOf = (row: Cell[]) => `${text(row[0])} ${text(row[1])}`;

export function placesOf(rows: Cell[][]): MemoryPlace[] {
	const places = new Map<string, MemoryPlace>();
	for (const row of rows) {
		const memory = text(row[0]), core = num(row[1]);
		places.set(placeOf(row), { id: placeOf(row), memory, core,
			title: `${TITLES[memory] ?? memory}, core ${core}`, peak: num(row[6]), peakNs: num(row[7]) });
	}
	return [...places.values()].sort((a, b) =>
		ORDER.indexOf(a.memory) - ORDER.indexOf(b.memory) || a.core - b.core);
}

/** Rows without a series are the sum, which comes first; the others follow by largest value. */
export function memoryCurves(rows: Row[], time: (row: Row) => number): ReturnType<typeof curvesOf> {
	const named = rows.map((row): Row => ({ ...row, series: row["series"] ?? ALL_TENSORS }));
	const most = new Map<string, number>();
	for (const row of named) {
		const name = text(row["series"]);
		most.set(name, Math.max(most.get(name) ?? 0, num(row["value"])));
	}
	const place = (row: Row) => text(row["series"]) === ALL_TENSORS ? Infinity
		: most.get(text(row["series"]))!;
	const byName = (a: Row, b: Row) => (text(a["series"]) < text(b["series"]) ? -1
		: text(a["series"]) > text(b["series"]) ? 1 : 0);
	return curvesOf(named.sort((a, b) => (place(a) === place(b) ? byName(a, b) || time(a) - time(b)
		: place(b) - place(a))), time);
}
