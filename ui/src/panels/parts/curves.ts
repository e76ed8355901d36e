// SPDX-License-Identifier: Apache-2.0
// Rows of a series, a time and a value as curves for a plot.

import type uPlot from "uplot";
import { num, text, type Row } from "./data.ts";

/** Aligns the series on a common time axis; a value is valid until the next one of its series. */
export function curvesOf(rows: Row[], time: (row: Row) => number): { names: string[];
	data: uPlot.AlignedData } {
	const names = [...new Set(rows.map((row) => text(row["series"])))];
	const moments = [...new Set(rows.map(time))].sort((a, b) => a - b);
	const places = new Map(moments.map((moment, i) => [moment, i]));
	const curves = names.map((name) => {
		const values = new Array<number | null>(moments.length).fill(null);
		for (const row of rows)
			if (text(row["series"]) === name) values[places.get(time(row))!] = num(row["value"]);
		for (let i = 1; i < values.length; i++) values[i] ??= values[i - 1] ?? null;
		return values;
	});
	return { names, data: [moments, ...curves] };
}
