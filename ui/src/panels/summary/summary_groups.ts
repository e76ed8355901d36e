// SPDX-License-Identifier: Apache-2.0
// The metrics of the Summary table in groups.

import type { Cell, Column } from "../../api/types.ts";
import { exactCell, formatCell, titleOf, unitOf } from "../../format.ts";

interface MetricLine {
	name: string;
	title: string;
	value: string;
	exact: string;
	help: string;
	fraction: number | undefined; // drawn as a bar
	isMissing: boolean;
}

interface MetricGroup {
	title: string;
	lines: MetricLine[];
}

const GROUPS: [string, RegExp][] = [
	["Tensor engine", /^(tensor_engine|matmul)_/],
	["Vector engine", /^vector_engine_/],
	["Scalar engine", /^(scalar_engine|activate)_/],
	["GpSimd engine", /^gpsimd_engine_/],
	["Sync engine", /^sync_engine_/],
	["Collectives", /^cc_/],
	["FLOPs and utilisation", /flops|^mfu_|^hfu_|intensity/],
	["DMA", /dma|queue/],
	["Memory", /bytes|^mbu_|sbuf|psum|hbm/],
];

export function groupOf(name: string): string {
	return GROUPS.find(([, pattern]) => pattern.test(name))?.[0] ?? "Run";
}

const ORDER = ["Run", "FLOPs and utilisation", "Memory", "DMA", "Tensor engine", "Vector engine",
	"Scalar engine", "GpSimd engine", "Sync engine", "Collectives"];

export function metricLine(column: Column, cell: Cell | undefined): MetricLine {
	const unit = unitOf(column.name, column.unit);
	const isMissing = cell === null || cell === undefined;
	return {
		name: column.name, title: titleOf(column.name), value: formatCell(cell, unit),
		exact: exactCell(cell, unit), help: column.description ?? "", isMissing,
		fraction: unit === "fraction" && typeof cell === "number" ? cell : undefined,
	};
}

export function metricGroups(columns: Column[], row: Record<string, Cell>,
	filter = ""): MetricGroup[] {
	const word = filter.trim().toLowerCase();
	const groups = new Map<string, MetricLine[]>(ORDER.map((title) => [title, []]));
	for (const column of columns) {
		const line = metricLine(column, row[column.name]);
		if (word && !`${line.title} ${line.name} ${line.help}`.toLowerCase().includes(word)) continue;
		const group = groupOf(column.name);
		// Under "Vector engine", "Vector engine active time" becomes "Active time".
		if (line.title.startsWith(`${group} `)) {
			const rest = line.title.slice(group.length + 1);
			line.title = rest.charAt(0).toUpperCase() + rest.slice(1);
		}
		groups.get(group)?.push(line);
	}
	return [...groups].map(([title, lines]) => ({ title, lines }))
		.filter((group) => group.lines.length);
}
