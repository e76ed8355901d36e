// SPDX-License-Identifier: Apache-2.0
// Calls around an event: what called it, and what it called. Runtimes give a flow's number to the
// innermost calls only, so the flow that a call leads to is that of what it called. Pure.

import type { EventDetails } from "../../api/types.ts";
import { sqlText, text, type Row } from "../parts/data.ts";

export interface Call {
	row: string;
	name: string;
}

export interface Calls {
	callers: Call[]; // outermost first
	calledCount: number;
	flows: string[]; // own ones, else of what it called, else of what called it
}

const PARENT = "json_extract_string(extra_attributes_json, '$.parent_id')";

/** Calls of one process enclose each other, so only what overlaps the event is looked at. */
export function callsSql(details: EventDetails): string {
	const value = (name: string) =>
		sqlText(text(details.fields.find((field) => field.name === name)?.value ?? null));
	const row = BigInt(details.row);
	const part = "SELECT e.* FROM e JOIN";
	return "WITH RECURSIVE e AS (SELECT row_, CAST(id AS VARCHAR) AS id, name, start_ts, flow_id, " +
		`${PARENT} AS parent FROM ` +
		"(SELECT *, row_number() OVER () - 1 AS row_ FROM SystemProfileEvents) " +
		`WHERE instance_id = ${value("instance_id")} AND process_id = ${value("process_id")} ` +
		`AND start_ts <= ${BigInt(details.end_ns)} AND end_ts >= ${BigInt(details.start_ns)}), ` +
		`up AS (SELECT * FROM e WHERE row_ = ${row} UNION ${part} up ON e.id = up.parent), ` +
		`down AS (SELECT * FROM e WHERE row_ = ${row} UNION ${part} down ON e.parent = down.id) ` +
		"SELECT 'up' AS way, * FROM up UNION ALL SELECT 'down' AS way, * FROM down " +
		"ORDER BY start_ts, row_";
}

const flowsOf = (rows: Row[]) => [...new Set(rows.flatMap((row) => {
	const flow = row["flow_id"];
	return Array.isArray(flow) ? flow.map(text) : [];
}))];

export function callsOf(rows: Row[], row: string): Calls {
	const own = rows.filter((one) => text(one["row_"]) === row);
	const others = (way: string) =>
		rows.filter((one) => one["way"] === way && text(one["row_"]) !== row);
	const callers = others("up"), called = others("down");
	const choices = [flowsOf(own), flowsOf(called), flowsOf(callers)];
	return {
		callers: callers.map((one) => ({ row: text(one["row_"]), name: text(one["name"]) })),
		calledCount: called.length,
		flows: choices.find((flows) => flows.length) ?? [],
	};
}
