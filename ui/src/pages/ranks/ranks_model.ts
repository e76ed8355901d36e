// SPDX-License-Identifier: Apache-2.0
// Compares the ranks of one run: which is the slowest, and in which metrics they differ.

import type { Cell, Column, Rank } from "../../api/types.ts";
import { titleOf, unitOf } from "../../format.ts";
import type { TableColumn } from "../../panels/parts/table_model.ts";

export interface RankSummary {
	rank: Rank;
	title: string;
	row: Record<string, Cell>; // of the table Summary; empty if it cannot be read
}

/**
 * A title for each rank: its number, with the core if several have that number. Captures without
 * collectives have no numbers, but cores; names of profiles are the last resort.
 */
export function rankTitles(ranks: Rank[]): string[] {
	const isAlone = (same: (a: Rank, b: Rank) => boolean, one: Rank) =>
		ranks.filter((other) => same(one, other)).length === 1;
	return ranks.map((one) => {
		if (one.rank !== null) return isAlone((a, b) => a.rank === b.rank, one) ? `Rank ${one.rank}`
			: `Rank ${one.rank}, core ${one.core}`;
		return ranks.length > 1 && isAlone((a, b) => a.core === b.core, one) ? `Core ${one.core}`
			: one.profile;
	});
}

const CLOCKS: Record<string, { title: string; help: string }> = {
	host_clock: { title: "aligned on the host's clock",
		help: "The system trace relates the clock of each device to the host's." },
	collective: { title: "aligned at a collective",
		help: "The captures share no clock. Ranks leave their first collective together." },
	none: { title: "each from its own start",
		help: "The captures share no clock and no collective. A system trace would align them." },
};

export const clockText = (name: string) => CLOCKS[name] ?? CLOCKS["none"]!;

const KEY_METRICS: [string, string][] = [
	["total_time", "Total time"], ["total_active_time_percent", "Active"],
	["mfu_estimated_percent", "MFU"],
	["hfu_estimated_percent", "HFU"], ["mbu_estimated_percent", "MBU"],
	["tensor_engine_active_time_percent", "Tensor"], ["vector_engine_active_time_percent", "Vector"],
	["scalar_engine_active_time_percent", "Scalar"], ["gpsimd_engine_active_time_percent", "GpSimd"],
	["dma_active_time_percent", "DMA"], ["cc_op_active_time_percent", "Collectives"],
	["hbm_read_bytes", "HBM read"], ["hbm_write_bytes", "HBM written"],
	["spill_reload_bytes", "Spill reload"],
];

const timeOf = (summary: RankSummary) => Number(summary.row["total_time"] ?? NaN);

/** The index of the slowest rank; null if there is none. */
export function slowestOf(ranks: RankSummary[]): number | null {
	const times = ranks.map(timeOf).filter((time) => Number.isFinite(time));
	const most = Math.max(...times);
	if (times.length < 2 || most === Math.min(...times)) return null;
	return ranks.findIndex((rank) => timeOf(rank) === most);
}

/** How much longer than the fastest rank, as a share of the fastest. */
export function lagOf(ranks: RankSummary[], at: number): number | null {
	const times = ranks.map(timeOf).filter((time) => time > 0);
	const own = timeOf(ranks[at]!);
	return times.length && own > 0 ? own / Math.min(...times) - 1 : null;
}

interface Table {
	columns: TableColumn[];
	rows: Cell[][];
}

/** One row per rank, with its start if the ranks have a common clock. */
export function rankTable(ranks: RankSummary[], columns: Column[], isAligned = false): Table {
	const known = KEY_METRICS.filter(([name]) => ranks.some(({ row }) => row[name] != null));
	const hasProcess = ranks.some(({ rank }) => rank.process !== null);
	const about = new Map(columns.map((column) => [column.name, column]));
	return {
		columns: [
			{ name: "rank", title: "Rank", width: 152 },
			{ name: "core", title: "Core", unit: "id", width: 56, help: "First NeuronCore it ran on." },
			...(hasProcess ? [{ name: "instance", title: "Machine", width: 130 },
				{ name: "process", title: "Process", unit: "id", width: 72 }] : []),
			...(isAligned ? [{ name: "offset", title: "Start", unit: "nanoseconds",
				help: "When the rank began on the common clock." }] : []),
			...known.flatMap(([name, title]): TableColumn[] => {
				const column = { name, title, unit: unitOf(name, about.get(name)?.unit),
					help: about.get(name)?.description ?? "" };
				return name === "total_time" ? [column, { name: "lag", title: "Over the fastest",
					unit: "fraction", help: "How much longer it took than the fastest rank." }] : [column];
			}),
		],
		rows: ranks.map(({ rank, title, row }, at) => [title, rank.core,
			...(hasProcess ? [rank.instance || null, rank.process] : []),
			...(isAligned ? [rank.offset_ns] : []), ...known.flatMap(([name]) =>
			(name === "total_time" ? [row[name] ?? null, lagOf(ranks, at)] : [row[name] ?? null]))]),
	};
}

/**
 * One row per collective of the run, in order. Ranks leave a collective together, so the one that
 * was in it for the shortest time arrived last, and the others waited for it that much longer. This
 * needs no common clock.
 */
export function collectiveTable(ranks: RankSummary[], ops: Record<string, Cell>[][]): Table {
	const count = Math.max(0, ...ops.map((own) => own.length));
	const rows = Array.from({ length: count }, (_, n): Cell[] => {
		const times = ops.map((own) => (own[n] ? Number(own[n]["duration_ns"]) : null));
		const known = times.filter((time) => time !== null);
		const least = Math.min(...known);
		const waits = times.map((time) => (time === null ? null : time - least));
		const some = ops.find((own) => own[n])?.[n];
		return [`${String(some?.["operation"] ?? "")} ${n + 1}`,
			known.length > 1 ? ranks[times.indexOf(least)]!.title : null,
			known.length > 1 ? Math.max(...known) - least : null, ...waits];
	});
	return {
		columns: [
			{ name: "operation", title: "Collective", width: 152 },
			{ name: "last", title: "Last to arrive",
				help: "The rank that spent the least time in it, which the others waited for." },
			{ name: "longest", title: "Longest wait", unit: "nanoseconds" },
			...ranks.map((rank) => ({ name: rank.rank.profile, title: rank.title,
				unit: "nanoseconds", width: 112 })),
		],
		rows,
	};
}

/** One row per metric, those with the largest differences first. */
export function metricTable(ranks: RankSummary[],
	columns: Column[]): Table & { units: string[] } {
	const lines = columns.flatMap((column) => {
		const cells = ranks.map(({ row }) => row[column.name] ?? null);
		const values = cells.filter((cell) => cell !== null).map(Number);
		if (!values.length || values.some((value) => Number.isNaN(value))) return [];
		const least = Math.min(...values), most = Math.max(...values);
		const size = Math.max(Math.abs(least), Math.abs(most));
		return [{ name: titleOf(column.name), unit: unitOf(column.name, column.unit), cells,
			spread: size ? (most - least) / size : 0 }];
	});
	lines.sort((a, b) => b.spread - a.spread);
	return {
		columns: [
			{ name: "metric", title: "Metric", width: 280 },
			{ name: "spread", title: "Spread", unit: "fraction",
				help: "Difference between the largest and the smallest value, as a share of the largest." },
			...ranks.map((rank) => ({ name: rank.rank.profile, title: rank.title, width: 112 })),
		],
		rows: lines.map(({ name, spread, cells }) => [name, spread, ...cells]),
		units: lines.map(({ unit }) => unit),
	};
}
