// SPDX-License-Identifier: Apache-2.0
// The rows of the steps panel: steps, kinds of steps by process, and gaps by core.

import type { Cell } from "../../api/types.ts";
import { shortened } from "../../timeline/rows.ts";
import { num, text, type Row } from "../parts/data.ts";
import type { TableColumn } from "../parts/table_model.ts";

export const processOf = (row: Row) => `${text(row["instance_id"])}/${text(row["process_id"])}`;

export const processTitle = (row: Row, isAlone: boolean) => (isAlone
	? text(row["process_id"])
	: `${text(row["process_id"])} on ${shortened(text(row["instance_id"]))}`);

/** Whether all rows come from one machine, whose name need not be repeated then. */
export const isOneMachine = (rows: Row[]) =>
	rows.every((row) => row["instance_id"] === rows[0]?.["instance_id"]);

const SHARES: TableColumn[] = [
	{ name: "host_bound_frac", title: "Host bound", unit: "fraction",
		help: "No core ran and no call of the runtime was open: the device waited for the program." },
	{ name: "runtime_frac", title: "Runtime", unit: "fraction",
		help: "No core ran while the process was inside a call of the runtime." },
	{ name: "device_busy_frac", title: "Device busy", unit: "fraction",
		help: "At least one core of the process ran." },
];

export const STEP_COLUMNS: TableColumn[] = [
	{ name: "step_num", title: "Step", unit: "id" }, { name: "mark", title: "", width: 84 },
	{ name: "duration_ns", title: "Duration", unit: "nanoseconds" },
	{ name: "duration_mads", title: "MADs",
		help: "Distance of the duration to the median, in scaled median absolute deviations. " +
			"More than 3.5, and a tenth of the median, is an outlier." },
	...SHARES,
	{ name: "execution_count", title: "Executions" },
	{ name: "gap_ns", title: "Gaps", unit: "nanoseconds",
		help: "How long cores waited before these executions, added up." },
	{ name: "max_gap_ns", title: "Longest gap", unit: "nanoseconds" },
	{ name: "late_ns", title: "Late", unit: "nanoseconds",
		help: "How long after the first process it launched its first execution of this step." },
	{ name: "rank_wait_ns", title: "Waits for ranks", unit: "nanoseconds",
		help: "Time in barriers before collectives." },
	{ name: "start", title: "Start", unit: "nanoseconds" }, { name: "name", title: "Kind" },
	{ name: "process", title: "Process", align: "left" },
];

/** To two decimals, which is as exact as these are meaningful. */
const rounded = (cell: Cell | undefined): Cell =>
	cell === null || cell === undefined ? null : Math.round(num(cell) * 100) / 100;

/** What the table marks a step with. */
export function markOf(row: Row): string {
	if (row["is_unfinished"] === true) return "unfinished";
	if (row["is_outlier"] === true) return "outlier";
	return num(row["duration_rank"]) === 1 ? "slowest" : "";
}

export function stepTable(rows: Row[], time: (row: Row) => number): Cell[][] {
	const isAlone = isOneMachine(rows);
	return rows.map((row) => STEP_COLUMNS.map(({ name }) =>
		name === "mark" ? markOf(row) : name === "start" ? time(row)
		: name === "duration_mads" ? rounded(row[name])
		: name === "process" ? processTitle(row, isAlone) : row[name] ?? null));
}

export const KIND_COLUMNS: TableColumn[] = [
	{ name: "name", title: "Kind" }, { name: "process", title: "Process", align: "left" },
	{ name: "step_count", title: "Steps" },
	{ name: "median_duration_ns", title: "Median", unit: "nanoseconds" },
	{ name: "mad_duration_ns", title: "MAD", unit: "nanoseconds",
		help: "Median distance to the median: how regular the steps are." },
	{ name: "slowest_duration_ns", title: "Slowest", unit: "nanoseconds" },
	{ name: "slowest_step_num", title: "Its step", unit: "id" },
	{ name: "outlier_count", title: "Outliers" }, ...SHARES,
	{ name: "median_late_ns", title: "Late", unit: "nanoseconds", width: 136,
		help: "Median time by which it launches its first execution of a step after the first " +
			"process. The others wait for a rank that is always late." },
	{ name: "median_rank_wait_ns", title: "Waits for ranks", unit: "nanoseconds",
		help: "Median time of a step in barriers before collectives. The rank that is late does " +
			"not wait." },
];

export function kindTable(rows: Row[]): Cell[][] {
	const isAlone = isOneMachine(rows);
	return rows.map((row) => KIND_COLUMNS.map(({ name }) =>
		name === "process" ? processTitle(row, isAlone) : row[name] ?? null));
}

export const GAP_COLUMNS: TableColumn[] = [
	{ name: "process", title: "Process", align: "left" },
	{ name: "nc_idx", title: "Core", unit: "id" }, { name: "mark", title: "", width: 72 },
	{ name: "first_quarter_median_ns", title: "First quarter", unit: "nanoseconds",
		help: "Median of the first quarter of the gaps." },
	{ name: "last_quarter_median_ns", title: "Last quarter", unit: "nanoseconds",
		help: "Median of the last quarter of the gaps." },
	{ name: "median_ns", title: "Median", unit: "nanoseconds" },
	{ name: "max_ns", title: "Longest", unit: "nanoseconds" },
	{ name: "total_ns", title: "Total", unit: "nanoseconds" }, { name: "gap_count", title: "Gaps" },
];

export function gapTable(rows: Row[]): Cell[][] {
	const isAlone = isOneMachine(rows);
	return rows.map((row) => GAP_COLUMNS.map(({ name }) =>
		name === "process" ? processTitle(row, isAlone)
		: name === "mark" ? (row["is_growing"] === true ? "grows" : "") : row[name] ?? null));
}
