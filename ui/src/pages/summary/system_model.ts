// SPDX-License-Identifier: Apache-2.0
// The processes of a system profile, and the rows of its table of device profiles.

import type { Cell, Track } from "../../api/types.ts";
import { num, text, type Row } from "../../panels/parts/data.ts";

export interface Process {
	instance: string;
	process: string;
}

/** All processes that recorded events. */
export function processesOf(tracks: Track[]): Process[] {
	const found = new Map<string, Process>();
	for (const { attributes: { instance_id: instance, process_id: process } } of tracks)
		if (process) found.set(`${instance ?? ""}/${process}`, { instance: instance ?? "", process });
	return [...found.values()];
}

export const processKey = ({ instance, process }: Process) => `${instance}/${process}`;

/** Parameters of a query for one process; none for all. */
export const parametersOf = (process: Process | null) =>
	process ? { instance: process.instance, process: process.process } : {};

export interface Metrics {
	cores: Cell;
	cells: Cell[]; // duration, MFU, HFU, MBU, CC active
}

export interface DeviceLine {
	profile: string | null;
	models: Row[]; // executions by core
	cells: Cell[];
}

const total = (rows: Row[], name: string) =>
	rows.reduce((now, row) => now + (num(row[name]) || 0), 0);

/** The executions of a capture's model by its process. */
export function executionsOf(capture: Row, models: Row[]): Row[] {
	const same = (a: Cell | undefined, b: Cell | undefined) => text(a) === text(b);
	const core = num(capture["nc_id"]);
	const own = models.filter((row) => text(row["model_id"]) !== "" &&
		same(row["model_id"], capture["model_id"]) &&
		(!text(capture["instance_id"]) || same(row["instance_id"], capture["instance_id"])) &&
		(!num(capture["process_id"]) || same(row["process_id"], capture["process_id"])));
	// If the capture's own core ran the model, count only that core.
	const here = own.filter((row) => num(row["nc_idx"]) === core);
	return here.length ? here : own;
}

export function deviceLine(capture: Row, profile: string | null, models: Row[],
	metrics: Metrics | null): DeviceLine {
	const own = executionsOf(capture, models);
	const calls = total(own, "execution_count"), time = total(own, "total_ns");
	const cores = own.map((row) => text(row["nc_idx"])).join(", ");
	return { profile, models: own, cells: [
		text(capture["device_profile_name"]), capture["process_id"] ?? null, metrics?.cores ?? null,
		cores || null, time || null, calls || null, calls ? time / calls : null,
		...(metrics?.cells ?? [null, null, null, null, null])] };
}
