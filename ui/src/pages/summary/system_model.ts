// SPDX-License-Identifier: Apache-2.0
// What the summary of a system profile asks, and which lines its table of device profiles has.
// Pure.

import type { Cell, Track } from "../../api/types.ts";
import { num, sqlText, text, type Row } from "../../panels/parts/data.ts";

export interface Process {
	instance: string;
	process: string;
}

/** All processes that recorded events, as their tracks say. */
export function processesOf(tracks: Track[]): Process[] {
	const found = new Map<string, Process>();
	for (const { attributes: { instance_id: instance, process_id: process } } of tracks)
		if (process) found.set(`${instance ?? ""}/${process}`, { instance: instance ?? "", process });
	return [...found.values()];
}

export const processKey = ({ instance, process }: Process) => `${instance}/${process}`;

/** Only events of one process, or all of them. */
const whereOf = (process: Process | null) => (process
	? `instance_id = ${sqlText(process.instance)} AND process_id = ${sqlText(process.process)}`
	: "true");

/** A core of several parts runs each of them: one execution is what has one number on one core. */
const executionsSql = (process: Process | null) =>
	"SELECT json_extract_string(extra_attributes_json, '$.model_id') AS m, instance_id AS i, " +
	"process_id AS p, nc_idx AS c, json_extract_string(extra_attributes_json, '$.exec_id') AS e, " +
	"max(end_ts) - min(start_ts) AS d FROM SystemProfileEvents " +
	`WHERE name = 'nc_exec_running' AND ${whereOf(process)} GROUP BY ALL`;

export const modelsSql = (process: Process | null) =>
	"SELECT m, i, p, c, count(*) AS n, sum(d) AS t, max(d) AS longest " +
	`FROM (${executionsSql(process)}) GROUP BY ALL ORDER BY c`;

export const overviewSql = (process: Process | null) =>
	"SELECT count(*) AS n, count(DISTINCT (instance_id, process_id)) AS p, " +
	"count(DISTINCT instance_id) AS i, count(DISTINCT thread_id) AS threads, " +
	`(SELECT count(*) FROM (${executionsSql(process)})) AS x, ` +
	`(SELECT sum(d) FROM (${executionsSql(process)})) AS t ` +
	`FROM SystemProfileEvents WHERE ${whereOf(process)}`;

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

/** Executions of a capture's model by its process. */
export function executionsOf(capture: Row, models: Row[]): Row[] {
	const same = (a: Cell | undefined, b: Cell | undefined) => text(a) === text(b);
	const core = num(capture["nc_id"]);
	const own = models.filter((row) => text(row["m"]) !== "" && same(row["m"], capture["model_id"]) &&
		(!text(capture["instance_id"]) || same(row["i"], capture["instance_id"])) &&
		(!num(capture["process_id"]) || same(row["p"], capture["process_id"])));
	// every core may have its capture: then only what that one ran counts
	const here = own.filter((row) => num(row["c"]) === core);
	return here.length ? here : own;
}

export function deviceLine(capture: Row, profile: string | null, models: Row[],
	metrics: Metrics | null): DeviceLine {
	const own = executionsOf(capture, models);
	const calls = total(own, "n"), time = total(own, "t");
	const cores = own.map((row) => text(row["c"])).join(", ");
	return { profile, models: own, cells: [
		text(capture["device_profile_name"]), capture["process_id"] ?? null, metrics?.cores ?? null,
		cores || null, time || null, calls || null, calls ? time / calls : null,
		...(metrics?.cells ?? [null, null, null, null, null])] };
}
