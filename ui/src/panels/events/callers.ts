// SPDX-License-Identifier: Apache-2.0
// Calls around an event: what called it, and what it called. Runtimes attach a flow's id to the
// innermost calls only, so a call leads to the flow of what it called. Pure.

import { text, type Row } from "../parts/data.ts";

export interface Call {
	row: string;
	name: string;
}

export interface Calls {
	callers: Call[]; // outermost first
	calledCount: number;
	flows: string[]; // own ones, else of what it called, else of what called it
}

const flowsOf = (rows: Row[]) => [...new Set(rows.flatMap((row) => {
	const flow = row["flow_id"];
	return Array.isArray(flow) ? flow.map(text) : [];
}))];

export function callsOf(rows: Row[], row: string): Calls {
	const own = rows.filter((one) => text(one["row_idx"]) === row);
	const others = (way: string) =>
		rows.filter((one) => one["way"] === way && text(one["row_idx"]) !== row);
	const callers = others("up"), called = others("down");
	const choices = [flowsOf(own), flowsOf(called), flowsOf(callers)];
	return {
		callers: callers.map((one) => ({ row: text(one["row_idx"]), name: text(one["name"]) })),
		calledCount: called.length,
		flows: choices.find((flows) => flows.length) ?? [],
	};
}
