// SPDX-License-Identifier: Apache-2.0
// Source lines and their instructions.

import type { Cell } from "../../api/types.ts";

export interface LineCost {
	location: string; // as in the table, "path:line"
	column: string; // that contains the location
	line: number;
	count: number;
	durationNs: number;
	flops: number;
	engines: Map<string, number>;
}

/** Splits "dir/file.py:12"; null if there is no line. */
export function splitLocation(location: string): { path: string; line: number } | null {
	const match = /^(.*):(\d+)$/.exec(location);
	return match ? { path: match[1] ?? "", line: Number(match[2]) } : null;
}

/** The cost of each line by file, from rows of the query source_lines. */
export function costsByFile(rows: Record<string, Cell>[]): Map<string, Map<number, LineCost>> {
	const files = new Map<string, Map<number, LineCost>>();
	for (const row of rows) {
		const location = String(row["location"] ?? "");
		const place = splitLocation(location);
		if (!place) continue;
		const lines = files.get(place.path) ?? new Map<number, LineCost>();
		files.set(place.path, lines);
		const cost = lines.get(place.line) ?? { location,
			column: String(row["source_column"] ?? "nki_source_location"), line: place.line, count: 0,
			durationNs: 0, flops: 0, engines: new Map<string, number>() };
		lines.set(place.line, cost);
		const count = Number(row["instruction_count"] ?? 0);
		cost.count += count;
		cost.durationNs += Number(row["duration_ns"] ?? 0);
		cost.flops += Number(row["flops"] ?? 0);
		const engine = String(row["engine"] ?? "");
		cost.engines.set(engine, (cost.engines.get(engine) ?? 0) + count);
	}
	return files;
}

/** The stored file that shares the most trailing parts with a path of the compiler. */
export function matchFile(path: string, stored: string[]): string | null {
	const parts = path.split("/").reverse();
	let best: string | null = null;
	let most = 0;
	for (const file of stored) {
		const own = file.split("/").reverse();
		let same = 0;
		while (same < own.length && same < parts.length && own[same] === parts[same]) same++;
		if (same > most) {
			most = same;
			best = file;
		}
	}
	return best;
}

/** "Tensor 12, Vector 3", largest first. */
export function engineText(cost: LineCost): string {
	return [...cost.engines].sort(([, a], [, b]) => b - a).map(([engine, n]) => `${engine} ${n}`)
		.join(", ");
}
