// SPDX-License-Identifier: Apache-2.0
// The duration of collectives over time, one series per kind.

import type uPlot from "uplot";
import { num, text, type Row } from "../parts/data.ts";
import type { PlotSeries } from "../parts/plot.tsx";

export function collectivePlot(rows: Row[], time: (row: Row) => number):
{ data: uPlot.AlignedData; series: PlotSeries[]; order: number[] } {
	const kinds = [...new Set(rows.map((row) => text(row["operation"])))];
	const order = rows.map((_, i) => i).sort((i, j) => time(rows[i]!) - time(rows[j]!));
	return {
		order,
		data: [order.map((i) => time(rows[i]!)), ...kinds.map((kind) => order.map((i) =>
			text(rows[i]!["operation"]) === kind ? num(rows[i]!["duration_ns"]) : null))],
		series: kinds.map((kind, i) => ({ label: kind, colour: `--pn-c${(i % 8) + 1}`,
			unit: "nanoseconds", kind: "points" as const })),
	};
}
